import { parseSetCookie, stringifyCookie, type SetCookie } from 'cookie'

/** A cookie that a client keeps. */
export interface KeptCookie {
  /** The name, in which case counts. */
  readonly name: string
  /** Decoded. */
  readonly value: string
  /** The host that set it, or the domain whose hosts get it, without port and leading dot. */
  readonly domain: string
  /** Whether it goes to that host alone, not to those below it. */
  readonly hostOnly: boolean
  /** The path below which the cookie is sent. */
  readonly path: string
  /** Whether it is sent over HTTPS only. */
  readonly secure: boolean
  /** Whether scripts of a page could not read it. */
  readonly httpOnly: boolean
  /** The `SameSite` attribute, `undefined` if it has none. */
  readonly sameSite: 'lax' | 'strict' | 'none' | undefined
  /** `undefined` for one that lasts as long as the client. */
  readonly expires: Date | undefined
}

/** The cookies of a client, to look at and to change. */
export interface CookieJar {
  /** Every cookie that has not expired, in the order in which they were set. */
  all(): readonly KeptCookie[]
  /** The value of the first cookie with this name. */
  get(name: string): string | undefined
  /**
   * Keeps a cookie as if the application had set it. @default for `path`: `/`; for `domain`: the client's host, and no other
   *
   * @throws `TypeError` for one that would be refused from the application
   */
  set(
    name: string,
    value: string,
    attributes?: Partial<Pick<KeptCookie, 'domain' | 'path' | 'secure' | 'expires'>>,
  ): void
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
  readonly isSecure: boolean
}

/** A jar with what a client does to it at each request. */
export interface Jar {
  readonly cookies: CookieJar
  /** Stores or refuses the cookie of a `Set-Cookie` line. Returns whether it was stored. */
  readonly keep: (line: string, site: RequestSite) => boolean
  /** Returns the `Cookie` line of a request without the names that the request sets itself. It can be empty. */
  readonly lineFor: (site: RequestSite, without: readonly string[]) => string
}

interface Entry {
  readonly cookie: KeptCookie
  /** The value as it was set, and is sent back. */
  readonly text: string
}

const asIs = (text: string): string => text

/**
 * Creates an empty jar that keeps and sends cookies as user agents do (RFC 6265 section 5). `tough-cookie` 6 takes more than 10 ms to
 * load, not 1 ms, and starts `Max-Age` again each time it sends a cookie, against section 5.3.
 */
export function createCookieJar(defaultHost = 'localhost'): Jar {
  // a cookie that is set again keeps its place
  const entries = new Map<string, Entry>()
  const fresh = (): Entry[] => {
    const now = Date.now()
    for (const [key, { cookie }] of entries) {
      const { expires } = cookie
      if (expires !== undefined && expires.getTime() <= now) entries.delete(key)
    }
    return [...entries.values()]
  }
  const keep = (line: string, site: RequestSite): boolean => {
    const entry = toEntry(line, site)
    if (entry === undefined) return false
    const { name, domain, path } = entry.cookie
    entries.set(`${name};${domain};${path}`, entry)
    return true
  }
  const cookies: CookieJar = {
    all: () => fresh().map(({ cookie }) => cookie),
    get: (name) => fresh().find(({ cookie }) => cookie.name === name)?.cookie.value,
    set: (name, value, { domain, path = '/', secure = false, expires } = {}) => {
      const host = domain ?? defaultHost
      const line = [
        stringifyCookie({ [name]: value }),
        `path=${path}`,
        domain === undefined ? '' : `domain=${domain}`,
        secure ? 'secure' : '',
        expires === undefined ? '' : `expires=${expires.toUTCString()}`,
      ]
      if (!keep(line.filter(Boolean).join('; '), { host, path: '/', isSecure: true }))
        throw new TypeError('client.cookies.set: such a cookie would be refused')
    },
    delete: (name) => {
      for (const [key, { cookie }] of entries) if (cookie.name === name) entries.delete(key)
    },
    clear: () => entries.clear(),
  }
  return {
    cookies,
    keep,
    lineFor: (site, without) =>
      fresh()
        .filter(({ cookie }) => goesTo(cookie, site) && !without.includes(cookie.name))
        // longer paths first; of equals, those that were set first (section 5.4)
        .toSorted((a, b) => b.cookie.path.length - a.cookie.path.length)
        .map(({ cookie, text }) => `${cookie.name}=${text}`)
        .join('; '),
  }
}

/** The cookie that a line sets, or `undefined` if it is refused (RFC 6265 section 5.3). */
function toEntry(line: string, site: RequestSite): Entry | undefined {
  const set = parseSetCookie(line, { decode: asIs })
  const host = hostnameOf(site.host)
  const scope = scopeOf(set, host)
  const secure = set.secure === true
  if (set.name === '' || scope === undefined || (secure && !isTrusted(host, site))) return undefined
  const path = set.path?.startsWith('/') === true ? set.path : defaultPath(site.path)
  if (!keepsPrefix(set, secure, scope.hostOnly, path)) return undefined
  const { sameSite } = set
  const cookie: KeptCookie = {
    name: set.name,
    value: parseSetCookie(line).value ?? '',
    ...scope,
    path,
    secure,
    httpOnly: set.httpOnly === true,
    sameSite: typeof sameSite === 'string' ? sameSite : undefined,
    expires: expiryOf(set),
  }
  return { cookie, text: set.value ?? '' }
}

/** The moment a cookie ends; `Max-Age` wins over `Expires`. */
function expiryOf({ maxAge, expires }: SetCookie): Date | undefined {
  if (maxAge === undefined) return expires
  // no date is further away than this
  return new Date(maxAge <= 0 ? 0 : Math.min(Date.now() + maxAge * 1000, 8.64e15))
}

function scopeOf(
  { domain = '' }: SetCookie,
  host: string,
): Pick<KeptCookie, 'domain' | 'hostOnly'> | undefined {
  const name = domain.replace(/^\./, '').toLowerCase()
  if (name === '' || name === host) return { domain: host, hostOnly: name === '' }
  // a top-level domain is nobody's
  return name.includes('.') && isBelow(host, name) ? { domain: name, hostOnly: false } : undefined
}

/** Whether a cookie keeps the promise of the prefix of its name (RFC 6265bis section 4.1.3). */
function keepsPrefix({ name }: SetCookie, secure: boolean, hostOnly: boolean, path: string): boolean {
  if (/^__secure-/i.test(name)) return secure
  return !/^__host-/i.test(name) || (secure && hostOnly && path === '/')
}

function goesTo({ domain, hostOnly, path, secure }: KeptCookie, site: RequestSite): boolean {
  const host = hostnameOf(site.host)
  return (
    (host === domain || (!hostOnly && isBelow(host, domain))) &&
    (!secure || isTrusted(host, site)) &&
    isWithin(site.path, path)
  )
}

/** Whether secure cookies may go there: as in browsers, this machine needs no TLS for that. */
function isTrusted(host: string, { isSecure }: RequestSite): boolean {
  return isSecure || /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)
}

/** Whether a host is in a domain (section 5.1.3); an address is in none. */
function isBelow(host: string, domain: string): boolean {
  return host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host)
}

/** Whether a path is that of a cookie, or below it (section 5.1.4). */
function isWithin(path: string, cookiePath: string): boolean {
  if (!path.startsWith(cookiePath)) return false
  return path.length === cookiePath.length || cookiePath.endsWith('/') || path[cookiePath.length] === '/'
}

/** The path of a cookie that names none: the folder of the request (section 5.1.4). */
function defaultPath(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? '/' : path.slice(0, end)
}

function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}
