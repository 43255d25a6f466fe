import type { DefinitionProblem } from '../../base/definition-error.ts'
import { addedTo, RESPONSE_HEADERS } from './responses.ts'
import { statusAt, toFullLink, type Lifetime } from '../../versioning/policy.ts'
import type {
  Conversion,
  ConvertedRoute,
  DocumentedVersion,
  DocumentSettings,
  DocumentTag,
  OpenApiDocument,
  PathItem,
  DocumentInfo,
} from './types.ts'
import { extensionProblems, type WriteOperation } from './operation.ts'
import { toPaths, type PlacedOperation } from './merge.ts'
import { PROBLEM_SCHEMAS, toErrorAnswers, type ErrorAnswers } from './problems.ts'
import { findReferences, componentNames, pickNamed, referencesOfItems, schemasIn } from './refs.ts'
import { createSecurity } from './security.ts'
import { toWebhooks, type DocumentedWebhook } from './webhooks.ts'
import { toServers, toWire } from './wire.ts'
import type { VersionHistory } from '../../versioning/options.ts'

/** A document, with the mistakes of its definitions. */
export interface DatedDocument {
  readonly document: OpenApiDocument
  readonly problems: readonly DefinitionProblem[]
  /** The moment from which another document is true, in milliseconds since 1970. */
  readonly until: number
  /** The paths in which the version stands. */
  readonly own: ReadonlySet<string>
  /** The answers of Octavo itself. */
  readonly answers: ErrorAnswers
}

/** The patch that documents of each version of OpenAPI name. */
const PATCHES = { '3.1': '3.1.1', '3.2': '3.2.0' } as const

/** The parts of a document besides its routes, and how they are written. */
interface DocumentParts {
  readonly writeOperation: WriteOperation
  readonly webhooks: readonly DocumentedWebhook[]
}

/** Creates the document of a version from routes and webhooks whose schemas are converted. */
export function toDocument(
  documented: DocumentedVersion,
  conversion: Conversion,
  settings: DocumentSettings,
  { writeOperation, webhooks }: DocumentParts,
): DatedDocument {
  const { version, routes, errorFormat } = documented
  const { middleware } = settings
  const now = settings.now()
  const answers = toErrorAnswers(
    errorFormat && conversion.errors.get(errorFormat.schema),
    settings.versioning?.schemes[0]?.statusCodes,
    routes.flatMap(({ route }) => addedTo(route, middleware)).flatMap(({ problems = [] }) => problems),
  )
  const security = createSecurity()
  const own = new Set<string>()
  const unfit = routes.flatMap(extensionProblems)
  // what cannot be merged is reported, and nothing else is made of it
  const placed = (unfit.length > 0 ? [] : routes).flatMap((each) => {
    const wire = toWire(each, version, settings)
    const converted = conversion.routes.get(each.route) ?? WITHOUT_SCHEMAS
    if (wire.isInPath) own.add(wire.path)
    const parts = { ...settings, converted, wire, security: security.of(each.route), now, answers }
    return each.methods.map((method): PlacedOperation => ({
      path: wire.path,
      // OpenAPI 3.1 has no member for QUERY
      method: method === 'QUERY' && settings.openapi === '3.1' ? 'x-query' : method.toLowerCase(),
      operation: writeOperation(each, method, parts),
      route: each.route,
    }))
  })
  const { paths, problems } = toPaths(placed, answers)
  const taken = new Set(operationsOfItems(Object.values(paths)).map(({ operationId }) => operationId))
  const sent = toWebhooks(webhooks, conversion, taken)
  const items = [...Object.values(paths), ...Object.values(sent)]
  const { externalDocs } = settings
  return {
    document: {
      openapi: PATCHES[settings.openapi],
      info: withChangeNotes(
        infoOf(settings, version ?? settings.info.version),
        version,
        settings.versioning?.history,
      ),
      ...(externalDocs === undefined ? {} : { externalDocs }),
      servers: toServers(version, settings),
      ...toTags(items, settings.tags),
      ...policyOf(documented, now),
      paths,
      ...(webhooks.length === 0 ? {} : { webhooks: sent }),
      components: referredComponents(items, conversion.components, security.schemes(), answers),
    },
    problems: [...problems, ...security.problems(), ...unfit, ...takenSchemaNames(conversion.components)],
    until: nextChange([documented, ...routes], now),
    own,
    answers,
  }
}

/** A route that declares no schema. */
export const WITHOUT_SCHEMAS: ConvertedRoute = {
  parameters: [],
  body: undefined,
  responses: new Map(),
  problems: [],
  errors: [],
  stream: new Map(),
  headers: new Map(),
}

/** Returns the description of the API in a document. */
export function infoOf({ info }: Pick<DocumentSettings, 'info'>, version = '1.0.0'): OpenApiDocument['info'] {
  // the title and the version come first
  return Object.assign({ title: info.title, version }, info, { version })
}

/** The components that paths and webhooks refer to, and none besides. */
export function referredComponents(
  items: readonly PathItem[],
  converted: Conversion['components'],
  schemes: Readonly<Record<string, unknown>>,
  answers: ErrorAnswers,
): OpenApiDocument['components'] {
  const references = referencesOfItems(items)
  const responses = pickNamed(answers, componentNames(references, 'responses'))
  const inAll = new Set([...references, ...findReferences(responses)])
  const schemas = schemasIn(inAll, { ...converted, ...PROBLEM_SCHEMAS })
  const headers = pickNamed(RESPONSE_HEADERS, componentNames(references, 'headers'))
  return {
    ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
    ...(Object.keys(responses).length === 0 ? {} : { responses }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(schemes).length === 0 ? {} : { securitySchemes: schemes }),
  }
}

/** The tags of operations: first tags with a description, then further tags in the order of the operations. */
export function toTags(
  items: readonly PathItem[],
  described: readonly DocumentTag[],
): Pick<OpenApiDocument, 'tags'> {
  const used = new Set(operationsOfItems(items).flatMap(({ tags = [] }) => tags))
  const known = described.filter(({ name }) => used.has(name))
  const others = [...used].filter((name) => !known.some((tag) => tag.name === name))
  const tags = [...known, ...others.map((name) => ({ name }))]
  return tags.length === 0 ? {} : { tags }
}

/** Every operation of some path items. */
function operationsOfItems(items: readonly PathItem[]): readonly PathItem[string][] {
  return items.flatMap((item) => Object.values(item))
}

/** Returns the description of a version's life, with the links that explain it. */
function policyOf({ version, lifetime, policy, isElsewhere }: DocumentedVersion, now: number): object {
  if (version === null || (lifetime === undefined && !isElsewhere)) return {}
  const { deprecated = false, sunset }: Partial<Lifetime> = lifetime ?? {}
  const links = (['deprecation', 'sunset'] as const).flatMap((rel) => {
    const link = policy?.links?.[rel]
    return link === undefined ? [] : [{ rel, ...toFullLink(link) }]
  })
  return {
    'x-api-versioning': {
      version,
      status: statusAt(lifetime, now),
      ...(isElsewhere ? { elsewhere: true } : {}),
      ...(deprecated === false
        ? {}
        : { deprecated: deprecated === true || new Date(deprecated).toISOString() }),
      ...(sunset === undefined ? {} : { sunset: new Date(sunset).toISOString() }),
      links,
    },
  }
}

function takenSchemaNames(components: Conversion['components']): readonly DefinitionProblem[] {
  return Object.keys(PROBLEM_SCHEMAS)
    .filter((name) => Object.hasOwn(components, name))
    .map((name) => ({
      code: 'duplicate_schema',
      where: `schema ${name}`,
      message: `"${name}" is the name of the schema of Octavo's own errors`,
      fix: 'give the schema another name',
    }))
}

/** The next moment at which something becomes deprecated or has its sunset. */
function nextChange(all: readonly { readonly lifetime: Lifetime | undefined }[], now: number): number {
  const lifetimes = new Set(all.map(({ lifetime }) => lifetime))
  const moments = [...lifetimes].flatMap((lifetime) => [lifetime?.deprecated, lifetime?.sunset])
  return Math.min(...moments.filter((moment) => typeof moment === 'number').filter((moment) => moment > now))
}

/** Adds to the description of a document, as Markdown, what changed with its version. */
function withChangeNotes(
  info: DocumentInfo,
  version: string | null,
  history: VersionHistory | undefined,
): DocumentInfo {
  const changes =
    history?.changes.filter((change) => change.version === version && change.internal !== true) ?? []
  if (changes.length === 0) return info
  const lines = changes.map(({ title, description }) =>
    description === title ? `- ${title}` : `- **${title}.** ${description}`,
  )
  const notes = [`What is new in ${version}:`, lines.join('\n')]
  return { ...info, description: [info.description, ...notes].filter(Boolean).join('\n\n') }
}
