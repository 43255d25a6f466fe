import { RequestExtra, type MigrateValue, type MigrationSite } from '../routes/resolved-route.ts'
import { after, describeValue, isRecord, type Awaitable } from '../base/values.ts'
import { isSchema, type Schema } from '../schema/schema.ts'
import { operationsOf, type HistoryParts } from './expand.ts'
import { appliedAt } from './older-route.ts'
import {
  bodiesOf,
  bodyBefore,
  bodyChanges,
  createBodyDown,
  createBodyUp,
  isRequest,
  type BodyChange,
} from './operations/bodies.ts'
import { isAbout, type AppliedOperation } from './operations/operation.ts'
import { isSameBody } from './convert/compare.ts'
import { withLoads } from './convert/loading.ts'
import type { Direction, Extra } from './convert/converter.ts'

/** The number of changes that are newer than a version. @throws `RangeError` for a version that the history does not have. */
export function levelOf({ levels, versions }: HistoryParts, version: string): number {
  const level = levels.get(version)
  if (level !== undefined) return level
  throw new RangeError(`There is no version ${version}: there are ${versions.join(', ')}`)
}

/** Creates the function that converts values between versions. */
export function createMigrate(parts: HistoryParts): MigrateValue {
  const { isLoading, orderOf, planOf } = parts.plans
  const modelsOf = (schema: Schema, level: number, direction: Direction): ValueConverter => {
    const plan = planOf(schema, level)
    if (plan === undefined) return (value) => value
    if (!isLoading(schema, level, direction)) return plan[direction]
    return (value, extra, site) =>
      // without a request or what is injected, the change says that it loads data
      site === undefined
        ? plan[direction](value, extra)
        : withLoads(extra, site, { direction, orderOf }, (own) => plan[direction](value, own))
  }
  const converterOf = (newest: Schema, { version, route }: Asked, direction: Direction): ValueConverter => {
    const level = version === undefined ? 0 : levelOf(parts, version)
    const bodies = route === undefined ? [] : bodiesIn(newest, appliedTo(route, level, parts), direction)
    const models = modelsOf(bodyBefore(newest, bodies) ?? newest, level, direction)
    if (bodies.length === 0) return models
    if (direction === 'down') {
      const whole = createBodyDown(bodies)
      return (value, extra, site) => models(whole(value, extra), extra, site)
    }
    const whole = createBodyUp(bodies)
    return (value, extra, site) => after(models(value, extra, site), (made) => whole(made, extra))
  }
  return (schema, value, asked, extra, provide) => {
    // who writes no TypeScript may have given anything
    const versions: unknown = asked
    if (!isSchema(schema))
      throw new TypeError(`migrate: the schema is ${describeValue(schema)}; pass a model or another schema`)
    if (!isRecord(versions))
      throw new TypeError(`migrate: the versions are ${describeValue(versions)}; pass { from } or { to }`)
    const { from, to, route } = asked
    const toOlder = converterOf(schema, { version: to, route }, 'down')
    const site = provide === undefined ? RequestExtra.siteOf(extra) : { provide }
    return after(converterOf(schema, { version: from, route }, 'up')(value, extra, site), (newest) =>
      toOlder(newest, extra, site),
    )
  }
}

/** A version, and the route whose whole bodies are converted. */
interface Asked {
  readonly version: string | undefined
  readonly route: string | undefined
}

/** The operations of a route that a version with a level lacks, newest first. */
function appliedTo(route: string, level: number, { changes }: HistoryParts): readonly AppliedOperation[] {
  const operations = operationsOf(changes).filter(({ operation }) => isAbout(operation, route))
  return appliedAt({ operations }, level, { changes })
}

/** The changes of the whole body that has a schema in the newest version: of a request on the way up, of a response on the way down. */
function bodiesIn(
  schema: Schema,
  applied: readonly AppliedOperation[],
  direction: Direction,
): readonly BodyChange[] {
  const keys = new Set(applied.flatMap((operation) => [...bodiesOf(operation).keys()]))
  const found = [...keys]
    .filter((key) => isRequest(key) === (direction === 'up'))
    .map((key) => bodyChanges(key, applied))
  return found.find(([newest]) => newest !== undefined && isSameBody(newest.now, schema)) ?? []
}

type ValueConverter = (
  value: unknown,
  extra: Extra,
  site: Partial<MigrationSite> | undefined,
) => Awaitable<unknown>
