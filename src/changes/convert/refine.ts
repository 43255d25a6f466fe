import { ignoreRejection, isPromise } from '../../base/values.ts'
import { defOf, schemasOf, type Schema } from '../../schema/schema.ts'
import { createValidator } from '../../schema/validator.ts'
import { cloneSchema, zod } from '../zod.ts'
import { MigrationError, RefusedError, type Converter, type Plan } from './converter.ts'

/**
 * Runs the functions of a schema that is no object, such as those of `refine` and `overwrite`, on values of the age of the schema, if that is
 * where the plan leads to.
 */
export function withRefine(schema: Schema, plan: Plan, isOwnAge: boolean): Plan {
  const { sizes, functions } = splitChecks(schema)
  const refine = createRefine(functions)
  if (refine === undefined) return plan
  const without = (form: Schema): Schema => cloneSchema(form, { checks: sizes })
  return {
    get wire() {
      return without(plan.wire)
    },
    get parse() {
      return without(plan.parse)
    },
    down: plan.down,
    up: (value, extra) => {
      if (!isOwnAge) return plan.up(value, extra)
      const count = extra.loading?.count
      const made = plan.up(value, extra)
      // models in it may wait for data
      return extra.loading?.count === count ? refine(made) : made
    },
  }
}

const FUNCTIONS: ReadonlySet<unknown> = new Set(['custom', 'overwrite', 'property'])

/** The checks of a schema that older versions have too, and those that get values of the newest one: from its first function on. */
export function splitChecks(schema: Schema): {
  readonly sizes: readonly Schema[]
  readonly functions: readonly Schema[]
} {
  const checks = schemasOf(defOf(schema)['checks'])
  const first = checks.findIndex((check) => FUNCTIONS.has(defOf(check)['check']))
  const end = first === -1 ? checks.length : first
  return { sizes: checks.slice(0, end), functions: checks.slice(end) }
}

/**
 * Creates the function that runs checks of a newest schema on what was made. What they refuse is the whole value, for the client does not
 * know the newest names.
 */
export function createRefine(checks: readonly unknown[]): ((value: unknown) => unknown) | undefined {
  if (checks.length === 0) return undefined
  const validate = createValidator(cloneSchema(zod.unknown(), { checks }))
  return (value) => {
    const outcome = validate(value)
    if (isPromise(outcome)) {
      ignoreRejection(outcome)
      throw new MigrationError(undefined, 'A refinement of a model takes time', { fields: [] })
    }
    if ('issues' in outcome)
      throw new RefusedError(outcome.issues.map(({ code, message }) => ({ code, message, path: [] })))
    return outcome.value
  }
}

/** Creates the transform that converts a value while it is parsed. What is refused is an issue of that value. */
export function convertWithin(up: Converter): Parameters<typeof zod.transform>[0] {
  return (value, context) => {
    try {
      return up(value, {})
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      for (const issue of error.issues)
        // zod hands on codes that are none of its own
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        context.issues.push({ ...issue, path: [...error.path, ...issue.path], input: value } as never)
      return zod.NEVER
    }
  }
}
