import { checkOptionNames, DefinitionError } from '../base/definition-error.ts'
import { andThen, describeValue, isRecord } from '../base/values.ts'
import type { MigrateValue } from '../routes/resolved-route.ts'
import { isSchema, type Schema } from '../schema/schema.ts'
import { createStuckIn, positionProblems } from './check-used.ts'
import { createToNewest, createToOlder } from './operations/body-layer.ts'
import { isSameSchema } from './convert/compare.ts'
import { ValueExtra, type Direction } from './convert/converter.ts'
import { ageOf, operationsOf, type HistoryParts } from './expand.ts'
import { appliedAt } from './older-route.ts'
import { bodiesOf, bodyChanges, isRequest, type BodyChange } from './operations/bodies.ts'
import { isAbout } from './operations/operation.ts'

/** Creates the function that converts values between versions. */
export function createMigrate(parts: HistoryParts): MigrateValue {
  const { plans } = parts
  const stuckIn = createStuckIn(plans)
  /** Schemas whose values can be converted, each found once. */
  const convertible = new Set<Schema>()
  return (schema, value, asked, extra) => {
    // who writes no TypeScript may have given anything
    const versions: unknown = asked
    if (!isSchema(schema))
      throw new TypeError(`migrate: the schema is ${describeValue(schema)}; pass a model or another schema`)
    if (!isRecord(versions))
      throw new TypeError(`migrate: the versions are ${describeValue(versions)}; pass { from } or { to }`)
    checkOptionNames('migrate', versions, ASKED)
    if (!convertible.has(schema)) {
      const problems = positionProblems(
        [{ position: 'the schema', schema, isSent: true }],
        { label: 'migrate', definitions: [] },
        stuckIn,
      )
      if (problems.length > 0) throw new DefinitionError(problems)
      convertible.add(schema)
    }
    const { from, to, route } = asked
    const older = to === undefined ? 0 : ageOf(parts, to)
    const newer = from === undefined ? 0 : ageOf(parts, from)
    const { toOlder } = createToOlder(schema, bodiesIn(schema, route, older, 'down', parts), older, plans)
    const toNewest = createToNewest(schema, bodiesIn(schema, route, newer, 'up', parts), newer, plans)
    const own = new ValueExtra(extra)
    return andThen(toNewest === undefined ? value : toNewest(value, own, extra), (newest) =>
      toOlder === undefined ? newest : toOlder(newest, own, extra),
    )
  }
}

const ASKED: ReadonlySet<string> = new Set(['from', 'to', 'route', 'inject'])

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
