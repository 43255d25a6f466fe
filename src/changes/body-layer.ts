import type { Awaitable } from '../base/values.ts'
import type { BodyLayer, LayerExtra } from '../routes/resolved-route.ts'
import { namedType } from '../schema/body-types.ts'
import { childrenOf, defOf, type Schema } from '../schema/schema.ts'
import type { Converter, Extra } from './convert/converter.ts'
import { splitChecks } from './convert/refine.ts'
import { withLoads } from './convert/loading.ts'
import type { Plans } from './convert/plans.ts'
import { bodyBefore, createBodyDown, createBodyUp, type BodyChange } from './operations/bodies.ts'

/** A conversion of one value for a request. Its errors are those of changes. */
export type ConvertBody = (value: unknown, own: Extra, request: LayerExtra) => Awaitable<unknown>

/** A body of a route or a message, in a version. `undefined` stands for a conversion that no change needs. */
export interface BodyConversion extends Omit<BodyLayer, 'toOlder'> {
  readonly toOlder: ConvertBody | undefined
}

/**
 * Creates the conversion of a newest body into a version. `bodies` are the changes of the whole body; `age` counts the changes that the
 * version lacks.
 */
export function createToOlder(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
): BodyConversion {
  const schema = plans.widen(bodyBefore(newest, bodies) ?? newest)
  const plan = plans.planOf(schema, age)
  const whole = bodies.length > 0 ? createBodyDown(bodies) : undefined
  const isLoading = plan !== undefined && plans.isLoading(schema, age, 'down')
  const joined = join(whole, plan?.down)
  const way = { direction: 'down', orderOf: plans.orderOf } as const
  const toOlderLoading: ConvertBody = (data, own, request) => {
    // without it, the change says that it loads data
    if (plan === undefined || request.provide === undefined) return joined?.(data, own)
    const made = whole === undefined ? data : whole(data, own)
    return withLoads(own, request, way, (loading) => plan.down(made, loading))
  }
  return {
    schema: plan?.wire ?? schema,
    toOlder: isLoading ? toOlderLoading : joined,
    // functions of whole bodies get what the newest schema makes of a result, and data is loaded for results that are right
    get isParsedFirst() {
      return whole !== undefined || isLoading || (plan !== undefined && isCompleted(schema, new Set()))
    },
    isSeen: whole !== undefined,
    contentType: whole && { named: namedType(schema) },
  }
}

/** Creates the conversion of a body that was received in a version into the newest one. */
export function createToNewest(
  newest: Schema,
  bodies: readonly BodyChange[],
  age: number,
  plans: Plans,
): ConvertBody | undefined {
  const schema = bodyBefore(newest, bodies) ?? newest
  const up = plans.planOf(schema, age)?.up
  const whole = bodies.length > 0 ? createBodyUp(bodies, plans.widen) : undefined
  const joined = join(up, whole)
  if (up === undefined || !plans.isLoading(schema, age, 'up')) return joined
  const way = { direction: 'up', orderOf: plans.orderOf } as const
  return (value, own, request) => {
    // without it, the change says that it loads data
    if (request.provide === undefined) return joined?.(value, own)
    const made = withLoads(own, request, way, (loading) => up(value, loading))
    return whole === undefined ? made : made.then((settled) => whole(settled, own))
  }
}

/** One conversion after the other. */
function join(first: Converter | undefined, second: Converter | undefined): Converter | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return (value, extra) => second(first(value, extra), extra)
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
