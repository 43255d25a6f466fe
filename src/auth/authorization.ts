import type { HttpRequest } from '../http.ts'
import { MALFORMED } from './create-guard.ts'
import type { Carried } from './create-guard.ts'

/**
 * What follows the scheme in the Authorization header (RFC 9110 section 11.4). Another scheme counts as nothing; several lines are
 * malformed, for proxies and servers do not agree which of them counts.
 */
export function readAuthorization(request: HttpRequest, scheme: string): Carried<string> {
  const [line, ...others] = request.headerLines('authorization')
  if (line === undefined) return undefined
  if (others.length > 0) return MALFORMED
  const blank = line.indexOf(' ')
  const name = blank === -1 ? line : line.slice(0, blank)
  if (name.toLowerCase() !== scheme) return undefined
  return blank === -1 ? '' : line.slice(blank).replace(/^ +/, '')
}
