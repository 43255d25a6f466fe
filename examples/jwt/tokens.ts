import { exportJWK, generateKeyPair, SignJWT } from 'jose'
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
  /** The public keys, for services that verify our tokens. */
  readonly jwks: JSONWebKeySet
}

export const ALGORITHM = 'ES256'

/** The scopes of each role. */
const SCOPES: Readonly<Record<User['role'], string>> = {
  driver: 'cars:read',
  manager: 'cars:read cars:sell',
}

export async function createTokens({ issuer, audience, keys }: TokenOptions): Promise<Tokens> {
  const { publicKey, privateKey } = keys ?? (await generateKeyPair(ALGORITHM))
  return {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'main', alg: ALGORITHM, use: 'sig' }] },
    sign: ({ sub, role }) =>
      new SignJWT({ role, scope: SCOPES[role] })
        .setProtectedHeader({ alg: ALGORITHM, kid: 'main' })
        .setSubject(sub)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
  }
}
