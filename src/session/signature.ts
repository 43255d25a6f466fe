import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Reads and writes the values of session cookies: an id and its signature. */
export interface Signer {
  sign(id: string): string
  /** The id in a value that was signed here; `isCurrent` when the secret that signs now has signed it. */
  read(value: string): { readonly id: string; readonly isCurrent: boolean } | undefined
}

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
    sign: (id) => `${id}.${signatureOf(id, first)}`,
    read: (value) => {
      const [, id, signature] = SIGNED.exec(value) ?? []
      if (id === undefined || signature === undefined) return undefined
      const given = Buffer.from(signature)
      const index = secrets.findIndex((secret) =>
        timingSafeEqual(given, Buffer.from(signatureOf(id, secret))),
      )
      return index === -1 ? undefined : { id, isCurrent: index === 0 }
    },
  }
}

function signatureOf(id: string, secret: string): string {
  // the prefix keeps signatures apart from others that an application makes with the same secret
  return createHmac('sha256', secret).update(`octavo.session.${id}`).digest('base64url')
}
