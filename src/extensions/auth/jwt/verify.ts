import type { JWTVerifyOptions } from 'jose'

import { once, detachString, type Awaitable } from '../../../base/values.ts'
import { flawOf, freezeDeep, type JwtClaims, type TokenRules } from './options.ts'
import { loadJose } from './jose.ts'
import { prepareKey } from './keys.ts'

/** The claims of a token, or why it is refused: a word for the log, without anything of the token. */
export type TokenVerdict = { readonly claims: JwtClaims } | { readonly reason: string }

/** Characters of the longest token. More than a request may have in all its headers, unless `limits.headers` is raised. */
const LONGEST = 16_384

/** Seconds. */
const CLOCK_TOLERANCE = 5

/** Milliseconds for which a verified token is not verified again. A key that its issuer withdraws counts that much longer. */
const MEMORY = 60_000

/** A token that was verified. */
interface Verified {
  readonly verdict: { readonly claims: JwtClaims }
  /** Milliseconds since 1970. */
  readonly until: number
}

/**
 * Creates the function that verifies tokens. It remembers the last ones, because clients send a token with many requests and checking a
 * signature is nearly all of the work. It only remembers valid ones, so a client without a token cannot fill the memory.
 */
export function createVerify(options: TokenRules): (token: string) => Awaitable<TokenVerdict> {
  const { maxTokens = 1000, clockTolerance = CLOCK_TOLERANCE } = options
  const verified = new Map<string, Verified>()
  const prepare = once(() => prepareVerify(options))

  async function verifyAnew(token: string): Promise<TokenVerdict> {
    const { verify, toKey } = await prepare()
    const verdict = await verify(token)
    if (!('claims' in verdict) || maxTokens === 0) return verdict
    // it is one of the required claims
    const { exp = 0 } = verdict.claims
    const until = Math.min(Date.now() + MEMORY, (exp + clockTolerance) * 1000)
    const key = toKey(token)
    verified.delete(key)
    const [oldest] = verified.keys()
    if (oldest !== undefined && verified.size >= maxTokens) verified.delete(oldest)
    verified.set(detachString(key), { verdict, until })
    return verdict
  }

  return (token) => {
    if (token.length > LONGEST) return { reason: 'too long' }
    const known = verified.get(token)
    return known !== undefined && Date.now() < known.until ? known.verdict : verifyAnew(token)
  }
}

/** The code that verifies tokens. */
interface PreparedKeys {
  readonly verify: (token: string) => Promise<TokenVerdict>
  /** Returns the one spelling of a verified token by which it is remembered: others of its signature decode to the same bytes. */
  readonly toKey: (token: string) => string
}

async function prepareVerify(options: TokenRules): Promise<PreparedKeys> {
  const jose = await loadJose()
  const key = await prepareKey(options)
  const { issuer, audience, algorithms, typ, clockTolerance = CLOCK_TOLERANCE } = options
  const types = typ === undefined ? ['jwt', 'at+jwt', undefined] : [typ].flat().map(toTokenType)
  const rules: JWTVerifyOptions = {
    issuer: [issuer].flat(),
    audience: [audience].flat(),
    algorithms: [...algorithms],
    clockTolerance,
    requiredClaims: ['exp'],
  }
  const utf8 = new TextDecoder()
  const decodePart = (part: string): string => utf8.decode(jose.base64url.decode(part))
  const whyNot = (head: string): string | undefined => {
    try {
      const header = jose.decodeProtectedHeader(`${head}..`)
      // no extension is known here that a token could demand (RFC 7515 section 4.1.11)
      if ('crit' in header) return 'crit'
      if (!types.includes(toTokenType(header.typ))) return 'typ'
      const flaw = flawOf(decodePart(head), header)
      return flaw === undefined ? undefined : `${flaw} header`
    } catch {
      return 'malformed'
    }
  }
  // the tokens of a key have the same header
  let accepted: string | undefined
  const toKey: PreparedKeys['toKey'] = (token) => {
    const end = token.lastIndexOf('.') + 1
    return token.slice(0, end) + jose.base64url.encode(jose.base64url.decode(token.slice(end)))
  }
  const verify: PreparedKeys['verify'] = async (token) => {
    const [head = '', body = ''] = token.split('.', 2)
    const reason = head === accepted ? undefined : whyNot(head)
    if (reason !== undefined) return { reason }
    try {
      const { payload } = await jose.jwtVerify(token, key, rules)
      accepted = head
      const flaw = flawOf(decodePart(body), payload)
      if (flaw !== undefined) return { reason: `${flaw} claim` }
      return { claims: freezeDeep(payload) }
    } catch (error) {
      if (!(error instanceof jose.errors.JOSEError)) throw error
      return { reason: 'claim' in error ? `${error.code} ${String(error.claim)}` : error.code }
    }
  }
  return { verify, toKey }
}

/** A media type as it is compared (RFC 7515 section 4.1.9). */
function toTokenType(typ: unknown): string | undefined {
  if (typ === undefined) return undefined
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : ''
}
