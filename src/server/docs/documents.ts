import { once, importInTurn } from '../../base/values.ts'
import type { RouteMap } from '../../client/route-map.ts'
import type {
  Contract,
  DocumentedVersion,
  DocumentSettings,
  NamedSchema,
  DocumentServer,
  OpenApiDocument,
} from '../../openapi/document/types.ts'
import type { Generator } from '../../openapi/document/generate.ts'
import { toServers } from '../../openapi/document/wire.ts'
import { headerSchemasOf } from '../../openapi/schemas/markers.ts'
import { documentedOf } from '../../define/layers.ts'
import { isSchema, loadZod, requireZod } from '../../schema/schema.ts'
import { problemsOf, type ResolvedRoute } from '../../routes/resolved-route.ts'
import { lifeAt, toVersionLinks, type VersionLife, type VersionLinks } from '../../versioning/policy.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import {
  toDocumentedVersions,
  toContract,
  toRouteMap,
  type DocumentSource,
  type Which,
} from './documented.ts'
import { orFail, DefinitionError } from '../../base/definition-error.ts'

/** The life of a version, with the pages about it. */
interface LinkedLife extends VersionLife {
  readonly links: VersionLinks
}

/** The documents of an application, each made when it is asked for and kept while it is true. */
export interface AppDocuments {
  /** The versions that have a document, oldest first: versions with a shown route. */
  readonly versions: () => readonly string[]
  /** Where a version stands in its life now; active for `null`, which stands for all of them. */
  readonly life: (version: string | null) => LinkedLife
  /** Returns the title of the application. */
  readonly title: () => string
  /** Where the application answers, in a version or in any. */
  readonly servers: (version?: string | null) => readonly DocumentServer[]
  /** Loads the code for documents, and makes none. */
  readonly prepare: () => Promise<void>
  /** Loads the code for documents. */
  readonly load: () => Promise<void>
  /**
   * The document of a version; of all versions without one, and for `'all'`. `load` comes before it. The same object as long as
   * nothing in it changes.
   *
   * @throws `RangeError` for an unknown version, `DefinitionError` for what cannot be documented.
   */
  readonly document: (version?: string) => OpenApiDocument
  /**
   * How a client that reaches the application by `host` calls the routes of a version, `all` of them or those that documents show, or `undefined` for an unknown version.
   */
  readonly routeMap: (
    version: string | undefined,
    host: string,
    which: Which,
  ) => Promise<RouteMap | undefined>
  /** Returns the requests and responses of a version, as JSON Schema, or `undefined` for an unknown version. `load` comes before it. */
  readonly contract: (version: string | undefined) => Contract | undefined
}

/** Creates the documents of an application. The source is read with the first one. */
export function createAppDocuments(
  source: () => DocumentSource,
  fail: (error: unknown) => never,
): AppDocuments {
  const load = once(() => loadCode(source()))
  let make: ((source: DocumentSource) => Generator) | undefined
  let generator: Generator | undefined
  const documented = (): readonly DocumentedVersion[] => shownVersions(source())
  const versions = (): readonly string[] =>
    documented().flatMap(({ version, routes }) => (version === null || routes.length === 0 ? [] : [version]))
  return {
    versions,
    life: (version) => {
      const { versioning } = source()
      const found = documented().find((each) => version !== null && each.version === version)
      return {
        ...lifeAt(found?.lifetime, clockOf(versioning)()),
        links: toVersionLinks(found?.policy?.links),
      }
    },
    title: () => titleOf(source()),
    servers: (only) => {
      const described = toDocumentSettings(source())
      const asked = only === undefined ? [null, ...versions()] : [only]
      return asked.flatMap((version) => toServers(version, described))
    },
    prepare: async () => void (make ??= await load()),
    load: async () => {
      make ??= await load()
      generator ??= make(source())
    },
    document: (version) => {
      if (make === undefined) throw new Error('openapi: call await app.ready() first, also after listen()')
      const { known } = source().table
      generator ??= make(source())
      const found = version === undefined ? undefined : known.find(version)
      const { document } = generator
      if (found !== undefined || version === undefined || version === 'all')
        return orFail(() => {
          checkNamed(source())
          return document(found)
        }, fail)
      throw new RangeError(
        `openapi: there is no version "${version}"; there are ${[...known.list, 'all'].join(', ')}`,
      )
    },
    routeMap: async (version, host, which) => {
      if (which === 'shown') orFail(() => checkNamed(source()), fail)
      // media types are metadata of schemas
      await loadZod()
      return toRouteMap(source(), version, { host, which })
    },
    contract: (version) => {
      if (make === undefined) throw new Error('contract: call load first')
      const made = (generator ??= make(source()))
      return orFail(() => toContract(source(), version, made), fail)
    },
  }
}

/** Loads the code that creates documents, and the converter of schemas if a route has one. */
async function loadCode(source: DocumentSource): Promise<(source: DocumentSource) => Generator> {
  const { createGenerator } = await importInTurn(() => import('../../openapi/document/generate.ts'))
  const isWanted =
    source.settings.errorFormat !== undefined ||
    (source.settings.docs || {}).webhooks !== undefined ||
    // what an older route has of its own is made when it is read
    shownVersions(source).some(({ routes }) =>
      routes.some(({ route }) => hasSchemas(route.newest ?? route) || hasSchemas(route)),
    )
  if (isWanted) await requireZod()
  const convert = isWanted
    ? (await importInTurn(() => import('../../openapi/schemas/convert.ts'))).convert
    : undefined
  return (one) => {
    const { modules, settings } = one
    const created = createGenerator(
      {
        versions: shownVersions(one),
        named: modules.flatMap(({ module, label }) =>
          Object.entries(module.schemas ?? {}).flatMap(([name, schema]): readonly NamedSchema[] =>
            isSchema(schema) ? [{ name, schema, where: label }] : [],
          ),
        ),
        settings: toDocumentSettings(one),
        warn: (warning) => settings.log.warn(warning, 'A definition deserves a look'),
      },
      convert,
    )
    // what is served is wanted anyway
    if (settings.docs) {
      checkNamed(one)
      created.convert()
    }
    return created
  }
}

function shownVersions(source: DocumentSource): readonly DocumentedVersion[] {
  return toDocumentedVersions(source, 'shown')
}

/** @throws `DefinitionError` if a documented route is called after a function that a bundler has renamed. */
function checkNamed(source: DocumentSource): void {
  const renamed = new Map(
    shownVersions(source)
      .flatMap(({ routes }) => routes)
      .flatMap(({ route }) => (route.isRenamed ? [[route.label, route.name]] : [])),
  )
  if (renamed.size === 0) return
  throw new DefinitionError(
    [...renamed].map(([where, name]) => ({
      code: 'invalid_name',
      where,
      message: `the route is called "${name}" after its handler, which the bundler has renamed`,
      fix: 'give the route a name, or keep the names of functions, as esbuild does with --keep-names',
    })),
  )
}

function hasSchemas(route: ResolvedRoute): boolean {
  const { sources, responses, stream, openapi, layers } = route
  return (
    sources.length > 0 ||
    responses.size > 0 ||
    stream !== undefined ||
    headerSchemasOf(openapi).length > 0 ||
    problemsOf(route).some(({ members }) => members !== undefined) ||
    layers.errorHandlers.some(({ response }) => response !== undefined)
  )
}

/** Returns the title of the application, as given or after its root module. */
function titleOf({ settings: { docs }, modules }: DocumentSource): string {
  const given = docs ? docs.info?.title : undefined
  return given ?? modules.at(-1)?.module.name?.replace(/(?<=.)Module$/, '') ?? 'API'
}

function toDocumentSettings(source: DocumentSource): DocumentSettings {
  const { docs, trailingSlash, layers } = source.settings
  const { versioning } = source
  const { openapi = '3.1', info = {}, servers = [{ url: '/' }], tags = [], externalDocs } = docs || {}
  const { webhooks = [] } = docs || {}
  return {
    openapi,
    info: { ...info, title: titleOf(source) },
    servers,
    hasServers: docs !== false && docs?.servers !== undefined,
    tags,
    externalDocs,
    webhooks,
    keepsSlash: trailingSlash !== 'ignore',
    versioning,
    middleware: layers.middleware ?? [],
    toolOf: toFindTool(source),
    now: clockOf(versioning),
  }
}

/** Returns the name of the tool that an operation is for a router of tools, which routes beside it know nothing of. */
function toFindTool({ table }: DocumentSource): DocumentSettings['toolOf'] {
  const parts = new Set(table.rows.flatMap(({ route }) => route.layers.middleware))
  const finds = documentedOf([...parts]).flatMap(({ toolOf = [] }) => toolOf)
  if (finds.length === 0) return () => undefined
  return (candidate) => finds.map((find) => find(candidate)).find((name) => name !== undefined)
}

function clockOf(versioning: Versioning | undefined): () => number {
  return versioning?.common.clock ?? Date.now
}
