import type { Schema } from '../../schema/schema.ts'
import type { Extra, Turn } from './turn.ts'

/** How the values of a schema travel between the newest version and an older one. */
export interface Plan {
  /** The schema of the older version, as documents show it. */
  wire: Schema
  /** The same, for requests: where the newest schema transforms, values are turned before that. */
  parse: Schema
  /** From the older version to the newest. Its errors may say nothing. */
  up: Turn
  /** From the newest version to the older one. Its errors may say nothing. */
  down: Turn
  /** The same step by step: its errors say what is wrong, and where. */
  slowUp: Turn
  /** The same step by step. */
  slowDown: Turn
  /** As `up`, and tells which changes alter something. Made for the first value that is tracked. */
  trackedUp: Turn
  /** As `down`, and tells which changes alter something. */
  trackedDown: Turn
  /** Of an object, the older names of fields by their newest ones. */
  names?: ReadonlyMap<string, string>
}

/** The conversions of a plan. */
export type Side = 'up' | 'down' | 'slowUp' | 'slowDown' | 'trackedUp' | 'trackedDown'

/** The plan of a schema in the version that is being planned, or `undefined` if it is the same there. */
export type PlanOf = (schema: Schema) => Plan | undefined

/** Creates the conversions of a plan. */
export function turnsOf(make: (side: Side) => Turn): Pick<Plan, Side> {
  return {
    up: make('up'),
    down: make('down'),
    slowUp: make('slowUp'),
    slowDown: make('slowDown'),
    trackedUp: make('trackedUp'),
    trackedDown: make('trackedDown'),
  }
}

/** Whether a conversion leads to the newest version. */
export function isUp(side: Side): boolean {
  return side === 'up' || side === 'slowUp' || side === 'trackedUp'
}

/** Converts a value with a plan. @throws `MigrationError`, `RefusedError` */
export function convert(plan: Plan, side: 'up' | 'down', value: unknown, extra: Extra): unknown {
  try {
    if (extra.altered === undefined) return plan[side](value, extra)
    return plan[side === 'up' ? 'trackedUp' : 'trackedDown'](value, extra)
  } catch {
    return plan[side === 'up' ? 'slowUp' : 'slowDown'](value, extra)
  }
}
