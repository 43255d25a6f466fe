import type { ExecutionContext } from '../../define/context.ts'
import { documenting, type Middleware } from '../../define/layers.ts'
import { ownProblem } from '../../define/problem.ts'
import { addedError, type HttpError } from '../../http/errors.ts'
import { atOnceOr, isPromise, isBoolean, isFunction } from '../../base/values.ts'
import type { HttpRequest } from '../../http/http.ts'
import { checkOptions, type Rules } from '../../base/definition-error.ts'
import { createGrant, isAllowedOrigins, type OriginTest } from './origin.ts'

/** The options of `csrf`. */
export interface CsrfOptions {
  /**
   * Other origins whose pages may send requests that change something: origins such as `'https://app.example'`, regular expressions,
   * which match anywhere unless they say `^` and `$`, or a function. @default none
   */
  readonly origins?: string | RegExp | readonly (string | RegExp)[] | OriginTest
  /** Whether pages of sibling hosts may send requests, such as `a.example.com` to `b.example.com`. @default false */
  readonly sameSite?: boolean
  /** Returns `true` for requests that are not checked, such as calls of a payment service with a signature of their own. @default none */
  readonly skip?: (context: ExecutionContext) => boolean
}

const WHERE = 'csrf'

const OPTIONS: Rules = {
  origins: [
    (value) => value !== '*' && value !== true && isAllowedOrigins(value),
    "a function, or origins as browsers send them ('https://app.example', nothing behind the port) and regular expressions",
  ],
  sameSite: [isBoolean, 'true or false'],
  skip: [isFunction, 'a function'],
}

/** Methods that change nothing (RFC 9110 section 9.2.1). QUERY is one, and no form of a page can send it (RFC 10008 section 4). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY', 'OPTIONS', 'TRACE'])

/**
 * Middleware that refuses requests that pages of other origins have a browser send with the cookies of its user (cross-site request
 * forgery): by `Sec-Fetch-Site`, which no page can change (Fetch Metadata), or by `Origin` where a browser is too old to send it.
 * Safe methods pass but for handshakes of WebSockets, and so do clients that send neither header, which are no browsers. Answers 403 `cross_site_request`.
 *
 * @example
 * createApp(AppModule, { middleware: [csrf({ origins: ['https://app.example'] })] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function csrf(options: CsrfOptions = {}): Middleware {
  checkOptions(WHERE, options, OPTIONS)
  const { origins = [], sameSite = false, skip } = options
  const isSkipped = (context: ExecutionContext): boolean =>
    skip !== undefined && atOnceOr('csrf.skip', skip(context), false, context)
  const harmless = new Set(sameSite ? ['same-origin', 'none', 'same-site'] : ['same-origin', 'none'])
  const grantOf = createGrant(origins)
  const guard: Middleware = (context, next) => {
    if (isSafeMethod(context.request) || isOwnOrigin(context, harmless) || isSkipped(context)) return next()
    const granted = grantOf(context)
    return isPromise(granted)
      ? granted.then((origin) => passIfGranted(origin, next))
      : passIfGranted(granted, next)
  }
  return documenting(guard, {
    problems: [ownProblem('CrossSiteRequest', refusal(), 'The request comes from another site')],
  })
}

/**
 * Whether a request changes nothing. The handshake of a WebSocket is a GET, but opens a connection that can change anything, and browsers
 * let pages of every origin open one.
 */
function isSafeMethod(request: HttpRequest): boolean {
  return SAFE.has(request.method) && request.header('upgrade') === undefined
}

function passIfGranted(
  granted: string | undefined,
  next: Parameters<Middleware>[1],
): ReturnType<typeof next> {
  if (granted === undefined) throw refusal()
  return next()
}

function refusal(): HttpError {
  return addedError('cross_site_request', 'The request comes from a page of another origin')
}

/** Whether a request comes from a page of this origin, from the user, or from no browser. */
function isOwnOrigin({ request }: ExecutionContext, harmless: ReadonlySet<string>): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined) return harmless.has(site)
  const origin = request.header('origin')
  return origin === undefined || isSameHost(origin, request.host)
}

/** The scheme of the request is not compared: behind a proxy that speaks TLS for the application it is not that of the page. */
function isSameHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  const target = `${page.protocol}//${host}`
  return page.host !== '' && URL.canParse(target) && new URL(target).host === page.host
}
