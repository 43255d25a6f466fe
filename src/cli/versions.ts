import type { VersionInfo } from '../server/version-report/versions.ts'
import type { Command } from './command.ts'
import { explainVersions } from './explain/explain.ts'
import { findApp } from './find-app.ts'
import { doJob } from './job.ts'
import { styleFor } from './style.ts'
import type { Style } from './style.ts'
import { toTable } from './table.ts'

export const versions: Command = {
  summary: 'list the versions of an app and what changed with each',
  usage: '[<app>] [options]',
  about: [
    'Every version, newest first: where it stands in its life, how many routes answer it, how many of them',
    'changes carry, and the changes that came with it. With --explain it is where each change lands, in which route',
    'and place, and which schemas look like a model that changes reach but were not made from it.',
  ],
  examples: ['octavo versions', 'octavo versions src/app.ts --json', 'octavo versions --explain'],
  positionals: 1,
  options: {
    explain: { about: 'where each change lands, and where none does though it seems that one should' },
    json: { about: 'as JSON, as app.versions() gives it, or what --explain tells' },
  },
  run: async (given, setting) => {
    if (given.has('explain')) return explainVersions(given, setting)
    const module = findApp(given.positionals[0], setting.cwd)
    const served = await doJob({ task: 'routes', module }, setting)
    if (served?.kind !== 'routes') return 1
    const text = given.has('json')
      ? JSON.stringify(served.versions, undefined, 2)
      : toText(served.versions, styleFor(process.stdout))
    process.stdout.write(`${text}\n`)
    return 0
  },
}

function toText(all: readonly VersionInfo[], style: Style): string {
  if (all.length === 0) return 'The app has no versions.'
  const rows = all
    .toReversed()
    .map((info): readonly string[] => [
      info.version,
      [info.status, lifeOf(info), info.isDefault ? 'default' : ''].filter(Boolean).join(', '),
      String(info.routes.length),
      String(info.routes.filter(({ isTurned }) => isTurned === true).length),
      (info.changes ?? []).map(({ title }) => title).join('; '),
    ])
  const [head = '', ...lines] = toTable(
    [
      { title: 'VERSION', style: style.cyan },
      { title: 'STATUS', style: style.yellow },
      { title: 'ROUTES' },
      { title: 'CARRIED' },
      { title: 'CHANGES' },
    ],
    rows,
  )
  return [style.bold(head), ...lines].join('\n')
}

/** The days of its deprecation and its sunset. */
function lifeOf({ deprecated, sunset }: VersionInfo): string {
  return [
    typeof deprecated === 'string' ? `deprecated since ${deprecated.slice(0, 10)}` : '',
    sunset === undefined ? '' : `until ${sunset.slice(0, 10)}`,
  ]
    .filter(Boolean)
    .join(', ')
}
