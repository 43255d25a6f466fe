import type { HttpRequest } from '../http.ts'
import { parseMediaRanges } from '../media-type.ts'
import type { MediaType } from '../media-type.ts'
import type { VersionValue } from './scheme.ts'

/** Real clients send few distinct Accept headers: this many are remembered, then all are dropped. */
const REMEMBERED = 256
/** Longer headers are read, but not remembered. */
const REMEMBERED_LENGTH = 256
const MAX_PREFERENCES = 8

/** Browsers send `application/signed-exchange;v=b3` with every navigation; that `v` is no API version. */
const IGNORED_TYPES = new Set(['application/signed-exchange'])

/** Reads versions from a parameter of the media ranges in `Accept`, most preferred first (RFC 9110 section 12.5.1). */
export function createAcceptReader(parameter: string): (request: HttpRequest) => VersionValue {
  const name = parameter.toLowerCase()
  const remembered = new Map<string, VersionValue>()
  return (request) => {
    const header = request.header('accept')
    if (header === undefined) return undefined
    if (remembered.has(header)) return remembered.get(header)
    const value = readAccept(header, name)
    if (header.length <= REMEMBERED_LENGTH) {
      if (remembered.size >= REMEMBERED) remembered.clear()
      remembered.set(header, value)
    }
    return value
  }
}

/**
 * The distinct versions that an Accept header names, by weight and then by place; one version stands alone. Malformed members and
 * those with weight 0 do not count, and a version parameter counts wherever it stands.
 */
function readAccept(header: string, name: string): VersionValue {
  const weighted = parseMediaRanges(header)
    .filter(({ type }) => !IGNORED_TYPES.has(type))
    .map((range) => ({ weight: weightOf(range), version: parameterOf(range, name) }))
    .filter(({ weight, version }) => weight > 0 && version !== undefined && version !== '')
    .toSorted((a, b) => b.weight - a.weight)
  const versions = [...new Set(weighted.flatMap(({ version }) => version ?? []))].slice(0, MAX_PREFERENCES)
  return versions.length > 1 ? versions : versions[0]
}

/** From 0 to 1; 0 for a malformed weight, so that the member does not count. */
function weightOf(range: MediaType): number {
  const weight = parameterOf(range, 'q')
  if (weight === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
}

function parameterOf({ parameters }: MediaType, name: string): string | undefined {
  return parameters.find(([parameter]) => parameter === name)?.[1]
}
