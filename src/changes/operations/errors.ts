import type { AnyProblem } from '../../define/problem.ts'
import {
  problemsOf,
  type LayerExtra,
  type OlderProblem,
  type ResolvedRoute,
} from '../../routes/resolved-route.ts'
import {
  andThen,
  ignoreRejection,
  isPromise,
  isRecord,
  isString,
  toRecord,
  type Awaitable,
} from '../../base/values.ts'
import { RESULT_READERS, withJsonReaders } from '../../schema/coercion.ts'
import { codesOf } from '../../schema/body-types.ts'
import { toDeclared } from '../../schema/declared.ts'
import {
  RANGES,
  defOf,
  objectShape,
  schemasOf,
  toZod,
  type ResponseKey,
  type Schema,
} from '../../schema/schema.ts'
import { createValidator } from '../../schema/validator.ts'
import { createToOlder, type BodyConversion, type ConvertBody } from './body-layer.ts'
import { callBlamed, threwIn, type ChangeExtra, type Extra, type Identified } from '../convert/converter.ts'
import type { Plans } from '../convert/plans.ts'
import { toldOf } from '../convert/program.ts'
import { cloneNameless, zod } from '../zod.ts'
import type { ErrorWas } from './error-was.ts'
import { precision, type AppliedOperation } from './operation.ts'

/** An error before operations changed it. */
interface ErrorBefore {
  readonly code: string
  /** `undefined` if it has the status that it is answered with. */
  readonly status: number | undefined
  /** The problem that it was, if an operation names one. */
  readonly problem: AnyProblem | undefined
  /** Whether a function returns members that no problem declares: the operation names none. */
  readonly isMade: boolean
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
      const known = errors.get(key) ?? { ...UNCHANGED, code: key }
      const { code, problem } = isString(was)
        ? { code: was, problem: undefined }
        : { code: was?.code, problem: was }
      errors.set(key, {
        code: code ?? known.code,
        status: status ?? problem?.status ?? known.status,
        problem: problem ?? known.problem,
        isMade: problem === undefined && (known.isMade || down !== undefined),
        downs: [...known.downs, { id: operation.change.id, down }],
      })
    }
  return errors
}

/** Whether an operation of the same version that names fewer routes overrules what this one says of an error. */
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

const UNCHANGED = { status: undefined, problem: undefined, isMade: false, downs: [] } as const

/** A problem in an older version, and the conversion of its members. */
interface ProblemBefore {
  readonly older: AnyProblem
  /** The members before models in them are converted. */
  readonly members: Schema | undefined
  readonly convert: ConvertBody | undefined
  /** Reads the newest members from JSON, for functions. */
  readonly read: ReadMembers
  /** Whether members that none of them declares are sent. */
  readonly isMade: boolean
  /** The members that the newest problem declares. */
  readonly newest: Schema | undefined
}

/** The earlier states of the declared problems that changes reach, by the problems of the newest version. */
export function problemsBefore(
  route: ResolvedRoute,
  errors: ErrorsBefore,
  age: number,
  plans: Plans,
): ReadonlyMap<AnyProblem, ProblemBefore> {
  const found = new Map<AnyProblem, ProblemBefore>()
  for (const problem of problemsOf(route)) {
    const before = errors.get(problem.code)
    const { members } = before?.problem ?? problem
    const conversion = members === undefined ? undefined : createToOlder(members, [], age, plans)
    if (before === undefined && conversion?.toOlder === undefined) continue
    const older = olderProblem(problem, before, conversion)
    found.set(problem, {
      older,
      members,
      convert: members && conversion?.toOlder && createConvertMembers(conversion.toOlder, members),
      read: createReadMembers(problem.members),
      isMade: before?.isMade === true,
      newest: problem.members,
    })
  }
  return found
}

/** Converts the members of a sent problem. Those that functions made may be JSON. */
function createConvertMembers(convert: ConvertBody, members: Schema): ConvertBody {
  const read = createReadMembers(members)
  return (given, own, request) => convert(read(toRecord(given)), own, request)
}

type ReadMembers = (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

/** Creates the function that reads members of a sent problem: they are JSON, so dates in them are read again. */
function createReadMembers(members: Schema | undefined): ReadMembers {
  const readers = Object.entries(members === undefined ? {} : objectShape(members)).map(
    ([name, field]) => [name, createValidator(withJsonReaders(field, RESULT_READERS))] as const,
  )
  return (given) => {
    const typed = { ...given }
    for (const [name, read] of readers) {
      const found = typed[name] === undefined ? undefined : read(typed[name])
      if (isPromise(found)) ignoreRejection(found)
      // a problem that was thrown under the same code may have other members, and functions make others
      else if (found !== undefined && 'value' in found) typed[name] = found.value
    }
    return typed
  }
}

function olderProblem(
  newest: AnyProblem,
  before: ErrorBefore | undefined,
  conversion: BodyConversion | undefined,
): AnyProblem {
  const { type, title, description, headers, members, example } = before?.problem ?? newest
  const { code, status = newest.status } = before ?? newest
  return {
    kind: 'problem',
    code,
    status,
    title,
    type,
    description,
    headers,
    members: conversion?.schema ?? members,
    // the members of the example may have had other names
    example: conversion?.toOlder === undefined ? example : undefined,
  }
}

/**
 * Creates the conversion of problem documents, and of other JSON bodies of errors with a `code`. It returns `undefined` for those that no
 * operation says something of.
 */
export function createProblemBefore(
  errors: ErrorsBefore,
  problems: ReadonlyMap<AnyProblem, ProblemBefore>,
):
  | ((
      problem: Readonly<Record<string, unknown>>,
      status: number,
      own: Extra,
      request: LayerExtra,
    ) => Awaitable<OlderProblem | undefined>)
  | undefined {
  if (errors.size === 0 && problems.size === 0) return undefined
  const converted = new Map([...problems].map(([{ code }, before]) => [code, before]))
  return (problem, newest, own, request) => {
    const code = String(problem['code'])
    const [error, before] = [errors.get(code), converted.get(code)]
    if (error === undefined && before?.convert === undefined) return undefined
    const read = error?.downs.some(({ down }) => down !== undefined) === true ? before?.read : undefined
    const given = read?.(problem) ?? problem
    const body = error === undefined ? given : toOlderError(given, newest, error, own)
    const members = before === undefined ? body : toOlderMembers(body, before, own, request)
    return andThen(members, (older) => ({ status: error?.status, body: older }))
  }
}

/** The body of an error that operations describe, before models in it are converted. */
function toOlderError(
  problem: Readonly<Record<string, unknown>>,
  newest: number,
  error: ErrorBefore,
  own: Extra,
): object {
  const { title, type = 'about:blank' } = error.problem ?? {}
  let body: object = {
    ...problem,
    ...(title !== undefined && 'title' in problem && { type, title }),
    code: error.code,
    ...('status' in problem && { status: error.status ?? newest }),
  }
  for (const { id, down } of error.downs) {
    if (down !== undefined) body = callDown({ id }, down, body, toldOf(own))
    own.altered?.(id)
  }
  return body
}

/**
 * Converts the members of a problem. Members that the older problem doesn't declare are left out, unless a function made them. A body of another
 * format keeps members that no problem declares.
 */
function toOlderMembers(
  body: object,
  { older, newest, members: schema, convert, isMade }: ProblemBefore,
  own: Extra,
  request: LayerExtra,
): Awaitable<object> {
  if (older.members === undefined) return body
  const { type, title, status, detail, instance, code, ...members }: Readonly<Record<string, unknown>> = {
    ...body,
  }
  const made = convert === undefined ? members : convert(members, own, request)
  const known = { type, title, status, detail, instance, code }
  const given = Object.entries(known).filter(([, value]) => value !== undefined)
  const [declared, now] = [schema, newest].map((each) => (each === undefined ? {} : objectShape(each)))
  const isOwn = (name: string): boolean => isMade || (title === undefined && now?.[name] === undefined)
  const others = Object.entries(members).filter(([name]) => declared?.[name] === undefined && isOwn(name))
  const shape = older.members
  return andThen(made, (converted) => ({
    ...Object.fromEntries([...given, ...others]),
    ...toRecord(toDeclared(shape, converted)),
  }))
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
  const shape = def.type === 'object' ? objectShape(schema) : {}
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
