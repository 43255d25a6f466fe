import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { messageOf } from '../../values.ts'
import { ReadError } from '../document/read-error.ts'
import { readAllowed } from './allow.ts'
import type { Allowed } from './allow.ts'
import { readIndex, toFileName } from './snapshot.ts'
import type { Snapshot, SnapshotEntry } from './snapshot.ts'

/** What a folder keeps of released versions. */
export interface Kept {
  /** What `index.json` says. */
  readonly entries: readonly SnapshotEntry[]
  readonly snapshots: readonly Snapshot[]
  readonly allowed: readonly Allowed[]
}

/** The digest of a text, as `index.json` names it. */
export function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Reads a folder that `octavo snapshot` wrote; a folder that is not there keeps nothing.
 * @throws {ReadError} if a file is missing, cannot be read, or was changed by hand
 */
export async function readFolder(folder: string): Promise<Kept> {
  const index = await readText(join(folder, 'index.json'))
  const allow = await readText(join(folder, 'allow.json'))
  const entries = index === undefined ? [] : within('index.json', () => readIndex(index))
  const snapshots = await Promise.all(
    entries.map(async (entry) => {
      const name = toFileName(entry.version)
      const text = await readText(join(folder, name))
      if (text === undefined) throw new ReadError(`${name} is missing, which index.json names`)
      // a checkout may have changed the ends of lines
      const own = text.replaceAll('\r\n', '\n')
      if (toDigest(own) !== entry.sha256)
        throw new ReadError(`${name} was changed by hand: what is released stays as it was`)
      const document: unknown = within(name, () => JSON.parse(own))
      return { ...entry, document }
    }),
  )
  return {
    entries,
    snapshots,
    allowed: allow === undefined ? [] : within('allow.json', () => readAllowed(allow)),
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new ReadError(messageOf(error))
  }
}

function within<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ReadError ? error : new ReadError(`${name}: ${messageOf(error)}`)
  }
}
