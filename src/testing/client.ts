import { createCookieJar, type CookieJar } from './cookie-jar.ts'
import { checkOptionNames } from '../base/definition-error.ts'
import type { InjectHeaderOptions } from '../server/adapters/inject/inject-headers.ts'
import {
  toInjectOptions,
  toInjectRequest,
  type InjectOptions,
  type InjectRequest,
  type InjectStreamOptions,
} from '../server/adapters/inject/inject-request.ts'
import {
  inject as injectRequest,
  injectStream,
  type InjectResponse,
  type InjectStream,
} from '../server/adapters/inject/inject.ts'
import { internalsOf } from '../server/adapters/internals.ts'
import type { EdgeApp } from '../server/app/edge-app.ts'

/** The defaults of all requests of a client. */
export interface TestClientOptions extends Pick<InjectHeaderOptions, 'headers'> {
  /** The Host header. @default 'localhost' */
  readonly host?: string
  /** The protocol of all requests. @default 'http' */
  readonly protocol?: 'http' | 'https'
  /** The address of the client. @default '127.0.0.1' */
  readonly remoteAddress?: string
  /** Written where the enabled versioning scheme reads it. */
  readonly version?: string
}

/** The options of a request, without method and URL. */
export type TestRequest = Omit<InjectOptions, 'method' | 'url' | 'stream'>

/** Sends one request by a method. */
export type SendTestRequest = (url: string | URL, options?: TestRequest) => Promise<InjectResponse>

/** `inject` that keeps cookies from one request to the next. */
export interface TestClient {
  /** Sends a request like `app.inject`, with the cookies kept so far. Its options win over the defaults. */
  inject(request: InjectStreamOptions): Promise<InjectStream>
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- so editors complete the members of the options alone
  inject<U extends URL>(request: U): Promise<InjectResponse>
  inject(request: string | InjectOptions): Promise<InjectResponse>
  /** Sends a GET request. */
  readonly get: SendTestRequest
  /** Sends a HEAD request. */
  readonly head: SendTestRequest
  /** Sends a QUERY request. */
  readonly query: SendTestRequest
  /** Sends a POST request. */
  readonly post: SendTestRequest
  /** Sends a PUT request. */
  readonly put: SendTestRequest
  /** Sends a PATCH request. */
  readonly patch: SendTestRequest
  /** Sends a DELETE request. */
  readonly delete: SendTestRequest
  /** Sends an OPTIONS request. */
  readonly options: SendTestRequest
  /** The cookies kept so far. */
  readonly cookies: CookieJar
}

const OPTIONS: ReadonlySet<string> = new Set(['headers', 'host', 'protocol', 'remoteAddress', 'version'])

/**
 * Creates an `inject` that keeps cookies from one request to the next (RFC 6265), with headers, host and version that all requests
 * share.
 *
 * @example
 * const client = createTestClient(app, { version: '2' })
 * await client.post('/login', { json: { name: 'Ann' } })
 * client.cookies.get('sid') // → 'a1b2'
 *
 * @throws `TypeError` for anything but an application, and for options that do not exist.
 */
export function createTestClient(app: EdgeApp, options: TestClientOptions = {}): TestClient {
  const { start: enter, settings, versioning } = internalsOf(app, 'createTestClient')
  checkOptionNames('createTestClient', options, OPTIONS)
  const jar = createCookieJar(options.host)
  const prepare = async (given: InjectOptions | InjectStreamOptions): Promise<InjectRequest> => {
    await enter()
    const request = await toInjectRequest(mergeHeaders(options, given), versioning(), settings.prefix.at)
    const line = jar.lineFor(siteOf(request), Object.keys(given.cookies ?? {}))
    if (line !== '') request.addCookies(line)
    return request
  }
  const keep = <T extends Pick<InjectResponse, 'headers'>>(request: InjectRequest, response: T): T => {
    for (const line of [response.headers['set-cookie'] ?? []].flat()) jar.keep(line, siteOf(request))
    return response
  }
  function inject(request: InjectStreamOptions): Promise<InjectStream>
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  function inject<U extends URL>(request: U): Promise<InjectResponse>
  function inject(request: string | InjectOptions): Promise<InjectResponse>
  async function inject(
    given: string | URL | InjectOptions | InjectStreamOptions,
  ): Promise<InjectResponse | InjectStream> {
    const wanted = toInjectOptions(given)
    const request = await prepare(wanted)
    const { dispatch } = await enter()
    const response = keep(
      request,
      wanted.stream === true
        ? await injectStream(dispatch, request, settings)
        : await injectRequest(dispatch, request, settings),
    )
    await recorders.get(app)?.(request, response)
    return response
  }
  const by =
    (method: string): SendTestRequest =>
    (url, rest) =>
      inject({ ...rest, method, url })
  return {
    inject,
    get: by('GET'),
    head: by('HEAD'),
    query: by('QUERY'),
    post: by('POST'),
    put: by('PUT'),
    patch: by('PATCH'),
    delete: by('DELETE'),
    options: by('OPTIONS'),
    cookies: jar.cookies,
  }
}

/** The options of one request over those of all. Headers are merged by name, whatever its case; `undefined` takes one away. */
function mergeHeaders<T extends InjectOptions | InjectStreamOptions>(
  { headers = {}, ...common }: TestClientOptions,
  given: T,
): T {
  const merged: Record<string, NonNullable<InjectOptions['headers']>[string]> = {}
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(given.headers ?? {})])
    merged[name.toLowerCase()] = value
  return { ...common, ...given, headers: merged }
}

/** Where a request went, as far as cookies are concerned. */
function siteOf({ target, headers }: InjectRequest) {
  const [, authority = headers['host'], path = target] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? []
  return { host: String(authority), path: path.split('?')[0] ?? '/' }
}

/** Is told of every request that was injected, with its answer, before a stream in it is read. */
export type Recorder = (request: InjectRequest, response: InjectResponse | InjectStream) => Promise<void>

const recorders = new WeakMap<object, Recorder>()

/** Has all test clients of an application tell a recorder. */
export function setRecorder(app: object, recorder: Recorder): void {
  recorders.set(app, recorder)
}
