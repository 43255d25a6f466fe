import { ignoreRejection, isPromise, isObject } from '../../base/values.ts'
import { defOf, lazyInner, schemaOf, schemasOf, toZod, type Schema } from '../../schema/schema.ts'
import { findUndeclared } from '../../schema/declared.ts'
import { createValidator } from '../../schema/validator.ts'
import { namesBefore, type FieldId, type Step } from '../chain.ts'
import { cloneSchema, withMeta, zod } from '../zod.ts'
import {
  convertAt,
  createConverters,
  type Converter,
  type Direction,
  type InnerPlans,
  type Plan,
  type Range,
} from './converter.ts'
import type { FindModelledFields } from './modelled-fields.ts'
import { planObject } from './object-plan.ts'
import { convertWithin, withRefine } from './refine.ts'

/** The inputs for the plan of a schema. */
export interface Parts extends InnerPlans {
  readonly modelledFieldsOf: FindModelledFields
  readonly isLoading: (schema: Schema, age: number, direction: Direction, newer?: number) => boolean
  readonly planIn: (schema: Schema, range: Range) => Plan | undefined
  /** The ids of the changes between two states that reach a schema. */
  readonly changesIn: (schema: Schema, range: Range) => readonly string[]
}

type Build = (schema: Schema, range: Range, parts: Parts) => Plan

/** Plans a schema between two states. */
export function planSchema(schema: Schema, range: Range, parts: Parts): Plan {
  const { type } = defOf(schema)
  const make = BUILD.get(type)
  // what nothing is known of stays as it is; such schemas are reported where routes are written out
  const plan = make?.(schema, range, parts) ?? same(schema)
  // objects run theirs in their programs, and a pipe on what it made
  if (type === 'object' || type === 'pipe' || range.older === range.origin) return plan
  return withRefine(schema, plan, range.newer === range.origin)
}

/** The types of schema through which values can be converted in both directions. */
export function isConvertible(type: string): boolean {
  return BUILD.has(type)
}

/** Plans a schema of the names of a model's fields. `all` are the steps of the model that change names. */
export function planNames(
  schema: Schema,
  fieldIds: ReadonlyMap<string, FieldId>,
  all: readonly Step[],
  { newer, older }: Range,
  orderOf: (step: Step) => number,
): Plan {
  const before = (age: number): readonly Step[] => all.filter((step) => orderOf(step) < age)
  const names = namesBefore(fieldIds, before(older))
  const newerNames = namesBefore(fieldIds, before(newer))
  const steps = before(older).slice(before(newer).length)
  // the changes that gave each field another name
  const changes = new Map<unknown, readonly string[]>(
    [...fieldIds].map(([name, fieldId]) => [
      name,
      steps
        .filter(({ fieldChanges }) =>
          fieldChanges.some(
            (fieldChange) => fieldChange.kind === 'renamed' && fieldChange.fieldId === fieldId,
          ),
        )
        .map(({ change }) => change.id),
    ]),
  )
  const entries = Object.fromEntries([...names.values()].map((name) => [name, name]))
  const wire = cloneSchema(schema, { entries })
  const pairs = [...names].flatMap(([key, was]) => {
    const now = newerNames.get(key)
    return now === undefined ? [] : [{ key, now, was }]
  })
  return {
    wire,
    parse: wire,
    ...createConverters((direction) => {
      const table: ReadonlyMap<unknown, Pair> = new Map(
        pairs.map((pair) => [direction === 'up' ? pair.was : pair.now, pair]),
      )
      return (value, { altered }) => {
        const pair = table.get(value)
        if (pair === undefined) return value
        if (altered !== undefined && pair.now !== pair.was)
          for (const change of changes.get(pair.key) ?? []) altered(change)
        return direction === 'up' ? pair.now : pair.was
      }
    }),
  }
}

/** The names of a field in two states, by its newest one. */
interface Pair {
  readonly key: string
  readonly now: string
  readonly was: string
}

/** Leaves a value as it is. */
export const STAY: Converter = (value) => value

function same(schema: Schema): Plan {
  return { wire: schema, parse: schema, ...createConverters(() => STAY) }
}

const object: Build = (schema, range, { modelledFieldsOf, isLoading, ...parts }) => {
  const modelled = modelledFieldsOf(schema)
  const steps = modelled.steps.filter(({ order }) => order < range.older)
  return planObject(schema, modelled, steps, {
    ...range,
    ...parts,
    isLoading: (direction) => isLoading(schema, range.older, direction, range.newer),
  })
}

/** The schemas of a plan. */
export type Form = 'wire' | 'parse'

/** A plan whose schemas are copies with other members. */
function planWith(
  schema: Schema,
  members: (form: Form) => Readonly<Record<string, unknown>>,
  make: (direction: Direction) => Converter,
): Plan {
  const copy = (form: Form): Schema => cloneSchema(schema, members(form))
  return {
    get wire() {
      return copy('wire')
    },
    get parse() {
      return copy('parse')
    },
    ...createConverters(make),
  }
}

const array: Build = (schema, range, { planIn }) => {
  const element = schemaOf(defOf(schema)['element'])
  const plan = element && planIn(element, range)
  if (plan === undefined) return same(schema)
  return planWith(
    schema,
    (form) => ({ element: plan[form] }),
    (direction) => (value, extra) => {
      if (!Array.isArray(value)) return value
      const convert = plan[direction]
      return value.map((member: unknown, index) => convertAt(convert, index, member, extra))
    },
  )
}

const wrapper: Build = (schema, range, { planIn, between }) => {
  const def = defOf(schema)
  const inner = schemaOf(def['innerType'])
  const plan = inner && planIn(inner, range)
  if (inner === undefined || plan === undefined) return same(schema)
  const values = 'defaultValue' in def ? between(inner, range.origin, range.older, range.origin) : undefined
  return planWith(
    schema,
    (form) => ({
      innerType: plan[form],
      // a default is a value of the age of its schema
      ...(values !== undefined && { defaultValue: values.down(def['defaultValue'], {}) }),
    }),
    (direction) => (value, extra) =>
      value === undefined || value === null ? value : plan[direction](value, extra),
  )
}

const lazy: Build = (schema, range, { planIn }) => {
  const inner = lazyInner(schema)
  const plan = inner && planIn(inner, range)
  if (plan === undefined) return same(schema)
  return planWith(
    schema,
    // a definition remembers what its getter gave
    (form) => ({ getter: () => plan[form], _cachedInner: undefined }),
    (direction) => (value, extra) => plan[direction](value, extra),
  )
}

const record: Build = (schema, range, { planIn }) => {
  const valueType = schemaOf(defOf(schema)['valueType'])
  const plan = valueType && planIn(valueType, range)
  if (plan === undefined) return same(schema)
  return planWith(
    schema,
    (form) => ({ valueType: plan[form] }),
    (direction) => (value, extra) => {
      if (!isObject(value)) return value
      // not assigned, because a key may be `__proto__`
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [key, convertAt(plan[direction], key, member, extra)]),
      )
    },
  )
}

const tuple: Build = (schema, range, { planIn }) => {
  const def = defOf(schema)
  const items = schemasOf(def['items'])
  const rest = schemaOf(def['rest'])
  const plans = items.map((item) => planIn(item, range))
  const restPlan = rest && planIn(rest, range)
  return planWith(
    schema,
    (form) => ({
      items: items.map((item, index) => plans[index]?.[form] ?? item),
      rest: restPlan?.[form] ?? rest ?? null,
    }),
    (direction) => (value, extra) => {
      if (!Array.isArray(value)) return value
      return value.map((member: unknown, index) => {
        const plan = index < plans.length ? plans[index] : restPlan
        return plan === undefined ? member : convertAt(plan[direction], index, member, extra)
      })
    },
  )
}

const union: Build = (schema, range, { planIn, planOf, widen }) => {
  const def = defOf(schema)
  const options = schemasOf(def['options'])
  const plans = options.map((option) => planIn(option, range))
  const key = typeof def['discriminator'] === 'string' ? def['discriminator'] : undefined
  const oldKeys = options.map((_, index) => oldName(plans[index], key))
  const [oldKey] = oldKeys
  // widened before they are planned, because changes name fields as they are in newest schemas
  const widened = options.map(widen)
  const findOld = createFindOption(
    widened.map((option) => planIn(option, range)?.wire ?? option),
    oldKeys,
  )
  const newer = options.map((option) => planOf(option, range.newer, range.origin))
  const findNew = createFindOption(
    widened.map((option) => planOf(option, range.newer, range.origin)?.wire ?? option),
    options.map((_, index) => oldName(newer[index], key)),
  )
  const older = (form: Form): Schema => {
    const members = options.map((option, index) => plans[index]?.[form] ?? option)
    if (key === undefined) return cloneSchema(schema, { options: members })
    // what was called differently in its options, or was in none of them, chose nothing
    return oldKey !== undefined && oldKeys.every((each) => each === oldKey)
      ? cloneSchema(schema, { options: members, discriminator: oldKey })
      : withMeta(zod.union(members.map(toZod)), schema)
  }
  return {
    wire: older('wire'),
    parse: older('parse'),
    ...createConverters((direction) => {
      const find = direction === 'up' ? findOld : findNew
      return (value, extra) => {
        const plan = isObject(value) ? plans[find(value)] : undefined
        return plan === undefined ? value : plan[direction](value, extra)
      }
    }),
  }
}

/** Returns the earlier name of a discriminator in an option, or `undefined` if it was not there. */
function oldName(plan: Plan | undefined, key: string | undefined): string | undefined {
  return key === undefined || plan?.names === undefined ? key : plan.names.get(key)
}

/** Creates the function that finds the option of a value: by its discriminator, else by what it takes and knows of the value. */
function createFindOption(
  options: readonly Schema[],
  discriminators: readonly (string | undefined)[],
): (value: object) => number {
  const keys = discriminators.filter((key) => key !== undefined)
  if (keys.length < options.length) return findBest(options)
  let chosen: readonly ReadonlySet<unknown>[] | undefined
  return (value) => {
    chosen ??= options.map((option, index) => valuesOf(option, keys[index] ?? ''))
    return chosen.findIndex((values, index) => values.has(Reflect.get(value, keys[index] ?? '')))
  }
}

/** Finds the first of the options that take a value and know most of its members: what is optional in one is a member of another. */
function findBest(options: readonly Schema[]): (value: object) => number {
  const validators = options.map((option) => createValidator(option))
  const isTaken = (validate: (typeof validators)[number], value: object): boolean => {
    const outcome = validate(value)
    if (!isPromise(outcome)) return !('issues' in outcome)
    ignoreRejection(outcome)
    return false
  }
  return (value) => {
    let best = -1
    let least = Infinity
    for (const [index, option] of options.entries()) {
      const validate = validators[index]
      if (least === 0 || validate === undefined || !isTaken(validate, value)) continue
      const unknown = findUndeclared(option, value).length
      if (unknown < least) [best, least] = [index, unknown]
    }
    return best
  }
}

function valuesOf(option: Schema, discriminator: string): ReadonlySet<unknown> {
  const all: unknown = Reflect.get(option._zod, 'propValues')
  const values: unknown = isObject(all) ? Reflect.get(all, discriminator) : undefined
  return values instanceof Set ? values : new Set()
}

/** A transform takes values of the version of its schema, so they are converted before it. */
const pipe: Build = (schema, range, { planIn, between, changesIn }) => {
  const { in: first } = defOf(schema)
  const inner = schemaOf(first)
  const plan = inner && planIn(inner, range)
  if (inner === undefined || plan === undefined) return same(schema)
  const values = between(inner, range.origin, range.older, range.origin)
  const convert = convertWithin((value, extra) => (values === undefined ? value : values.up(value, extra)))
  const converted = zod.pipe(toZod(plan.parse), zod.transform(convert))
  // the values before the transform are gone when they are tracked, so that each change counts that reaches them
  const note: Converter = (value, { altered }) => {
    if (altered !== undefined) for (const change of changesIn(inner, range)) altered(change)
    return value
  }
  return {
    wire: plan.wire,
    parse: cloneSchema(schema, { in: converted }),
    ...createConverters((direction) => (direction === 'up' ? note : STAY)),
  }
}

const BUILD: ReadonlyMap<string, Build> = new Map([
  ['object', object],
  ['array', array],
  ['optional', wrapper],
  ['nullable', wrapper],
  ['default', wrapper],
  ['prefault', wrapper],
  ['readonly', wrapper],
  ['nonoptional', wrapper],
  ['lazy', lazy],
  ['record', record],
  ['tuple', tuple],
  ['union', union],
  ['pipe', pipe],
])
