import type { DefinitionProblem } from '../../base/definition-error.ts'
import { defOf, metaOf, schemaOf, toZod, childrenOf, type Schema } from '../../schema/schema.ts'
import { toChains, changesNames, type AnyChange, type Chain, type Step } from '../chain.ts'
import { namedModel } from '../model.ts'
import { cloneNameless, withParent, zod } from '../zod.ts'
import {
  createConverters,
  type Converter,
  type Plan,
  type Direction,
  type InnerPlans,
  type Range,
} from './converter.ts'
import { createWiden } from './accepted.ts'
import { allIn, createGather, createWithin, stepsOf, type Within } from './gather.ts'
import { createFindModelledFields, type CopiedObjects, type ModelledFields } from './modelled-fields.ts'
import { loadIn } from './instructions.ts'
import { bodiesOf, isAbsent } from '../operations/bodies.ts'
import { isOperation } from '../operations/operation.ts'
import { splitChecks } from './refine.ts'
import { planNames, planSchema, STAY, type Form, type Parts } from './schema-plan.ts'

/** The plans of all schemas in all versions, each made once. */
export interface Plans extends InnerPlans {
  readonly chains: ReadonlyMap<Schema, Chain>
  readonly stepsIn: (schema: Schema) => ReadonlySet<Step>
  /** The position of its change among all changes, newest first. */
  readonly orderOf: (step: { readonly change: object }) => number
  /** The positions of the changes that reach a schema, newest first. */
  readonly reachOf: (schema: Schema) => readonly number[]
  /** Returns the models in an object schema. */
  readonly modelledFieldsOf: (schema: Schema) => ModelledFields
  /** Whether changes with a position below `age`, and from `newer` on, load data for values of a schema. */
  readonly isLoading: (schema: Schema, age: number, direction: Direction, newer?: number) => boolean
  /** Whether a schema is read in another way than it is written: something in it is converted before it is transformed. */
  readonly splits: (schema: Schema) => boolean
  /** The plan of a schema for an age, whose conversions lead to a newer one. `undefined` if no change before the age reaches the schema. */
  readonly planIn: (schema: Schema, range: Range) => Plan | undefined
  /** A copy of an object schema with other members, which has the same fields of models. */
  readonly copyWith: (schema: Schema, shape: Readonly<Record<string, Schema>>) => Schema
  /** The defaults in a schema that changes convert. */
  readonly defaultsIn: (schema: Schema) => ReadonlySet<Schema>
  /** The schema of results that takes values which older versions accept. */
  readonly widen: (schema: Schema) => Schema
}

/** Prepares plans. `changes` are all changes, newest first. `timeOf` returns the age of the version of the change at a position. */
export function createPlans(
  changes: readonly AnyChange[],
  timeOf: Plans['timeOf'],
  problems: DefinitionProblem[],
): Plans {
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
  const reachOf = createReachOf(stepsIn, orderOf)
  const isLoading: Plans['isLoading'] = (schema, age, direction, newer = 0) =>
    [...stepsIn(schema)].some(
      (step) =>
        orderOf(step) < age && orderOf(step) >= newer && loadIn(step.reshape, direction) !== undefined,
    )
  const changesIn: Parts['changesIn'] = (schema, { newer, older }) =>
    reachOf(schema).flatMap((order) => (order < older && order >= newer ? (changes[order]?.id ?? []) : []))
  const plan = (schema: Schema, range: Range): Plan => {
    const model = namedModel(schema)
    if (model !== undefined)
      return planNames(schema, chains.get(model)?.fieldIds ?? new Map(), named(schema), range, orderOf)
    return asShown(planSchema(schema, range, parts), {
      origin: narrow(schema, range.older),
      parent: parentOf(schema, modelledFieldsOf),
      formOf: (own, form) => parts.planOf(own, range.older, range.origin)?.[form] ?? own,
    })
  }
  const transformsIn = createGather(walk, (schema) =>
    defOf(schema).type === 'pipe' && reachOf(schema).length > 0 ? [schema] : [],
  )
  const splits: Plans['splits'] = (schema) => transformsIn(schema).size > 0
  const accepting = { modelledFieldsOf, allIn: (schema: Schema) => allIn(schema, within), copies }
  const { widen, narrow } = createWiden([...chains.values()], accepting)
  const parts: Parts = {
    widen,
    modelledFieldsOf,
    timeOf,
    changesIn,
    isLoading,
    ...createPlanIn(
      reachOf,
      plan,
      splits,
      createOriginOf(changes, timeOf, { modelledFieldsOf, reachOf, within }),
    ),
  }
  const defaultsIn = createGather(walk, (schema) =>
    hasConvertedDefault(schema) && reachOf(schema).length > 0 ? [schema] : [],
  )
  return { ...parts, chains, stepsIn, orderOf, reachOf, defaultsIn, copyWith: createCopyWith(copies), splits }
}

/** Most defaults are empty lists, which no change converts. */
function hasConvertedDefault(schema: Schema): boolean {
  const { defaultValue } = defOf(schema)
  return defaultValue !== undefined && !(Array.isArray(defaultValue) && defaultValue.length === 0)
}

function createCopyWith(copies: CopiedObjects): Plans['copyWith'] {
  return (schema, shape) => {
    const copy = cloneNameless(schema, { shape })
    copies.set(copy, copies.get(schema) ?? schema)
    return copy
  }
}

interface Shown {
  /** The schema that was widened. */
  readonly origin: Schema | undefined
  /** The schema that was refined. */
  readonly parent: Schema | undefined
  readonly formOf: (schema: Schema, form: Form) => Schema
}

/** A plan with the schemas that documents show in the place of its own. */
function asShown(plan: Plan, { origin, parent, formOf }: Shown): Plan {
  if (origin !== undefined) return withForms(plan, (form) => formOf(origin, form))
  if (parent === undefined) return plan
  return withForms(plan, (form) => withParent(plan[form], formOf(parent, form)))
}

/** A plan with other schemas. */
function withForms(plan: Plan, formOf: (form: Form) => Schema): Plan {
  return {
    get wire() {
      return formOf('wire')
    },
    get parse() {
      return formOf('parse')
    },
    get names() {
      return plan.names
    },
    get down() {
      return plan.down
    },
    get up() {
      return plan.up
    },
  }
}

/** Returns the object schema from which `refine` made this one, if the same changes reach both. Documents show a reference to it. */
function parentOf(schema: Schema, modelledFieldsOf: Plans['modelledFieldsOf']): Schema | undefined {
  const parent = schemaOf(Reflect.get(schema._zod, 'parent'))
  if (parent === undefined || defOf(schema).type !== 'object') return undefined
  const [own, steps] = [schema, parent].map((each) => stepsOf(each, modelledFieldsOf).map(({ step }) => step))
  return own?.length === steps?.length && own?.every((step, at) => step === steps?.[at]) ? parent : undefined
}

/** Finds the positions of the changes that reach a schema. */
function createReachOf(stepsIn: Plans['stepsIn'], orderOf: Plans['orderOf']): Plans['reachOf'] {
  const reached = new Map<Schema, readonly number[]>()
  return (schema) => {
    const known = reached.get(schema)
    if (known !== undefined) return known
    const found = [...new Set([...stepsIn(schema)].map(orderOf))].toSorted((a, b) => a - b)
    reached.set(schema, found)
    return found
  }
}

/** Keeps the plans of schemas, which are the same between two ages if the same changes reach a schema. */
function createPlanIn(
  reachOf: Plans['reachOf'],
  make: (schema: Schema, range: Range) => Plan,
  splits: Plans['splits'],
  originOf: OriginOf,
): Pick<Parts, 'planIn' | 'planOf' | 'between'> {
  const plans = new Map<Schema, Map<string, Plan>>()
  const countOf = (schema: Schema, age: number): number =>
    reachOf(schema).filter((order) => order < age).length
  const planIn: Parts['planIn'] = (schema, given) => {
    // documents show a schema of one age once
    const origin = originOf(schema, given.origin)
    const count = countOf(schema, given.older)
    const newer = countOf(schema, given.newer)
    const own = countOf(schema, origin)
    if (count === 0) return undefined
    const known = plans.get(schema) ?? new Map<string, Plan>()
    plans.set(schema, known)
    const key = `${own}-${newer}-${count}`
    const made = known.get(key)
    if (made !== undefined) return made
    // between equal counts nothing differs
    const [newest, oldest] = [newer === own ? origin : given.newer, count === own ? origin : given.older]
    // documents show one schema, whatever newer state values are converted to
    const shown = newer === 0 ? undefined : planIn(schema, { ...given, newer: 0 })
    const plan = laterPlan(
      () => make(schema, { newer: newest, older: oldest, origin }),
      splits(schema),
      shown,
    )
    if (newer === count)
      Object.assign(
        plan,
        createConverters(() => STAY),
      )
    known.set(key, plan)
    return plan
  }
  return {
    planIn,
    planOf: (schema, older, origin = 0) => planIn(schema, { newer: 0, older, origin }),
    between: (schema, newer, older, origin = 0) =>
      countOf(schema, newer) === countOf(schema, older)
        ? undefined
        : planIn(schema, { newer, older, origin }),
  }
}

/**
 * Creates a plan whose parts are made when they are first read: most values of a version go in one direction, and many schemas are never
 * read. Its schemas are those of `shown`, if that is given.
 */
function laterPlan(make: () => Plan, isSplit: boolean, shown?: Plan): Plan {
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
      const own = (shown ?? built())[form]
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

/** The age of a schema that stands in one of an age. */
type OriginOf = (schema: Schema, age: number) => number

/**
 * Finds the ages of schemas with a default or function outside of models, which take values of the version that the schema is of. What stands
 * in newer schemas too is as old as the newest of them. Any other schema is the same in all ages.
 */
function createOriginOf(
  changes: readonly AnyChange[],
  timeOf: Plans['timeOf'],
  {
    modelledFieldsOf,
    reachOf,
    within,
  }: Pick<Plans, 'modelledFieldsOf' | 'reachOf'> & { readonly within: Within },
): OriginOf {
  const known = new Map<Schema, boolean>()
  const isHere = (schema: Schema): boolean =>
    ('defaultValue' in defOf(schema) ||
      defOf(schema).type === 'pipe' ||
      splitChecks(schema).functions.length > 0) &&
    reachOf(schema).length > 0
  const isDated = (schema: Schema): boolean => {
    const found = known.get(schema) ?? [...outsideOfModels(schema, modelledFieldsOf)].some(isHere)
    known.set(schema, found)
    return found
  }
  let ages: ReadonlyMap<Schema, number> | undefined
  return (schema, age) => {
    if (age === 0 || !isDated(schema)) return 0
    ages ??= agesOf(changes, timeOf, within)
    return Math.min(age, ages.get(schema) ?? age)
  }
}

/** The ages of the schemas in whole bodies that changes describe. */
function agesOf(
  changes: readonly AnyChange[],
  timeOf: Plans['timeOf'],
  within: Within,
): ReadonlyMap<Schema, number> {
  const ages = new Map<Schema, number>()
  const add = (schema: Schema, age: number): void => {
    for (const each of allIn(schema, within)) if (!ages.has(each)) ages.set(each, age)
  }
  const bodies = changes.flatMap(({ change }, order) =>
    change
      .filter(isOperation)
      .flatMap((part) => [...bodiesOf(part).values()].map((body) => ({ ...body, order }))),
  )
  for (const { now, was, order } of bodies) {
    add(now, 0)
    if (!isAbsent(was)) add(was, timeOf(order))
  }
  return ages
}

/** A schema and the schemas in it, but for those in fields of models. A schema that documents show by a name is of the newest version. */
function outsideOfModels(schema: Schema, modelledFieldsOf: Plans['modelledFieldsOf']): ReadonlySet<Schema> {
  const seen = new Set([schema])
  // what is added while it is walked is walked too
  for (const each of seen) {
    if (metaOf(each)['id'] !== undefined) {
      seen.delete(each)
      continue
    }
    const fieldIds = defOf(each).type === 'object' ? modelledFieldsOf(each).fieldIds : undefined
    for (const child of childrenOf(each)) if (fieldIds?.has(child.key ?? '') !== true) seen.add(child.schema)
  }
  return seen
}
