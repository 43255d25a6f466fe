import { failure } from './command.ts'
import { findHistoryInternals } from '../changes/internals.ts'
import { explain, type Explanation } from '../changes/check/explain.ts'
import { versionFileNames } from '../http/file-name.ts'
import type { App } from '../server/app/app.ts'
import type { RouteEntry } from '../server/app/route-list.ts'
import { findInternals, internalsOf } from '../server/adapters/internals.ts'
import { readCurrentApp } from './gate/read-app.ts'
import type { Documents, Result, Served, Task, Wanted } from './job.ts'
import type { ChangelogSource } from '../gate/changelog/changelog.ts'
import { readHistory } from './release/read-history.ts'
import { toTypes } from './types/to-types.ts'
import { readDefinitions } from './write/read-definitions.ts'

/** Does the task of a job that has a result. */
export async function doTask(app: App, job: Task): Promise<Result> {
  await prepare(app)
  switch (job.task) {
    case 'routes':
      return readServed(app)
    case 'explain':
      return readExplanation(app)
    case 'changelog':
      return readChangelog(app)
    case 'definitions':
      return readDefinitions(app)
    case 'current':
      return readCurrentApp(app, job.isChecked)
    case 'release':
      return readHistory(app, job.version)
    default:
      return readDocuments(app, job)
  }
}

function readServed(app: App): Served {
  return {
    routes: app.routes().map(toPlain),
    versions: app.versions(),
  }
}

function readExplanation(app: App): Explanation {
  const { versioning, routes } = internalsOf(app, 'octavo versions')
  const history = findHistoryInternals(versioning()?.history)
  return history === undefined ? { changes: [], nearMisses: [] } : explain(history, routes())
}

function readChangelog(app: App): readonly ChangelogSource[] {
  const { versioning, routes } = internalsOf(app, 'octavo changelog')
  const changes = findHistoryInternals(versioning()?.history)?.concerns(routes()) ?? []
  const served = app.versions().filter((each) => each.elsewhere !== true && each.routes.length > 0)
  return served.map(({ version, deprecated, sunset, retired }) => ({
    version,
    deprecated,
    sunset,
    isRetired: retired !== 'serve',
    document: app.openapi({ version }),
    changes: changes.filter((change) => change.version === version),
  }))
}

/** Prepares an application without starting it, so that neither databases nor secrets are needed. */
async function prepare(app: App): Promise<void> {
  await (findInternals(app)?.prepare() ?? app.ready())
}

/** Converts a route to JSON. Metadata that JSON cannot represent is left out. */
function toPlain(route: RouteEntry): RouteEntry {
  const meta = Object.entries(route.meta).filter(([, value]) => isPlain(value))
  return { ...route, meta: Object.fromEntries(meta) }
}

function isPlain(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

function toRead(job: DocumentsJob): ReturnType<typeof toReadMap> | typeof readDocument | typeof readTypes {
  if (job.task === 'openapi') return readDocument
  return job.task === 'types' ? readTypes : toReadMap(job)
}

async function readDocuments(app: App, job: DocumentsJob): Promise<Documents> {
  const { wanted } = job
  const read = toRead(job)
  const known = app.versions().map(({ version }) => version)
  const every = wanted.kind === 'each' && known.length > 0 ? known : [null]
  const versions = wanted.kind === 'one' ? [wanted.version] : every
  const toName = versionFileNames([...known, ...versions.flatMap((version) => version ?? [])])
  const documents: Documents[number][] = []
  for (const version of versions) {
    try {
      const document = await read(app, version ?? undefined)
      documents.push({ name: version === null ? 'all' : toName(version), document })
    } catch (error) {
      if (!(error instanceof RangeError) || version === null || known.includes(version)) throw error
      throw unknownVersion(version, known)
    }
  }
  return documents
}

type DocumentsJob = Extract<Task, { readonly wanted: Wanted }>

async function readTypes(app: App, version: string | undefined): Promise<object> {
  const contract = internalsOf(app, 'octavo client').contract(version)
  if (contract === undefined) throw new RangeError(`Unknown version "${version ?? ''}"`)
  return { text: toTypes(contract) }
}

async function readDocument(app: App, version: string | undefined): Promise<object> {
  return app.openapi(version === undefined ? {} : { version })
}

/** @throws `CommandError` if the routes of the map have hosts of their own, and no host to make them of was given. */
function toReadMap({
  host,
}: Extract<Task, { readonly task: 'client' | 'types' }>): (
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

function unknownVersion(version: string, known: readonly string[]): Error {
  const there = known.length === 0 ? 'the app has no versions' : `the app has ${known.join(', ')}`
  return failure(`unknown version "${version}"`, there)
}
