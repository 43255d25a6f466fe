/** A Schema Object (OpenAPI 3.1 section 4.8.24): JSON Schema of the draft 2020-12. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** A Reference Object. */
export interface Reference {
  readonly $ref: string
}

/** A Parameter Object (section 4.8.12). */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly description?: string
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema: SchemaObject
}

/** A Media Type Object (section 4.8.14). */
export interface MediaTypeObject {
  readonly schema?: SchemaObject
  readonly [member: string]: unknown
}

/** Media types and what is sent as them. */
export type Content = Readonly<Record<string, MediaTypeObject>>

/** A Request Body Object (section 4.8.13). */
export interface RequestBody {
  readonly description?: string
  readonly required?: boolean
  readonly content: Content
}

/** A Response Object (section 4.8.17). */
export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Content
}

/** A Security Requirement Object (section 4.8.30). */
export type SecurityAlternative = Readonly<Record<string, readonly string[]>>

/** An Operation Object (section 4.8.10). */
export interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly security: readonly SecurityAlternative[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  /** Where it differs from those of the document. */
  readonly servers?: readonly DocumentServer[]
  /** By status, `4XX` and the like included. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  readonly [extension: `x-${string}`]: unknown
}

/** A Path Item Object (section 4.8.9): operations by method, in lower case. */
export type PathItem = Readonly<Record<string, Operation>>

/** What a document says of itself (section 4.8.2). */
export interface DocumentInfo {
  readonly title: string
  readonly version: string
  readonly summary?: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
  readonly [extension: `x-${string}`]: unknown
}

/** Where the application answers (section 4.8.5). */
export interface DocumentServer {
  readonly url: string
  readonly description?: string
  readonly variables?: Readonly<
    Record<
      string,
      { readonly default: string; readonly enum?: readonly string[]; readonly description?: string }
    >
  >
}

/** What is said of a group of operations (section 4.8.22). */
export interface DocumentTag {
  readonly name: string
  readonly description?: string
  readonly externalDocs?: { readonly url: string; readonly description?: string }
}

/** An OpenAPI document, version 3.1. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: DocumentInfo
  readonly servers: readonly DocumentServer[]
  readonly tags?: readonly DocumentTag[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas?: Readonly<Record<string, SchemaObject>>
    readonly responses?: Readonly<Record<string, ResponseObject>>
    readonly securitySchemes?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, unknown>>
  }
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly [extension: `x-${string}`]: unknown
}
