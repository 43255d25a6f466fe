import { httpError } from '../errors.ts'
import type { HttpError } from '../errors.ts'

const DETAILS = {
  unauthenticated: 'This needs credentials, as the header WWW-Authenticate says',
  invalid_credentials: 'The credentials are not accepted',
} as const

/** Why a request is denied: nothing was sent, or it was not accepted. */
export type Denial = keyof typeof DETAILS

/** A challenge: a scheme and its parameters (RFC 9110 section 11.3). */
export function toChallenge(scheme: string, parameters: Readonly<Record<string, string>>): string {
  const written = Object.entries(parameters).map(([name, value]) => `${name}=${quote(value)}`)
  return `${scheme} ${written.join(', ')}`
}

/** The 401 of a request that is denied. It says the same whatever the credentials were, and whoever they were for. */
export function denied(denial: Denial, challenges: readonly string[]): HttpError {
  const headers = challenges.length === 0 ? {} : { 'www-authenticate': challenges.join(', ') }
  return httpError(denial, DETAILS[denial], { headers })
}

/** The challenge that an error carries; `undefined` when it has none. */
export function challengeOf({ headers = {} }: HttpError): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1]
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
