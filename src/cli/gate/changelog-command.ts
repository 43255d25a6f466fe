import { join, resolve } from 'node:path'

import { type Arguments, type Command, type Setting, usageError } from '../command.ts'
import { toChangelog, type Changelog } from '../../gate/changelog/create-changelog.ts'
import { changelogMarkdown } from '../../gate/changelog/changelog-markdown.ts'
import { readIndex } from '../../gate/snapshot/snapshot-index.ts'
import { isString } from '../../base/values.ts'
import { askApp } from '../app-process.ts'
import { readFileText, writeAndSay } from '../write-file.ts'
import { documentFailure } from './read-document.ts'

const WRITERS: Readonly<Record<string, (changelog: Changelog) => string>> = {
  md: changelogMarkdown,
  json: (made) => `${JSON.stringify(made, undefined, 2)}\n`,
}
const FORMATS = Object.keys(WRITERS)

export const changelog: Command = {
  summary: 'write the changelog of an app',
  usage: '[<app>] [options]',
  about: [
    'Writes the changes of each version, newest first: their titles and descriptions, the models and operations that',
    'they reach, and the differences from the version before. The output of the same app is always the same.',
  ],
  examples: ['octavo changelog --out CHANGELOG.md', 'octavo changelog --from 2026-01-01 --format json'],
  positionals: 1,
  options: {
    from: { value: '<version>', about: 'include only versions newer than this one' },
    to: { value: '<version>', about: 'include only this version and older ones' },
    format: {
      value: `<${FORMATS.join('|')}>`,
      about: 'the format (by the extension of the file, else md)',
    },
    out: { value: '<file>', short: 'o', about: 'the file to write (standard output)' },
    dir: { value: '<folder>', about: 'the folder of octavo snapshot, which has the dates (api)' },
  },
  run: async (given, setting) => {
    const out = given.value('out')
    const write = writerOf(given, out)
    const made = await readChangelog(given.positionals[0], given.value('dir'), setting)
    if (made === undefined) return 1
    const text = write(selectVersions(made, given))
    if (out === undefined) {
      process.stdout.write(text)
      return 0
    }
    await writeAndSay([{ path: resolve(setting.cwd, out), text }], setting.cwd)
    return 0
  },
}

/** Reads the changelog of an application. Returns `undefined` after printing an error if it cannot be loaded. */
export async function readChangelog(
  app: string | undefined,
  folder: string | undefined,
  setting: Setting,
): Promise<Changelog | undefined> {
  const versions = await askApp(app, { kind: 'changelog' }, setting)
  if (versions === undefined) return undefined
  const name = folder ?? 'api'
  try {
    const days = await readReleaseDays(name, setting.cwd)
    const title = Reflect.get(Object(Reflect.get(versions.at(-1)?.document ?? {}, 'info')), 'title')
    return await toChangelog(isString(title) ? title : 'API', versions, days)
  } catch (error) {
    throw documentFailure(name, error)
  }
}

/** Reads the days of releases by version, none without released versions in the folder. */
export async function readReleaseDays(folder: string, cwd: string): Promise<ReadonlyMap<string, string>> {
  const index = await readFileText(resolve(cwd, join(folder, 'index.json')))
  return new Map(readIndex(index ?? '{"versions":[]}').versions.map(({ version, at }) => [version, at]))
}

/** @throws `CommandError` for a format that there is not. */
function writerOf(given: Arguments, out: string | undefined): (changelog: Changelog) => string {
  const ending = FORMATS.find((format) => out?.endsWith(`.${format}`) === true)
  const other = /\.(\w+)$/.exec(out ?? '')?.[1]
  const name = given.value('format') ?? ending ?? other ?? 'md'
  const writer = Object.hasOwn(WRITERS, name) ? WRITERS[name] : undefined
  if (writer === undefined) throw usageError(`unknown format ${name}`, `use one of ${FORMATS.join(', ')}`)
  return writer
}

/** A changelog of the versions that are asked for. @throws `CommandError` for one that there is not. */
function selectVersions(all: Changelog, given: Arguments): Changelog {
  const { versions } = all
  const placeOf = (option: 'from' | 'to', standard: number): number => {
    const wanted = given.value(option)
    if (wanted === undefined) return standard
    const place = versions.findIndex(({ version }) => version === wanted)
    if (place !== -1) return place
    const known = versions.map(({ version }) => version).join(', ')
    throw usageError(
      `--${option}: the app has no version ${wanted}`,
      known === '' ? 'it has no versions' : `it has ${known}`,
    )
  }
  const [end, start] = [placeOf('from', versions.length), placeOf('to', 0)]
  if (start >= end && given.value('from') !== undefined && given.value('to') !== undefined)
    throw usageError('--from has to be older than --to')
  return { ...all, versions: versions.slice(start, end) }
}
