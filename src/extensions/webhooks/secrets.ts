import { randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** The fewest bytes of a secret that Standard Webhooks allows. */
const MIN_BYTES = 24

/**
 * Creates a secret for the signatures of one subscription, of 32 random bytes.
 *
 * @example
 * createWebhookSecret() // such as whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfyaK64MAM=
 */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** Whether the text is a secret as Standard Webhooks writes them: base64 of at least 24 bytes, after `whsec_` or alone. */
export function isSecret(text: string): boolean {
  const encoded = withoutPrefix(text)
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && Buffer.from(encoded, 'base64').length >= MIN_BYTES
}

/** The key of a secret. @throws `TypeError` for a text that is none, which it does not repeat. */
export function toKey(secret: string): Buffer {
  if (!isSecret(secret))
    throw new TypeError(
      'A secret of a webhook is whsec_ and base64 of at least 32 characters: use createWebhookSecret()',
    )
  return Buffer.from(withoutPrefix(secret), 'base64')
}

function withoutPrefix(text: string): string {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
}
