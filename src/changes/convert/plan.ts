import type { Schema } from '../../schema/schema.ts'
import type { Turn } from './turn.ts'

/** How the values of a schema travel between the newest version and an older one. */
export interface Plan {
  /** The schema of the older version, as documents show it. */
  wire: Schema
  /** The same, for requests: where the newest schema transforms, values are turned before that. */
  parse: Schema
  /** From the older version to the newest. */
  up: Turn | undefined
  /** From the newest version to the older one. */
  down: Turn | undefined
  /** Of an object, the older names of fields by their newest ones. */
  names?: ReadonlyMap<string, string>
}

/** The plan of a schema in the version that is being planned; `undefined` if it is the same there. */
export type PlanOf = (schema: Schema) => Plan | undefined

/** Turns by a plan that may be complete only later, for a schema may hold itself. */
export function lateTurn(plan: Plan, side: 'up' | 'down'): Turn {
  return (value, extra) => {
    const turn = plan[side]
    return turn === undefined ? value : turn(value, extra)
  }
}
