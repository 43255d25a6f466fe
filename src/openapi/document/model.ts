import type { ResponseKey } from '../../schema/responses.ts'
import type { DefinitionProblem, DefinitionWarning } from '../../base/definition-error.ts'
import type { Middleware } from '../../define/layers.ts'
import type { Webhook } from '../webhook.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Schema } from '../../schema/schema.ts'
import type { Method } from '../../http/http.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { Lifetime, VersionPolicy } from '../../versioning/policy.ts'
import type {
  Content,
  DocumentInfo,
  DocumentServer,
  DocumentTag,
  OpenApiVersion,
  Parameter,
  RequestBody,
  SchemaObject,
  ExternalDocs,
} from './types.ts'

/** A route that answers in a version. */
export interface DocumentedRoute {
  readonly route: ResolvedRoute
  /** Those of its methods that it answers there. */
  readonly methods: readonly Method[]
  /**
   * Whether a request names the version: `'required'` when it is answered otherwise without, `'optional'` for the default version,
   * `'none'` where versions say nothing.
   */
  readonly naming: 'required' | 'optional' | 'none'
  readonly lifetime: Lifetime | undefined
}

/** The subject of a document: one version, or everything where there are none. */
export interface DocumentedVersion {
  /** `null` without versioning. */
  readonly version: string | null
  readonly routes: readonly DocumentedRoute[]
  readonly lifetime: Lifetime | undefined
  readonly policy: VersionPolicy | undefined
  /** Whether another deployment serves it, so that the document of all versions only announces it. */
  readonly isElsewhere: boolean
}

/** The description of an application, and how it is reached. */
export interface DocumentSettings {
  readonly openapi: OpenApiVersion
  /** Its version is that of what has none: the document of all versions, and the one of an application without versions. */
  readonly info: Omit<DocumentInfo, 'version'> & { readonly version?: string }
  readonly servers: readonly DocumentServer[]
  /** Whether servers were given; the address of the document stands there otherwise. */
  readonly hasServers: boolean
  readonly tags: readonly DocumentTag[]
  readonly externalDocs: ExternalDocs | undefined
  /** The events that the application reports to subscribers. */
  readonly webhooks: readonly Webhook[]
  /** Whether a slash at the end of a path makes another path, or the declared form is the one to send. */
  readonly keepsSlash: boolean
  readonly versioning: Versioning | undefined
  /** That of the application, around every route. */
  readonly middleware: readonly Middleware[]
  /** Milliseconds since 1970: deprecations are told when they have begun. */
  readonly now: () => number
}

/** Schemas that modules name, with the place where they do. */
export interface NamedSchema {
  readonly name: string
  readonly schema: Schema
  /** Such as `module CarsModule`. */
  readonly where: string
}

/** The parts of an operation that come from schemas, as JSON; documents share them. */
export interface ConvertedRoute {
  /** Those of params, query, headers and cookies, in this order; path parameters that are not declared included. */
  readonly parameters: readonly Parameter[]
  /** The contents of `body`, `form` and `files`, by content type. */
  readonly body: RequestBody | undefined
  /** The responses that are declared, by status; without content where nothing is sent. */
  readonly responses: ReadonlyMap<
    ResponseKey,
    { readonly description: string | undefined; readonly content: Content | undefined }
  >
  /** The contents that error handlers declare, with their statuses. */
  readonly errors: readonly { readonly status: number; readonly content: Content }[]
  /** The schemas of events by their names, or the one of items under that of events without a name. */
  readonly stream: ReadonlyMap<string, StreamedSchema>
  /** The schemas in `openapi` of the route. */
  readonly headers: ReadonlyMap<unknown, SchemaObject>
}

/** The content of an event, or of an item. */
export interface StreamedSchema {
  /** `undefined` for an event without data. */
  readonly schema: SchemaObject | undefined
  /** Whether the data of an event is sent as text that is no JSON. */
  readonly isString: boolean
  /** Whether an event may come without data. */
  readonly isOptional: boolean
}

/** As much of a route as schemas are converted for. Webhooks have it too. */
export interface Convertible extends Pick<
  ResolvedRoute,
  'name' | 'label' | 'pattern' | 'migration' | 'sources' | 'responses' | 'stream' | 'openapi'
> {
  readonly layers?: Pick<ResolvedRoute['layers'], 'errorHandlers'>
}

/** Routes, converted together: schemas that they share are the same component. */
export interface Conversion {
  readonly routes: ReadonlyMap<Convertible, ConvertedRoute>
  /** The content of errors, or `undefined` for problem documents. */
  readonly errors: Content | undefined
  /** Under `#/components/schemas/`, by name. */
  readonly components: Readonly<Record<string, SchemaObject>>
  /** Names that two schemas have, and names that no component can have. */
  readonly problems: readonly DefinitionProblem[]
  /** Warnings of schemas that no document can show: a note stands in their place. */
  readonly warnings: readonly DefinitionWarning[]
}

/** Converts the schemas of routes and webhooks, and of the format of errors. */
export type Convert = (
  routes: readonly Convertible[],
  named: readonly NamedSchema[],
  errorFormat: ErrorFormat | undefined,
) => Conversion
