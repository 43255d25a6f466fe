import type { Rules } from '../../base/definition-error.ts'
import { isDefinition, LAYER_RULES } from '../../routes/check-fields.ts'
import type { AnyGuard } from '../../define/layers.ts'
import { isRecord } from '../../base/values.ts'
import type { Webhook } from '../../openapi/webhook.ts'
import type {
  DocumentInfo,
  DocumentServer,
  DocumentTag,
  ExternalDocs,
  OpenApiVersion,
} from '../../openapi/document/types.ts'
import type { VersionLife, VersionLinks } from '../../versioning/policy.ts'
import { isLiteralPath } from './prefix.ts'

/** A document that a page can show, with the life of its version. */
export interface DocumentLink extends VersionLife {
  /** The version that it describes, or `null` for the one that describes everything. */
  readonly version: string | null
  /** The address of the document in JSON, relative to that of the page. */
  readonly url: string
  /** Where the deprecation and the sunset of the version are explained. */
  readonly links: VersionLinks
}

/** The parts that a page is made from. */
export interface PageInfo {
  /** The title of the API. */
  readonly title: string
  /** The combined document first, then the versions, newest first. */
  readonly documents: readonly DocumentLink[]
  /** The version in `?version=`, else the newest one. */
  readonly shown: DocumentLink
}

/** How documents are made and served. */
export interface DocsOptions {
  /** Where the page is; the documents are below it, as `/docs/openapi.json`. @default '/docs' */
  readonly path?: string
  /**
   * The page: Scalar, which needs the package `@scalar/api-reference`, Swagger UI, which needs `swagger-ui-dist`, no page, or a function that
   * returns the HTML. With a function, no Content-Security-Policy is sent.
   *
   * @default 'scalar' or else 'swagger' where their package is installed, else a list of the documents
   */
  readonly ui?: 'scalar' | 'swagger' | false | ((page: PageInfo) => string)
  /** Whether page and documents are for everybody: global guards do not guard them. @default false */
  readonly public?: boolean
  /** Guards of page and documents, after the global ones. */
  readonly guards?: readonly AnyGuard[]
  /** The version of OpenAPI that documents are written in. In 3.2, QUERY is an operation like any other. @default '3.1' */
  readonly openapi?: OpenApiVersion
  /**
   * Title, description and other information about the API. Its `version` is that of the document of all versions. Each other document has
   * the version that it describes. @default the name of the root module
   */
  readonly info?: Partial<DocumentInfo>
  /** The addresses of the application. The page may send requests to their origins. @default where the document comes from */
  readonly servers?: readonly DocumentServer[]
  /** The descriptions of groups of operations. */
  readonly tags?: readonly DocumentTag[]
  /** Further documentation of the API. */
  readonly externalDocs?: ExternalDocs
  /**
   * The events that the application reports to subscribers, made by `defineWebhook` of `octavo/webhooks`. Documents show them in each
   * version.
   */
  readonly webhooks?: readonly Webhook[]
}

const hasText = (name: string) => (value: unknown) =>
  isRecord(value) && typeof Reflect.get(value, name) === 'string' && isJsonValue(value)

const isListOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(test)

/** Whether documents can hold the value. */
function isJsonValue(value: unknown): boolean {
  try {
    JSON.stringify(value, (_name, member: unknown) => {
      if (['function', 'symbol', 'bigint'].includes(typeof member)) throw new TypeError('this is not JSON')
      return member
    })
    return true
  } catch {
    return false
  }
}

const TEXTS = ['title', 'version', 'summary', 'description', 'termsOfService']

function isInfo(value: unknown): boolean {
  const isTextOrAbsent = (name: string): boolean =>
    ['string', 'undefined'].includes(typeof Reflect.get(Object(value), name))
  return isRecord(value) && TEXTS.every(isTextOrAbsent) && isJsonValue(value)
}

export const DOCS_RULES: Rules = {
  path: [isLiteralPath, "a path of literal segments, such as '/docs'"],
  ui: [
    (value) => value === 'scalar' || value === 'swagger' || value === false || typeof value === 'function',
    "'scalar', 'swagger', false or a function from documents to HTML",
  ],
  public: [(value) => typeof value === 'boolean', 'true or false'],
  guards: LAYER_RULES.guards,
  openapi: [(value) => value === '3.1' || value === '3.2', "'3.1' or '3.2'"],
  info: [isInfo, 'an object of texts and JSON, such as { title, description }'],
  servers: [isListOf(hasText('url')), "a list of servers, such as [{ url: 'https://api.example.com' }]"],
  tags: [isListOf(hasText('name')), 'a list of tags, such as [{ name, description }]'],
  externalDocs: [hasText('url'), 'an object, such as { url, description }'],
  webhooks: [isListOf(isDefinition('webhook')), 'a list of what defineWebhook returns'],
}
