import type { HttpRequest } from '../../http/http.ts'
import {
  parseMediaRanges,
  parseMediaType,
  splitOutsideQuotes,
  type MediaType,
} from '../../http/media-type.ts'
import { createVersionOf, vendorType, versionPair, type MediaOptions } from './media-version.ts'
import { cacheReadings } from '../cache-readings.ts'
import type { VersionValue } from './scheme.ts'

const MAX_PREFERENCES = 8

/** Browsers send `application/signed-exchange;v=b3` with every navigation; that `v` is no API version. */
const IGNORED_TYPES = new Set(['application/signed-exchange'])

/** Reads versions from the media ranges in `Accept`, most preferred first (RFC 9110 section 12.5.1). */
export function createAcceptReader(options: MediaOptions): (request: HttpRequest) => VersionValue {
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
export function acceptVersion(accept: string | undefined, version: string, options: MediaOptions): string {
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
  const plain = members.map((member) =>
    splitOutsideQuotes(member, ';')
      .filter((part, index) => index === 0 || !part.toLowerCase().startsWith(isVersion))
      .join('; '),
  )
  return (plain.length === 0 ? ['*/*'] : plain).map((member) => `${member}; ${pair}`).join(', ')
}
