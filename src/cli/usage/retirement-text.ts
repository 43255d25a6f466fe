import { FOLDED } from '../../server/options/usage.ts'
import type { Style } from '../../base/style.ts'
import { isString } from '../../base/values.ts'
import { toTable } from '../table.ts'
import type { CallingClient, Retirement } from './retirement.ts'

/** Formats the effect of retiring a version for people. `absence` says that no client calls it. */
export function formatRetirement(
  { version, clients, quiet, deadRoutes, deadChanges, idleChanges }: Retirement,
  absence: readonly string[],
  style: Style,
): string {
  const rows = clients.map((client) => [
    nameOf(client),
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
    ...section(
      'Changes that altered no counted request of another version:',
      idleChanges.map((change) => `${change.version}  ${change.title}`),
    ),
  ].join('\n')
}

function changesText({ changes }: CallingClient): string {
  if (changes === undefined) return ''
  return changes.length === 0 ? '(safe to move today)' : changes.map(({ title }) => title).join(', ')
}

function nameOf({ client }: CallingClient): string {
  return client === FOLDED ? '(others)' : printable(client ?? '(no name)')
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
