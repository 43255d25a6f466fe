import { isObject, type Awaitable } from '../../base/values.ts'
import type { BodyLayer, LayerExtra } from '../../routes/resolved-route.ts'
import { namedType } from '../../schema/body-types.ts'
import { childrenOf, defOf, type Schema } from '../../schema/schema.ts'
import { convertInner, type Converter, type Direction, type Extra, type Plan } from '../convert/converter.ts'
import { splitChecks } from '../convert/refine.ts'
import { withLoads } from '../convert/loading.ts'
import type { Plans } from '../convert/plans.ts'
import { bodyBefore, createBodyDown, createBodyUp, isAbsent, type BodyChange } from './bodies.ts'

/** A conversion of one value for a request. Its errors are those of changes. */
export type ConvertBody = (value: unknown, own: Extra, request: LayerExtra) => Awaitable<unknown>

/** A body of a route or a message, in a version. `undefined` stands for a conversion that no change needs. */
export interface BodyConversion extends Omit<BodyLayer, 'toOlder'> {
  readonly toOlder: ConvertBody | undefined
}

/**
 * Creates the conversion of a newest body into a version. `bodies` are the changes of the whole body; `age` counts the changes that the
 * version lacks. With an age `time`, `newest` is the schema of that age, and values are converted from it.
 */
export function createToOlder(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
  time = 0,
): BodyConversion {
  const schema = plans.widen(bodyBefore(newest, bodies) ?? newest)
  const plan = planOfBody(schema, bodies, age, plans)
  const stages = stagesDown(newest, bodies, age, plans, time)
  const isLoading = isLoadingIn([newest, schema], bodies, age, 'down', plans)
  const convert = joinStages(stages)
  const way = { direction: 'down', orderOf: plans.orderOf } as const
  const toOlderLoading: ConvertBody = (data, own, request) => {
    // without it, the change says that it loads data
    if (request.provide === undefined) return convert?.(data, own)
    return withLoads(own, request, way, (loading) => convert?.(data, loading))
  }
  return {
    schema: plan?.wire ?? schema,
    toOlder: isLoading ? toOlderLoading : convert,
    // functions of whole bodies get what the newest schema makes of a result, and data is loaded for results that are right
    get isParsedFirst() {
      return bodies.length > 0 || isLoading || (plan !== undefined && isCompleted(schema, new Set()))
    },
    isSeen: bodies.length > 0,
    contentType: bodies.length > 0 ? { named: namedType(schema) } : undefined,
  }
}

/** Creates the conversion of a body that was received in a version into the newest one. */
export function createToNewest(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
): ConvertBody | undefined {
  const convert = createBodyConversion(newest, bodies, age, plans)
  const schema = bodyBefore(newest, bodies) ?? newest
  if (convert === undefined || !isLoadingIn([newest, schema], bodies, age, 'up', plans)) return convert
  const way = { direction: 'up', orderOf: plans.orderOf } as const
  return (value, own, request) => {
    // without it, the change says that it loads data
    if (request.provide === undefined) return convert(value, own)
    return withLoads(own, request, way, (loading) => convert(value, loading))
  }
}

/**
 * Creates the conversion of a body into the newest version, for a request that loads what its changes load. With an age `time`, `newest` is
 * the schema of that age, and values are converted to it.
 */
export function createBodyConversion(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
  time = 0,
): Converter | undefined {
  return joinStages(stagesUp(newest, bodies, age, plans, time))
}

/** The plan of the schema that a body had. What a change says that it was has the defaults of that time. */
export function planOfBody(
  schema: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
): Plan | undefined {
  const last = bodies.at(-1)
  return plans.planOf(schema, age, last === undefined ? 0 : createTimeOf(bodies, plans)(last))
}

/**
 * Creates the function that returns the age of the models that the function of a body gets: that of its version, or the newest if a transform
 * in the body takes values of the newest models.
 */
function createTimeOf(
  bodies: readonly BodyChange[],
  { timeOf, orderOf, splits }: Plans,
): (own: BodyChange) => number {
  const isSplit = bodies.some(({ now, was }) => splits(now) || (!isAbsent(was) && splits(was)))
  return (own) => (isSplit ? 0 : timeOf(orderOf(own)))
}

/** Whether a body has data loaded on its way between two versions. */
export function isLoadingIn(
  schemas: readonly Schema[],
  bodies: readonly BodyChange[],
  age: number,
  direction: Direction,
  { isLoading }: Plans,
): boolean {
  const between = bodies.flatMap(({ now, was }) => (isAbsent(was) ? [now] : [now, was]))
  return (
    bodies.some(({ loader }) => loader !== undefined) ||
    [...schemas, ...between].some((schema) => isLoading(schema, age, direction))
  )
}

/** The conversions of a body to an older version: what is inside of it is always as it was at the time of the change that gets it. */
function stagesDown(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
  newestTime: number,
): readonly Converter[] {
  const { between, widen } = plans
  const timeOf = createTimeOf(bodies, plans)
  const stages: (Converter | undefined)[] = []
  // a body is as old as the change that says what it was
  let [schema, newer]: [Schema | undefined, number] = [newest, newestTime]
  for (const own of bodies) {
    const time = Math.max(newestTime, timeOf(own))
    stages.push(schema && between(schema, newer, time, newer)?.down, createBodyDown(own))
    schema = isAbsent(own.was) ? undefined : widen(own.was)
    newer = time
  }
  stages.push(schema && between(schema, newer, age, newer)?.down)
  return stages.filter((stage) => stage !== undefined)
}

/** The same on the way to the newest version. */
function stagesUp(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
  newestTime: number,
): readonly Converter[] {
  const { between, planOf, widen } = plans
  const ownTimeOf = createTimeOf(bodies, plans)
  const timeOf = (own: BodyChange): number => Math.max(newestTime, ownTimeOf(own))
  const stages: Converter[] = []
  const addPlan = (plan: Plan | undefined): void => {
    if (plan === undefined) return
    const inner = { plan, names: [] }
    stages.push(stages.length === 0 ? plan.up : (value, extra) => convertInner(inner, 'up', value, extra))
  }
  let older = age
  for (const [index, own] of [...bodies.entries()].toReversed()) {
    const time = timeOf(own)
    const newer = bodies[index - 1]
    const now = widen(own.now)
    const made = planOf(now, time, newer === undefined ? newestTime : timeOf(newer))?.parse ?? now
    if (!isAbsent(own.was)) addPlan(between(widen(own.was), time, older, time))
    stages.push(createBodyUp(own, made))
    older = time
  }
  addPlan(between(widen(newest), newestTime, older, newestTime))
  return stages
}

/** How far a body has been converted. */
interface Progress {
  next: number
  value: unknown
}

/** One conversion after the other. While something in a value waits for data, the next one does not run, and those before run once. */
export function joinStages(stages: readonly Converter[]): Converter | undefined {
  const [first] = stages
  if (first === undefined || stages.length === 1) return first
  return (given, extra) => {
    const { loading } = extra
    const start = (): Progress => ({ next: 0, value: given })
    // a text is not found again by itself
    const progress = loading?.keep(stages, isObject(given) ? given : stages, start) ?? start()
    const count = loading?.count
    for (const stage of stages.slice(progress.next)) {
      const made = stage(progress.value, extra)
      if (loading?.count !== count) return undefined
      progress.value = made
      progress.next++
    }
    return progress.value
  }
}

/**
 * Whether a schema completes values, so that functions of changes have to see what it makes of them, or has functions of its own, which take
 * newest values.
 */
function isCompleted(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  return (
    COMPLETING.has(defOf(schema).type) ||
    splitChecks(schema).functions.length > 0 ||
    childrenOf(schema).some((child) => isCompleted(child.schema, seen))
  )
}

const COMPLETING = new Set(['default', 'prefault', 'catch', 'pipe', 'transform'])
