import { createLocalJWKSet, errors, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import type { GenerateKeyPairResult, JSONWebKeySet } from 'jose'
import { z } from 'zod'

/** What is in a token, and so what is known of who sends it. */
export const User = z.object({ sub: z.string(), role: z.enum(['driver', 'manager']) })
export type User = z.output<typeof User>

export interface TokenOptions {
  readonly issuer: string
  readonly audience: string
  /** Made anew unless given: a real service keeps its keys. */
  readonly keys?: GenerateKeyPairResult
}

export interface Tokens {
  /** Signs a token that is good for ten minutes. */
  sign(user: User): Promise<string>
  /** The user of a token; `undefined` when it is not one of ours, or no longer. */
  verify(token: string): Promise<User | undefined>
  /** The public keys, for services that verify our tokens. */
  readonly jwks: JSONWebKeySet
}

const ALGORITHM = 'ES256'

export async function createTokens({ issuer, audience, keys }: TokenOptions): Promise<Tokens> {
  const { publicKey, privateKey } = keys ?? (await generateKeyPair(ALGORITHM))
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'main', alg: ALGORITHM, use: 'sig' }] }
  // where tokens come from another service: createRemoteJWKSet(new URL('https://…/jwks.json'))
  const findKey = createLocalJWKSet(jwks)

  return {
    jwks,
    sign: ({ sub, role }) =>
      new SignJWT({ role })
        .setProtectedHeader({ alg: ALGORITHM, kid: 'main' })
        .setSubject(sub)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(token, findKey, {
          algorithms: [ALGORITHM],
          issuer,
          audience,
          // a token without `exp` would never expire
          requiredClaims: ['sub', 'exp'],
        })
        return User.safeParse(payload).data
      } catch (error) {
        if (isRefusal(error)) return undefined
        throw error
      }
    },
  }
}

/** Errors of jose that are no fault of the token: keys that cannot be fetched, or are none. */
const OUTAGES = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JWK_INVALID'])

function isRefusal(error: unknown): boolean {
  return error instanceof errors.JOSEError && !OUTAGES.has(error.code)
}
