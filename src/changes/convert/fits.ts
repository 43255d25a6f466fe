import { toZod, type OutputOf, type Schema } from '../../schema/schema.ts'

/**
 * Whether a value fits a schema, for a function that keeps such values and converts the others.
 *
 * @example
 * down: (now) => (fits(z.enum(['on', 'off']), now) ? now : 'off')
 */
export function fits<S extends Schema>(schema: S, value: unknown): value is OutputOf<S> {
  return toZod(schema).safeParse(value).success
}

/**
 * Returns a value as it is, for older clients that pass over values that they don't know.
 *
 * @example
 * fields: { status: { was: z.enum(['on', 'off']), down: asIs } }
 */
export function asIs(value: unknown): never {
  // the author of the change says that clients take it
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value as never
}

/** Whether a function returns values that the older schema may lack. */
export function isPassing(call: unknown): boolean {
  return call === asIs || (typeof call === 'function' && /\basIs\(/.test(String(call)))
}
