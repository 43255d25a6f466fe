import type { AmbiguousVersion, VersionSource, VersionValue } from './schemes/scheme.ts'

/** The version that one of several schemes found in a request. */
export interface SchemeReading<S> {
  readonly by: S
  readonly source: Omit<VersionSource, 'value'>
  readonly value: Exclude<VersionValue, undefined>
}

/** One spelling for all spellings of a version that a scheme takes for equal. */
export type CanonicalVersion<S> = (raw: string, by: S) => string

/**
 * Combines the versions that several schemes found: docs/guide/versioning-rules.md#several-schemes
 */
export function combineReadings<S>(
  readings: readonly SchemeReading<S>[],
  canonical: CanonicalVersion<S>,
): SchemeReading<S> | AmbiguousVersion {
  const [first] = readings
  if (first === undefined) return { ambiguous: [] }
  const sources = readings.flatMap(sourcesOf)
  if (readings.some(({ value }) => typeof value === 'object' && 'ambiguous' in value))
    return { ambiguous: sources }
  const shared = readings.reduce<readonly string[] | undefined>((agreed, reading) => {
    const own = valueList(reading.value).map((raw) => canonical(raw, reading.by))
    return agreed?.filter((version) => own.includes(version)) ?? own
  }, undefined)
  if (shared === undefined || shared.length === 0) return { ambiguous: sources }
  // a reading with a single version decides among readings with several
  const decisive = readings.find(({ value }) => typeof value === 'string') ?? first
  const kept = valueList(decisive.value).filter((raw) => shared.includes(canonical(raw, decisive.by)))
  return { ...decisive, value: kept.length === 1 ? (kept[0] ?? '') : kept }
}

function sourcesOf({ source, value }: SchemeReading<unknown>): readonly VersionSource[] {
  if (typeof value === 'object' && 'ambiguous' in value) return value.ambiguous
  return valueList(value).map((each) => ({ ...source, value: each }))
}

function valueList(value: SchemeReading<unknown>['value']): readonly string[] {
  if (typeof value === 'string') return [value]
  return 'ambiguous' in value ? [] : value
}
