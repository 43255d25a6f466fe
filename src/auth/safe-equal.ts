import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Made when it is first needed: Workers have no randomness while modules load. */
let key: Buffer | undefined

/**
 * Whether two texts are equal, in a time that tells nothing of where they differ, nor whether their lengths do. Compare secrets with
 * it; passwords belong into a slow hash such as `scrypt`.
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
