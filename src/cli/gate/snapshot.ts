import { join, relative, resolve } from 'node:path'

import { toPlain } from '../../gate/json.ts'
import { readFolder, toDigest } from '../../gate/snapshot/folder.ts'
import { toFileName, toKeptText } from '../../gate/snapshot/snapshot.ts'
import type { SnapshotEntry } from '../../gate/snapshot/snapshot.ts'
import type { Command } from '../command.ts'
import { usageError } from '../failure.ts'
import { say } from '../print-error.ts'
import { styleFor } from '../style.ts'
import { writeWhole } from '../write-file.ts'
import { readCurrent } from './current.ts'
import { toFailure } from './read-document.ts'

export const snapshot: Command = {
  summary: 'keep the documents of released versions',
  usage: '[<app>] [options]',
  about: [
    'Writes the document of each version into a folder that you commit. `octavo check` compares the app with them.',
    'Without --version it keeps all versions.',
  ],
  examples: ['octavo snapshot', 'octavo snapshot --version 2', 'octavo snapshot --out api'],
  positionals: 1,
  options: {
    out: { value: '<folder>', short: 'o', about: 'where the documents are kept (api)' },
    version: { value: '<version>', multiple: true, about: 'keep this version alone' },
  },
  run: async (given, setting) => {
    const folder = resolve(setting.cwd, given.value('out') ?? 'api')
    const wanted = given.values('version')
    const current = await readCurrent(given.positionals[0], setting)
    if (current === undefined) return 1
    const unknown = wanted.find((version) => !current.some((one) => one.version === version))
    if (unknown !== undefined)
      throw usageError(
        `the app has no version ${unknown}`,
        `there are ${current.map(({ version }) => version).join(', ')}`,
      )
    const kept = await readKept(folder, wanted.length > 0, relative(setting.cwd, folder))
    const entries = new Map(wanted.length > 0 ? kept.map((entry) => [entry.version, entry]) : [])
    const days = new Map(kept.map(({ sha256, at }) => [sha256, at]))
    const today = new Date().toISOString().slice(0, 10)
    const { green, dim } = styleFor(process.stderr)
    for (const { version, document, isDefault, sunset } of current) {
      if (wanted.length > 0 && !wanted.includes(version)) continue
      const text = toKeptText(toPlain(document))
      const sha256 = toDigest(text)
      entries.set(version, {
        version,
        sha256,
        at: days.get(sha256) ?? today,
        ...(isDefault ? { isDefault } : {}),
        ...(sunset === undefined ? {} : { sunset }),
      })
      const file = join(folder, toFileName(version))
      const name = relative(setting.cwd, file)
      say((await writeWhole(file, text)) ? `${green('Wrote')} ${name}` : dim(`${name} is up to date`))
    }
    const order = current.map(({ version }) => version)
    const versions = [...entries.values()].toSorted(
      (a, b) => order.indexOf(a.version) - order.indexOf(b.version),
    )
    await writeWhole(join(folder, 'index.json'), `${JSON.stringify({ versions }, undefined, 2)}\n`)
    return 0
  },
}

/** The entries of a folder. One that cannot be read has none, unless the rest of it stays: then it is an error. */
async function readKept(folder: string, isKept: boolean, name: string): Promise<readonly SnapshotEntry[]> {
  try {
    return (await readFolder(folder)).entries
  } catch (error) {
    if (isKept) throw toFailure(name, error)
    return []
  }
}
