import { join, resolve } from 'node:path'

import { type Arguments, type Command, formatOption, type Setting, usageError } from '../command.ts'
import { toChangelog, type Changelog } from '../../gate/changelog/create-changelog.ts'
import { changelogMarkdown } from '../../gate/changelog/changelog-markdown.ts'
import { readIndex } from '../../gate/snapshot/snapshot-index.ts'
import { isString } from '../../base/values.ts'
import { askApp } from '../app-process.ts'
import { readFileText, writeAndSay } from '../write-file.ts'
import { documentFailure } from './read-document.ts'

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
    format: formatOption('md'),
    out: { value: '<file>', short: 'o', about: 'the file to write, with the extension .md or .json' },
    dir: { value: '<folder>', about: 'the folder of octavo snapshot, which has the dates (api)' },
  },
  run: async (given, setting) => {
    const out = given.value('out')
    const [, extension = 'md'] = /\.(\w+)$/.exec(out ?? '') ?? []
    if (extension !== 'md' && extension !== 'json')
      throw usageError(`unknown format ${extension} of --out`, 'use one of md, json')
    const made = await readChangelog(given.positionals[0], given.value('dir'), setting)
    const selected = selectVersions(made, given)
    if (out === undefined) return { text: changelogMarkdown(selected), result: selected }
    const text =
      extension === 'md' ? changelogMarkdown(selected) : `${JSON.stringify(selected, undefined, 2)}\n`
    return { result: { files: await writeAndSay([{ path: resolve(setting.cwd, out), text }], setting.cwd) } }
  },
}

/** Reads the changelog of an application. */
export async function readChangelog(
  app: string | undefined,
  folder: string | undefined,
  setting: Setting,
): Promise<Changelog> {
  const versions = await askApp(app, { kind: 'changelog' }, setting)
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
