import { HISTORY_CODE, type HistoryCode, type ResolvedRoute } from '../routes/resolved-route.ts'
import type { Schema } from '../schema/schema.ts'
import type { AnyChange } from './chain.ts'
import type { HistoryParts } from './expand.ts'

/** The internal part of a history, for `octavo/testing` and the command line. */
export interface HistoryInternals extends HistoryCode {
  readonly parts: HistoryParts
  readonly make: (changes: readonly AnyChange[]) => HistoryParts
  /** Where a history or a change is defined, as file and line. */
  readonly placeOf: (definition: object) => string | undefined
  /** The changes that changelogs tell of, with the models and routes that they reach. `format` is the schema of the error format. */
  readonly concerns: (
    routes: readonly ResolvedRoute[],
    format: Schema | undefined,
  ) => readonly ChangeConcern[]
}

/** A change of a version, with what it is about. */
export interface ChangeConcern {
  /** The first version that has it. */
  readonly version: string
  readonly id: string
  readonly title: string
  readonly description: string
  /** The names of the models that it reshapes. */
  readonly models: readonly string[]
  /** The ids that documents have for operations of the routes that it reaches. */
  readonly operationIds: readonly string[]
  /** The names of the fields, parameters, headers and errors that it describes, older ones included. */
  readonly names: readonly string[]
  /** Where operations in documents differ by what it describes as a whole, such as `requestBody`. The operation itself is an empty text. */
  readonly places: readonly string[]
}

/** Adds its internals to a history, where no loop and no log shows them. */
export function withHistoryInternals<H extends object>(history: H, internals: HistoryInternals): H {
  return Object.defineProperty(history, HISTORY_CODE, { value: internals })
}

/** Returns the internals of a history, or `undefined` for any other value. */
export function findHistoryInternals(history: unknown): HistoryInternals | undefined {
  if (typeof history !== 'object' || history === null) return undefined
  // a symbol that only Octavo writes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Reflect.get(history, HISTORY_CODE) as HistoryInternals | undefined
}
