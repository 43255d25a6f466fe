import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { InputError } from '../command.ts'
import { countNamedClients, type UsageEntry } from '../../server/options/usage.ts'
import { isRecord, isString, messageOf } from '../../base/values.ts'

/**
 * Reads what the option `usage` counted: a response of `createUsageReport`, or a JSON list of entries.
 *
 * @throws `CommandError` for a file without such entries.
 */
export function readUsage(file: string, cwd: string): readonly UsageEntry[] {
  const whole = parseUsageJson(readUsageText(file, cwd))
  const entries = isRecord(whole) ? whole['entries'] : whole
  if (Array.isArray(entries) && entries.every(isUsageEntry)) return entries
  throw new InputError(file, `${file} has no list of usage entries, as createUsageReport serves it`)
}

/** @throws `CommandError` for a file that cannot be read or is empty. */
function readUsageText(file: string, cwd: string): string {
  let text
  try {
    text = readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new InputError(file, `cannot read ${file}: ${messageOf(error)}`)
  }
  if (text.trim() === '') throw new InputError(file, `${file} is empty`)
  return text
}

/** Clients and the version that something keeps for each. */
export type KeptClients = readonly { readonly client: string; readonly version: string }[]

/**
 * Reads the versions that something keeps for clients: a JSON list of objects with `client` or `id` and `version`, or an object of versions
 * by client. Those that keep none follow the newest version.
 *
 * @throws `CommandError` for a file without such a list.
 */
export function readKeptClients(file: string | undefined, cwd: string): KeptClients {
  if (file === undefined) return []
  const whole = parseUsageJson(readUsageText(file, cwd))
  const list = isRecord(whole)
    ? Object.entries(whole).map(([client, version]) => ({ client, version }))
    : whole
  if (!Array.isArray(list) || !list.every(isRecord))
    throw new InputError(file, `${file} has no list of objects with client and version`)
  return list.flatMap((each) => {
    const client = each['client'] ?? each['id']
    const { version } = each
    if (isString(client) && isString(version)) return [{ client, version }]
    if (isString(client) && (version === null || version === undefined)) return []
    throw new InputError(file, `${file}: ${JSON.stringify(each).slice(0, 100)} has no client and version`)
  })
}

function parseUsageJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isUsageEntry(value: unknown): value is UsageEntry {
  return (
    isRecord(value) &&
    [value['day'], value['route'], value['lastSeen']].every(isString) &&
    [value['version'], value['client']].every((each) => each === null || isString(each)) &&
    typeof value['count'] === 'number' &&
    (value['changes'] === undefined ||
      (Array.isArray(value['changes']) && value['changes'].every((each) => isString(Object(each).id))))
  )
}

/** How often something was called, by how many clients, and when last. */
export interface CountedCalls {
  readonly count: number
  /** The number of clients with a name. */
  readonly clients: number
  /** Whether there are more, whose calls were folded into one entry. */
  readonly hasMoreClients: boolean
  readonly lastSeen: string
}

/** Groups entries by a key of each. */
export function groupBy<K>(
  entries: readonly UsageEntry[],
  keyOf: (entry: UsageEntry) => K,
): ReadonlyMap<K, readonly UsageEntry[]> {
  const found = new Map<K, UsageEntry[]>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const group = found.get(key)
    if (group === undefined) found.set(key, [entry])
    else group.push(entry)
  }
  return found
}

/** Adds up the calls of each key, most recent first. */
export function sumBy<K>(
  entries: readonly UsageEntry[],
  keyOf: (entry: UsageEntry) => K,
): ReadonlyMap<K, CountedCalls> {
  const sums = [...groupBy(entries, keyOf)].map(([key, group]): readonly [K, CountedCalls] => [
    key,
    {
      count: group.reduce((sum, { count }) => sum + count, 0),
      ...countNamedClients(group),
      lastSeen: group.reduce((last, { lastSeen }) => (lastSeen > last ? lastSeen : last), ''),
    },
  ])
  return new Map(sums.toSorted(([, a], [, b]) => (a.lastSeen < b.lastSeen ? 1 : -1)))
}

/** How many requests each change altered, by its id. */
export function sumChanges(entries: readonly UsageEntry[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { id, count } of entries.flatMap(({ changes = [] }) => changes))
    sums.set(id, (sums.get(id) ?? 0) + count)
  return sums
}
