import type { MigrateValue } from '../routes/history.ts'
import { isSchema } from '../schema/schema.ts'
import { describeValue, isRecord } from '../base/values.ts'
import type { HistoryParts } from './expand.ts'

/** The number of changes that are newer than a version. @throws `RangeError` for a version that the history does not have. */
export function levelOf({ levels, versions }: HistoryParts, version: string): number {
  const level = levels.get(version)
  if (level !== undefined) return level
  throw new RangeError(`There is no version ${version}: there are ${versions.join(', ')}`)
}

/** Creates the function that turns values between versions. */
export function createMigrate(parts: HistoryParts): MigrateValue {
  const planOf = (
    schema: Parameters<MigrateValue>[0],
    version: string | undefined,
  ): ReturnType<HistoryParts['plans']['planOf']> =>
    version === undefined ? undefined : parts.plans.planOf(schema, levelOf(parts, version))
  return (schema, value, asked, extra) => {
    // who writes no TypeScript may have given anything
    const versions: unknown = asked
    if (!isSchema(schema))
      throw new TypeError(`migrate: the schema is ${describeValue(schema)}; pass a model or another schema`)
    if (!isRecord(versions))
      throw new TypeError(`migrate: the versions are ${describeValue(versions)}; pass { from } or { to }`)
    const { from, to } = asked
    const older = planOf(schema, from)
    const newest = older === undefined ? value : older.up(value, extra)
    const plan = planOf(schema, to)
    return plan === undefined ? newest : plan.down(newest, extra)
  }
}
