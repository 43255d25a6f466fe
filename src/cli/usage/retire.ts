import { FOLDED } from '../../server/options/usage.ts'
import type { UsageEntry } from '../../server/options/usage.ts'
import type { Command } from '../command.ts'
import { failure, usageError } from '../failure.ts'
import { findApp } from '../find-app.ts'
import { doJob } from '../job.ts'
import { styleFor } from '../../base/style.ts'
import type { Style } from '../../base/style.ts'
import { toTable } from '../table.ts'
import { readUsage } from './read-usage.ts'
import { toRetirement } from './retirement.ts'
import type { Retirement } from './retirement.ts'

/** The path of a module, in the place of the version. */
const MODULE = /\.[cm]?[jt]s$/

export const retire: Command = {
  summary: 'list the clients and the code that depend on a version',
  usage: '<version> [<app>] --usage <file> [options]',
  about: [
    'Prints the clients that still call a version, the routes that they call, and the time of their last call. Then it',
    'prints the handlers and changes that no other version needs, which you can remove with the version. The exit code',
    'is 1 as long as a client calls the version. The command changes no file.',
  ],
  examples: [
    'octavo retire 1 --usage usage.json',
    'octavo retire 1 src/app.ts --usage usage.json --since 2026-01-01',
  ],
  positionals: 2,
  options: {
    usage: { value: '<file>', about: 'the entries that the store of the option usage received' },
    since: { value: '<day>', about: 'leave out calls before this day, such as 2026-01-01' },
    json: { about: 'print JSON' },
  },
  run: async (given, setting) => {
    const [version, app] = given.positionals
    const file = given.value('usage')
    const since = given.value('since')
    if (version === undefined || (app === undefined && MODULE.test(version)))
      throw usageError('which version?', 'write octavo retire 1 src/app.ts --usage usage.json')
    if (file === undefined) throw usageError('--usage is missing', 'give the file with the counts')
    const entries = readUsage(file, setting.cwd, since)
    const served = await doJob({ task: 'routes', module: findApp(app, setting.cwd) }, setting)
    if (served?.kind !== 'routes') return 1
    const names = served.versions.map((info) => info.version)
    if (!names.includes(version))
      throw failure(`there is no version ${version}`, `there are ${names.join(', ') || 'none'}`)
    const retirement = toRetirement(version, served.versions, entries)
    const text = given.has('json')
      ? JSON.stringify(retirement, undefined, 2)
      : formatRetirement(retirement, toAbsence(version, since, entries), styleFor(process.stdout))
    process.stdout.write(`${text}\n`)
    return retirement.clients.length === 0 ? 0 : 1
  },
}

/** Returns the sentence that no client calls the version. Without any counts, it may be that nothing was counted. */
function toAbsence(
  version: string,
  since: string | undefined,
  entries: readonly UsageEntry[],
): readonly string[] {
  return [
    since === undefined
      ? `No client calls version ${version}.`
      : `No client has called version ${version} since ${since}.`,
    ...(entries.length === 0
      ? ['There are no counts of other versions either. Check that your application counts usage.']
      : []),
  ]
}

/** Formats the effect of retiring a version. */
function formatRetirement(
  { version, clients, deadRoutes, deadChanges, idleChanges }: Retirement,
  absence: readonly string[],
  style: Style,
): string {
  const rows = clients.map(({ client, count, lastSeen, routes }) => [
    client === FOLDED ? '(others)' : printable(client ?? '(no name)'),
    String(count),
    lastSeen.slice(0, 10),
    routes.map((route) => (route === FOLDED ? '(several)' : route)).join(', '),
  ])
  const [head = '', ...lines] = toTable(
    [{ title: 'CLIENT', style: style.cyan }, { title: 'CALLS' }, { title: 'LAST SEEN' }, { title: 'ROUTES' }],
    rows,
  )
  return [
    ...(clients.length === 0
      ? absence
      : [`These clients of version ${version} would break:`, '', style.bold(head), ...lines]),
    ...section('Handlers that no other version needs:', deadRoutes),
    ...section(
      'Changes that no other version needs:',
      deadChanges.map((change) => `${change.version}  ${change.title}`),
    ),
    ...section(
      'Changes that altered no counted request of another version:',
      idleChanges.map((change) => `${change.version}  ${change.title}`),
    ),
  ].join('\n')
}

/** Names may come from clients, and a terminal obeys control characters. */
function printable(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '?')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]
}
