import { isRecord, toRecord } from '../../base/values.ts'
import type { OlderProblem } from '../../routes/resolved-route.ts'
import { RANGES, defOf, schemasOf, toZod, type ResponseKey, type Schema } from '../../schema/schema.ts'
import { shapeOf } from '../chain.ts'
import { cloneNameless } from '../convert/clone.ts'
import { callBlamed, threwIn, type ChangeExtra, type Extra, type Identified } from '../convert/converter.ts'
import { toldOf } from '../convert/program.ts'
import { zod } from '../zod.ts'
import { precision, type AppliedOperation, type ErrorWas } from './operation.ts'

/** An error before operations changed it. */
interface ErrorBefore {
  readonly code: string
  /** `undefined` if it has the status that it is answered with. */
  readonly status: number | undefined
  /** The functions of changes, newest first. */
  readonly downs: readonly (Identified & { readonly down: ErrorWas['down'] })[]
}

/** Errors before operations changed them, by their newest codes. */
export type ErrorsBefore = ReadonlyMap<string, ErrorBefore>

/** The errors that operations say something of, by their newest codes; what the oldest operation says counts. `applied` are newest first. */
export function errorsBefore(applied: readonly AppliedOperation[]): ErrorsBefore {
  const errors = new Map<string, ErrorBefore>()
  for (const operation of applied)
    for (const [key, { was, status, down }] of Object.entries(operation.errors ?? {})) {
      if (isOverruled(operation, key, applied)) continue
      const known = errors.get(key) ?? { code: key, status: undefined, downs: [] }
      errors.set(key, {
        code: was ?? known.code,
        status: status ?? known.status,
        downs: [...known.downs, { id: operation.change.id, down }],
      })
    }
  return errors
}

/** Whether another operation of the same version says it of fewer routes. */
function isOverruled(
  operation: AppliedOperation,
  key: string,
  applied: readonly AppliedOperation[],
): boolean {
  return applied.some(
    (other) =>
      other.errors?.[key] !== undefined &&
      other.change.version === operation.change.version &&
      precision(other) > precision(operation),
  )
}

/**
 * Creates the conversion of problem documents, and of other JSON bodies of errors with a `code`. It returns `undefined` for those that no
 * operation says something of.
 */
export function createProblemBefore(
  errors: ErrorsBefore,
):
  | ((problem: Readonly<Record<string, unknown>>, status: number, extra: Extra) => OlderProblem | undefined)
  | undefined {
  if (errors.size === 0) return undefined
  return (problem, newest, extra) => {
    const error = errors.get(String(problem['code']))
    if (error === undefined) return undefined
    const status = error.status ?? newest
    let body: object = { ...problem, code: error.code, ...('status' in problem && { status }) }
    for (const { id, down } of error.downs) {
      if (down !== undefined) body = callDown({ id }, down, body, toldOf(extra))
      extra.altered?.(id)
    }
    return { status: error.status, body }
  }
}

/** @throws `MigrationError` with the change, if its function throws or returns no object */
function callDown(
  change: Identified,
  down: NonNullable<ErrorWas['down']>,
  problem: object,
  extra: ChangeExtra,
): object {
  const blamed = { change, fields: ['errors'] }
  const made = callBlamed(blamed, () => down(toRecord(problem), extra))
  if (!isRecord(made)) throw threwIn(blamed, new TypeError('down of an error returned no object'))
  return made
}

/** The declared responses of an older version, with the codes and statuses that errors had. */
export function responsesBefore(
  responses: ReadonlyMap<ResponseKey, Schema>,
  errors: ErrorsBefore,
): ReadonlyMap<ResponseKey, Schema> {
  if (errors.size === 0) return responses
  const made = new Map<ResponseKey, Schema>()
  const add = (key: ResponseKey, schema: Schema): void => {
    const known = made.get(key)
    made.set(key, known === undefined || known === schema ? schema : zod.union([toZod(known), toZod(schema)]))
  }
  for (const [key, schema] of responses) {
    const isError = RANGES.some((range) => range === key) || Number(key) >= 400
    if (!isError) add(key, schema)
    else for (const [status, own] of splitErrors(schema, errors)) add(status ?? key, own)
  }
  return made
}

/** A schema of errors as it was, by the statuses that errors in it had. */
function splitErrors(
  schema: Schema,
  errors: ErrorsBefore,
): readonly (readonly [status: number | undefined, schema: Schema])[] {
  const def = defOf(schema)
  if (def.type === 'union') {
    const options = schemasOf(def['options'])
    const split = options.map((option) => splitErrors(option, errors))
    const isSame = split.every((each, index) => each.length === 1 && each[0]?.[1] === options[index])
    return isSame ? [[undefined, schema]] : split.flat()
  }
  const shape = def.type === 'object' ? shapeOf(schema) : {}
  const codes = codesOf(shape['code'])
  if (!codes.some((code) => errors.has(code))) return [[undefined, schema]]
  const groups = new Map<number | undefined, string[]>()
  for (const newest of codes) {
    const { code, status } = errors.get(newest) ?? { code: newest, status: undefined }
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return [...groups].map(([status, own]) => [
    status,
    cloneNameless(schema, {
      shape: {
        ...shape,
        code: zod.enum([...new Set(own)]),
        ...(status !== undefined && shape['status'] !== undefined && { status: zod.literal(status) }),
      },
    }),
  ])
}

/** The texts that a schema of codes allows, if they are a few. */
function codesOf(schema: Schema | undefined): readonly string[] {
  const values: unknown = schema === undefined ? undefined : Reflect.get(schema._zod, 'values')
  return values instanceof Set ? [...values].filter((value) => typeof value === 'string') : []
}
