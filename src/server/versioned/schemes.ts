import { headerScheme } from '../../versioning/schemes/header.ts'
import { hostScheme } from '../../versioning/schemes/host.ts'
import { queryScheme } from '../../versioning/schemes/query.ts'
import { toScheme } from '../../versioning/schemes/plain-scheme.ts'
import type { VersioningScheme, VersioningSchemeDefinition } from '../../versioning/schemes/scheme.ts'
import { urlScheme } from '../../versioning/schemes/url.ts'
import { bringing } from './brought.ts'
import { VERSIONED } from './versioned.ts'

/**
 * The built-in ways a version travels with a request. `app.enableVersioning` takes one of them; `defineVersioningScheme` makes
 * more.
 */
export const VersioningSchemes = {
  /** The first path segment: `/v1/cars`. */
  URL: bringing(urlScheme, VERSIONED),
  /** A parameter of the Accept header, or a header of its own. */
  HEADER: bringing(headerScheme, VERSIONED),
  /** A query parameter: `?version=1`. */
  QUERY: bringing(queryScheme, VERSIONED),
  /** The first label of the host name: `v1.example.com`. */
  HOST: bringing(hostScheme, VERSIONED),
} as const

/**
 * Defines a versioning scheme of your own.
 *
 * @example
 * const Account = defineVersioningScheme({
 *   name: 'account',
 *   read: (request) => pinnedVersions.get(request.header('x-account') ?? ''),
 *   vary: ['x-account'],
 * })
 * app.enableVersioning(Account, { defaultVersion: '2' })
 */
export function defineVersioningScheme<O extends object = object>(
  definition: VersioningSchemeDefinition<O>,
): VersioningScheme<O> {
  return bringing(toScheme(definition), VERSIONED)
}
