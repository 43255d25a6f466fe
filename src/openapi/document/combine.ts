import { infoOf, toTags, referredComponents } from './document.ts'
import { findReferences, renamed, schemasIn, toFreeName } from './refs.ts'
import { mergeOperations, type VersionedOperation } from './merge.ts'
import type { DocumentSettings, DocumentServer, OpenApiDocument, Operation, SchemaObject } from './types.ts'
import { PROBLEM_SCHEMAS, type ErrorAnswers } from './problems.ts'

/** The document of a version, to be combined with others. */
export interface DocumentOfVersion {
  readonly version: string | null
  readonly document: OpenApiDocument
  /** The paths that name the version. */
  readonly own: ReadonlySet<string>
  readonly answers: ErrorAnswers
}

/**
 * One document for all versions. What is the same in several is there once; where versions share a path, as when a header names them,
 * operations are merged; schemas of one name that differ get the version in their names.
 */
export function combineDocuments(
  given: readonly DocumentOfVersion[],
  settings: DocumentSettings,
): OpenApiDocument {
  const parts = withOwnErrors(given)
  const [first] = parts
  if (first === undefined) throw new TypeError('combine: there is no document')
  const answers = Object.assign({}, first.answers, ...parts.map((part) => part.answers))
  const named = withOwnNames(parts)
  const serverLists = new Set(parts.map(({ document }) => JSON.stringify(document.servers)))
  const hasOwnServers = serverLists.size > 1
  const merged = (of: (document: OpenApiDocument) => OpenApiDocument['paths'], own = false) =>
    Object.fromEntries(
      [...operationsByPlace(named, of)].map(([path, methods]) => [
        path,
        Object.fromEntries(
          [...methods].map(([method, placed]): readonly [string, Operation] => {
            const operation = mergeOperations(placed, answers)
            if (!own) return [method, operation]
            return [method, { ...operation, servers: uniqueServers(placed.flatMap((each) => each.servers)) }]
          }),
        ),
      ]),
    )
  const taken = new Set<string>()
  const paths = numberCombinedIds(
    merged((document) => document.paths, hasOwnServers),
    taken,
  )
  const webhooks = numberCombinedIds(
    merged((document) => document.webhooks ?? {}),
    taken,
  )
  const items = [...Object.values(paths), ...Object.values(webhooks)]
  const schemas = Object.assign({}, ...named.map(({ document }) => document.components.schemas ?? {}))
  const schemes = Object.assign({}, ...named.map(({ document }) => document.components.securitySchemes ?? {}))
  const versions = parts.flatMap(({ version }) => version ?? [])
  const policies = parts.flatMap(({ document }) => document['x-api-versioning'] ?? [])
  const { openapi, externalDocs } = first.document
  const version = settings.info.version ?? (versions.join(', ') || undefined)
  return {
    openapi,
    info: infoOf(settings, version),
    ...(externalDocs === undefined ? {} : { externalDocs }),
    servers: uniqueServers(parts.flatMap(({ document }) => document.servers)),
    ...toTags(items, settings.tags),
    ...(policies.length === 0 ? {} : { 'x-api-versioning': policies }),
    paths,
    ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
    components: referredComponents(items, schemas, schemes, answers),
  }
}

interface ServedOperation extends VersionedOperation {
  readonly servers: readonly DocumentServer[]
}

/** The operations of all documents by path, or by the name of a webhook, and method. */
function operationsByPlace(
  parts: readonly DocumentOfVersion[],
  itemsOf: (document: OpenApiDocument) => OpenApiDocument['paths'],
): ReadonlyMap<string, ReadonlyMap<string, readonly ServedOperation[]>> {
  const byPlace = new Map<string, Map<string, ServedOperation[]>>()
  for (const { version, document, own } of parts) {
    for (const [path, item] of Object.entries(itemsOf(document))) {
      const methods = byPlace.get(path) ?? new Map<string, ServedOperation[]>()
      byPlace.set(path, methods)
      for (const [method, operation] of Object.entries(item)) {
        // an id names the version if the path does
        const id = version !== null && own.has(path) ? `.v${toWord(version)}` : ''
        const entry = {
          operation: id === '' ? operation : { ...operation, operationId: operation.operationId + id },
          servers: document.servers,
          ...(version === null ? {} : { version }),
        }
        methods.set(method, [...(methods.get(method) ?? []), entry])
      }
    }
  }
  return byPlace
}

function uniqueServers(servers: readonly DocumentServer[]): readonly DocumentServer[] {
  return [...new Map(servers.map((server) => [JSON.stringify(server), server])).values()]
}

function toWord(version: string): string {
  return version.replaceAll(/[^\w.-]+/g, '_')
}

/** A name can be at another path in another version: then the second is numbered. */
function numberCombinedIds(paths: OpenApiDocument['paths'], taken: Set<string>): OpenApiDocument['paths'] {
  const unique = (operation: Operation): Operation => {
    const operationId = toFreeName(operation.operationId, taken)
    return operationId === operation.operationId ? operation : { ...operation, operationId }
  }
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, unique(operation)])),
    ]),
  )
}

/** Documents whose operations have their errors written out, if versions have different ones. */
function withOwnErrors(parts: readonly DocumentOfVersion[]): readonly DocumentOfVersion[] {
  const shown = parts.map(({ answers: { Problem }, document: { components } }) =>
    JSON.stringify([Problem, schemasIn(findReferences(Problem), components.schemas ?? {})]),
  )
  if (new Set(shown).size < 2) return parts
  return parts.map((part) => {
    const { answers, document } = part
    const written = (response: Operation['responses'][string]): Operation['responses'][string] =>
      '$ref' in response ? (answers[response.$ref.slice(RESPONSES.length)] ?? response) : response
    const paths = Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          {
            ...operation,
            responses: Object.fromEntries(
              Object.entries(operation.responses).map(([status, response]) => [status, written(response)]),
            ),
          },
        ]),
      ),
    ])
    return { ...part, document: { ...document, paths: Object.fromEntries(paths) } }
  })
}

const RESPONSES = '#/components/responses/'

/** Documents in which schemas of one name are the same schema. */
function withOwnNames(parts: readonly DocumentOfVersion[]): readonly DocumentOfVersion[] {
  if (!areSeveral(parts)) return parts
  const meanings = new Map<string, Set<string>>()
  for (const { document } of parts) {
    const { schemas = {} } = document.components
    for (const name of Object.keys(schemas)) {
      if (Object.hasOwn(PROBLEM_SCHEMAS, name)) continue
      meanings.set(name, (meanings.get(name) ?? new Set()).add(meaningIn(schemas, name)))
    }
  }
  const differing = new Set([...meanings].filter(([, found]) => found.size > 1).map(([name]) => name))
  if (differing.size === 0) return parts
  const firsts = new Map<string, string>()
  const taken = new Set(meanings.keys())
  return parts.map((part) => {
    const { schemas = {} } = part.document.components
    const names = new Map<string, string>()
    for (const name of Object.keys(schemas)) {
      if (!differing.has(name)) continue
      // versions that have the same schema share the name of the oldest of them
      const key = `${name} ${meaningIn(schemas, name)}`
      const own = firsts.get(key) ?? toFreeName(`${name}.v${toWord(part.version ?? 'none')}`, taken)
      firsts.set(key, own)
      names.set(name, own)
    }
    const { components, paths, webhooks } = renamed(part.document, 'schemas', names)
    const own = Object.entries(components.schemas ?? {}).map(([name, schema]) => [
      names.get(name) ?? name,
      schema,
    ])
    return {
      ...part,
      document: {
        ...part.document,
        paths,
        ...(webhooks && { webhooks }),
        components: { ...components, schemas: Object.fromEntries(own) },
      },
    }
  })
}

/** Whether any name stands for several objects. Objects that were converted together are identical in all documents. */
function areSeveral(parts: readonly DocumentOfVersion[]): boolean {
  const known = new Map<string, SchemaObject>()
  for (const { document } of parts) {
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      if ((known.get(name) ?? schema) !== schema) return true
      known.set(name, schema)
    }
  }
  return false
}

/** Returns the meaning of a schema with all that it refers to. */
function meaningIn(schemas: Readonly<Record<string, SchemaObject>>, name: string): string {
  return JSON.stringify([schemas[name], schemasIn(findReferences(schemas[name]), schemas)])
}
