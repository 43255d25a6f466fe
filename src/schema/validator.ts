import type * as Zod from 'zod'
import type { z } from 'zod'

import { isPromise, type Awaitable } from '../base/values.ts'
import {
  defOf,
  loadedZod,
  wantZod,
  schemasOf,
  isOwnSchema,
  loaded,
  toZod,
  childrenOf,
  type Schema,
} from './schema.ts'

/** A problem that a schema found. */
export interface SchemaIssue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The result of validation: the value, or the issues. */
export type Validated =
  | { readonly value: unknown }
  | {
      readonly issues: readonly SchemaIssue[]
      /** How many there are, when these are the first. */
      readonly count?: number
    }

/** A hostile body can have an issue in every byte: this many are told. */
export const MAX_ISSUES = 200

/** A long list can have an issue in every member: the first ones say enough. */
const MAX_LOGGED = 10

/** The issues of a value in one line, for the log. */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  const shown = issues
    .slice(0, MAX_LOGGED)
    .map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    .join('; ')
  return issues.length > MAX_LOGGED ? `${shown}; and more` : shown
}

/**
 * Creates the function that validates with a schema. It is synchronous unless a refinement or transform returns a promise. Schemas without
 * them are compiled when they are first used. The others never run synchronously, because a promise that zod abandons would reject
 * unseen and end the process.
 */
export function createValidator(schema: Schema): SchemaValidator {
  wantZod()
  const made = validators.get(schema) ?? makeValidator(schema)
  validators.set(schema, made)
  return made
}

type SchemaValidator = (value: unknown) => Awaitable<Validated>

/** Schemas are used by many routes, in many versions. */
const validators = new WeakMap<Schema, SchemaValidator>()

function makeValidator(schema: Schema): SchemaValidator {
  let type: z.ZodType | undefined
  if (runsFunctions(schema)) {
    return (value) => {
      type ??= toZod(schema)
      try {
        return fromPayload(type._zod.run({ value, issues: [] }, EITHER))
      } catch (error) {
        return fromOverflow(error)
      }
    }
  }
  return (value) => {
    // while an application is created, nothing can be waited for
    if (loadedZod() === undefined && !isOwnSchema(schema)) return fromResult(toZod(schema).safeParse(value))
    type ??= toCompiled(toZod(schema))
    try {
      // a context of its own, for zod marks the one in which the compiled way failed
      return fromPayload(type._zod.run({ value, issues: [] }, { async: false }))
    } catch (error) {
      return fromOverflow(error)
    }
  }
}

const EITHER: z.core.ParseContextInternal = { async: true }

/** Whether code may be made from text, once zod is there: an application or a platform can forbid it. */
export function isCodeAllowed(): boolean {
  const zod = loadedZod()
  return zod !== undefined && zod.config().jitless !== true
}

/** The most schemas whose code zod writes into one function. It writes a schema again in each place that uses it. */
const MOST_COMPILED = 5_000

/**
 * Compiles a schema if zod can, which is 15 times as fast for valid values. If the application forbids zod to generate code, or if there
 * would be too much of it, the schema stays as it is.
 */
function toCompiled(type: z.ZodType): z.ZodType {
  // releases before 4.5 have no such function
  const { config, compile }: Partial<Pick<typeof Zod, 'compile'>> & Pick<typeof Zod, 'config'> = loaded()
  return compile === undefined || config().jitless === true || countSchemas(type, new Map()) > MOST_COMPILED
    ? type
    : compile(type)
}

/** How many schemas there are in a schema, each as often as it is used. */
function countSchemas(schema: Schema, known: Map<Schema, number>): number {
  const found = known.get(schema)
  if (found !== undefined) return found
  // what contains itself is written once
  known.set(schema, 1)
  const size = childrenOf(schema).reduce((sum, child) => sum + countSchemas(child.schema, known), 1)
  known.set(schema, size)
  return size
}

function fromPayload(payload: z.core.ParsePayload | PromiseLike<z.core.ParsePayload>): Awaitable<Validated> {
  if (isPromise(payload)) return payload.then(fromPayload, fromOverflow)
  const { value, issues } = payload
  if (issues.length === 0) return { value }
  const count = issues.length
  const first = issues.slice(0, MAX_ISSUES)
  const core = loadedZod()?.core
  if (core === undefined) return { issues: first.map(toUnsaid), count }
  return { issues: first.map((issue) => core.util.finalizeIssue(issue, EITHER, core.config())), count }
}

/** zod hands issues on as arguments of one call, and the stack does not hold some hundred thousand of them. */
function fromOverflow(error: unknown): Validated {
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack'))
    return { issues: [{ code: 'custom', path: [], message: 'Invalid input: more than can be told' }] }
  throw error
}

function fromResult(result: z.ZodSafeParseResult<unknown>): Validated {
  return result.success ? { value: result.data } : { issues: result.error.issues }
}

/** An issue without the words of the locale, which come with zod. */
function toUnsaid({ code, path = [], message = 'Invalid input' }: z.core.$ZodRawIssue): SchemaIssue {
  return { code, path, message }
}

/** The types of schema that run no function of the user's own, besides those of the schemas and checks in them. */
const PLAIN_TYPES = new Set(
  `string number int bigint boolean symbol undefined null any unknown never void date nan enum literal file template_literal
  object array set map record tuple union intersection optional nullable default prefault nonoptional readonly catch success
  pipe`.split(/\s+/),
)

/** The schemas that are known to hold no functions, for they are used by many others. */
let plain = new WeakSet<Schema>()

function runsFunctions(schema: Schema): boolean {
  const isFound = holdsFunctions(schema, plain)
  // those on the way to a function were noted before it was found
  if (isFound) plain = new WeakSet()
  return isFound
}

function holdsFunctions(schema: Schema, seen: WeakSet<Schema>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const def = defOf(schema)
  if (!PLAIN_TYPES.has(def.type) || typeof def['transform'] === 'function') return true
  // zod keeps the definition of a check where it keeps that of a schema
  const checks = schemasOf(def['checks']).map(defOf)
  if (checks.some(({ check }) => check === 'custom')) return true
  const children = [
    ...childrenOf(schema).map((child) => child.schema),
    // that of z.property()
    ...schemasOf(checks.map((check) => check['schema'])),
  ]
  return children.some((inner) => holdsFunctions(inner, seen))
}
