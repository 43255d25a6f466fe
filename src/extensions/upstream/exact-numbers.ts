/** A text without these has no number that a double could change: so many digits in a row, or an exponent. */
const SUSPECT = /\d{16}|\d[eE]/

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs

/**
 * Whether a JSON text has an integer that a double cannot hold, or a number that is none at all, such as `1e999`: parsed and written anew it
 * would be another one (RFC 8259 section 6). Fractions are rounded, as every reader of JSON does.
 */
export function hasInexactNumber(text: string): boolean {
  if (!SUSPECT.test(text)) return false
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"')) continue
    const value = Number(token)
    if (!Number.isFinite(value)) return true
    const isLong = token.length >= 16 && /^-?\d+$/.test(token)
    if (isLong && BigInt(token) !== BigInt(value)) return true
  }
  return false
}
