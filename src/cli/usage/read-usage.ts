import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { InputError } from '../command.ts'
import type { UsageEntry } from '../../server/options/usage.ts'
import { isRecord, isString, messageOf } from '../../base/values.ts'
import type { Kept } from './retirement.ts'

/**
 * Reads the entries that the store of the option `usage` received: a JSON list of them, one list in each line, or a response of
 * `createUsageReport`.
 *
 * @throws `CommandError` for a file without such entries.
 */
export function readUsage(file: string, cwd: string): readonly UsageEntry[] {
  const entries = parse(readText(file, cwd))
  if (entries === undefined)
    throw new InputError(`${file} has no list of usage entries, as the store of the option usage receives it`)
  return entries
}

/** @throws `CommandError` for a file that cannot be read or is empty. */
function readText(file: string, cwd: string): string {
  let text
  try {
    text = readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new InputError(`cannot read ${file}: ${messageOf(error)}`)
  }
  if (text.trim() === '') throw new InputError(`${file} is empty`)
  return text
}

/**
 * Reads the versions that something keeps for clients: a JSON list of objects with `client` or `id` and `version`, or an object of versions
 * by client. Those that keep none follow the newest version.
 *
 * @throws `CommandError` for a file without such a list.
 */
export function readKept(file: string | undefined, cwd: string): Kept {
  if (file === undefined) return []
  const whole = parseJson(readText(file, cwd))
  const list = isRecord(whole)
    ? Object.entries(whole).map(([client, version]) => ({ client, version }))
    : whole
  if (!Array.isArray(list) || !list.every(isRecord))
    throw new InputError(`${file} has no list of objects with client and version`)
  return list.flatMap((each) => {
    const client = each['client'] ?? each['id']
    const { version } = each
    if (isString(client) && isString(version)) return [{ client, version }]
    if (isString(client) && (version === null || version === undefined)) return []
    throw new InputError(`${file}: ${JSON.stringify(each).slice(0, 100)} has no client and version`)
  })
}

function parse(text: string): readonly UsageEntry[] | undefined {
  const whole = parseJson(text)
  const list = isRecord(whole) ? whole['entries'] : whole
  const lists = list === undefined ? text.split('\n').filter(Boolean).map(parseJson) : [list]
  const entries = lists.flat()
  return lists.every(Array.isArray) && entries.every(isEntry) ? entries : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is UsageEntry {
  return (
    isRecord(value) &&
    [value['day'], value['route'], value['lastSeen']].every(isString) &&
    [value['version'], value['client']].every((each) => each === null || isString(each)) &&
    typeof value['count'] === 'number' &&
    (value['changes'] === undefined ||
      (Array.isArray(value['changes']) && value['changes'].every((each) => isString(Object(each).id))))
  )
}
