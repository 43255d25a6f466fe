import type { z } from 'zod'

import {
  errorAt,
  recordLocation,
  definitionLocation as definedAt,
  type DefinitionProblem,
} from '../base/definition-error.ts'
import type { ChangeUse, LayerExtra } from '../routes/resolved-route.ts'
import { isRecord, isString, toRecord } from '../base/values.ts'
import type { OutputOf, Schema } from '../schema/schema.ts'
import { basesOf, type AnyChange } from './chain.ts'
import { historyProblems, type SpelledVersion } from './check-history.ts'
import type { VersionChange } from './change.ts'
import { createExpand, toAges, versionIndexOf, ageOf, type HistoryParts } from './expand.ts'
import { toConcerns } from './check/concerns.ts'
import { createValueFunctions } from './migrate-value.ts'
import { withHistoryInternals } from './internals.ts'
import { webhookNameProblems } from './operations/webhook-names.ts'
import type { AnyModel } from './model.ts'
import { createErrorsBefore } from './operations/errors-before.ts'
import { createPlans } from './convert/plans.ts'
import type { AnswerOf, InAt, MigratedAt, RequestOf, StateOf, ValueAt } from './state.ts'

/** The names of versions. */
export type VersionNames<Vs extends readonly (string | SpelledVersion)[]> = Vs extends readonly string[]
  ? Vs
  : { readonly [K in keyof Vs]: Vs[K] extends SpelledVersion<infer V> ? V : Extract<Vs[K], string> }

/** Every version but the oldest: nothing is before it. */
type Allowed<Vs> = Vs extends readonly [...infer Newer extends string[], string]
  ? Newer[number] | 'next'
  : never

/** The options of `defineVersions`. */
export interface VersionsOptions<Vs extends readonly (string | SpelledVersion)[], Ms, C> {
  /** All versions, newest first. One that has other texts, too, is `{ version, also }`. */
  readonly versions: Vs
  /** The models that changes reshape, by any name. */
  readonly models: Ms
  /** All changes, in any order. */
  readonly changes: C
  /** The version that changes of the version `'next'` get, to try them out. Without it, requests see the state before them. */
  readonly next?: string | undefined
  /** Schemas that no route declares, which `migrate` converts. @default [] */
  readonly messages?: readonly Schema[]
}

/** The versions of an API, and the changes between them. */
export interface History<Vs extends readonly string[] = readonly string[], Ms = unknown, C = unknown> {
  /** All versions, newest first. */
  readonly versions: Vs
  /** Other texts that stand for versions. */
  readonly spellings: ReadonlyMap<string, string>
  /** All changes. */
  readonly changes: C
  /** The models. */
  readonly models: Ms
  /**
   * Whether a version has a change.
   *
   * @example
   * history.isSince(splitName, '2026-06-01') // → true
   *
   * @throws `DefinitionError` for a version that the history does not have, `RangeError` for a change.
   */
  isSince(change: Pick<VersionChange, 'id'>, version: Vs[number]): boolean
  /**
   * Converts a valid value of one version into that of another, for webhooks and stored messages. It is not validated. Without `from` it is a
   * value of the newest models, without `to` it becomes one. If you pass `inject`, because changes load data, it returns a promise.
   *
   * @example
   * history.migrate(User, user, { to: '2026-01-01' })
   *
   * @throws `DefinitionError` for a version that the history does not have and for a schema that cannot be converted, and what a change
   * throws.
   */
  migrate<
    S extends Schema,
    From extends Vs[number] | undefined = undefined,
    To extends Vs[number] | undefined = undefined,
    R extends string = never,
    I extends Readonly<Record<string, unknown>> | undefined = undefined,
  >(
    schema: S,
    value: ValueAt<RequestOf<S, R, Vs, C, From>, Vs, C, From>,
    versions: {
      readonly from?: From
      readonly to?: To
      /** The name of a route, if the value is a whole body of it. */
      readonly route?: R
      /** The values that changes inject, by their keys. */
      readonly inject?: I
      /** The `state` that functions of changes read. */
      readonly state?: Record<string, unknown>
    },
  ): I extends undefined
    ? MigratedAt<AnswerOf<S, R, Vs, C, To>, Vs, C, To>
    : Promise<MigratedAt<AnswerOf<S, R, Vs, C, To>, Vs, C, To>>
  /**
   * Returns the zod schema by which requests of a version are read.
   *
   * @example
   * history.schema(User, { version: '1' }).safeParse(value)
   *
   * @throws `DefinitionError` for a version that the history does not have and for a schema that cannot be converted.
   */
  schema<S extends Schema, V extends Vs[number], R extends string = never>(
    schema: S,
    asked: {
      readonly version: V
      /** The name of a route, if the schema is the whole body of its requests. */
      readonly route?: R
    },
  ): z.ZodType<
    MigratedAt<RequestOf<S, R, Vs, C, V>, Vs, C, V>,
    InAt<RequestOf<S, R, Vs, C, V>, StateOf<{ readonly versions: Vs; readonly changes: C }, V>>
  >
  /**
   * Validates a value of a version as the body of a request, and converts it into one of the newest models. If you pass `inject`, it returns a
   * promise.
   *
   * @example
   * history.parse(User, message, { from: '2026-01-01' })
   *
   * @throws `ValidationError` that a client of the version would get, `DefinitionError` as `migrate` does, and what a change throws.
   */
  parse<S extends Schema, I extends Readonly<Record<string, unknown>> | undefined = undefined>(
    schema: S,
    value: unknown,
    versions: {
      readonly from?: Vs[number] | undefined
      /** The name of a route, if the value is a whole body of it. */
      readonly route?: string
      /** The values that changes inject, by their keys. */
      readonly inject?: I
      /** The `state` that functions of changes read. */
      readonly state?: Record<string, unknown>
    },
  ): I extends undefined ? OutputOf<S> : Promise<OutputOf<S>>
}

/**
 * Puts versions, models and changes together. The result is the option `history` of `versioning`.
 *
 * @example
 * const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [splitName] })
 *
 * @throws `DefinitionError` for versions and changes that do not fit together.
 */
export function defineVersions<
  const Vs extends readonly (string | SpelledVersion)[],
  const Ms extends Readonly<Record<string, AnyModel>>,
  const C extends readonly VersionChange<Allowed<VersionNames<Vs>>>[],
>(options: VersionsOptions<Vs, Ms, C>): History<VersionNames<Vs>, Ms, C> {
  const mistakes = historyProblems(options)
  if (mistakes.length > 0) throw errorAt(mistakes, defineVersions)
  const { models, changes, messages = [], next } = options
  const listed: readonly (string | SpelledVersion)[] = options.versions
  const released = listed.map((each) => (isString(each) ? each : each.version))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- types know what is released
  const versions = (next === undefined
    ? released
    : [next, ...released]) as readonly string[] as VersionNames<Vs>
  const spellings = new Map(
    listed.flatMap((each) => (isString(each) ? [] : each.also.map((text) => [text, each.version] as const))),
  )
  const given = { versions, spellings, next, messages }
  const parts = toParts(changes, given)
  const functions = createValueFunctions(parts)
  const { migrate } = functions
  const history: History<VersionNames<Vs>, Ms, C> = {
    versions,
    spellings,
    models,
    changes,
    isSince: (change, version) => {
      const order = parts.changes.findIndex((each) => each === change)
      if (order === -1) throw new RangeError('The change is not in the history')
      return order >= ageOf(parts, version)
    },
    migrate: (schema: Schema, value: unknown, asked: AskedVersions) =>
      settled(asked, (extra) => migrate(schema, value, asked, extra)),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- plans make what the types say
    schema: (schema: Schema, asked) => functions.schema(schema, asked) as never,
    parse: (schema: Schema, value: unknown, asked: AskedVersions) =>
      settled(asked, (extra) => functions.parse(schema, value, asked, extra)),
  }
  const make = (some: readonly AnyChange[]): HistoryParts => toParts(some, given)
  return recordLocation(
    withHistoryInternals(history, {
      expand: createExpand(parts),
      migrate,
      errorsBefore: createErrorsBefore(parts),
      uses: usesOf(parts.changes),
      webhookProblems: (known) => webhookNameProblems(parts.changes, known),
      parts,
      make,
      placeOf: (definition) => definedAt([definition]),
      concerns: (routes, format) => toConcerns(parts, routes, format),
    }),
    defineVersions,
  )
}

interface AskedVersions {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly route?: string | undefined
}

/** Converts a value with what was passed in place of a request. */
function settled(asked: AskedVersions, convert: (extra: LayerExtra) => unknown): never {
  const { inject, state } = toRecord(asked)
  const own = { state: isRecord(state) ? state : undefined }
  const made =
    inject === undefined
      ? convert(own)
      : Promise.resolve(convert({ ...own, provide: async () => toRecord(inject) }))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- plans make what the types say
  return made as never
}

function usesOf(changes: readonly AnyChange[]): readonly ChangeUse[] {
  return changes.flatMap((change) =>
    change.change.flatMap((part) =>
      Object.entries(toRecord(toRecord(part)['inject'])).map(([key, token]): ChangeUse => ({
        where: `change "${change.id}"`,
        part: change,
        key,
        token,
      })),
    ),
  )
}

function toParts(
  unsorted: readonly AnyChange[],
  given: Pick<HistoryParts, 'versions' | 'spellings' | 'next' | 'messages'>,
): HistoryParts {
  const changes = newestFirst(unsorted, given)
  const problems: DefinitionProblem[] = []
  const ages = toAges({ ...given, changes })
  const indices = changes.map((change) => versionIndexOf(change, given))
  const timeOf = (order: number): number => indices.indexOf(indices[order] ?? 0)
  const plans = createPlans(changes, timeOf, problems)
  return { ...given, changes, ages, problems, plans }
}

/** The changes, newest first. In one version, a change comes behind those that `before` names in it. */
function newestFirst(
  unsorted: readonly AnyChange[],
  given: Pick<HistoryParts, 'versions' | 'next'>,
): readonly AnyChange[] {
  const indices = new Map<unknown, number>(unsorted.map((change) => [change, versionIndexOf(change, given)]))
  const sorted = new Set<AnyChange>()
  const seen = new Set<AnyChange>()
  const add = (change: AnyChange): void => {
    if (seen.has(change)) return
    seen.add(change)
    const bases = new Set(change.change.flatMap(basesOf))
    if (bases.size > 0)
      for (const base of unsorted) if (bases.has(base) && indices.get(base) === indices.get(change)) add(base)
    sorted.add(change)
  }
  for (const change of unsorted.toSorted((a, b) => (indices.get(a) ?? 0) - (indices.get(b) ?? 0))) add(change)
  return [...sorted]
}
