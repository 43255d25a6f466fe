import type { ResponseKey, Schema } from '../../schema/schema.ts'
import type { DefinitionProblem, DefinitionWarning } from '../../base/definition-error.ts'
import type { Middleware, ToolCandidate } from '../../define/layers.ts'
import type { AnyProblem } from '../../define/problem.ts'
import type { Webhook } from '../webhook.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Method } from '../../http/http.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import type { Lifetime, VersionPolicy } from '../../versioning/policy.ts'
import type { SourceName } from '../../schema/sources.ts'

/** A Schema Object (OpenAPI 3.1 section 4.8.24): JSON Schema of the draft 2020-12. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** A Reference Object. */
export interface Reference {
  /** The URI of the part, such as `#/components/responses/Problem`. */
  readonly $ref: string
}

/** A Parameter Object (section 4.8.12). */
export interface Parameter {
  /** The name. Case counts, except in headers. */
  readonly name: string
  /** The part of the request that carries it. */
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** A text about the parameter. May hold Markdown. */
  readonly description?: string
  /** Whether requests without it are refused. */
  readonly required?: boolean
  /** Whether clients should stop sending it. */
  readonly deprecated?: boolean
  /** How lists and objects are written. */
  readonly style?: string
  /** Whether each entry of a list is a parameter of its own. */
  readonly explode?: boolean
  /** The schema of the value. */
  readonly schema: SchemaObject
}

/** A Media Type Object (section 4.8.14). */
export interface MediaTypeObject {
  /** The schema of the content. */
  readonly schema?: SchemaObject
  /** The schema of an event or item, in OpenAPI 3.2. */
  readonly itemSchema?: SchemaObject
  /** Further members, such as `encoding`. */
  readonly [member: string]: unknown
}

/** Media types and what is sent as them. */
export type Content = Readonly<Record<string, MediaTypeObject>>

/** A Request Body Object (section 4.8.13). */
export interface RequestBody {
  /** A text about the body. May hold Markdown. */
  readonly description?: string
  /** Whether requests without a body are refused. */
  readonly required?: boolean
  /** The accepted media types. */
  readonly content: Content
}

/** A Response Object (section 4.8.17). */
export interface ResponseObject {
  /** A text about the response. May hold Markdown. */
  readonly description: string
  /** Headers by name. */
  readonly headers?: Readonly<Record<string, unknown>>
  /** The media types of the body. */
  readonly content?: Content
}

/** A Security Requirement Object (section 4.8.30). */
export type SecurityAlternative = Readonly<Record<string, readonly string[]>>

/** An Operation Object (section 4.8.10). */
export interface Operation {
  /** The id, unique in its document. */
  readonly operationId: string
  /** The groups of the operation. */
  readonly tags?: readonly string[]
  /** A short text about the operation. */
  readonly summary?: string
  /** A longer text about the operation. May hold Markdown. */
  readonly description?: string
  /** Whether clients should stop calling it. */
  readonly deprecated?: boolean
  /** Alternatives, one of which a client has to meet. */
  readonly security: readonly SecurityAlternative[]
  /** Parameters of path, query, headers and cookies. */
  readonly parameters?: readonly Parameter[]
  /** The body of the request. */
  readonly requestBody?: RequestBody
  /** Where it differs from those of the document. */
  readonly servers?: readonly DocumentServer[]
  /** By status, `4XX` and the like included. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  /** Extensions of the specification. */
  readonly [extension: `x-${string}`]: unknown
}

/** A Path Item Object (section 4.8.9): operations by method, in lower case. QUERY is `x-query` in OpenAPI 3.1. */
export type PathItem = Readonly<Record<string, Operation>>

/** The description of a document (section 4.8.2). */
export interface DocumentInfo {
  /** The name of the API. */
  readonly title: string
  /** The version of the API. */
  readonly version: string
  /** A short text about the API. */
  readonly summary?: string
  /** A longer text about the API. May hold Markdown. */
  readonly description?: string
  /** The URL of the terms of service. */
  readonly termsOfService?: string
  /** The people to ask. */
  readonly contact?: DocumentContact
  /** The license of the API. */
  readonly license?: DocumentLicense
  /** Extensions of the specification. */
  readonly [extension: `x-${string}`]: unknown
}

/** Who to ask about an API (section 4.8.3). */
export interface DocumentContact {
  /** The name of the person or organisation. */
  readonly name?: string
  /** The URL of a page about the contact. */
  readonly url?: string
  /** The email address. */
  readonly email?: string
}

/** The license of an API (section 4.8.4). */
export interface DocumentLicense {
  /** The name of the license. */
  readonly name: string
  /** The SPDX identifier. Excludes `url`. */
  readonly identifier?: string
  /** The URL of the license. Excludes `identifier`. */
  readonly url?: string
}

/** Documentation elsewhere (section 4.8.11). */
export interface ExternalDocs {
  /** The URL of the documentation. */
  readonly url: string
  /** A text about it. May hold Markdown. */
  readonly description?: string
}

/** A part of a server's URL that clients choose (section 4.8.6). */
export interface ServerVariable {
  /** The value if a client chooses none. */
  readonly default: string
  /** The values to choose from. */
  readonly enum?: readonly string[]
  /** A text about the variable. May hold Markdown. */
  readonly description?: string
}

/** Where the application answers (section 4.8.5). */
export interface DocumentServer {
  /** The URL, absolute or relative to the document. May hold variables in braces. */
  readonly url: string
  /** A text about the server. May hold Markdown. */
  readonly description?: string
  /** The variables of the URL by name. */
  readonly variables?: Readonly<Record<string, ServerVariable>>
}

/** The description of a group of operations (section 4.8.22). */
export interface DocumentTag {
  /** The tag as routes name it. */
  readonly name: string
  /** A text about the group. May hold Markdown. */
  readonly description?: string
  /** Further documentation of the group. */
  readonly externalDocs?: ExternalDocs
}

/** A version of the OpenAPI specification that documents can be written in. */
export type OpenApiVersion = '3.1' | '3.2'

/** An OpenAPI document. */
export interface OpenApiDocument {
  /** The version of the specification with its patch. */
  readonly openapi: string
  /** Title, version and description of the API. */
  readonly info: DocumentInfo
  /** The addresses at which the application answers. */
  readonly servers: readonly DocumentServer[]
  /** The groups of operations. */
  readonly tags?: readonly DocumentTag[]
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, PathItem>>
  /** The events that the application sends to subscribers, by name. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  /** Parts that operations refer to. */
  readonly components: {
    /** Schemas by name. */
    readonly schemas?: Readonly<Record<string, SchemaObject>>
    /** Responses by name. */
    readonly responses?: Readonly<Record<string, ResponseObject>>
    /** Security schemes by name. */
    readonly securitySchemes?: Readonly<Record<string, unknown>>
    /** Headers by name. */
    readonly headers?: Readonly<Record<string, unknown>>
  }
  /** Further documentation of the API. */
  readonly externalDocs?: ExternalDocs
  /** Extensions of the specification. */
  readonly [extension: `x-${string}`]: unknown
}

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
  /** The format of its errors, or `undefined` for problem documents. */
  readonly errorFormat: DocumentedFormat | undefined
  /** Whether another deployment serves it, so that the document of all versions only announces it. */
  readonly isElsewhere: boolean
}

/** The description of an application, and how it is reached. */
export interface DocumentSettings {
  readonly openapi: OpenApiVersion
  /** `undefined` is the version of the document of all versions, and of an application without versions. */
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
  /** Returns the name of the tool that an operation is. */
  readonly toolOf: (candidate: ToolCandidate) => string | undefined
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
  /** The problems that are declared, each with the schema of its members. */
  readonly problems: readonly { readonly problem: AnyProblem; readonly members: SchemaObject | undefined }[]
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
  'name' | 'label' | 'pattern' | 'shownPattern' | 'sources' | 'responses' | 'stream' | 'openapi'
> {
  readonly layers?: ResolvedRoute['layers']
  readonly problems?: readonly AnyProblem[]
}

/** Routes, converted together: schemas that they share are the same component. */
export interface Conversion {
  readonly routes: ReadonlyMap<Convertible, ConvertedRoute>
  /** The contents of errors by the schemas of their formats. */
  readonly errors: ReadonlyMap<Schema, Content>
  /** Under `#/components/schemas/`, by name. */
  readonly components: Readonly<Record<string, SchemaObject>>
  /** Names that two schemas have, and names that no component can have. */
  readonly problems: readonly DefinitionProblem[]
  /** Warnings of schemas that no document can show: a note stands in their place. */
  readonly warnings: readonly DefinitionWarning[]
}

/** The format of errors in a version. */
export type DocumentedFormat = Pick<ErrorFormat, 'contentType' | 'schema'>

/** Converts the schemas of routes and webhooks, and of the formats of errors. */
export type ConvertSchemas = (
  routes: readonly Convertible[],
  named: readonly NamedSchema[],
  formats: readonly DocumentedFormat[],
) => Conversion

/** The content of a stream. */
interface ContractStream {
  readonly kind: 'events' | 'items'
  /** The schemas of events by their names, or the one of items. */
  readonly schemas: readonly (readonly [name: string, schema: StreamedSchema])[]
}

/** A route as clients of a version call it, in JSON Schema. */
export interface ContractRoute extends Pick<ConvertedRoute, 'parameters' | 'body'> {
  /** The full name. */
  readonly name: string
  readonly summary: string | undefined
  readonly deprecated: boolean
  /** The methods that it answers. */
  readonly methods: readonly string[]
  /** The declared sources of its input. */
  readonly sources: readonly SourceName[]
  readonly responses: readonly (readonly [status: ResponseKey, content: Content | undefined])[]
  /** The declared problems that are results, each with the schema of its members. */
  readonly problems: readonly (Pick<AnyProblem, 'code' | 'status'> & {
    readonly members: SchemaObject | undefined
  })[]
  /** The events or items of its stream. */
  readonly stream: ContractStream | undefined
  /** Whether the schema is that of any status. */
  readonly isOneResponse: boolean
}

/** An event that receivers of a version get, in JSON Schema. */
interface ContractWebhook {
  readonly name: string
  readonly summary: string | undefined
  /** The schema of its data, `undefined` if it has none. */
  readonly data: SchemaObject | undefined
}

/** The requests and responses of a version, for its clients. */
export interface Contract {
  /** `null` for requests that name none. */
  readonly version: string | null
  readonly routes: readonly ContractRoute[]
  readonly webhooks: readonly ContractWebhook[]
  /** The body of errors, if the application has an error format. */
  readonly errors: Content | undefined
  /** The named schemas. */
  readonly components: Readonly<Record<string, SchemaObject>>
}
