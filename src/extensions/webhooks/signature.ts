import { createHash, createHmac, timingSafeEqual, randomBytes } from 'node:crypto'

import type { HttpRequest } from '../../http/http.ts'
import { isNonEmptyString } from '../../base/values.ts'

/** The parts of a webhook that its signature covers. */
export interface SignedWebhook {
  /** The id of the event. */
  readonly id: string
  /** The time of the attempt, in seconds since 1970. */
  readonly timestamp: number
  /** The body as it is sent. */
  readonly body: string | Uint8Array
  /** One secret, or several while one replaces another: then there is a signature for each. */
  readonly secrets: string | readonly string[]
}

/**
 * Returns the header `webhook-signature` of Standard Webhooks. `createWebhooks` does this for you, and tests of receivers need it.
 *
 * @example
 * const headers = {
 *   'webhook-id': 'msg_1',
 *   'webhook-timestamp': '1700000000',
 *   'webhook-signature': signWebhook({ id: 'msg_1', timestamp: 1_700_000_000, body, secrets: secret }),
 * }
 *
 * @throws `TypeError` for a secret that cannot be used.
 */
export function signWebhook({ id, timestamp, body, secrets }: SignedWebhook): string {
  const parts = [`${id}.${timestamp}.`, body]
  return [secrets]
    .flat()
    .map((secret) => `v1,${hmac(toSigningKey(secret), parts).toString('base64')}`)
    .join(' ')
}

/** The signature and timestamp in the headers of an incoming webhook. */
interface Carried {
  /** Seconds since 1970, or `undefined` for a format without time. */
  readonly timestamp: number | undefined
  readonly signatures: readonly Buffer[]
  /** The text that is signed before the body. */
  readonly prefix: string
}

/** How a sender signs. */
interface SignatureRules {
  /** The header of the signature, in documents and challenges. */
  readonly header: string
  /** The headers that are signed with the body. */
  readonly companions: readonly string[]
  /** Reads the headers, or returns `undefined` for what is missing or malformed. */
  readonly read: (request: HttpRequest) => Carried | undefined
  readonly toKey: (secret: string) => Buffer
  readonly isSecret: (text: string) => boolean
  /** The description of a secret, in messages. None of its words may have messages show a wrong one, as `bytes` would. */
  readonly secret: string
}

const PLAIN = {
  companions: [],
  toKey: (secret: string) => Buffer.from(secret),
  isSecret: isNonEmptyString,
  secret: 'a text with at least one character',
}

export const FORMATS: Readonly<Record<SignatureFormat, SignatureRules>> = {
  standard: {
    header: 'webhook-signature',
    companions: ['webhook-id', 'webhook-timestamp'],
    read: (request) => {
      const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
        only(request, name),
      )
      const timestamp = toTimestamp(time)
      if (!isNonEmptyString(id) || timestamp === undefined || given === undefined) return undefined
      const signatures = given
        .split(' ')
        .flatMap((each) => (each.startsWith('v1,') ? [Buffer.from(each.slice(3), 'base64')] : []))
      return { timestamp, signatures, prefix: `${id}.${time}.` }
    },
    toKey: toSigningKey,
    isSecret: isSigningSecret,
    secret: 'whsec_ and base64 of at least 32 characters',
  },
  github: {
    ...PLAIN,
    header: 'x-hub-signature-256',
    read: (request) => {
      const [, hex] = /^sha256=([\da-f]{64})$/.exec(only(request, 'x-hub-signature-256') ?? '') ?? []
      if (hex === undefined) return undefined
      return { timestamp: undefined, signatures: [Buffer.from(hex, 'hex')], prefix: '' }
    },
  },
  stripe: {
    ...PLAIN,
    header: 'stripe-signature',
    read: (request) => {
      const pairs = (only(request, 'stripe-signature') ?? '').split(',').map((pair) => pair.split('='))
      const time = pairs.find(([name]) => name === 't')?.[1]
      const timestamp = toTimestamp(time)
      const signatures = pairs.flatMap(([name, hex = '']) =>
        name === 'v1' && /^[\da-f]{64}$/.test(hex) ? [Buffer.from(hex, 'hex')] : [],
      )
      return timestamp === undefined ? undefined : { timestamp, signatures, prefix: `${time}.` }
    },
  },
}

/** The name of a format. */
export type SignatureFormat = 'standard' | 'github' | 'stripe'

/** Whether one of the signatures was made with one of the secrets. All of them are compared, each in the same time wherever they differ. */
export function isSigned(
  { signatures, prefix }: Carried,
  body: Uint8Array,
  secrets: readonly string[],
  format: SignatureFormat,
): boolean {
  let found = false
  for (const secret of secrets) {
    const expected = hmac(FORMATS[format].toKey(secret), [prefix, body])
    for (const given of signatures)
      if (given.length === expected.length && timingSafeEqual(given, expected)) found = true
  }
  return found
}

/**
 * Returns the key that a request is remembered by: a hash of all that is signed. Its signatures can be left out or put into another order.
 */
export function toReplayKey({ prefix }: Carried, body: Uint8Array): string {
  return createHash('sha256').update(prefix).update(body).digest('base64url')
}

function hmac(key: Buffer, parts: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** The header, if it is there once: proxies and servers disagree about the one of several that counts. */
function only(request: HttpRequest, name: string): string | undefined {
  const [line, ...others] = request.headerLines(name)
  return others.length === 0 ? line : undefined
}

function toTimestamp(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined
}

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
function isSigningSecret(text: string): boolean {
  const encoded = withoutPrefix(text)
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && Buffer.from(encoded, 'base64').length >= MIN_BYTES
}

/** The key of a secret. @throws `TypeError` for a text that is none, which it does not repeat. */
function toSigningKey(secret: string): Buffer {
  if (!isSigningSecret(secret))
    throw new TypeError(
      'A secret of a webhook is whsec_ and base64 of at least 32 characters: use createWebhookSecret()',
    )
  return Buffer.from(withoutPrefix(secret), 'base64')
}

function withoutPrefix(text: string): string {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
}
