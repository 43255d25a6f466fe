import { type Direction } from '../convert/converter.ts'
import { checkOptions, type Rules } from '../../base/definition-error.ts'
import { isPositive } from '../../base/values.ts'
import type { Chain, FieldChange, FieldId } from '../chain.ts'
import { loadIn } from '../convert/instructions.ts'
import { findHistoryInternals } from '../internals.ts'
import type { AnyReshape } from '../change.ts'
import { checkBodies } from './check-bodies.ts'
import {
  checkChain,
  createTrip,
  newestSide,
  toSided,
  type ChainTrouble,
  type Sided,
  type Trouble,
  type Values,
} from './check-chain.ts'
import { createRandom, type Random } from './random.ts'
import { hintsOf } from './edges.ts'
import { isSameValue } from './same-value.ts'
import { combined, show, validated, valuesOf } from './values.ts'

/** The options of `checkHistory`. */
export interface CheckHistoryOptions {
  /** Decides the generated values: equal seeds make equal values. @default 1 */
  readonly seed?: number
  /** How many values are generated for each field. @default 100 */
  readonly runs?: number
}

const OPTIONS: Rules = {
  seed: [Number.isFinite, 'a number'],
  runs: [isPositive, 'a whole number, 1 or more'],
}

/** Something in a history that values show, and no type does. */
export interface HistoryFinding {
  /**
   * `lost`: a round trip loses a value. `narrower`: current values don't match `was`, and there is no `down`. `unfit`: a function returns values
   * that don't match. `failed`: a function throws. `wrong_example`: an example differs from the result of the functions. `unknown_field`:
   * `lossy` or an example names an unknown field. `one_page`: a list became a page, of which older clients get the items alone. `unchecked`:
   * no values could be generated.
   */
  readonly code:
    | 'lost'
    | 'narrower'
    | 'unfit'
    | 'failed'
    | 'wrong_example'
    | 'unknown_field'
    | 'one_page'
    | 'unchecked'
  /** The id of the change. */
  readonly change: string
  /** The name of the model, or of the route if it is about a whole body. */
  readonly model: string
  /** The fields that it is about. */
  readonly fields: readonly string[]
  /** The mistake, with a value that shows it. */
  readonly message: string
  /** The edit that mends it, as a sentence. */
  readonly fix: string
  /** Where the change is defined, as file and line, or `undefined` if that is not known. */
  readonly at: string | undefined
}

/**
 * Checks the reshapes of a history with their `examples` and with generated values: each goes to the other side of its change and back, and
 * newest values go to each older version and back. Fields that do not come back have to be listed in `lossy`. What changes make of whole
 * bodies and of errors has to fit the other side.
 *
 * @example
 * assert.deepEqual(checkHistory(history), [])
 *
 * @throws `TypeError` for anything but a history, and `DefinitionError` for options that cannot be used.
 */
export function checkHistory(history: object, options: CheckHistoryOptions = {}): readonly HistoryFinding[] {
  const internals = findHistoryInternals(history)
  if (internals === undefined) throw new TypeError('checkHistory: pass the result of defineVersions')
  checkOptions('checkHistory', options, OPTIONS)
  const { seed = 1, runs = 100 } = options
  const { parts, placeOf } = internals
  const bodies = checkBodies(parts.changes, parts.plans, { seed, runs }).map(({ change, ...finding }) => ({
    ...finding,
    change: change.id,
    at: placeOf(change),
  }))
  const reshapes = [...parts.plans.chains.values()].flatMap((chain) => {
    const sides = toSided(chain, parts.plans)
    const siteOf = (sided: Sided, found: Map<string, HistoryFinding>): Site => ({
      chain,
      sided,
      random: createRandom(seed),
      runs,
      report: (finding) => {
        const { change } = sided.step
        const key = `${change.id} ${finding.code} ${finding.fields.join()}`
        if (!found.has(key))
          found.set(key, { ...finding, change: change.id, model: chain.name, at: placeOf(change) })
      },
    })
    const found = new Map<string, HistoryFinding>()
    for (const sided of sides) {
      const site = siteOf(sided, found)
      checkNames(site)
      for (const example of site.sided.step.reshape.examples ?? []) {
        checkExample(site, example, 'up')
        checkExample(site, example, 'down')
      }
      checkTrips(site)
    }
    // what a step does wrong alone shows in every chain
    if (found.size === 0 && !sides.some(({ step }) => step.reshape.load !== undefined))
      checkChain(sides, {
        newest: newestSide(chain),
        plans: parts.plans,
        random: createRandom(seed),
        runs,
        report: (sided, trouble) => reportChain(siteOf(sided, found), trouble),
      })
    return [...found.values()]
  })
  return [...reshapes, ...bodies]
}

/** Reports what several steps do wrong together. */
function reportChain(site: Site, trouble: ChainTrouble): void {
  const { chain, sided, report } = site
  if (trouble.kind === 'step') {
    reportTrouble(site, trouble.trouble, trouble.direction)
    return
  }
  const { fieldId, before, after } = trouble
  const name = [...chain.fieldIds].find(([, each]) => each === fieldId)?.[0] ?? ''
  report({
    code: 'lost',
    fields: [name],
    message: `${chain.name}.${name} does not come back from the newest version → before "${sided.step.change.id}" → the newest version: ${show(before)} becomes ${show(after)}`,
    fix: 'List the field in `lossy` of the change that loses it, or return it from its `up`.',
  })
}

interface Site {
  readonly chain: Chain
  readonly sided: Sided
  readonly random: Random
  readonly runs: number
  readonly report: (finding: Omit<HistoryFinding, 'change' | 'model' | 'at'>) => void
}

type Names = readonly (readonly [name: string, fieldId: FieldId])[]

/** The fields that a step names on the side that a direction starts from. */
function namesOf({ step }: Sided, direction: Direction): Names {
  return direction === 'up' ? step.older : step.newer
}

/** The name of a field on the side that a direction starts from, else on the other one. */
function nameOf({ newer, older }: Sided, fieldId: FieldId, direction: Direction): string {
  const [own, other] = direction === 'up' ? [older, newer] : [newer, older]
  return (own.get(fieldId) ?? other.get(fieldId))?.name ?? ''
}

function checkNames({ chain, sided, report }: Site): void {
  const { reshape, older, newer } = sided.step
  const known = new Set([...older, ...newer].map(([name]) => name))
  for (const name of reshape.lossy ?? []) {
    if (known.has(name)) continue
    const fix = `Name one of ${[...known].join(', ')}.`
    report({
      code: 'unknown_field',
      fields: [name],
      message: `lossy names ${name}, which the change does not touch`,
      fix,
    })
  }
  for (const [side, fields] of [
    ['old', older],
    ['now', newer],
  ] as const) {
    const names = fields.map(([name]) => name)
    const unknown = (reshape.examples ?? [])
      .flatMap((example) => Object.keys(example[side]))
      .find((name) => !names.includes(name))
    if (unknown === undefined) continue
    const message = `an example has ${side}.${unknown}, which is no field of ${chain.name} that the change names on this side`
    report({ code: 'unknown_field', fields: [unknown], message, fix: `Name one of ${names.join(', ')}.` })
  }
}

/** An example as far as it has the fields that a function needs. */
function checkExample(
  site: Site,
  example: NonNullable<AnyReshape['examples']>[number],
  direction: Direction,
): void {
  const { sided, report } = site
  const isUp = direction === 'up'
  const given = valuesIn(isUp ? example.old : example.now, namesOf(sided, direction))
  const wanted = valuesIn(isUp ? example.now : example.old, namesOf(sided, isUp ? 'down' : 'up'))
  const isLoaded = 'loaded' in example || loadIn(sided.step.reshape, direction) === undefined
  const fieldChanges = sided.step.fieldChanges.filter(
    (fieldChange) => isLoaded && isCovered(fieldChange, sided, given, direction),
  )
  if (fieldChanges.length === 0) return
  const step = { ...sided.step, fieldChanges }
  const fields = [...fieldChanges, ...step.reads.map(([, fieldId]) => ({ fieldId }))]
  const outcome = tripOf({ ...sided, step }, fields, example.loaded)(given, direction)
  if ('trouble' in outcome) {
    reportTrouble(site, outcome.trouble, direction)
    return
  }
  for (const [fieldId, value] of wanted) {
    if (!fieldChanges.some((fieldChange) => fieldChange.fieldId === fieldId)) continue
    const made = outcome.value.get(fieldId)
    if (isSameValue(made, value)) continue
    const name = nameOf(sided, fieldId, isUp ? 'down' : 'up')
    const sides = isUp ? (['old', 'now'] as const) : (['now', 'old'] as const)
    report({
      code: 'wrong_example',
      fields: [name],
      message: `${direction} makes ${show(made)} of ${sides[0]} in an example, and ${sides[1]}.${name} is ${show(value)}`,
      fix: `Correct the example or \`${direction}\`.`,
    })
  }
}

function valuesIn(object: object, side: Names): Map<FieldId, unknown> {
  return new Map(
    side.flatMap(([name, fieldId]) =>
      Object.hasOwn(object, name) ? [[fieldId, Reflect.get(object, name)] as const] : [],
    ),
  )
}

/** Whether an example has all that the functions of a field change get. */
function isCovered(fieldChange: FieldChange, { step }: Sided, given: Values, direction: Direction): boolean {
  const isGroup = fieldChange.kind === 'added' || fieldChange.kind === 'removed'
  if (!isGroup) {
    const call = fieldChange.kind === 'retyped' ? fieldChange.field[direction] : undefined
    const read = call !== undefined && call.length > 1 ? step.reads.map(([, fieldId]) => fieldId) : []
    return [fieldChange.fieldId, ...read].every((fieldId) => given.has(fieldId))
  }
  const grouped = step.fieldChanges.filter(({ kind }) => kind === (direction === 'up' ? 'removed' : 'added'))
  return [...grouped.map(({ fieldId }) => fieldId), ...step.reads.map(([, fieldId]) => fieldId)].every(
    (fieldId) => given.has(fieldId),
  )
}

/** Creates the trip through one step with these fields. */
function tripOf(
  sided: Sided,
  fields: readonly { readonly fieldId: FieldId }[],
  loaded?: unknown,
): ReturnType<typeof createTrip> {
  const newer = new Map(
    [...sided.newer].filter(([fieldId]) => fields.some((field) => field.fieldId === fieldId)),
  )
  return createTrip([sided], newer, sided.older, { loaded })
}

function checkTrips(site: Site): void {
  const { newer, reshape } = site.sided.step
  if (reshape.load !== undefined) {
    const isShown = reshape.examples?.some((example) => 'loaded' in example) === true
    const message = `${site.chain.name} is not checked, because the change loads data`
    if (!isShown)
      site.report({ code: 'unchecked', fields: [], message, fix: 'Add `examples` with `loaded`.' })
    return
  }
  const trip = tripOf(
    site.sided,
    newer.map(([, fieldId]) => ({ fieldId })),
  )
  const { responseOnly } = site.sided.step.reshape
  for (const direction of responseOnly === true ? (['down'] as const) : (['up', 'down'] as const)) {
    const samples = samplesOf(site, direction)
    for (const sample of samples) checkTrip(site, trip, sample, direction)
  }
}

/** Valid values of all fields on one side. None if a field has no value, which is reported. */
function samplesOf({ sided, random, runs, report }: Site, direction: Direction): readonly Values[] {
  const [own, others] = direction === 'up' ? [sided.older, sided.newer] : [sided.newer, sided.older]
  const pools = new Map<FieldId, readonly unknown[]>()
  for (const [name, fieldId] of namesOf(sided, direction)) {
    const schema = own.get(fieldId)?.schema
    if (schema === undefined) continue
    const opposite = others.get(fieldId)?.schema
    const hints = [...hintsOf(schema), ...(opposite === undefined ? [] : hintsOf(opposite))]
    const examples = (sided.step.reshape.examples ?? []).flatMap((example) => {
      const side = direction === 'up' ? example.old : example.now
      const valid = Object.hasOwn(side, name) ? validated(schema, Reflect.get(side, name)) : undefined
      return valid === undefined ? [] : [valid.value]
    })
    const values = [...examples, ...valuesOf(schema, { random, hints }, runs)]
    if (values.length === 0) {
      const message = `no value of ${name} could be made, so the change is not checked`
      report({ code: 'unchecked', fields: [name], message, fix: 'Add `examples` with this field.' })
      return []
    }
    pools.set(fieldId, values)
  }
  return combined(pools, random)
}

/** Whether handlers get a field that only older versions have. */
function isKept({ step }: Sided, field: FieldId): boolean {
  return step.fieldChanges.some((each) => each.kind === 'removed' && each.isKept && each.fieldId === field)
}

function checkTrip(
  site: Site,
  trip: ReturnType<typeof createTrip>,
  start: Values,
  direction: Direction,
): void {
  const { sided, report, chain } = site
  const way = direction === 'up' ? (['up', 'down'] as const) : (['down', 'up'] as const)
  const there = trip(start, way[0])
  const isOneWay = sided.step.reshape.responseOnly === true
  const back = 'trouble' in there || isOneWay ? there : trip(there.value, way[1])
  if ('trouble' in back) {
    reportTrouble(site, back.trouble, back === there ? way[0] : way[1])
    return
  }
  if (isOneWay) return
  const lossy = new Set(sided.step.reshape.lossy)
  for (const { fieldId } of sided.step.fieldChanges) {
    const [before, after] = [start.get(fieldId), back.value.get(fieldId)]
    const name = nameOf(sided, fieldId, direction)
    if (!start.has(fieldId) || lossy.has(name) || isKept(sided, fieldId) || isSameValue(before, after))
      continue
    const path = direction === 'up' ? 'old → up → down' : 'now → down → up'
    report({
      code: 'lost',
      fields: [name],
      message: `${chain.name}.${name} does not come back from ${path}: ${show(before)} becomes ${show(after)}`,
      fix: `List \`${name}\` in \`lossy\`, or return it from \`${way[1]}\`.`,
    })
  }
}

function reportTrouble({ chain, report }: Site, trouble: Trouble, direction: Direction): void {
  if (trouble.kind === 'refused') return
  const { fields, sided } = trouble
  const names = fields.map((name) => `${chain.name}.${name}`).join(', ')
  if (trouble.kind === 'threw') {
    const fix = 'Return a value for every input that its schema accepts.'
    report({ code: 'failed', fields, message: `${direction} of ${names} fails: ${trouble.reason}`, fix })
    return
  }
  const value = show(trouble.value)
  const isMade = fields.every((name) => hasFunction(sided.step, name, direction))
  if (direction === 'down' && !isMade)
    report({
      code: 'narrower',
      fields,
      message: `${names} can be ${value}, which \`was\` refuses, and there is no down`,
      fix: 'Write `down`, or make `was` as wide as the newer schema.',
    })
  else
    report({
      code: 'unfit',
      fields,
      message: isMade
        ? `${direction} makes ${names} ${value}, which its schema refuses`
        : `${names} could be ${value}, which the newer schema refuses, and there is no up`,
      fix:
        direction === 'up'
          ? 'Write `up` for such values, make `was` stricter, or set `narrowed: true` if they are mistakes of the client.'
          : 'Return values from `down` that `was` accepts.',
    })
}

function hasFunction({ reshape, fieldChanges }: Sided['step'], name: string, direction: Direction): boolean {
  const fieldChange = fieldChanges.find((each) => each.kind === 'retyped' && each.name === name)
  return (fieldChange?.kind === 'retyped' ? fieldChange.field[direction] : reshape[direction]) !== undefined
}
