import type { DefinitionProblem } from '../../base/definition-error.ts'
import { ignoreRejection, isPromise, isObject } from '../../base/values.ts'
import { defOf, schemaOf, schemasOf, toZod, lazyInner, type Schema } from '../../schema/schema.ts'
import { createValidator } from '../../schema/validator.ts'
import {
  toChains,
  changesNames,
  namesBefore,
  type AnyChange,
  type Chain,
  type FieldId,
  type Step,
} from '../chain.ts'
import { namedModel } from '../model.ts'
import { cloneSchema, withMeta, zod } from '../zod.ts'
import { findUndeclared } from '../../schema/declared.ts'
import { createWiden } from './accepted.ts'
import { allIn, createGather, createWithin, stepsOf } from './gather.ts'
import { planObject } from './object-plan.ts'
import { convertWithin, withRefine } from './refine.ts'
import { createConverters, convertAt, type Plan, type Direction, type Converter } from './converter.ts'
import { createFindModelledFields, type CopiedObjects, type ModelledFields } from './modelled-fields.ts'
import { loadIn } from './instructions.ts'

/** The plans of all schemas in all versions, each made once. */
export interface Plans {
  readonly chains: ReadonlyMap<Schema, Chain>
  readonly stepsIn: (schema: Schema) => ReadonlySet<Step>
  /** The position of its change among all changes, newest first. */
  readonly orderOf: (step: { readonly change: object }) => number
  /** The positions of the changes that reach a schema, newest first. */
  readonly reachOf: (schema: Schema) => readonly number[]
  /** The plan of a schema for the version before the changes with a position below `age`, or `undefined` if none of them reaches it. */
  readonly planOf: (schema: Schema, age: number) => Plan | undefined
  /** Returns the models in an object schema. */
  readonly modelledFieldsOf: (schema: Schema) => ModelledFields
  /** Whether changes with a position below `age` load data for values of a schema. */
  readonly isLoading: (schema: Schema, age: number, direction: Direction) => boolean
  /** The defaults in a schema that changes convert. */
  readonly defaultsIn: (schema: Schema) => ReadonlySet<Schema>
  /** The schema of results that takes values which older versions accept. */
  readonly widen: (schema: Schema) => Schema
}

/** Prepares plans. `changes` are all changes, newest first. */
export function createPlans(changes: readonly AnyChange[], problems: DefinitionProblem[]): Plans {
  const chains = toChains(changes, problems)
  const orders: ReadonlyMap<object, number> = new Map(changes.map((change, index) => [change, index]))
  const copies: CopiedObjects = new Map()
  const modelledFieldsOf = createFindModelledFields(chains.values(), orders, copies, problems)
  const named = (schema: Schema): readonly Step[] =>
    chains.get(namedModel(schema) ?? schema)?.steps.filter(changesNames) ?? []
  const orderOf: Plans['orderOf'] = ({ change }) => orders.get(change) ?? 0
  const within = createWithin(modelledFieldsOf)
  const walk = { within, isModel: (schema: Schema): boolean => chains.has(schema) }
  const stepsIn = createGather(walk, (schema) => [
    ...stepsOf(schema, modelledFieldsOf).map(({ step }) => step),
    ...(namedModel(schema) === undefined ? [] : named(schema)),
  ])
  const reached = new Map<Schema, readonly number[]>()
  const reachOf: Plans['reachOf'] = (schema) => {
    const known = reached.get(schema)
    if (known !== undefined) return known
    const found = [...new Set([...stepsIn(schema)].map(orderOf))].toSorted((a, b) => a - b)
    reached.set(schema, found)
    return found
  }
  const isLoading: Plans['isLoading'] = (schema, age, direction) =>
    [...stepsIn(schema)].some((step) => orderOf(step) < age && loadIn(step.reshape, direction) !== undefined)
  const changesIn: Parts['changesIn'] = (schema, age) =>
    reachOf(schema).flatMap((order) => (order < age ? (changes[order]?.id ?? []) : []))
  // where values are converted before they are transformed, a schema is read in another way than it is written
  const transformsIn = createGather(walk, (schema) =>
    defOf(schema).type === 'pipe' && reachOf(schema).length > 0 ? [schema] : [],
  )
  const planOf = createPlanOf(
    reachOf,
    (schema, age) => {
      const model = namedModel(schema)
      if (model === undefined) return build(schema, age, { modelledFieldsOf, planOf, changesIn, isLoading })
      const steps = named(schema).filter((step) => orderOf(step) < age)
      return planNames(schema, chains.get(model)?.fieldIds ?? new Map(), steps)
    },
    (schema) => transformsIn(schema).size > 0,
  )
  const defaultsIn = createGather(walk, (schema) =>
    'defaultValue' in defOf(schema) && reachOf(schema).length > 0 ? [schema] : [],
  )
  const all = (schema: Schema): Iterable<Schema> => allIn(schema, within)
  const widen = createWiden([...chains.values()], { modelledFieldsOf, allIn: all, copies })
  return { chains, stepsIn, orderOf, reachOf, planOf, modelledFieldsOf, isLoading, defaultsIn, widen }
}

/** Creates the function that finds plans. Each is built when it is first asked for. */
function createPlanOf(
  reachOf: Plans['reachOf'],
  make: (schema: Schema, age: number) => Plan,
  isSplit: (schema: Schema) => boolean,
): Plans['planOf'] {
  const plans = new Map<Schema, Map<number, Plan>>()
  return (schema, age) => {
    const count = reachOf(schema).filter((order) => order < age).length
    if (count === 0) return undefined
    const known = plans.get(schema) ?? new Map<number, Plan>()
    plans.set(schema, known)
    const made = known.get(count)
    if (made !== undefined) return made
    const plan = laterPlan(() => make(schema, age), isSplit(schema))
    known.set(count, plan)
    return plan
  }
}

/** Creates a plan whose parts are made when they are first read: most values of a version go in one direction, and many schemas are never read. */
function laterPlan(make: () => Plan, isSplit: boolean): Plan {
  let made: Plan | undefined
  const built = (): Plan => (made ??= make())
  const forms: { wire?: Schema | undefined; parse?: Schema | undefined } = {}
  const formOf = (form: Form): Schema => {
    const known = forms[form]
    if (known !== undefined) return known
    // stands for the schema while that is made, because it may hold itself
    const later = zod.lazy(() => toZod(plan[form]))
    forms[form] = later
    try {
      const own = built()[form]
      forms[form] = own
      return own
    } finally {
      if (forms[form] === later) forms[form] = undefined
    }
  }
  const converterOf = (direction: Direction): Converter => {
    const first: Converter = (value, extra) => {
      if (plan[direction] === first) plan[direction] = built()[direction]
      return plan[direction](value, extra)
    }
    return first
  }
  const plan: Plan = {
    get wire() {
      return formOf('wire')
    },
    get parse() {
      // one schema for both directions, as documents show schemas of one name once
      return formOf(isSplit ? 'parse' : 'wire')
    },
    get names() {
      return built().names
    },
    ...createConverters(converterOf),
  }
  return plan
}

interface Parts extends Pick<Plans, 'modelledFieldsOf' | 'planOf' | 'isLoading'> {
  /** The ids of the changes with a position below `age` that reach a schema. */
  readonly changesIn: (schema: Schema, age: number) => readonly string[]
}

type Build = (schema: Schema, age: number, parts: Parts) => Plan

function build(schema: Schema, age: number, parts: Parts): Plan {
  const { type } = defOf(schema)
  const make = BUILD.get(type)
  // what nothing is known of stays as it is; such schemas are reported where routes are written out
  const plan = make?.(schema, age, parts) ?? same(schema)
  // objects run theirs in their programs, and a pipe on what it made
  return type === 'object' || type === 'pipe' ? plan : withRefine(schema, plan)
}

/** The types of schema through which values can be converted in both directions. */
export function isConvertible(type: string): boolean {
  return BUILD.has(type)
}

function planNames(schema: Schema, fieldIds: ReadonlyMap<string, FieldId>, steps: readonly Step[]): Plan {
  const names: ReadonlyMap<unknown, string> = namesBefore(fieldIds, steps)
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
  const older = cloneSchema(schema, { entries })
  const newest = new Map([...names].map(([now, was]) => [was, now]))
  return {
    wire: older,
    parse: older,
    ...createConverters((direction) => {
      const table: ReadonlyMap<unknown, unknown> = direction === 'up' ? newest : names
      return (value, { altered }) => {
        const made = table.get(value) ?? value
        if (altered !== undefined && made !== value)
          for (const change of changes.get(direction === 'up' ? made : value) ?? []) altered(change)
        return made
      }
    }),
  }
}

const STAY: Converter = (value) => value

function same(schema: Schema): Plan {
  return { wire: schema, parse: schema, ...createConverters(() => STAY) }
}

const object: Build = (schema, age, { modelledFieldsOf, planOf, isLoading }) => {
  const modelled = modelledFieldsOf(schema)
  const steps = modelled.steps.filter(({ order }) => order < age)
  const isWaiting = (direction: Direction): boolean => isLoading(schema, age, direction)
  return planObject(schema, modelled, steps, {
    planOf: (field) => planOf(field, age),
    isLoading: isWaiting,
  })
}

type Form = 'wire' | 'parse'

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

const array: Build = (schema, age, { planOf }) => {
  const element = schemaOf(defOf(schema)['element'])
  const plan = element && planOf(element, age)
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

const wrapper: Build = (schema, age, { planOf }) => {
  const def = defOf(schema)
  const inner = schemaOf(def['innerType'])
  const plan = inner && planOf(inner, age)
  if (plan === undefined) return same(schema)
  return planWith(
    schema,
    (form) => ({
      innerType: plan[form],
      // a default is a value of the newest version
      ...('defaultValue' in def ? { defaultValue: plan.down(def['defaultValue'], {}) } : {}),
    }),
    (direction) => (value, extra) =>
      value === undefined || value === null ? value : plan[direction](value, extra),
  )
}

const lazy: Build = (schema, age, { planOf }) => {
  const inner = lazyInner(schema)
  const plan = inner && planOf(inner, age)
  if (plan === undefined) return same(schema)
  return planWith(
    schema,
    // a definition remembers what its getter gave
    (form) => ({ getter: () => plan[form], _cachedInner: undefined }),
    (direction) => (value, extra) => plan[direction](value, extra),
  )
}

const record: Build = (schema, age, { planOf }) => {
  const valueType = schemaOf(defOf(schema)['valueType'])
  const plan = valueType && planOf(valueType, age)
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

const tuple: Build = (schema, age, { planOf }) => {
  const def = defOf(schema)
  const items = schemasOf(def['items'])
  const rest = schemaOf(def['rest'])
  const plans = items.map((item) => planOf(item, age))
  const restPlan = rest && planOf(rest, age)
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

const union: Build = (schema, age, { planOf }) => {
  const def = defOf(schema)
  const options = schemasOf(def['options'])
  const plans = options.map((option) => planOf(option, age))
  const key = typeof def['discriminator'] === 'string' ? def['discriminator'] : undefined
  const oldKeys = options.map((_, index) => oldName(plans[index], key))
  const [oldKey] = oldKeys
  const findOld = createFindOption(
    options.map((option, index) => plans[index]?.wire ?? option),
    oldKeys,
  )
  const findNew = createFindOption(
    options,
    options.map(() => key),
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

/** A transform takes values of the newest version, so they are converted before it. */
const pipe: Build = (schema, age, { planOf, changesIn }) => {
  const { in: first } = defOf(schema)
  const inner = schemaOf(first)
  const plan = inner && planOf(inner, age)
  if (inner === undefined || plan === undefined) return same(schema)
  const converted = zod.pipe(toZod(plan.parse), zod.transform(convertWithin(plan.up)))
  // the values before the transform are gone when they are tracked, so that each change counts that reaches them
  const note: Converter = (value, { altered }) => {
    if (altered !== undefined) for (const change of changesIn(inner, age)) altered(change)
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
