import type { Rules } from '../../base/definition-error.ts'
import type { Middleware } from '../../define/layers.ts'
import { isRecord, isNonEmptyString } from '../../base/values.ts'
import { checkGuardOptions, RULES } from './options.ts'
import { isScope } from './any-of.ts'

/** The options of `resourceMetadata`. */
export interface ResourceMetadataOptions {
  /** The identifier of this API: its URL with `https`, without a fragment. Clients compare it with the URL that they call. */
  readonly resource: string
  /** The identifiers of the servers that issue tokens for this API. */
  readonly authorizationServers: readonly string[]
  /** The scopes that clients may ask for. */
  readonly scopes?: readonly string[]
  /** The name of this API for people. */
  readonly name?: string
  /** The URL of a page for developers. */
  readonly documentation?: string
  /** More members, as RFC 9728 section 2 names them. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** Middleware that serves the metadata of an API. */
export interface ResourceMetadata extends Middleware {
  /** The URL of the metadata, for the option `resourceMetadata` of `jwtAuth`. */
  readonly url: string
}

const WHERE = 'resourceMetadata'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Seconds for which clients may keep the metadata. */
const MAX_AGE = 3600

const OPTIONS: Rules = {
  resource: [
    (value) => typeof value === 'string' && URL.canParse(value) && /^https?:[^#]*$/.test(value),
    "a URL such as 'https://api.example.com'",
  ],
  authorizationServers: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString),
    "a list of URLs, such as ['https://auth.example.com']",
  ],
  scopes: [(value) => Array.isArray(value) && value.every(isScope), 'a list of scopes'],
  name: RULES.text,
  documentation: RULES.text,
  more: [isRecord, 'an object'],
}

/**
 * Creates middleware of the application that serves the metadata of a protected resource (RFC 9728), by which clients find the servers that
 * issue tokens. It answers before guards and versions, at a path of the host that the prefix of the application is no part of.
 *
 * @example
 * const metadata = resourceMetadata({
 *   resource: 'https://api.example.com',
 *   authorizationServers: ['https://auth.example.com'],
 * })
 * const SignedIn = jwtAuth({ ...tokens, resourceMetadata: metadata.url })
 * createApp(AppModule, { middleware: [metadata] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function resourceMetadata(options: ResourceMetadataOptions): ResourceMetadata {
  checkGuardOptions(WHERE, options, OPTIONS, ['resource', 'authorizationServers'])
  const { resource, authorizationServers, scopes, name, documentation, more } = options
  const { origin, pathname, search } = new URL(resource)
  // the path of the resource follows that of the metadata (RFC 9728 section 3.1)
  const path = WELL_KNOWN + (pathname === '/' ? '' : pathname)
  const document = {
    resource,
    authorization_servers: authorizationServers,
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(name === undefined ? {} : { resource_name: name }),
    ...(documentation === undefined ? {} : { resource_documentation: documentation }),
    ...more,
  }
  const serve: Middleware = ({ request, response, originalPath }, next) => {
    const { method } = request
    if (originalPath !== path || (method !== 'GET' && method !== 'HEAD')) return next()
    response.headers.set('cache-control', `max-age=${MAX_AGE}`)
    return document
  }
  return Object.assign(serve, { url: origin + path + search })
}
