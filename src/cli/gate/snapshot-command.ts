import { join, relative, resolve } from 'node:path'

import { FORMAT, say, usageError, sayStyle, toWord, type Command, type Setting } from '../command.ts'
import { readIndexOf, toDigest } from '../../gate/snapshot/folder.ts'
import {
  isAfterSunset,
  toFileNames,
  toIndexText,
  toKeptText,
  type CurrentVersion,
  type SnapshotIndex,
  type SnapshotEntry,
} from '../../gate/snapshot/snapshot-index.ts'
import { askApp, type CurrentReport } from '../app-process.ts'
import { readFileText, writeFiles, type WrittenFile } from '../write-file.ts'
import { documentFailure } from './read-document.ts'

export const snapshot: Command = {
  summary: 'keep the documents of released versions',
  usage: '[<app>] [options]',
  about: [
    'Writes the document of each version to a folder that you commit. `octavo check` compares the app with them. If you',
    'omit --version, it keeps all versions. The document of a version that you removed stays until its sunset.',
  ],
  examples: ['octavo snapshot', 'octavo snapshot --version 2', 'octavo snapshot --out api'],
  positionals: 1,
  options: {
    out: { value: '<folder>', short: 'o', about: 'the folder of the documents (api)' },
    version: { value: '<version>', multiple: true, about: 'keep only this version (repeatable)' },
    format: FORMAT,
  },
  run: async (given, setting) => {
    const report = await askApp(given.positionals[0], { kind: 'current', isChecked: false }, setting)
    const out = given.value('out') ?? KEPT_IN
    const files = await keepVersions(report, setting, { out, wanted: given.values('version') })
    const isSame = files.every(({ state }) => state === 'current')
    const next = isSame ? [] : [{ text: `commit ${out}`, run: `git add ${toWord(out)}` }]
    return { result: { files }, next }
  },
}

/** The folder of the documents if none is given. */
export const KEPT_IN = 'api'

/** Where documents are kept, and which. */
interface Keeping {
  /** @default 'api' */
  readonly out?: string
  /** @default all versions */
  readonly wanted?: readonly string[]
}

/** Writes the documents of versions to a folder. @throws `CommandError` for a version that the app hasn't, and an index that cannot be read */
export async function keepVersions(
  { versions: current, serving: own }: CurrentReport,
  { cwd }: Setting,
  { out = KEPT_IN, wanted = [] }: Keeping = {},
): Promise<readonly WrittenFile[]> {
  const folder = resolve(cwd, out)
  const index = await readKeptIndex(folder, relative(cwd, folder))
  const before = index.versions
  const unknown = wanted.find((version) => !current.some((one) => one.version === version))
  if (unknown !== undefined)
    throw usageError(
      `the app has no version ${unknown}`,
      `it has ${current.map(({ version }) => version).join(', ')}`,
    )
  const now = new Date()
  const changed = toSnapshotEntries(before, current, { wanted, now })
  const { entries } = changed
  const { green, dim } = sayStyle()
  const { texts, removed } = await toTidied(folder, before, changed)
  const toFileName = toFileNames(entries)
  const documents = current
    .filter(({ version }) => wanted.length === 0 || wanted.includes(version))
    .map(({ version, document }) => ({
      path: join(folder, toFileName({ version })),
      text: toKeptText(document),
    }))
  for (const { path, text } of documents) texts.set(path, text)
  // a single version doesn't show how the others are requested
  const { schemes } = wanted.length > 0 ? (index.serving ?? own) : own
  const serving = { schemes, routes: new Map(own.routes) }
  texts.set(join(folder, 'index.json'), toIndexText({ versions: entries, serving }))
  const written = await writeFiles([...texts].map(([path, text]) => ({ path, text })))
  const kept = documents.map(({ path }): WrittenFile => {
    const file = relative(cwd, path)
    say(written.has(path) ? `${green('Wrote')} ${file}` : dim(`${file} is up to date`))
    return { file, state: written.has(path) ? 'written' : 'current' }
  })
  const gone = removed.map((path): WrittenFile => ({ file: relative(cwd, path), state: 'removed' }))
  for (const { file } of gone) say(`${green('Removed')} ${file}, because its sunset has passed`)
  return [...kept, ...gone]
}

/** The entries that stay in the folder, and those that are removed. */
interface Entries {
  readonly entries: readonly SnapshotEntry[]
  readonly over: readonly SnapshotEntry[]
}

/** Files by their paths, those without a text being removed, and the ones that are removed because of a sunset. */
interface Tidied {
  readonly texts: Map<string, string | undefined>
  readonly removed: readonly string[]
}

/**
 * Leaves out the documents of versions whose sunset has passed. Renames those that were alone with their name and no longer are, or the
 * reverse.
 */
async function toTidied(
  folder: string,
  kept: readonly SnapshotEntry[],
  { entries, over }: Entries,
): Promise<Tidied> {
  const toOldName = toFileNames(kept)
  const toNewName = toFileNames(entries)
  const gone: string[] = []
  const removed: string[] = []
  const moved = new Map<string, string>()
  for (const entry of kept) {
    const [old, now] = [join(folder, toOldName(entry)), join(folder, toNewName(entry))]
    const isOver = over.includes(entry)
    const text = isOver || old === now ? undefined : await readFileText(old)
    if (isOver) removed.push(old)
    if (isOver || text !== undefined) gone.push(old)
    if (text !== undefined) moved.set(now, text)
  }
  return { texts: new Map([...gone.map((path) => [path, undefined] as const), ...moved]), removed }
}

/** The entries of a folder, oldest version first. A version that the app no longer has stays until its sunset, so that a check tells of it. */
function toSnapshotEntries(
  kept: readonly SnapshotEntry[],
  current: readonly CurrentVersion[],
  { wanted, now }: { readonly wanted: readonly string[]; readonly now: Date },
): Entries {
  const gone = kept.filter(({ version }) => !current.some((one) => one.version === version))
  const over = wanted.length > 0 ? [] : gone.filter((entry) => isAfterSunset(entry, now))
  const fresh = current.flatMap((one): SnapshotEntry | readonly SnapshotEntry[] => {
    const old = kept.find(({ version }) => version === one.version)
    const isWanted = wanted.length === 0 || wanted.includes(one.version)
    return isWanted ? toSnapshotEntry(one, old, now) : (old ?? [])
  })
  const entries = [...fresh]
  for (const entry of gone.filter((one) => !over.includes(one))) {
    // where it was: before the next version that is still there
    const later = kept.slice(kept.indexOf(entry) + 1).map(({ version }) => version)
    const at = entries.findIndex(({ version }) => later.includes(version))
    entries.splice(at === -1 ? entries.length : at, 0, entry)
  }
  return { entries, over }
}

function toSnapshotEntry(
  { version, document, isDefault, sunset }: CurrentVersion,
  old: SnapshotEntry | undefined,
  now: Date,
): SnapshotEntry {
  const sha256 = toDigest(toKeptText(document))
  return {
    version,
    sha256,
    at: old?.sha256 === sha256 ? old.at : now.toISOString().slice(0, 10),
    ...(isDefault ? { isDefault } : {}),
    ...(sunset === undefined ? {} : { sunset }),
  }
}

/** Reads the index of a folder; its documents may be missing, for they are written anew. */
async function readKeptIndex(folder: string, name: string): Promise<SnapshotIndex> {
  try {
    return await readIndexOf(folder)
  } catch (error) {
    throw documentFailure(name, error)
  }
}
