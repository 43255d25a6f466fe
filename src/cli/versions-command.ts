import { FORMAT, printStyle, type Command, type Outcome } from './command.ts'
import type { VersionInfo } from '../server/routing/report/versions.ts'
import { askApp } from './app-process.ts'
import type { Style } from '../base/style.ts'
import { toTable } from './text-table.ts'
import { readUsage, sumBy, sumChanges, type CountedCalls } from './usage/read-usage.ts'
import type { UsageEntry } from '../server/options/usage.ts'
import type { Explanation, RoutePositions } from '../changes/check/explain.ts'

export const versions: Command = {
  summary: 'list the versions of an app and their changes',
  usage: '[<app>] [options]',
  about: [
    'Prints each version, newest first: its status, the number of its routes, the number of routes that changes',
    'convert, and the titles of its changes. With --explain, it prints the routes and places that each change reaches,',
    'and schemas that look like a model but are not made from it. With --usage, it prints how often, by how many clients,',
    'and when last each version was called.',
  ],
  examples: [
    'octavo versions',
    'octavo versions src/app.ts --format json',
    'octavo versions --explain',
    'octavo versions --usage usage.json',
  ],
  positionals: 1,
  options: {
    explain: { about: 'print the places that changes reach, and similar schemas that they miss' },
    usage: {
      value: '<file>',
      about: 'add the calls of each version, as createUsageReport serves them',
    },
    format: FORMAT,
  },
  run: async (given, setting) => {
    if (given.has('explain'))
      return toExplained(await askApp(given.positionals[0], { kind: 'explain' }, setting))
    const served = await askApp(given.positionals[0], { kind: 'routes' }, setting)
    const file = given.value('usage')
    const entries = file === undefined ? undefined : readUsage(file, setting.cwd)
    const calls = entries && sumBy(entries, ({ version }) => version)
    const listed = entries === undefined ? served.versions : withAltered(served.versions, entries)
    const shown = calls && listed.map((info) => ({ ...info, usage: calls.get(info.version) ?? NO_CALLS }))
    return { text: formatVersions(listed, printStyle(), calls), result: shown ?? listed }
  },
}

/** The versions, with the number of requests that each change altered. */
function withAltered(
  all: readonly VersionInfo[],
  entries: readonly UsageEntry[],
): readonly (VersionInfo & { readonly changes?: readonly CountedChange[] })[] {
  const sums = sumChanges(entries)
  // counts of a time before changes were counted say nothing of them
  if (sums.size === 0) return all
  return all.map(({ changes, ...info }) =>
    changes === undefined
      ? info
      : { ...info, changes: changes.map((change) => ({ ...change, altered: sums.get(change.id) ?? 0 })) },
  )
}

type CountedChange = NonNullable<VersionInfo['changes']>[number] & { readonly altered?: number }

const NO_CALLS: CountedCalls = { count: 0, clients: 0, hasMoreClients: false, lastSeen: '' }

function formatVersions(
  all: readonly VersionInfo[],
  style: Style,
  calls: ReadonlyMap<string | null, CountedCalls> | undefined,
): string {
  if (all.length === 0) return 'The app has no versions.'
  const cellsOf = ({ version }: VersionInfo): readonly string[] => {
    if (calls === undefined) return []
    const { count, clients, hasMoreClients, lastSeen } = calls.get(version) ?? NO_CALLS
    return [String(count), `${clients}${hasMoreClients ? '+' : ''}`, lastSeen.slice(0, 10)]
  }
  const rows = all
    .toReversed()
    .map((info): readonly string[] => [
      info.version,
      [...deprecationCells(info), ...(info.isDefault ? ['default'] : [])].join(', '),
      String(info.routes.length),
      String(info.routes.filter(({ isConverted }) => isConverted === true).length),
      ...cellsOf(info),
      (info.changes ?? [])
        .map(({ title, altered }: CountedChange) =>
          altered === undefined ? title : `${title} (${altered} calls)`,
        )
        .join(' · '),
    ])
  const [head = '', ...lines] = toTable(
    [
      { title: 'VERSION', style: style.cyan },
      { title: 'STATUS', style: style.yellow },
      { title: 'ROUTES' },
      { title: 'CONVERTED' },
      ...(calls === undefined ? [] : [{ title: 'CALLS' }, { title: 'CLIENTS' }, { title: 'LAST SEEN' }]),
      { title: 'CHANGES' },
    ],
    rows,
  )
  return [style.bold(head), ...lines].join('\n')
}

/** Its status, with the days of its deprecation and its sunset. */
function deprecationCells({ status, deprecated, sunset }: VersionInfo): readonly string[] {
  const end = sunset?.slice(0, 10)
  if (end !== undefined && (status === 'retired' || status === 'sunset')) return [`${status} since ${end}`]
  const ends = end === undefined ? [] : [`until ${end}`]
  if (typeof deprecated !== 'string') return [status, ...ends]
  const day = deprecated.slice(0, 10)
  const stages = status === 'deprecated' ? [`deprecated since ${day}`] : [status, `deprecated from ${day}`]
  return [...stages, ...ends]
}

/** The positions that the changes of an application reach. */
function toExplained(explanation: Explanation): Outcome {
  const next = explanation.nearMisses.length === 0 ? [] : [{ text: MISSED }]
  return { text: formatExplanation(explanation, printStyle()), result: explanation, next }
}

/** The edit for schemas that no change reaches. */
const MISSED =
  'Create them with derive(Model, …) or list them in applies of the change. If they are unrelated, list them in not.'

function formatExplanation({ changes, nearMisses }: Explanation, style: Style): string {
  if (changes.length === 0) return 'The app has no changes.'
  const lines = changes.flatMap(({ version, title, at, reaches }) => [
    [style.cyan(version), style.bold(title), ...(at === undefined ? [] : [style.dim(at)])].join('  '),
    ...(reaches.length === 0 ? ['  reaches no route'] : toRows(reaches)),
    '',
  ])
  if (nearMisses.length === 0) return lines.slice(0, -1).join('\n')
  return [
    ...lines,
    style.yellow('Schemas that look like a model but that no change reaches'),
    ...nearMisses.flatMap((miss) => [
      ...toRows([miss]),
      `    has ${miss.fields.join(', ')} like ${miss.model}, but is not made from it`,
    ]),
    '',
    MISSED,
  ].join('\n')
}

function toRows(rows: readonly RoutePositions[]): readonly string[] {
  const [, ...lines] = toTable(
    [{ title: '' }, { title: '' }],
    rows.map(({ route, positions }) => [route === '' ? 'history' : route, positions.join(', ')]),
  )
  return lines.map((line) => `  ${line}`)
}
