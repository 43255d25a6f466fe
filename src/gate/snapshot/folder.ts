import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { messageOf } from '../../base/values.ts'
import { ReadError } from '../json.ts'
import { readAllowed, readLevels, type AllowedFinding, type Levels } from './allow.ts'
import { readIndex, toFileNames, type SnapshotIndex, type VersionSnapshot } from './snapshot-index.ts'

/** The contents of a folder of released versions. */
export interface KeptSnapshots {
  readonly index: SnapshotIndex
  readonly snapshots: readonly VersionSnapshot[]
  /** The entries of `allow.json`. */
  readonly allowed: readonly AllowedFinding[]
  /** The levels of `rules.json`. */
  readonly levels: Levels
}

/** The digest of a text, as `index.json` names it. */
export function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Reads a folder that `octavo snapshot` wrote; a folder that is not there keeps nothing.
 * @throws {ReadError} if a file is missing, cannot be read, or was changed by hand
 */
export async function readFolder(folder: string): Promise<KeptSnapshots> {
  const index = await readIndexOf(folder)
  const allow = await readSnapshotText(join(folder, 'allow.json'))
  const rules = await readSnapshotText(join(folder, 'rules.json'))
  const toFileName = toFileNames(index.versions)
  const snapshots = await Promise.all(
    index.versions.map(async (entry) => {
      const name = toFileName(entry)
      const text = await readSnapshotText(join(folder, name))
      if (text === undefined) throw new ReadError(`${name} is missing, but index.json names it`)
      // a checkout may have changed the ends of lines
      const own = text.replaceAll('\r\n', '\n')
      if (toDigest(own) !== entry.sha256)
        throw new ReadError(`${name} was edited: restore the document that octavo snapshot wrote`)
      const document: unknown = inSnapshot(name, () => JSON.parse(own))
      return { ...entry, document }
    }),
  )
  return {
    index,
    snapshots,
    allowed: allow === undefined ? [] : inSnapshot('allow.json', () => readAllowed(allow)),
    levels: rules === undefined ? new Map() : inSnapshot('rules.json', () => readLevels(rules)),
  }
}

/** Reads `index.json` of a folder; one that is not there keeps nothing. @throws {ReadError} if it cannot be read */
export async function readIndexOf(folder: string): Promise<SnapshotIndex> {
  const text = await readSnapshotText(join(folder, 'index.json'))
  return text === undefined ? { versions: [] } : inSnapshot('index.json', () => readIndex(text))
}

async function readSnapshotText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new ReadError(messageOf(error))
  }
}

function inSnapshot<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ReadError ? error : new ReadError(`${name}: ${messageOf(error)}`)
  }
}
