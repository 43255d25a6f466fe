import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Reads and writes the values of session cookies: an id and its signature. */
export interface Signer {
  sign(id: string): string
  /** The id in a value that was signed here; `isCurrent` when the secret that signs now has signed it. */
  read(value: string): { readonly id: string; readonly isCurrent: boolean } | undefined
}

const PURPOSE = 'octavo.session'

/** 24 bytes in base64url, a dot, and 32 bytes in base64url. */
const SIGNED = /^([\w-]{32})\.([\w-]{43})$/

/** Creates an unguessable id of 192 random bits. */
export function createId(): string {
  return randomBytes(24).toString('base64url')
}

/** Signs with the first secret, accepts the signatures of all. */
export function createSigner(secrets: readonly string[]): Signer {
  const [first = ''] = secrets
  return {
    sign: (id) => `${id}.${signatureOf(PURPOSE, id, first)}`,
    read: (value) => {
      const [, id, signature] = SIGNED.exec(value) ?? []
      if (id === undefined || signature === undefined) return undefined
      const index = findSecret(PURPOSE, id, signature, secrets)
      return index === -1 ? undefined : { id, isCurrent: index === 0 }
    },
  }
}

/**
 * The signature of a text: 32 bytes in base64url, which are 43 characters. The purpose keeps signatures apart from others that an
 * application makes with the same secret.
 */
export function signatureOf(purpose: string, text: string, secret: string): string {
  return createHmac('sha256', secret).update(`${purpose}.${text}`).digest('base64url')
}

/** The index of the secret that signed a text, -1 if none did. The signature has 43 characters, which are compared in constant time. */
export function findSecret(
  purpose: string,
  text: string,
  signature: string,
  secrets: readonly string[],
): number {
  const given = Buffer.from(signature)
  return secrets.findIndex((secret) =>
    timingSafeEqual(given, Buffer.from(signatureOf(purpose, text, secret))),
  )
}
