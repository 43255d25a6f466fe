import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { UsageEntry } from '../../server/options/usage.ts'
import { isRecord, isString, messageOf } from '../../base/values.ts'
import { InputError, usageError } from '../failure.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Reads the entries that the store of the option `usage` received: a JSON list of them, one list in each line, or a response of
 * `createUsageReport`. Leaves out the days before `since`.
 *
 * @throws `CommandError` for a file without such entries.
 */
export function readUsage(file: string, cwd: string, since = ''): readonly UsageEntry[] {
  if (since !== '' && !DAY.test(since)) throw usageError(`--since ${since} is no day`, 'write 2026-01-31')
  let text
  try {
    text = readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new InputError(`cannot read ${file}: ${messageOf(error)}`)
  }
  if (text.trim() === '') throw new InputError(`${file} is empty`)
  const entries = parse(text)
  if (entries === undefined)
    throw new InputError(`${file} has no list of usage entries, as the store of the option usage receives it`)
  return entries.filter(({ day }) => day >= since)
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
