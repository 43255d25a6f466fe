import { versionFileName } from '../../file-name.ts'
import { isRecord, isString } from '../../values.ts'
import { ReadError } from '../document/read-error.ts'

/** A version as it was when its document was kept. */
export interface SnapshotEntry {
  readonly version: string
  /** Of the document, as it is written. */
  readonly sha256: string
  /** The day on which it was kept. */
  readonly at: string
  /** Whether requests that name no version got it. Absent when not. */
  readonly isDefault?: true
  /** The end of the version, as it was announced. */
  readonly sunset?: string
}

/** A kept document. */
export interface Snapshot extends SnapshotEntry {
  readonly document: unknown
}

/** A version of the application of today. */
export interface CurrentVersion {
  readonly version: string
  readonly document: unknown
  readonly isDefault: boolean
  readonly sunset?: string | undefined
}

/** What stands for the version of an application that has none. */
export const UNVERSIONED = 'all'

/** A document as it is kept: the members of objects in order, so that a line differs only where the API does. */
export function toKeptText(document: unknown): string {
  return `${JSON.stringify(toOrdered(document), undefined, 2)}\n`
}

function toOrdered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toOrdered)
  if (!isRecord(value)) return value
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, toOrdered(value[name])]))
}

/** The name of the file that keeps a version. */
export function toFileName(version: string): string {
  return `${versionFileName(version)}.json`
}

/** Reads `index.json`. @throws {ReadError} */
export function readIndex(text: string): readonly SnapshotEntry[] {
  const index: unknown = JSON.parse(text)
  const versions = isRecord(index) ? index['versions'] : undefined
  if (!Array.isArray(versions)) throw new ReadError('index.json has no list "versions"')
  return versions.map((entry: unknown) => {
    const { version, sha256, at, isDefault, sunset } = toEntry(entry)
    if (!isString(version) || !isString(sha256) || !isString(at))
      throw new ReadError('index.json has an entry without version, sha256 or at')
    return {
      version,
      sha256,
      at,
      ...(isDefault === true ? { isDefault } : {}),
      ...(isString(sunset) ? { sunset } : {}),
    }
  })
}

function toEntry(
  value: unknown,
): Readonly<Record<'version' | 'sha256' | 'at' | 'isDefault' | 'sunset', unknown>> {
  const { version, sha256, at, isDefault, sunset } = { ...(isRecord(value) ? value : {}) }
  return { version, sha256, at, isDefault, sunset }
}
