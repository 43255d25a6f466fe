import { isDeepStrictEqual } from 'node:util'

import { findHistoryInternals } from '../../changes/internals.ts'
import { reformatsOf } from '../../changes/operations/errors-before.ts'
import { operationsOf } from '../../changes/expand.ts'
import { isObject } from '../../base/values.ts'
import type { RecordedExchange } from './exchange.ts'

/** Something in an answer that was not so when it was recorded. */
interface GoldenDifference {
  readonly text: string
  /** The names and statuses that it is about. */
  readonly words: readonly string[]
}

/** Differences of one answer that are told. */
const MOST = 10

/** Lists the differences between a recorded answer and one of today. */
export function differencesOf(
  before: RecordedExchange,
  after: RecordedExchange,
): readonly GoldenDifference[] {
  const [old, now] = [before.response, after.response]
  return [
    ...(before.route === after.route
      ? []
      : [{ text: `route: ${String(before.route)} is now ${String(after.route)}`, words: [] }]),
    ...(old.status === now.status
      ? []
      : [
          {
            text: `status: ${old.status} is now ${now.status}`,
            words: [String(old.status), String(now.status)],
          },
        ]),
    ...compareValues(old.headers, now.headers, 'header ', ' '),
    ...bodyDifferences(old.body, now.body),
    ...(old.streamed === now.streamed || !isDeepStrictEqual(old.body, now.body)
      ? []
      : [{ text: `stream: its ${showValue(old.streamed)} is now ${showValue(now.streamed)}`, words: [] }]),
  ]
}

function bodyDifferences(old: unknown, now: unknown): readonly GoldenDifference[] {
  if (isDeepStrictEqual(old, now)) return []
  const [before, after] = [old, now].map(toJsonText)
  const [items, others] = [old, now].map(toDiffItems)
  const found =
    isObject(before) && isObject(after)
      ? compareValues(before, after, '/', '/')
      : compareValues(items ?? [], others ?? [], '/', '/')
  if (found.length > 0) return found
  const isSame = isObject(before) && isDeepStrictEqual(before, after)
  return [
    isSame
      ? { text: 'body: the same JSON, written in another way', words: [] }
      : { text: `body: ${showValue(old)} is now ${showValue(now)}`, words: [] },
  ]
}

function toJsonText(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** The items of a stream, or the data of its events, as far as they are JSON. */
function toDiffItems(body: unknown): readonly object[] {
  return String(body)
    .split('\n')
    .map((line) => toJsonText(line.replace(/^data: ?/, '')))
    .filter(isObject)
}

/** The members that differ, by the way that leads to them. */
function compareValues(
  before: object,
  after: object,
  way: string,
  between: string,
): readonly GoldenDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name): readonly GoldenDifference[] => {
    const [old, now]: readonly unknown[] = [Reflect.get(before, name), Reflect.get(after, name)]
    if (isDeepStrictEqual(old, now)) return []
    const here = `${way}${name}`
    if (isObject(old) && isObject(now) && Array.isArray(old) === Array.isArray(now)) {
      const inner = compareValues(old, now, here + between, between)
      return inner.map(({ text, words }) => ({ text, words: [name, ...words] }))
    }
    return [{ text: `${here}: ${showValue(old)} is now ${showValue(now)}`, words: [name] }]
  })
}

function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** An answer that differs, with the changes that touch the fields in question. */
export function explainDifference(
  exchange: RecordedExchange,
  version: string,
  differences: readonly GoldenDifference[],
  history: unknown,
): string {
  const { request, route } = exchange
  const shown = differences.slice(0, MOST).map(({ text }) => `  ${text}`)
  const more = differences.length - shown.length
  return [
    `Version ${version}, ${request.method} ${request.url}${route === null ? '' : ` (${route})`}`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...blame(exchange, version, new Set(differences.flatMap(({ words }) => words)), history),
  ].join('\n')
}

/** The changes between a version and the newest one that say something of these names and statuses. */
function blame(
  { route, response: { status } }: RecordedExchange,
  version: string,
  words: ReadonlySet<string>,
  history: unknown,
): readonly string[] {
  const internals = findHistoryInternals(history)
  if (internals === undefined) return []
  const { parts, placeOf } = internals
  const age = parts.ages.get(version) ?? 0
  const orders = new Set<number>()
  for (const { steps } of parts.plans.chains.values())
    for (const { change, older, newer } of steps)
      if ([...older, ...newer].some(([name]) => words.has(name))) orders.add(parts.changes.indexOf(change))
  for (const { order, operation } of operationsOf(parts.changes))
    if (operation.route === route && wordsIn(operation).some((word) => words.has(word))) orders.add(order)
  // a body as a whole, so that every name is of it
  if (status >= 400) for (const { order } of reformatsOf(parts.changes)) orders.add(order)
  const named = [...orders]
    .filter((order) => order >= 0 && order < age)
    .toSorted((a, b) => a - b)
    .flatMap((order) => {
      const change = parts.changes[order]
      const at = change && placeOf(change)
      return change === undefined ? [] : [`${change.id}${at === undefined ? '' : ` (${at})`}`]
    })
  return named.length === 0
    ? ['  No change touches that: the handler or a schema of all versions is another one']
    : [`  Look at ${named.join(', ')}`]
}

/** The names and statuses in what an operation says. */
function wordsIn(said: unknown): readonly string[] {
  if (!isObject(said)) return [String(said)]
  return Object.entries(said).flatMap(([name, value]) => [name, ...('_zod' in said ? [] : wordsIn(value))])
}
