import { versionFileNames } from '../../http/file-name.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import { ReadError } from '../json.ts'
import type { VersionServing } from './version-serving.ts'

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

/** The content of `index.json`. */
export interface SnapshotIndex {
  readonly versions: readonly SnapshotEntry[]
  /** How requests reached versions; absent in a folder of an earlier Octavo. */
  readonly serving?: VersionServing
}

/** A kept document. */
export interface VersionSnapshot extends SnapshotEntry {
  readonly document: unknown
}

/** A version of the application of today. */
export interface CurrentVersion {
  readonly version: string
  readonly document: unknown
  readonly isDefault: boolean
  readonly sunset?: string | undefined
}

/** Whether the end of a version, as it was announced, is over. */
export function isAfterSunset({ sunset }: Pick<SnapshotEntry, 'sunset'>, now: Date): boolean {
  return sunset !== undefined && Date.parse(sunset) <= now.getTime()
}

/** The stand-in for the version of an application that has none. */
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

/** The names of the other files of the folder, without extension. */
const OTHER_FILES = ['allow', 'index', 'rules']

/** Names the files that keep versions. `entries` are all in the folder. */
export function toFileNames(
  entries: readonly Pick<SnapshotEntry, 'version'>[],
): (entry: Pick<SnapshotEntry, 'version'>) => string {
  const toName = versionFileNames(
    entries.map(({ version }) => version),
    OTHER_FILES,
  )
  return ({ version }) => `${toName(version)}.json`
}

/** `index.json` as it is written: operations with equal versions share one list. */
export function toIndexText({ versions, serving }: SnapshotIndex): string {
  const lists = new Map<string, { versions: readonly (readonly string[])[]; operations: string[] }>()
  for (const [operation, groups] of serving?.routes ?? []) {
    const key = JSON.stringify(groups)
    const list = lists.get(key) ?? { versions: groups, operations: [] }
    list.operations.push(operation)
    lists.set(key, list)
  }
  const routes = [...lists.values()].map((list) => ({ ...list, operations: list.operations.toSorted() }))
  const own = serving === undefined ? {} : { schemes: serving.schemes, routes }
  return `${JSON.stringify({ ...own, versions }, undefined, 2)}\n`
}

/** Reads `index.json`. @throws {ReadError} */
export function readIndex(text: string): SnapshotIndex {
  const index: unknown = JSON.parse(text)
  const { versions, schemes, routes } = toRecord(index)
  if (!Array.isArray(versions)) throw new ReadError('index.json has no list "versions"')
  return {
    versions: readEntries(versions),
    ...(Array.isArray(schemes) && Array.isArray(routes)
      ? {
          serving: {
            schemes: schemes.filter(isString),
            routes: new Map(
              routes.filter(isRecord).flatMap((list) => {
                const groups = snapshotList(list['versions']).map((group) =>
                  snapshotList(group).filter(isString),
                )
                return snapshotList(list['operations'])
                  .filter(isString)
                  .map((operation) => [operation, groups] as const)
              }),
            ),
          },
        }
      : {}),
  }
}

function snapshotList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function readEntries(versions: readonly unknown[]): readonly SnapshotEntry[] {
  return versions.map((entry) => {
    const { version, sha256, at, isDefault, sunset } = toRecord(entry)
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
