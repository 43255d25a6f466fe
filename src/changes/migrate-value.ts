import { checkOptionNames, DefinitionError } from '../base/definition-error.ts'
import {
  andThen,
  describeValue,
  ignoreRejection,
  isPromise,
  isRecord,
  type Awaitable,
} from '../base/values.ts'
import { ValidationError } from '../http/errors.ts'
import type { LayerExtra, MigrateValue } from '../routes/resolved-route.ts'
import { BODY_READERS, withJsonReaders } from '../schema/coercion.ts'
import { inputIssues, invalidInput } from '../schema/invalid-input.ts'
import { isSchema, type Schema } from '../schema/schema.ts'
import { createValidator, type Validated } from '../schema/validator.ts'
import { createStuckIn, positionProblems } from './check-used.ts'
import { createToNewest, createToOlder, planOfBody, type ConvertBody } from './operations/body-layer.ts'
import { isSameSchema } from './convert/compare.ts'
import { MigrationError, RefusedError, ValueExtra, type Direction } from './convert/converter.ts'
import { ageOf, operationsOf, type HistoryParts } from './expand.ts'
import { appliedAt } from './older-route.ts'
import { bodiesOf, bodyBefore, bodyChanges, isRequest, type BodyChange } from './operations/bodies.ts'
import { isAbout } from './operations/operation.ts'

/** The functions of a history for values outside of routes. */
interface ValueFunctions {
  readonly migrate: MigrateValue
  /** Returns the schema by which requests of a version are read. */
  readonly schema: (schema: Schema, asked: AskedSchema) => Schema
  /** Validates a value of a version as the body of a request, and converts it into one of the newest models. */
  readonly parse: (schema: Schema, value: unknown, asked: AskedValue, extra: LayerExtra) => Awaitable<unknown>
}

interface AskedSchema {
  readonly version: string
  readonly route?: string | undefined
}

interface AskedValue {
  readonly from?: string | undefined
  readonly route?: string | undefined
}

/** Creates the functions that read and convert values between versions. */
export function createValueFunctions(parts: HistoryParts): ValueFunctions {
  const { plans } = parts
  const check = createCheck(parts)
  const bodyOf = createBodyOf(parts)
  return {
    migrate: (schema, value, asked, extra) => {
      check('migrate', schema, asked, MIGRATED)
      const { from, to, route } = asked
      const older = to === undefined ? 0 : ageOf(parts, to)
      const { toOlder } = createToOlder(schema, bodiesIn(schema, route, older, 'down', parts), older, plans)
      const { toNewest } = bodyOf(schema, route, from)
      const own = new ValueExtra(extra)
      return andThen(toNewest === undefined ? value : toNewest(value, own, extra), (newest) =>
        toOlder === undefined ? newest : toOlder(newest, own, extra),
      )
    },
    schema: (schema, asked) => {
      check('schema', schema, asked, VERSIONED)
      return bodyOf(schema, asked.route, asked.version).schema
    },
    parse: (schema, value, asked, extra) => {
      check('parse', schema, asked, PARSED)
      const body = bodyOf(schema, asked.route, asked.from)
      const outcome = body.validate(value)
      if (!isPromise(outcome) || extra.provide !== undefined)
        return andThen(outcome, (settled) => toNewestBody(body, settled, extra))
      ignoreRejection(outcome)
      throw new MigrationError(undefined, 'A check of the schema takes time: pass `inject`', {
        fields: [],
      })
    },
  }
}

const MIGRATED: ReadonlySet<string> = new Set(['from', 'to', 'route', 'inject', 'state'])
const PARSED: ReadonlySet<string> = new Set(['from', 'route', 'inject', 'state'])
const VERSIONED: ReadonlySet<string> = new Set(['version', 'route'])

/** A body of requests of a version. */
interface OlderBody {
  readonly schema: Schema
  readonly validate: ReturnType<typeof createValidator>
  readonly toNewest: ConvertBody | undefined
}

/** Creates the function that finds a body, each made once. */
function createBodyOf(
  parts: HistoryParts,
): (schema: Schema, route: string | undefined, version: string | undefined) => OlderBody {
  const { plans } = parts
  const found = new WeakMap<Schema, Map<string, OlderBody>>()
  return (newest, route, version) => {
    const ofSchema = found.get(newest) ?? new Map<string, OlderBody>()
    found.set(newest, ofSchema)
    const key = JSON.stringify([route, version])
    const known = ofSchema.get(key)
    if (known !== undefined) return known
    const age = version === undefined ? 0 : ageOf(parts, version)
    const bodies = bodiesIn(newest, route, age, 'up', parts)
    const before = bodyBefore(newest, bodies) ?? newest
    const schema = planOfBody(before, bodies, age, plans)?.parse ?? before
    const validate = createValidator(withJsonReaders(schema, BODY_READERS))
    const body = { schema, validate, toNewest: createToNewest(newest, bodies, age, plans) }
    ofSchema.set(key, body)
    return body
  }
}

/** @throws `ValidationError` for what the version or the newest one refuses */
function toNewestBody({ toNewest }: OlderBody, outcome: Validated, extra: LayerExtra): Awaitable<unknown> {
  if ('issues' in outcome) throw invalidInput(inputIssues('body', outcome.issues), outcome.count)
  if (toNewest === undefined) return outcome.value
  try {
    const made = toNewest(outcome.value, new ValueExtra(extra), extra)
    return isPromise(made) ? made.then(undefined, refuse) : made
  } catch (error) {
    return refuse(error)
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof RefusedError)) throw error
  const issues = error.issues.map((issue) => ({ ...issue, path: [...error.path, ...issue.path] }))
  throw new ValidationError(inputIssues('body', issues))
}

type CheckAsked = (name: string, schema: unknown, asked: unknown, options: ReadonlySet<string>) => void

/** Creates the check of arguments: who writes no TypeScript may have given anything. */
function createCheck({ plans, problems: known }: HistoryParts): CheckAsked {
  const stuckIn = createStuckIn(plans)
  /** Schemas whose values can be converted, each found once. */
  const convertible = new Set<Schema>()
  return (name, schema, asked, options) => {
    if (!isSchema(schema))
      throw new TypeError(`${name}: the schema is ${describeValue(schema)}; pass a model or another schema`)
    if (!isRecord(asked)) {
      const some = [...options].slice(0, options === MIGRATED ? 2 : 1).map((option) => `{ ${option} }`)
      throw new TypeError(`${name}: the versions are ${describeValue(asked)}; pass ${some.join(' or ')}`)
    }
    checkOptionNames(name, asked, options)
    if (convertible.has(schema)) return
    const problems = [
      // without them, changes would be left out
      ...known,
      ...positionProblems(
        [{ position: 'the schema', schema, isSent: true }],
        { label: name, definitions: [] },
        stuckIn,
      ),
    ]
    if (problems.length > 0) throw new DefinitionError(problems)
    convertible.add(schema)
  }
}

/**
 * The changes of the whole body that has a schema in the newest version: of a request on the way up, of a response on the way down. None
 * without the name of a route.
 */
function bodiesIn(
  schema: Schema,
  route: string | undefined,
  age: number,
  direction: Direction,
  { changes }: HistoryParts,
): readonly BodyChange[] {
  if (route === undefined) return []
  const operations = operationsOf(changes).filter(({ operation }) => isAbout(operation, route))
  const applied = appliedAt({ operations }, age)
  const keys = new Set(applied.flatMap((operation) => [...bodiesOf(operation).keys()]))
  const found = [...keys]
    .filter((key) => isRequest(key) === (direction === 'up'))
    .map((key) => bodyChanges(key, applied))
  return found.find(([newest]) => newest !== undefined && isSameSchema(newest.now, schema)) ?? []
}
