import { parseSetCookie, stringifyCookie } from 'cookie'

/** The cookies of a client, to look at and to change. */
export interface CookieJar {
  /** The value of the first cookie with this name. */
  get(name: string): string | undefined
  /**
   * Keeps a cookie as if the application had set it for all paths of the client's host.
   *
   * @throws `TypeError` for a name that no cookie can have
   */
  set(name: string, value: string): void
  /** Drops every cookie with this name. */
  delete(name: string): void
  /** Drops all cookies. */
  clear(): void
}

/** Where a request goes. */
interface RequestSite {
  /** With or without port. */
  readonly host: string
  readonly path: string
}

/** A jar with what a client does to it at each request. */
export interface Jar {
  readonly cookies: CookieJar
  /** Stores the cookie of a `Set-Cookie` line. */
  readonly keep: (line: string, site: RequestSite) => void
  /** Returns the `Cookie` line of a request without the names that the request sets itself. It can be empty. */
  readonly lineFor: (site: RequestSite, without: readonly string[]) => string
}

interface JarCookie {
  readonly name: string
  /** The value as it was set, and is sent back. */
  readonly text: string
  readonly value: string
  /** The host that set it, or the domain whose hosts get it. */
  readonly domain: string
  readonly isHostOnly: boolean
  readonly path: string
  /** In milliseconds since 1970. */
  readonly expires: number
}

/**
 * Creates an empty jar that keeps cookies by host, domain, path and time (RFC 6265 section 5). `tough-cookie` 6 takes more than 10 ms to
 * load, not 1 ms, and starts `Max-Age` again each time it sends a cookie, against section 5.3.
 */
export function createCookieJar(defaultHost = 'localhost'): Jar {
  // a cookie that is set again keeps its place
  const entries = new Map<string, JarCookie>()
  const fresh = (): readonly JarCookie[] =>
    [...entries.values()].filter(({ expires }) => expires > Date.now())
  const keep = (line: string, site: RequestSite): void => {
    const entry = toJarCookie(line, site)
    if (entry !== undefined) entries.set(`${entry.name};${entry.domain};${entry.path}`, entry)
  }
  return {
    cookies: {
      get: (name) => fresh().find((entry) => entry.name === name)?.value,
      set: (name, value) =>
        keep(`${stringifyCookie({ [name]: value })}; path=/`, { host: defaultHost, path: '/' }),
      delete: (name) => {
        for (const [key, entry] of entries) if (entry.name === name) entries.delete(key)
      },
      clear: () => entries.clear(),
    },
    keep,
    lineFor: (site, without) =>
      fresh()
        .filter((entry) => goesTo(entry, site) && !without.includes(entry.name))
        // longer paths first; of equals, those that were set first (section 5.4)
        .toSorted((a, b) => b.path.length - a.path.length)
        .map(({ name, text }) => `${name}=${text}`)
        .join('; '),
  }
}

/** The cookie that a line sets, or `undefined` if it is refused (RFC 6265 section 5.3). */
function toJarCookie(line: string, site: RequestSite): JarCookie | undefined {
  const { name, value: text = '', ...set } = parseSetCookie(line, { decode: (each) => each })
  const host = hostnameOf(site.host)
  const domain = (set.domain ?? '').replace(/^\./, '').toLowerCase() || host
  if (name === '' || (host !== domain && !host.endsWith(`.${domain}`))) return undefined
  // a path that is none is the folder of the request (section 5.1.4)
  const path =
    set.path?.startsWith('/') === true ? set.path : site.path.slice(0, site.path.lastIndexOf('/')) || '/'
  const expires = set.maxAge === undefined ? set.expires?.getTime() : Date.now() + set.maxAge * 1000
  return {
    name,
    text,
    value: parseSetCookie(line).value ?? '',
    domain,
    isHostOnly: set.domain === undefined,
    path,
    expires: expires ?? Infinity,
  }
}

function goesTo({ domain, isHostOnly, path }: JarCookie, site: RequestSite): boolean {
  const host = hostnameOf(site.host)
  const isThere = host === domain || (!isHostOnly && host.endsWith(`.${domain}`))
  return isThere && (site.path === path || site.path.startsWith(path.replace(/\/?$/, '/')))
}

function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}
