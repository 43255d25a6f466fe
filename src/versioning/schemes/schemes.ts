import { headerScheme } from './header.ts'
import { hostScheme } from './host.ts'
import { queryScheme } from './query.ts'
import { completeScheme, type VersioningScheme, type VersioningSchemeDefinition } from './scheme.ts'
import { urlScheme } from './url.ts'

/**
 * The built-in ways a version travels with a request. `app.enableVersioning` takes one of them; `defineVersioningScheme` makes
 * more.
 */
export const VersioningSchemes = {
  /** The first path segment: `/v1/cars`. */
  URL: urlScheme,
  /** A parameter of the Accept header, or a header of its own. */
  HEADER: headerScheme,
  /** A query parameter: `?version=1`. */
  QUERY: queryScheme,
  /** The first label of the host name: `v1.example.com`. */
  HOST: hostScheme,
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
  return completeScheme(definition)
}
