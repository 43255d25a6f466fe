import { checkOptionNames } from '../base/definition-error.ts'
import { trimSpace } from './http.ts'

/** The characters of RFC 6265 section 4.1.1 and further ones that clients take, without the ends of a name or value. */
const NAME = /^[!-:<>-~]+$/
const PATH = /^[ -:=-~]*$/
/** Labels of RFC 1123 section 2.1. The dot that may lead is ignored by clients. */
const DOMAIN = /^\.?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Writes the value of an attribute: `''` for one without, `undefined` for a wrong one. */
type FormatAttribute = (given: unknown) => string | undefined

const SAME_SITE = enumAttribute('Strict Lax None')

/** The attributes in the order in which they are sent: how each is called, and its value. */
const ATTRIBUTES: readonly (readonly [name: string, label: string, write: FormatAttribute])[] = [
  ['maxAge', 'Max-Age', (given) => (Number.isInteger(given) ? String(given) : undefined)],
  ['domain', 'Domain', matching(DOMAIN)],
  ['path', 'Path', matching(PATH)],
  ['expires', 'Expires', toUtc],
  ['httpOnly', 'HttpOnly', () => ''],
  ['secure', 'Secure', () => ''],
  ['partitioned', 'Partitioned', () => ''],
  ['priority', 'Priority', enumAttribute('Low Medium High')],
  ['sameSite', 'SameSite', (given) => SAME_SITE(given === true ? 'strict' : given)],
]

const OPTIONS: ReadonlySet<string> = new Set(ATTRIBUTES.map(([name]) => name))

/**
 * Returns a `Set-Cookie` line. `attributes` are `CookieOptions`, as code without types may pass them.
 *
 * @throws `TypeError` for what would end the line or one of its parts, for attributes that do not exist, that have no such value, or with
 * which browsers refuse the cookie.
 */
export function writeSetCookie(name: string, value: string, attributes: object = {}): string {
  if (!NAME.test(name)) throw invalidCookie('argument name', name)
  checkOptionNames(`cookie ${name}`, attributes, OPTIONS)
  let line = `${name}=${encodeURIComponent(value)}`
  for (const [key, label, write] of ATTRIBUTES) {
    const given: unknown = Reflect.get(attributes, key)
    // no other number says something: a cookie that ends at once has the age 0
    if (!given && (key !== 'maxAge' || given === undefined)) continue
    const written = write(given)
    if (written === undefined) throw invalidCookie(`option ${key}`, given)
    line += written === '' ? `; ${label}` : `; ${label}=${written}`
  }
  const problem = cookieProblem(name, attributes)
  if (problem !== undefined) throw new TypeError(`cookie ${name}: ${problem}`)
  return line
}

/** Why browsers refuse a cookie with a prefix in its name or with attributes that need others, or `undefined` (RFC 6265bis section 5.7). */
export function cookieProblem(name: string, attributes: object): string | undefined {
  const { secure, path, domain, sameSite, partitioned }: Readonly<Record<string, unknown>> = { ...attributes }
  const [, prefix] = /^(__host-|__secure-)/i.exec(name) ?? []
  if (!secure) {
    if (prefix !== undefined) return `a name that begins with ${prefix} needs secure: true`
    if (String(sameSite).toLowerCase() === 'none') return "sameSite: 'none' needs secure: true"
    if (partitioned) return 'partitioned needs secure: true'
  }
  return prefix?.toLowerCase() === '__host-' && (path !== '/' || Boolean(domain))
    ? `a name that begins with ${prefix} needs path: '/' and no domain`
    : undefined
}

/** The cookies of a `Cookie` header, in a record without prototype. The first of several with one name wins. */
export function parseCookies(header = ''): Readonly<Record<string, string>> {
  const cookies: Record<string, string> = Object.create(null)
  for (const pair of header.split(';')) {
    const mark = pair.indexOf('=')
    if (mark !== -1) cookies[trimSpace(pair.slice(0, mark))] ??= decodeCookie(trimSpace(pair.slice(mark + 1)))
  }
  return cookies
}

function decodeCookie(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}

function invalidCookie(what: string, value: unknown): TypeError {
  return new TypeError(`${what} is invalid: ${String(value)}`)
}

function matching(pattern: RegExp): FormatAttribute {
  return (given) => (pattern.test(String(given)) ? String(given) : undefined)
}

function enumAttribute(words: string): FormatAttribute {
  const byName = new Map(words.split(' ').map((word) => [word.toLowerCase(), word]))
  return (given) => (typeof given === 'string' ? byName.get(given.toLowerCase()) : undefined)
}

function toUtc(given: unknown): string | undefined {
  // also that of another realm
  const isDate = Object.prototype.toString.call(given) === '[object Date]'
  return isDate && Number.isFinite(Number(given)) ? new Date(Number(given)).toUTCString() : undefined
}
