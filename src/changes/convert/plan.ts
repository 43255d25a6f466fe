import type { Schema } from '../../schema/schema.ts'
import type { Turn, TurnExtra } from './turn.ts'

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
  /** Of an object, the older names of fields by their newest ones. */
  names?: ReadonlyMap<string, string>
}

/** The conversions of a plan. */
export type Side = 'up' | 'down' | 'slowUp' | 'slowDown'

/** The plan of a schema in the version that is being planned, or `undefined` if it is the same there. */
export type PlanOf = (schema: Schema) => Plan | undefined

/** Creates the four conversions of a plan. */
export function turnsOf(make: (side: Side) => Turn): Pick<Plan, Side> {
  return { up: make('up'), down: make('down'), slowUp: make('slowUp'), slowDown: make('slowDown') }
}

/** Converts a value with a plan. @throws `MigrationError`, `RefusedError` */
export function convert(plan: Plan, side: 'up' | 'down', value: unknown, extra: TurnExtra): unknown {
  try {
    return plan[side](value, extra)
  } catch {
    return plan[side === 'up' ? 'slowUp' : 'slowDown'](value, extra)
  }
}
