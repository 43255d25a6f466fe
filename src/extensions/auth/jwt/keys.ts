import type { JSONWebKeySet, JWK, JWTVerifyGetKey } from 'jose'

import { ignoreFailure, isRecord, messageOf } from '../../../base/values.ts'
import { addedError, type HttpError } from '../../../http/errors.ts'
import { loadJose } from './jose.ts'
import type { TokenRules } from './options.ts'

type Jose = Awaited<ReturnType<typeof loadJose>>

/**
 * Prepares the key of all tokens, or what finds that of a token. The latter rejects with an error of jose if no key fits, with an `HttpError`
 * 503 if the keys cannot be read.
 */
export async function prepareKey(options: TokenRules): Promise<VerifyingKey | JWTVerifyGetKey> {
  const jose = await loadJose()
  const { jwks, secret, publicKey, algorithms, jwksTimeout = 5000 } = options
  const [algorithm = ''] = algorithms
  if (secret !== undefined) return typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
  if (publicKey !== undefined) return importPublicKey(jose, publicKey, algorithm)
  if (isKeySet(jwks)) return available(jose, jose.createLocalJWKSet(jwks))
  const url = new URL(jwks instanceof URL || typeof jwks === 'string' ? jwks : '')
  return available(
    jose,
    jose.createRemoteJWKSet(url, {
      timeoutDuration: jwksTimeout,
      [jose.customFetch]: createKeyFetch(),
    }),
  )
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return isRecord(value) && Array.isArray(value['keys']) && value['keys'].every(isRecord)
}

type VerifyingKey = Awaited<ReturnType<JWTVerifyGetKey>>

async function importPublicKey(jose: Jose, key: string | object, algorithm: string): Promise<VerifyingKey> {
  if (typeof key === 'string') {
    return key.includes('BEGIN CERTIFICATE')
      ? jose.importX509(key, algorithm)
      : jose.importSPKI(key, algorithm)
  }
  // a JWK has its type under `kty`, and other keys are objects: jose checks both
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const given = key as JWK | Exclude<VerifyingKey, Uint8Array>
  return 'kty' in given ? jose.importJWK(given, algorithm) : given
}

/** The 503 of keys that cannot be read. */
export function keysUnavailable(cause?: unknown): HttpError {
  return addedError('token_keys_unavailable', 'Tokens cannot be verified at the moment', { cause })
}

/** Has everything but a key that does not exist answered with 503: the token may be right. */
function available(jose: Jose, find: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await find(header, token)
    } catch (error) {
      const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys } = jose.errors
      if (error instanceof JWKSNoMatchingKey || error instanceof JWKSMultipleMatchingKeys) throw error
      throw keysUnavailable(error)
    }
  }
}

/** Milliseconds after a failure in which the issuer is not asked again. jose pauses after a success alone. */
const RETRY = 1000

type KeyFetch = (url: string, options: { readonly signal: AbortSignal }) => Promise<Response>

/** Bytes of the longest JWKS. Those of large issuers have ten thousand. */
const LONGEST = 262_144

/** The body of a response. @throws `Error` for one that is too long, which is not read to its end. */
async function readKeySetText({ body }: Response): Promise<string> {
  const utf8 = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    // leaving the loop closes the connection
    if (size > LONGEST) throw new Error(`it has more than ${LONGEST} bytes`)
    text += utf8.decode(chunk, { stream: true })
  }
  return text + utf8.decode()
}

/** Creates the function that fetches a JWKS, at most once in a second while that fails. */
function createKeyFetch(): KeyFetch {
  let failed: { readonly error: Error; readonly until: number } | undefined
  return async (url, options) => {
    if (failed !== undefined && Date.now() < failed.until) throw failed.error
    try {
      const response = await fetch(url, options)
      if (response.status !== 200) {
        ignoreFailure(() => response.body?.cancel())
        throw new Error(`the status is ${response.status}`)
      }
      const keys: unknown = JSON.parse(await readKeySetText(response))
      if (!isKeySet(keys)) throw new Error('there is no list of keys')
      failed = undefined
      return Response.json(keys)
    } catch (cause) {
      const error = new Error(`The JWKS cannot be read: ${messageOf(cause)}`, { cause })
      // a failure that lasts stays one object, by which the log tells of it once
      failed = {
        error: failed?.error.message === error.message ? failed.error : error,
        until: Date.now() + RETRY,
      }
      throw failed.error
    }
  }
}
