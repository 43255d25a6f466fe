import type { Schema } from '../../schema/schema.ts'
import type { Converter } from './converter.ts'

/** How the values of a schema travel between the newest version and an older one. */
export interface Plan {
  /** The schema of the older version, as documents show it. */
  wire: Schema
  /** The same, for requests: where the newest schema transforms, values are converted before that. */
  parse: Schema
  /** From the older version to the newest. */
  up: Converter
  /** From the newest version to the older one. */
  down: Converter
  /** Of an object, the older names of fields by their newest ones. */
  names?: ReadonlyMap<string, string>
}

/** The conversions of a plan. */
export type Direction = 'up' | 'down'

/** The plan of a schema in the version that is being planned, or `undefined` if it is the same there. */
export type PlanOf = (schema: Schema) => Plan | undefined

/** Creates the conversions of a plan. */
export function createConverters(make: (direction: Direction) => Converter): Pick<Plan, Direction> {
  return { up: make('up'), down: make('down') }
}
