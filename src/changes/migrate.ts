import type { MigrateValue } from '../routes/history.ts'
import { after } from '../base/async.ts'
import type { Awaitable } from '../base/async.ts'
import { RequestExtra } from '../routes/migration-extra.ts'
import type { MigrationSite } from '../routes/migration-extra.ts'
import { isSchema } from '../schema/schema.ts'
import type { Schema } from '../schema/schema.ts'
import { describeValue, isRecord } from '../base/values.ts'
import type { HistoryParts } from './expand.ts'
import { withLoads } from './convert/loading.ts'
import type { Direction } from './convert/plan.ts'
import type { Extra } from './convert/converter.ts'

/** The number of changes that are newer than a version. @throws `RangeError` for a version that the history does not have. */
export function levelOf({ levels, versions }: HistoryParts, version: string): number {
  const level = levels.get(version)
  if (level !== undefined) return level
  throw new RangeError(`There is no version ${version}: there are ${versions.join(', ')}`)
}

/** Creates the function that converts values between versions. */
export function createMigrate(parts: HistoryParts): MigrateValue {
  const { isLoading, orderOf, planOf } = parts.plans
  const converterOf = (schema: Schema, version: string | undefined, direction: Direction): ValueConverter => {
    const level = version === undefined ? 0 : levelOf(parts, version)
    const plan = planOf(schema, level)
    if (plan === undefined) return (value) => value
    if (!isLoading(schema, level, direction)) return plan[direction]
    return (value, extra, site) =>
      // without a request or what is injected, the change says that it loads data
      site === undefined
        ? plan[direction](value, extra)
        : withLoads(extra, site, { direction, orderOf }, (own) => plan[direction](value, own))
  }
  return (schema, value, asked, extra, provide) => {
    // who writes no TypeScript may have given anything
    const versions: unknown = asked
    if (!isSchema(schema))
      throw new TypeError(`migrate: the schema is ${describeValue(schema)}; pass a model or another schema`)
    if (!isRecord(versions))
      throw new TypeError(`migrate: the versions are ${describeValue(versions)}; pass { from } or { to }`)
    const { from, to } = asked
    const toOlder = converterOf(schema, to, 'down')
    const site = provide === undefined ? RequestExtra.siteOf(extra) : { provide }
    return after(converterOf(schema, from, 'up')(value, extra, site), (newest) =>
      toOlder(newest, extra, site),
    )
  }
}

type ValueConverter = (
  value: unknown,
  extra: Extra,
  site: Partial<MigrationSite> | undefined,
) => Awaitable<unknown>
