import { failure, formatOption, usageError, printStyle, type Command, type Step } from '../command.ts'
import { FOLDED, type UsageEntry } from '../../server/options/usage.ts'
import { askApp } from '../app-process.ts'
import { readReleaseDays } from '../gate/changelog-command.ts'
import { documentFailure } from '../gate/read-document.ts'
import { toDay } from '../../gate/changelog/create-changelog.ts'
import type { Style } from '../../base/style.ts'
import { readKeptClients, readUsage } from './read-usage.ts'
import { toRetirement, type Retirement, type CallingClient } from './retirement.ts'
import { isString } from '../../base/values.ts'
import { toTable } from '../text-table.ts'

/** The path of a module, in the place of the version. */
const MODULE = /\.[cm]?[jt]s$/

export const retire: Command = {
  summary: 'list the clients and the code that depend on a version',
  usage: '<version> [<app>] --usage <file> [options]',
  about: [
    'Prints the clients that still call a version, with their routes, the changes that altered their calls, and the time',
    'of their last call. With --pins and --subscriptions, it also prints clients that are pinned to the version or get',
    'webhooks in it. Then it prints the handlers and changes that no other version needs, which you can remove with the',
    'version. The exit code is 1 as long as a client depends on the version. The command changes no file.',
  ],
  examples: [
    'octavo retire 1 --usage usage.json',
    'octavo retire 1 src/app.ts --usage usage.json --since 2026-01-01',
  ],
  positionals: 2,
  options: {
    usage: { value: '<file>', about: 'the counts, as createUsageReport serves them' },
    since: { value: '<day>', about: 'leave out calls before this day, such as 2026-01-01' },
    pins: {
      value: '<file>',
      about: 'a JSON list of { client, version }, or an object of versions by client',
    },
    subscriptions: { value: '<file>', about: 'the same for subscriptions of webhooks' },
    dir: { value: '<folder>', about: 'the folder of octavo snapshot, which has the days of changes (api)' },
    changelog: { value: '<url>', about: 'the page of the changelog that JSON and CSV link to' },
    format: formatOption('text', 'csv'),
  },
  run: async (given, setting) => {
    const [version, app] = given.positionals
    const file = given.value('usage')
    const since = given.value('since')
    if (version === undefined || (app === undefined && MODULE.test(version)))
      throw usageError('which version?', 'write octavo retire 1 src/app.ts --usage usage.json')
    if (file === undefined) throw usageError('--usage is missing', 'give the file with the counts')
    if (since !== undefined && toDay(since) !== since)
      throw usageError(`--since ${since} isn't a day`, 'write 2026-01-31')
    const all = readUsage(file, setting.cwd)
    const served = await askApp(app, { kind: 'routes' }, setting)
    const names = served.versions.map((info) => info.version)
    if (!names.includes(version))
      throw failure(`there is no version ${version}`, `there are ${names.join(', ') || 'none'}`)
    const folder = given.value('dir') ?? 'api'
    const days = await readReleaseDays(folder, setting.cwd).catch((error: unknown) => {
      throw documentFailure(folder, error)
    })
    const retirement = toRetirement(version, served.versions, all, {
      since,
      pins: readKeptClients(given.value('pins'), setting.cwd),
      subscriptions: readKeptClients(given.value('subscriptions'), setting.cwd),
      changelog: given.value('changelog'),
      days,
    })
    const counted = all.filter(({ day }) => day >= (since ?? ''))
    const text =
      given.value('format') === 'csv'
        ? toCsv(retirement)
        : formatRetirement(retirement, toAbsence(version, since, counted), printStyle())
    const next = toNext(retirement, counted)
    return { exitCode: isUnused(retirement, counted) ? 0 : 1, text, result: retirement, next }
  },
}

/** The steps that remove a version, or those before it. */
function toNext(retirement: Retirement, counted: readonly UsageEntry[]): readonly Step[] {
  const { version, deadRoutes, deadChanges } = retirement
  if (counted.length === 0) return [{ text: NOT_COUNTED }]
  if (!isUnused(retirement, counted)) return []
  return [
    { text: `remove the version '${version}' from the versions of your app` },
    ...deadChanges.map(({ title }) => ({ text: `remove the change "${title}"` })),
    ...deadRoutes.map((name) => ({ text: `remove the route ${name}` })),
    { text: 'check that the other versions stay as they are', run: 'octavo check' },
  ]
}

const NOT_COUNTED = 'There are no counts of other versions either. Check that your application counts usage.'

/** Whether no client depends on the version. Without counts, that is unknown. */
function isUnused({ clients, quiet }: Retirement, counted: readonly UsageEntry[]): boolean {
  return counted.length > 0 && clients.length + quiet.length === 0
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
    ...(entries.length === 0 ? [NOT_COUNTED] : []),
  ]
}

/** Formats the effect of retiring a version for people. `absence` says that no client calls it. */
export function formatRetirement(
  { version, clients, quiet, deadRoutes, deadChanges }: Retirement,
  absence: readonly string[],
  style: Style,
): string {
  const rows = clients.map((client) => [
    client.client === FOLDED ? '(others)' : printable(client.client ?? '(no name)'),
    String(client.count),
    client.lastSeen.slice(0, 10),
    client.routes.map((route) => (route === FOLDED ? '(several)' : route)).join(', '),
    changesText(client),
    client.brownout ?? '',
  ])
  const columns = [
    { title: 'CLIENT', style: style.cyan },
    { title: 'CALLS' },
    { title: 'LAST SEEN' },
    { title: 'ROUTES' },
    { title: 'CHANGES' },
    { title: 'BROWNOUT' },
  ]
  const [head = '', ...lines] = toTable(columns, rows)
  return [
    ...(clients.length === 0
      ? absence
      : [`These clients of version ${version} would break:`, '', style.bold(head), ...lines]),
    ...section(
      'These clients depend on it without calling it:',
      quiet.map(({ client, reason, lastDay }) => {
        const last = lastDay === null ? 'no call of any version' : `last call of any version on ${lastDay}`
        return `${printable(client)}  ${reason}, ${last}`
      }),
    ),
    ...section('Handlers that no other version needs:', deadRoutes),
    ...section(
      'Changes that no other version needs:',
      deadChanges.map((change) => `${change.version}  ${change.title}`),
    ),
  ].join('\n')
}

function changesText({ changes }: CallingClient): string {
  if (changes === undefined) return ''
  return changes.length === 0 ? '(safe to move today)' : changes.map(({ title }) => title).join(', ')
}

/** Names may come from clients, and a terminal obeys control characters and those of directions. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '?')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]
}

/** Formats the clients as CSV (RFC 4180), a row for each with a name, for a mail merge. */
export function toCsv({ clients, quiet }: Retirement): string {
  const rows = [
    ['client', 'depends', 'calls', 'last_seen', 'routes', 'changes', 'links', 'brownout'],
    ...clients
      .filter(({ client }) => client !== null && client !== FOLDED)
      .map(({ client, count, lastSeen, routes, changes = [], brownout = '' }) => [
        client ?? '',
        'calls',
        String(count),
        lastSeen.slice(0, 10),
        routes.join('; '),
        changes
          .map(({ version, title, day }) => {
            const known = [version, day === version ? undefined : day].filter(isString)
            return known.length === 0 ? title : `${title} (${known.join(', ')})`
          })
          .join('; '),
        [...new Set(changes.flatMap(({ link = [] }) => link))].join(' '),
        brownout,
      ]),
    ...quiet.map(({ client, reason, lastDay }) => [client, reason, '0', lastDay ?? '', '', '', '', '']),
  ]
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('')
}

/** Spreadsheets run what begins like a formula, and clients may choose their names. */
function toCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
