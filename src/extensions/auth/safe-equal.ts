import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Made when it is first needed: Workers have no randomness while modules load. */
let key: Buffer | undefined

/**
 * Compares two texts in a time that reveals neither the place of a difference nor different lengths. Use it for secrets. Passwords need a
 * slow hash such as `scrypt`.
 *
 * @example
 * const Deploy = bearerAuth({ verify: (token) => safeEqual(token, settings.deployToken) })
 */
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  key ??= randomBytes(32)
  // UTF-16 keeps lone surrogates apart, which UTF-8 makes all the same
  return createHmac('sha256', key).update(Buffer.from(text, 'utf16le')).digest()
}
