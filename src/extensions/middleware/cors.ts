import {
  checkOptions,
  invalidOption,
  type DefinitionProblem,
  type Rules,
} from '../../base/definition-error.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { answeringPreflights, type Middleware } from '../../define/layers.ts'
import { reply, type Reply } from '../../define/reply.ts'
import { andThen, isPromise, isBoolean } from '../../base/values.ts'
import { isPreflight, METHODS, type FinishedResponse, type Method } from '../../http/http.ts'
import { isMediaToken } from '../../http/media-type.ts'
import { createGrant, isAllowedOrigins, type OriginTest } from './origin.ts'

/** The options of `cors`. */
export interface CorsOptions {
  /**
   * The origins whose pages may read responses: `'*'` for all, `true` for all by name, origins such as `'https://app.example'`, regular
   * expressions, or a function. Regular expressions match anywhere unless they contain `^` and `$`.
   *
   * @default '*'
   */
  readonly origin?: true | string | RegExp | readonly (string | RegExp)[] | OriginTest
  /** The methods that preflights allow. @default those that the path answers */
  readonly methods?: readonly Method[]
  /** The request headers that preflights allow. @default those that were asked for */
  readonly allowedHeaders?: readonly string[]
  /** The response headers that scripts may read, besides those that browsers always show. @default [] */
  readonly exposedHeaders?: readonly string[]
  /** Whether browsers may send cookies and other credentials; not with `origin: '*'`. @default false */
  readonly credentials?: boolean
  /** Seconds that browsers may remember a preflight. @default as browsers like: 5 seconds */
  readonly maxAge?: number
}

const WHERE = 'cors'

const isHeaderNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && isMediaToken(name))

const OPTIONS: Rules = {
  origin: [
    isAllowedOrigins,
    "'*', true, a function, or origins as browsers send them ('https://app.example', nothing behind the port) and regular expressions",
  ],
  methods: [
    (value) => Array.isArray(value) && value.every((name) => METHODS.some((method) => method === name)),
    `a list of methods, which are '${METHODS.join("', '")}'`,
  ],
  allowedHeaders: [isHeaderNames, 'a list of header names'],
  exposedHeaders: [isHeaderNames, 'a list of header names'],
  credentials: [isBoolean, 'true or false'],
  maxAge: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a number of seconds'],
}

/**
 * Creates middleware that lets pages of other origins read responses (CORS, the Fetch standard). It answers preflights itself: neither
 * guards nor handlers run, and no version is needed. List it first among the middleware of the application, so that pages can read the
 * responses of the others too. In a module, controller, router or route it is for these routes alone.
 *
 * @example
 * createApp(AppModule, { middleware: [cors({ origin: ['https://app.example'], credentials: true })] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function cors(options: CorsOptions = {}): Middleware {
  const example = "cors({ origin: ['https://app.example'] })"
  checkOptions(WHERE, options, OPTIONS, credentialProblems(Object(options)), example)
  const { origin = '*' } = options
  const grantOf = createGrant(origin)
  const answer = createPreflight(options)
  const complete = createCompletion(options)
  const go = (
    context: ExecutionContext,
    next: Parameters<Middleware>[1],
    granted: string | undefined,
  ): unknown => {
    if (isPreflight(context.request)) return answer(context, granted)
    return andThen(next(), (response) => complete(context, response, granted))
  }
  let isLogged = origin !== true || options.credentials !== true
  const warn = (context: ExecutionContext): void => {
    if (isLogged) return
    isLogged = true
    context.log.warn({}, ANY_ORIGIN)
  }
  const middleware: Middleware = (context, next) => {
    warn(context)
    const granted = grantOf(context)
    return isPromise(granted)
      ? granted.then((settled) => go(context, next, settled))
      : go(context, next, granted)
  }
  return answeringPreflights(middleware, async (context, own) => {
    warn(context)
    return answer(context, await grantOf(context), own)
  })
}

const ANY_ORIGIN =
  'cors: with origin: true and credentials, pages of every origin may read what their visitors may read. List the origins instead'

type CorsHeaders = Record<string, string>

/** The request headers that decide the response to a preflight. */
const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

function createPreflight({
  methods,
  allowedHeaders,
  credentials,
  maxAge,
}: CorsOptions): (
  context: ExecutionContext,
  granted: string | undefined,
  own?: readonly Method[],
) => Promise<Reply<204, undefined>> {
  const constant: CorsHeaders = {
    vary: PREFLIGHT_VARY,
    ...(credentials === true ? { 'access-control-allow-credentials': 'true' } : {}),
    ...(maxAge === undefined ? {} : { 'access-control-max-age': String(maxAge) }),
  }
  return async (context, granted, own) => {
    if (granted === undefined) return reply(204, undefined, { headers: { vary: PREFLIGHT_VARY } })
    const names = (context.request.header('access-control-request-headers') ?? '').split(',')
    const asked = new Set(names.map((name) => name.trim()).filter(isMediaToken))
    const headers: CorsHeaders = {
      ...constant,
      'access-control-allow-origin': granted,
      ...toHeaderList('access-control-allow-methods', methods ?? own ?? (await corsMethodsOf(context))),
      ...toHeaderList('access-control-allow-headers', allowedHeaders ?? [...asked]),
    }
    return reply(204, undefined, { headers })
  }
}

const COMMON_METHODS = METHODS.filter((method) => method !== 'TRACE')

/** The methods of the path, or the common ones if it has none or the lookup fails. Scripts can then read the error that follows. */
async function corsMethodsOf(context: ExecutionContext): Promise<readonly string[]> {
  try {
    const methods = await context.allowedMethods()
    return methods.length === 0 ? COMMON_METHODS : methods
  } catch {
    // the path is malformed, or choosing the version failed: the request that follows gets the error
    return COMMON_METHODS
  }
}

/** The mark of a request about which a `cors` has decided: the innermost one, whose middleware ends first. */
const DECIDED: unique symbol = Symbol('cors has decided')

/** Creates the function that completes responses to requests other than preflights. */
function createCompletion({
  origin = '*',
  exposedHeaders = [],
  credentials,
}: CorsOptions): (
  context: ExecutionContext & { [DECIDED]?: true },
  response: FinishedResponse,
  granted: string | undefined,
) => FinishedResponse {
  return (context, response, granted) => {
    // merged into the response when it is given back
    const { headers } = context.response
    if (origin !== '*') headers.append('vary', 'Origin')
    // the handler chose itself who may read its response
    const isSaid = response.headers['access-control-allow-origin'] !== undefined
    const isDecided = context[DECIDED] === true
    context[DECIDED] = true
    if (granted === undefined || isSaid || isDecided) return response
    headers.set('access-control-allow-origin', granted)
    if (credentials === true) headers.set('access-control-allow-credentials', 'true')
    const own = [response.headers['access-control-expose-headers'] ?? []].flat()
    const exposed = [...own, ...exposedHeaders]
    if (exposed.length > 0) headers.set('access-control-expose-headers', exposed.join(', '))
    return response
  }
}

/** A header that holds a list; none when the list is empty. */
function toHeaderList(name: string, values: readonly string[]): CorsHeaders {
  return values.length === 0 ? {} : { [name]: values.join(', ') }
}

/** With credentials, browsers take `*` for no wildcard (the Fetch standard, section 3.3.5). */
function credentialProblems({
  origin = '*',
  credentials,
  ...lists
}: CorsOptions): readonly DefinitionProblem[] {
  if (credentials !== true) return []
  const wild = (['allowedHeaders', 'exposedHeaders'] as const).filter((name) => {
    const names: unknown = lists[name]
    return Array.isArray(names) && names.includes('*')
  })
  return [
    ...(origin === '*' ? [wildProblem('origin', 'list the origins that may send credentials')] : []),
    ...wild.map((name) => wildProblem(name, 'list the headers')),
  ]
}

function wildProblem(name: string, fix: string): DefinitionProblem {
  const message = `${name} is '*', which does not count for browsers when credentials is true`
  return invalidOption(WHERE, message, fix)
}
