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
