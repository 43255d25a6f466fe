import { pathToFileURL } from 'node:url'

import { failure } from './command.ts'
import { readChangelogSources } from './gate/changelog-sources.ts'
import { findUndescribed } from './gate/host-routes.ts'
import { findHistoryInternals } from '../changes/internals.ts'
import { explain, explainChanges, type Explanation } from '../changes/check/explain.ts'
import { versionFileNames } from '../http/file-name.ts'
import type { App } from '../server/app/app.ts'
import type { RouteEntry } from '../server/app/route-list.ts'
import { findInternals, internalsOf } from '../server/adapters/internals.ts'
import type { NamedDocuments, AppResult, AppRequest, Wanted, CurrentReport } from './app-process.ts'
import { readHistory } from './release/read-history.ts'
import { contractTypes } from './types/to-types.ts'
import { readDefinitions } from './write/defined-parts.ts'
import { checkHistory, type CheckHistoryOptions } from '../changes/check/check-history.ts'
import type { CheckedHistory } from '../gate/snapshot/changes.ts'
import { UNVERSIONED } from '../gate/snapshot/snapshot-index.ts'
import { readServing } from '../server/adapters/serving.ts'
import { unfinishedIn } from './write/unfinished.ts'

/** Answers what a command asks about an application. */
export async function answerRequest(
  app: App,
  request: Exclude<AppRequest, { readonly kind: 'host' }>,
): Promise<AppResult> {
  // without a start, neither databases nor secrets are needed
  await (findInternals(app)?.prepare() ?? app.ready())
  switch (request.kind) {
    case 'routes':
      return {
        routes: app.routes().map(toPlainRoute),
        versions: app.versions(),
      }
    case 'explain':
      return readExplanation(app)
    case 'changelog':
      return readChangelogSources(app)
    case 'definitions':
      return readDefinitions(app)
    case 'current':
      return readCurrentApp(app, request)
    case 'release':
      return readHistory(app, request.version)
    default:
      return readDocuments(app, request)
  }
}

function readExplanation(app: App): Explanation {
  const { versioning, routes, settings } = internalsOf(app, 'octavo versions')
  const history = findHistoryInternals(versioning()?.history)
  if (history === undefined) return { changes: [], nearMisses: [] }
  return explain(history, routes(), settings.errorFormat?.schema)
}

/** Converts a route to JSON. Metadata that JSON cannot represent is left out. */
function toPlainRoute(route: RouteEntry): RouteEntry {
  const meta = Object.entries(route.meta).filter(([, value]) => isWritableJson(value))
  return { ...route, meta: Object.fromEntries(meta) }
}

function isWritableJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

function selectReader(
  request: DocumentsRequest,
): ReturnType<typeof toReadMap> | typeof readOpenApi | typeof readTypes {
  if (request.kind === 'openapi') return readOpenApi
  return request.kind === 'types' ? readTypes : toReadMap(request)
}

async function readDocuments(app: App, request: DocumentsRequest): Promise<NamedDocuments> {
  const { wanted } = request
  const read = selectReader(request)
  const known = app.versions().map(({ version }) => version)
  const every = wanted.kind === 'each' && known.length > 0 ? known : [null]
  const versions = wanted.kind === 'one' ? [wanted.version] : every
  const toName = versionFileNames([...known, ...versions.flatMap((version) => version ?? [])])
  const documents: NamedDocuments[number][] = []
  for (const version of versions) {
    try {
      const document = await read(app, version ?? undefined)
      documents.push({ name: version === null ? 'all' : toName(version), document })
    } catch (error) {
      if (!(error instanceof RangeError) || version === null || known.includes(version)) throw error
      throw failure(
        `unknown version "${version}"`,
        known.length === 0 ? 'the app has no versions' : `the app has ${known.join(', ')}`,
      )
    }
  }
  return documents
}

type DocumentsRequest = Extract<AppRequest, { readonly wanted: Wanted }>

async function readTypes(app: App, version: string | undefined): Promise<object> {
  const contract = internalsOf(app, 'octavo client').contract(version)
  if (contract === undefined) throw new RangeError(`Unknown version "${version ?? ''}"`)
  return { text: contractTypes(contract) }
}

async function readOpenApi(app: App, version: string | undefined): Promise<object> {
  return app.openapi(version === undefined ? {} : { version })
}

/** @throws `CommandError` if the routes of the map have hosts of their own, and no host to make them of was given. */
function toReadMap({
  host,
}: Extract<AppRequest, { readonly kind: 'client' | 'types' }>): (
  app: App,
  version: string | undefined,
) => Promise<object> {
  return async (app, version) => {
    const map = await internalsOf(app, 'octavo client').routeMap(version, host ?? 'localhost')
    if (host === undefined && Object.values(map.routes).some((route) => route.host !== undefined))
      throw failure(
        'the app reads versions from the host',
        'pass the host that clients use: --host api.example.com',
      )
    return map
  }
}

/** Reads the kept facts of an application, and on request its changes and definitions. */
async function readCurrentApp(
  app: App,
  { isChecked, isTried = false, inside }: Extract<AppRequest, { readonly kind: 'current' }>,
): Promise<CurrentReport> {
  const known = app.versions()
  const internals = internalsOf(app, 'octavo check')
  const { schemes, routes } = readServing(internals)
  const history = isChecked ? checkedHistory(app, isTried ? { runs: FEW } : {}) : undefined
  return {
    versions:
      known.length === 0
        ? [{ version: UNVERSIONED, document: app.openapi(), isDefault: false }]
        : known.map(({ version, isDefault, sunset }) => ({
            version,
            document: app.openapi({ version }),
            isDefault,
            sunset,
          })),
    serving: { schemes, routes: [...routes] },
    uncontracted: findUncontracted(internals),
    ...(history === undefined ? {} : { history }),
    ...(isChecked && !isTried ? { definitions: await readDefinitions(app) } : {}),
    ...(inside?.file === undefined
      ? {}
      : { undescribed: await readUndescribed(app, inside.file, inside.label) }),
  }
}

/** Finds the paths of mounted APIs without a route in documents. The mount of an upstream is described by routes that forward to it. */
function findUncontracted(internals: ReturnType<typeof internalsOf>): readonly string[] {
  const routes = internals.routes()
  const described = routes.filter(({ mount, includeInSchema }) => mount === undefined && includeInSchema)
  return routes
    .filter(({ mount }) => mount !== undefined)
    .filter(({ forward }) => !described.some((route) => forward === undefined || route.forward === forward))
    .map(({ pattern }) => pattern.text.replace(/\/\{\w+:path\}$/, '') || '/')
}

async function readUndescribed(app: App, file: string, label: string): Promise<readonly string[]> {
  const exported: object = await import(pathToFileURL(file).href)
  return findUndescribed(exported, label, app.routes())
}

/** Values for each field of changes that are tried. The check that the author runs next has more. */
const FEW = 5

function checkedHistory(app: App, options: CheckHistoryOptions): CheckedHistory | undefined {
  const { versioning, routes } = internalsOf(app, 'octavo check')
  const history = versioning()?.history
  const internals = findHistoryInternals(history)
  if (history === undefined || internals === undefined) return undefined
  const changes = explainChanges(internals, routes())
  const { next } = internals.parts
  // the places to fill in are listed by themselves, and their values say nothing yet
  const unfinished = internals.parts.changes.filter((change) => unfinishedIn(change, undefined).length > 0)
  // what is not released counts for the version that the history gives it
  const isUnreleased = (id: string): boolean =>
    internals.parts.changes.some((change) => change.id === id && change.version === 'next')
  const isUnfinished = (id: string): boolean => unfinished.some((change) => change.id === id)
  return {
    changes: changes.map(({ id, version, at, reaches }) => ({
      id,
      version: isUnreleased(id) ? (next ?? version) : version,
      source: at,
      routes: reaches.map(({ route }) => route),
      hasSideEffects: internals.parts.changes.some((change) => change.id === id && change.sideEffects),
    })),
    problems: checkHistory(history, options).filter(({ change }) => !isUnfinished(change)),
  }
}
