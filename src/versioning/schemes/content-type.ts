import type { HttpRequest } from '../../http/http.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { createVersionOf, foldVersion, type MediaOptions } from './media-version.ts'
import { oneOf } from './query.ts'
import { DEFAULT_STATUS_CODES, PLAIN_SCHEME } from './plain-scheme.ts'
import type { VersioningScheme, VersionSource, VersionStatusCodes } from './scheme.ts'

const PLACE: Omit<VersionSource, 'value'> = { in: 'header', name: 'content-type' }

/**
 * Reads the version of the request body from `Content-Type`, as a companion of the scheme that reads `Accept`:
 * docs/guide/versioning-rules.md#versions-in-content-type
 */
export const contentTypeScheme: VersioningScheme<
  MediaOptions & { readonly statusCodes?: Partial<VersionStatusCodes> }
> = {
  ...PLAIN_SCHEME,
  name: 'HEADER (Content-Type)',
  reader: (options, format) => {
    const versionOf = createVersionOf(options)
    return (request) => {
      // most requests have one line of it, and splitting them into lines costs more
      if (request.header('content-type') === undefined) return undefined
      return oneOf(PLACE, readLines(request, versionOf), format)
    }
  },
  vary: () => [PLACE.name],
  source: () => PLACE,
  statusCodes: { ...DEFAULT_STATUS_CODES, unsupported: 415 },
  fold: foldVersion,
  options: undefined,
}

/** A header of one value: repeated lines that differ contradict each other. */
function readLines(request: HttpRequest, versionOf: ReturnType<typeof createVersionOf>): readonly string[] {
  return request.headerLines(PLACE.name).flatMap((line) => {
    const type = contentTypeOf(line)
    return (type === undefined ? undefined : versionOf(type)) ?? []
  })
}
