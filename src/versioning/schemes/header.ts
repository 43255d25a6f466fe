import { trimSpace, type HttpRequest } from '../../http/http.ts'
import {
  isMediaToken,
  quoteUnlessToken,
  splitOutsideQuotes,
  unquote,
  contentTypeOf,
  parseMediaRanges,
  parseMediaType,
  type MediaType,
} from '../../http/media-type.ts'
import {
  foldVersion,
  isTemplate,
  mediaTypeWithVersion,
  createVersionOf,
  vendorType,
  versionPair,
  DEFAULT_STATUS_CODES,
  OPTION_RULES,
  PLAIN_SCHEME,
  type MediaOptions,
  type VersioningScheme,
  type VersionStatusCodes,
  type VersionSource,
  type VersionValue,
} from './scheme.ts'
import { singleVersion } from './query.ts'
import { cacheReadings } from '../cache-readings.ts'

/** Options of `VersioningSchemes.HEADER`. */
export interface HeaderOptions {
  /** The header that carries the version. @default 'accept' */
  readonly headerParameter?: string
  /** The name before the version: a parameter of the media type, or of the header's own value. @default 'version' */
  readonly versionParameter?: string
  /**
   * Of `accept`: the media type that has the version in its name, as `'application/vnd.shop.v{version}+json'`. Ranges of that type
   * name a version by it, others still by their parameter; versions are then the same in any case. `echo: 'contentType'` gives
   * JSON this type. Bodies of it are read as JSON when it ends with `+json`.
   */
  readonly mediaType?: string
  /**
   * Of `accept`: whether the `Content-Type` of a request names a version too, in the same way. It has to be one that `Accept` asks
   * for, if that names any; unknown versions in it alone are answered with 415. @default false
   */
  readonly contentType?: boolean
  /** The statuses of version errors. @default unsupported 406, retired 410, the others 400 */
  readonly statusCodes?: Partial<VersionStatusCodes>
}

/** The version is in a header: `Accept: application/json; version=2`, `X-Version: version=2;` or `X-Version: 2`. */
export const headerScheme: VersioningScheme<HeaderOptions> = {
  ...PLAIN_SCHEME,
  name: 'HEADER',
  reader: (options, canonical) => {
    const { versionParameter = 'version' } = options
    const header = headerOf(options)
    if (header === 'accept') return createAcceptReader(options)
    const readValues = createValuesReader(versionParameter)
    const place = { in: 'header', name: header }
    const read = cacheReadings((value) => singleVersion(place, readValues(value), canonical))
    return (request) => {
      const value = request.header(header)
      return value === undefined ? undefined : read(value)
    }
  },
  write: ({ headers }, version, options) => {
    const { versionParameter = 'version' } = options
    const header = headerOf(options)
    return {
      headers: {
        [header]:
          header === 'accept'
            ? acceptVersion(headers['accept'], version, options)
            : `${versionParameter}=${quoteUnlessToken(version)}`,
      },
    }
  },
  vary: (options) => [headerOf(options)],
  source: (options) => ({ in: 'header', name: headerOf(options) }),
  contentType: mediaTypeWithVersion,
  echo: (options) => (headerOf(options) === 'accept' ? undefined : headerOf(options)),
  companions: (options) => (options.contentType === true ? [{ scheme: contentTypeScheme, options }] : []),
  statusCodes: { ...DEFAULT_STATUS_CODES, unsupported: 406 },
  fold: foldVersion,
  problem: (version, { mediaType }) => {
    if (mediaType !== undefined && !isMediaToken(version))
      return 'a media type holds letters, digits and the characters of tokens only'
    return /^(?! )[\u0020-\u007e]*(?<! )$/.test(version) && !/[;,"\\]/.test(version)
      ? undefined
      : 'a header value holds ASCII characters only, no ; , " \\ and no space at its ends'
  },
  contradiction: (options) => {
    const { mediaType, contentType, versionParameter = 'version' } = options
    const header = headerOf(options)
    if (header === 'accept')
      return versionParameter.toLowerCase() === 'q'
        ? 'the versionParameter "q" is the weight of a media range'
        : undefined
    const [extra] = [
      ...(mediaType === undefined ? [] : ['mediaType']),
      ...(contentType === true ? ['contentType'] : []),
    ]
    return extra === undefined ? undefined : `${extra} needs the headerParameter "accept", not "${header}"`
  },
  options: {
    headerParameter: OPTION_RULES.token,
    versionParameter: OPTION_RULES.token,
    mediaType: [isTemplate, "a media type with {version} once, as 'application/vnd.shop.v{version}+json'"],
    contentType: OPTION_RULES.flag,
    statusCodes: OPTION_RULES.statusCodes,
  },
}

function headerOf({ headerParameter = 'accept' }: HeaderOptions): string {
  return headerParameter.toLowerCase()
}

/** Reads `name=value;` lists and bare versions; several field lines arrive joined by commas. */
function createValuesReader(parameter: string): (value: string) => readonly string[] {
  const name = parameter.toLowerCase()
  return (value) =>
    splitOutsideQuotes(value, ',').flatMap((line) => {
      const items = splitOutsideQuotes(line, ';')
      const named = items.filter((item) => item.includes('='))
      if (named.length === 0)
        return items
          .map(unquoted)
          .filter((item) => item !== '')
          .slice(0, 1)
      return named.flatMap((item) => {
        const equals = item.indexOf('=')
        return trimSpace(item.slice(0, equals)).toLowerCase() === name
          ? [unquoted(trimSpace(item.slice(equals + 1)))]
          : []
      })
    })
}

function unquoted(text: string): string {
  return text === '' ? '' : (unquote(text) ?? text)
}

const PLACE: Omit<VersionSource, 'value'> = { in: 'header', name: 'content-type' }

/**
 * Reads the version of the request body from `Content-Type`, as a companion of the scheme that reads `Accept`:
 * docs/guide/versioning-rules.md#versions-in-content-type
 */
const contentTypeScheme: VersioningScheme<
  MediaOptions & { readonly statusCodes?: Partial<VersionStatusCodes> }
> = {
  ...PLAIN_SCHEME,
  name: 'HEADER (Content-Type)',
  reader: (options, canonical) => {
    const versionOf = createVersionOf(options)
    return (request) => {
      // most requests have one line of it, and splitting them into lines costs more
      if (request.header('content-type') === undefined) return undefined
      return singleVersion(PLACE, readLines(request, versionOf), canonical)
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

const MAX_PREFERENCES = 8

/** Browsers send `application/signed-exchange;v=b3` with every navigation; that `v` is no API version. */
const IGNORED_TYPES = new Set(['application/signed-exchange'])

/** Reads versions from the media ranges in `Accept`, most preferred first (RFC 9110 section 12.5.1). */
function createAcceptReader(options: MediaOptions): (request: HttpRequest) => VersionValue {
  const versionOf = createVersionOf(options)
  const read = cacheReadings((header) => readAccept(header, versionOf))
  return (request) => {
    const header = request.header('accept')
    return header === undefined ? undefined : read(header)
  }
}

/**
 * The distinct versions that an Accept header names, by weight and then by place; one version stands alone. Malformed members and
 * those with weight 0 do not count, and a version parameter counts wherever it stands.
 */
function readAccept(header: string, versionOf: (range: MediaType) => string | undefined): VersionValue {
  const weighted = parseMediaRanges(header)
    .filter(({ type }) => !IGNORED_TYPES.has(type))
    .map((range) => ({ weight: weightOf(range), version: versionOf(range) }))
    .filter(({ weight, version }) => weight > 0 && version !== undefined)
    .toSorted((a, b) => b.weight - a.weight)
  const versions = [...new Set(weighted.flatMap(({ version }) => version ?? []))].slice(0, MAX_PREFERENCES)
  return versions.length > 1 ? versions : versions[0]
}

/** From 0 to 1; 0 for a malformed weight, so that the member does not count. */
function weightOf({ parameters }: MediaType): number {
  const weight = parameters.find(([name]) => name === 'q')?.[1]
  if (weight === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
}

/**
 * An Accept header that asks for a version and accepts the media types of the given one; what that says of versions is dropped.
 */
function acceptVersion(accept: string | undefined, version: string, options: MediaOptions): string {
  const versionOf = createVersionOf(options)
  const members = splitOutsideQuotes(accept ?? '', ',').filter((member) => member !== '')
  const vendor = vendorType(options, version)
  if (vendor !== undefined) {
    const others = members.filter((member) => {
      const range = parseMediaType(member)
      return range === undefined || versionOf(range) === undefined
    })
    return [vendor, ...others].join(', ')
  }
  const pair = versionPair(options, version)
  const isVersion = `${pair.slice(0, pair.indexOf('='))}=`.toLowerCase()
  const unversioned = members.map((member) =>
    splitOutsideQuotes(member, ';')
      .filter((part, index) => index === 0 || !part.toLowerCase().startsWith(isVersion))
      .join('; '),
  )
  return (unversioned.length === 0 ? ['*/*'] : unversioned).map((member) => `${member}; ${pair}`).join(', ')
}
