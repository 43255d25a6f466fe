import { isDeepStrictEqual } from 'node:util'

import type { Chain, Slot, Step } from '../chain.ts'
import { toRecord } from '../../values.ts'
import type { Random } from './random.ts'
import { stepDown, stepUp } from './step.ts'
import type { Outcome, Sided, Trouble, Values } from './step.ts'
import { hintsOf, validated, valuesOf } from './values.ts'

/** What is wrong with several steps together. */
export type ChainTrouble =
  /** A field of the newest shape does not come back from the version before a step. */
  | { readonly kind: 'lost'; readonly slot: Slot; readonly before: unknown; readonly after: unknown }
  /** A step cannot convert what the others made. */
  | { readonly kind: 'step'; readonly trouble: Trouble; readonly direction: 'up' | 'down' }

interface Parts {
  readonly random: Random
  readonly runs: number
  readonly report: (sided: Sided, trouble: ChainTrouble) => void
}

/**
 * Takes values of the newest shape of a model to each older version and back. That finds what no step shows alone: values that only the
 * steps around it make.
 */
export function checkChain(chain: Chain, sides: readonly Sided[], parts: Parts): void {
  if (sides.length < 2) return
  for (const sample of samplesOf(chain, sides, parts)) checkSample(sample, sides, parts)
}

/** Valid values of the fields that some step touches. None if a field has no value, which its own step reports. */
function samplesOf({ slots }: Chain, sides: readonly Sided[], { random, runs }: Parts): readonly Values[] {
  const touched = new Set(sides.flatMap(({ step }) => step.newer.map(([, slot]) => slot)))
  const pools = new Map<Slot, readonly unknown[]>()
  for (const slot of slots.values()) {
    const schema = sides[0]?.newer.get(slot)
    if (schema === undefined || !touched.has(slot)) continue
    const hints = [schema, ...sides.flatMap(({ older }) => older.get(slot) ?? [])].flatMap(hintsOf)
    const values = [...examplesOf(sides, slot), ...valuesOf(schema, { random, hints }, runs)].flatMap(
      (value) => validated(schema, value) ?? [],
    )
    if (values.length === 0) return []
    pools.set(
      slot,
      values.map(({ value }) => value),
    )
  }
  const most = Math.max(0, ...[...pools.values()].map(({ length }) => length))
  return Array.from(
    { length: most },
    (_, index) => new Map([...pools].map(([slot, values]) => [slot, values[index] ?? random.pick(values)])),
  )
}

/** The values that examples have of a field. */
function examplesOf(sides: readonly Sided[], slot: Slot): readonly unknown[] {
  return sides.flatMap(({ step: { newer, reshape } }) => {
    const name = newer.find(([, each]) => each === slot)?.[0]
    if (name === undefined) return []
    return (reshape.examples ?? []).flatMap(({ now }) =>
      Object.hasOwn(now, name) ? [toRecord(now)[name]] : [],
    )
  })
}

function checkSample(sample: Values, sides: readonly Sided[], { report }: Parts): void {
  let older = sample
  for (const [index, sided] of sides.entries()) {
    const down = stepDown(sided, older)
    if ('trouble' in down) {
      report(sided, { kind: 'step', trouble: down.trouble, direction: 'down' })
      return
    }
    older = down.value
    if (index === 0) continue
    const ways = sides.slice(0, index + 1).toReversed()
    const back = goBack(older, ways, report)
    if (!('value' in back)) return
    const lossy = lossyIn(ways)
    const lost = [...sample].find(
      ([slot, value]) => !lossy.has(slot) && !isDeepStrictEqual(value, back.value.get(slot)),
    )
    if (lost === undefined) continue
    const [slot, before] = lost
    report(sided, { kind: 'lost', slot, before, after: back.value.get(slot) })
    return
  }
}

/** The newest values that older ones become; what goes wrong is reported. */
function goBack(older: Values, ways: readonly Sided[], report: Parts['report']): Outcome<Values> {
  let made: Outcome<Values> = { value: older }
  for (const sided of ways) {
    made = stepUp(sided, made.value)
    if ('value' in made) continue
    report(sided, { kind: 'step', trouble: made.trouble, direction: 'up' })
    return made
  }
  return made
}

/** The fields that steps say are lost, and those that are made of them, from the oldest step to the newest. */
function lossyIn(ways: readonly Sided[]): ReadonlySet<Slot> {
  const lossy = new Set<Slot>()
  for (const { step } of ways) {
    for (const slot of declaredLossy(step)) lossy.add(slot)
    if (!step.older.some(([, slot]) => lossy.has(slot))) continue
    for (const move of step.moves) if (move.kind === 'gone') lossy.add(move.slot)
  }
  return lossy
}

function declaredLossy({ reshape, newer, older }: Step): readonly Slot[] {
  const names = new Set<string>(reshape.lossy)
  return [...newer, ...older].filter(([name]) => names.has(name)).map(([, slot]) => slot)
}
