import { isDeepStrictEqual } from 'node:util'

import type { FieldId, Step } from '../chain.ts'
import { toRecord } from '../../base/values.ts'
import type { Random } from './random.ts'
import { createTrip, type Direction, type Side, type Sided, type Trouble, type Values } from './step.ts'
import { combined, hintsOf, validated, valuesOf } from './values.ts'

/** The trouble of several steps together. */
export type ChainTrouble =
  /** A field of the newest shape does not come back from the version before a step. */
  | { readonly kind: 'lost'; readonly fieldId: FieldId; readonly before: unknown; readonly after: unknown }
  /** A step cannot convert what the others made. */
  | { readonly kind: 'step'; readonly trouble: Trouble; readonly direction: Direction }

interface Parts {
  readonly random: Random
  readonly runs: number
  readonly report: (sided: Sided, trouble: ChainTrouble) => void
}

/**
 * Takes values of the newest shape of a model to each older version and back. That finds what no step shows alone: values that only the
 * steps around it make.
 */
export function checkChain(sides: readonly Sided[], parts: Parts): void {
  const [first, ...others] = sides
  if (first === undefined || others.length === 0) return
  const touched = new Set(sides.flatMap(({ step }) => step.newer.map(([, fieldId]) => fieldId)))
  const newest = new Map([...first.newer].filter(([fieldId]) => touched.has(fieldId)))
  const trips = sides.map((sided, index) => ({
    sided,
    go: createTrip([first, ...others.slice(0, index)], newest, sided.older),
    lossy: lossyIn(sides.slice(0, index + 1).toReversed()),
    isOneWay: sides.slice(0, index + 1).some(({ step }) => step.reshape.responseOnly === true),
  }))
  for (const sample of samplesOf(newest, sides, parts)) checkSample(sample, trips, parts)
}

interface Trip {
  readonly sided: Sided
  /** Takes values between the newest version and the one before the step. */
  readonly go: ReturnType<typeof createTrip>
  readonly lossy: ReadonlySet<FieldId>
  /** Whether a change in it has no way back. */
  readonly isOneWay: boolean
}

/** Valid values of the fields that some step touches. None if a field has no value, which its own step reports. */
function samplesOf(newest: Side, sides: readonly Sided[], { random, runs }: Parts): readonly Values[] {
  const pools = new Map<FieldId, readonly unknown[]>()
  for (const [fieldId, { schema }] of newest) {
    const hints = [schema, ...sides.flatMap(({ older }) => older.get(fieldId)?.schema ?? [])].flatMap(hintsOf)
    const values = [...examplesOf(sides, fieldId), ...valuesOf(schema, { random, hints }, runs)].flatMap(
      (value) => validated(schema, value) ?? [],
    )
    if (values.length === 0) return []
    pools.set(
      fieldId,
      values.map(({ value }) => value),
    )
  }
  return combined(pools, random)
}

function examplesOf(sides: readonly Sided[], fieldId: FieldId): readonly unknown[] {
  return sides.flatMap(({ step: { newer, reshape } }) => {
    const name = newer.find(([, each]) => each === fieldId)?.[0]
    if (name === undefined) return []
    return (reshape.examples ?? []).flatMap(({ now }) =>
      Object.hasOwn(now, name) ? [toRecord(now)[name]] : [],
    )
  })
}

function checkSample(sample: Values, trips: readonly Trip[], { report }: Parts): void {
  for (const [index, { sided, go, lossy, isOneWay }] of trips.entries()) {
    const down = go(sample, 'down')
    // the first step alone was checked in both directions, and some have one
    const isThere = index === 0 || isOneWay
    const back = 'trouble' in down || isThere ? down : go(down.value, 'up')
    if ('trouble' in back) {
      const { trouble } = back
      report(trouble.sided, { kind: 'step', trouble, direction: back === down ? 'down' : 'up' })
      return
    }
    if (isThere) continue
    const lost = [...sample].find(
      ([fieldId, value]) => !lossy.has(fieldId) && !isDeepStrictEqual(value, back.value.get(fieldId)),
    )
    if (lost === undefined) continue
    const [fieldId, before] = lost
    report(sided, { kind: 'lost', fieldId, before, after: back.value.get(fieldId) })
    return
  }
}

/** The fields that steps say are lost, and those that are made of them, from the oldest step to the newest. */
function lossyIn(ways: readonly Sided[]): ReadonlySet<FieldId> {
  const lossy = new Set<FieldId>()
  for (const { step } of ways) {
    for (const fieldId of declaredLossy(step)) lossy.add(fieldId)
    if (!step.older.some(([, fieldId]) => lossy.has(fieldId))) continue
    for (const fieldChange of step.fieldChanges)
      if (fieldChange.kind === 'added') lossy.add(fieldChange.fieldId)
  }
  return lossy
}

function declaredLossy({ reshape, newer, older }: Step): readonly FieldId[] {
  const names = new Set<string>(reshape.lossy)
  return [...newer, ...older].filter(([name]) => names.has(name)).map(([, fieldId]) => fieldId)
}
