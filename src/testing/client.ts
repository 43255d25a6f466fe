import { createCookieJar } from './cookie-jar.ts'
import type { CookieJar } from './cookie-jar.ts'
import { suggestion } from '../definition-error.ts'
import type { HeaderOptions } from '../server/adapters/inject/headers.ts'
import type { InjectOptions, InjectRequest, InjectStreamOptions } from '../server/adapters/inject/request.ts'
import type { InjectResponse } from '../server/adapters/inject/inject.ts'
import type { InjectStream } from '../server/adapters/inject/stream.ts'

/** What all requests of a client have in common. */
export interface ClientOptions extends Pick<HeaderOptions, 'headers'> {
  /** The Host header. @default 'localhost' */
  readonly host?: string
  /** @default 'http' */
  readonly protocol?: 'http' | 'https'
  /** @default '127.0.0.1' */
  readonly remoteAddress?: string
  /** Written where the enabled versioning scheme reads it. */
  readonly version?: string
}

/** What a client takes besides method and URL. */
export type ClientRequest = Omit<InjectOptions, 'method' | 'url' | 'path' | 'stream'>

/** Sends one request by a method. */
type Send = (url: string | URL, options?: ClientRequest) => Promise<InjectResponse>

/** `inject` that keeps cookies from one request to the next. */
export interface Client {
  /** As `app.inject`, with the cookies kept so far; what is given for one request wins over what all have in common. */
  inject(request: InjectStreamOptions): Promise<InjectStream>
  inject(request: string | URL | InjectOptions): Promise<InjectResponse>
  readonly get: Send
  readonly head: Send
  readonly post: Send
  readonly put: Send
  readonly patch: Send
  readonly delete: Send
  readonly options: Send
  /** The cookies kept so far. */
  readonly cookies: CookieJar
}

/** What sends the requests of clients. */
export interface Transport {
  /** Turns options into a request, as `inject` does. */
  readonly prepare: (options: InjectOptions | InjectStreamOptions) => Promise<InjectRequest>
  readonly send: (request: InjectRequest) => Promise<InjectResponse>
  readonly sendStream: (request: InjectRequest) => Promise<InjectStream>
}

const OPTIONS = ['headers', 'host', 'protocol', 'remoteAddress', 'version']

/** Makes a client. @throws `TypeError` for options that do not exist */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name))
      throw new TypeError(`client: there is no option "${name}"; ${suggestion(name, OPTIONS)}`)
  }
  const jar = createCookieJar(options.host)
  const prepare = async (given: InjectOptions | InjectStreamOptions): Promise<InjectRequest> => {
    const request = await transport.prepare(merge(options, given))
    const line = jar.lineFor(siteOf(request), Object.keys(given.cookies ?? {}))
    if (line !== '') request.addCookies(line)
    return request
  }
  const keep = <T extends Pick<InjectResponse, 'headers'>>(request: InjectRequest, response: T): T => {
    for (const line of [response.headers['set-cookie'] ?? []].flat()) jar.keep(line, siteOf(request))
    return response
  }
  function inject(request: InjectStreamOptions): Promise<InjectStream>
  function inject(request: string | URL | InjectOptions): Promise<InjectResponse>
  async function inject(
    given: string | URL | InjectOptions | InjectStreamOptions,
  ): Promise<InjectResponse | InjectStream> {
    const wanted = typeof given === 'string' || given instanceof URL ? { url: given } : given
    const request = await prepare(wanted)
    return keep(
      request,
      await (wanted.stream === true ? transport.sendStream(request) : transport.send(request)),
    )
  }
  const by =
    (method: string): Send =>
    (url, rest) =>
      inject({ ...rest, method, url })
  return {
    inject,
    get: by('GET'),
    head: by('HEAD'),
    post: by('POST'),
    put: by('PUT'),
    patch: by('PATCH'),
    delete: by('DELETE'),
    options: by('OPTIONS'),
    cookies: jar.cookies,
  }
}

/** The options of one request over those of all. Headers are merged by name, whatever its case; `undefined` takes one away. */
function merge<T extends InjectOptions | InjectStreamOptions>(
  { headers = {}, ...common }: ClientOptions,
  given: T,
): T {
  const merged: Record<string, string | readonly string[] | undefined> = {}
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(given.headers ?? {})])
    merged[name.toLowerCase()] = value
  return { ...common, ...given, headers: merged }
}

/** Where a request went, as far as cookies are concerned. */
function siteOf({ target, headers, protocol }: InjectRequest) {
  const [, authority = headers['host'], path = target] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? []
  return { host: String(authority), path: path.split('?')[0] ?? '/', isSecure: protocol === 'https' }
}
