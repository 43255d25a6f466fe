import { changeProblem } from '../chain.ts'
import type { ResolvedRoute, OlderProblem } from '../../routes/resolved-route.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isSameBody, plainKind } from '../convert/compare.ts'
import {
  callBlamed,
  createMadeCheck,
  threwIn,
  type ChangeExtra,
  type Converter,
  type Identified,
  type Extra,
} from '../convert/converter.ts'
import { toldOf } from '../convert/program.ts'
import { absent, type Absent } from '../was.ts'
import { PAGED_STATUS, pageItems } from './paged.ts'
import { precision, type AppliedOperation, type Operation, type ErrorWas } from './operation.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import {
  RANGES,
  defOf,
  schemasOf,
  toZod,
  isSchema,
  objectShape,
  type ResponseKey,
  type Schema,
} from '../../schema/schema.ts'
import { cloneNameless, zod } from '../zod.ts'

/** A whole body before an operation, in one direction. */
export interface BodyChange {
  readonly change: Identified
  readonly now: Schema
  readonly was: Schema | Absent
  readonly convert: ((value: unknown, extra: ChangeExtra) => unknown) | undefined
  readonly narrowed: boolean
}

/** The whole bodies that an operation says what they were: the request by `body`, responses by their statuses. */
export function bodiesOf({
  body,
  response,
  paged,
}: Operation): ReadonlyMap<BodyKey, Omit<BodyChange, 'change'>> {
  const bodies = new Map<BodyKey, Omit<BodyChange, 'change'>>()
  if (body !== undefined)
    bodies.set('body', { now: body.now, was: body.was, convert: body.up, narrowed: body.narrowed === true })
  for (const [status, { now, was, down }] of Object.entries(response?.body ?? {}))
    bodies.set(Number(status), { now, was, convert: down, narrowed: false })
  if (paged !== undefined) {
    const { now, was, down = (page: unknown) => pageItems(now, page) } = paged
    bodies.set(PAGED_STATUS, { now, was, convert: down, narrowed: false })
  }
  return bodies
}

export type BodyKey = 'body' | ResponseKey

/** The changes of operations to one body, newest operation first. Empty if none did. `applied` are newest first. */
export function bodyChanges(key: BodyKey, applied: readonly AppliedOperation[]): readonly BodyChange[] {
  return applied.flatMap((operation) => {
    const body = bodiesOf(operation).get(key)
    return body === undefined ? [] : [{ ...body, change: operation.change }]
  })
}

/** The schemas that operations say whole bodies had. */
export function wasSchemas(
  operations: readonly { readonly operation: Operation }[],
  test: (key: BodyKey) => boolean = () => true,
): readonly Schema[] {
  return operations.flatMap(({ operation }) => [
    ...[...bodiesOf(operation)].flatMap(([key, { was }]) => (isAbsent(was) || !test(key) ? [] : [was])),
    ...(test('body') ? Object.values(operation.input?.was ?? {}).filter(isSchema) : []),
  ])
}

export function isRequest(key: BodyKey): boolean {
  return key === 'body'
}

/** The schema that a body had before the last of these changes, or `undefined` if there was none. */
export function bodyBefore(schema: Schema | undefined, changes: readonly BodyChange[]): Schema | undefined {
  const last = changes.at(-1)
  if (last === undefined) return schema
  return isAbsent(last.was) ? undefined : last.was
}

/** Returns the schema that a route has of a body, or `undefined` if it has none. */
export function bodySchema({ sources, responses }: ResolvedRoute, key: BodyKey): Schema | undefined {
  return key === 'body' ? sources.find(({ name }) => name === 'body')?.schema : responses.get(key)
}

/** How messages name the member of an operation that is about a body. */
export function bodyLabel(key: BodyKey): string {
  return isRequest(key) ? 'body' : `response.body.${key}`
}

/** The problems of the whole bodies of a route. `applied` are all of its operations, newest first. */
export function bodyProblems(
  route: ResolvedRoute,
  applied: readonly AppliedOperation[],
): readonly DefinitionProblem[] {
  const keys = new Set(applied.flatMap((operation) => [...bodiesOf(operation).keys()]))
  return [...keys].flatMap((key) => {
    let newer = bodySchema(route, key)
    return applied.flatMap((operation): readonly DefinitionProblem[] => {
      const own = bodyChanges(key, [operation])[0]
      const whole = isRequest(key) ? operation.input?.was.body : undefined
      if (whole !== undefined) newer = isAbsent(whole) ? undefined : whole
      if (own === undefined) return []
      const found = bodyProblem(route, key, own, newer)
      newer = isAbsent(own.was) ? undefined : own.was
      if (found === undefined) return []
      return [changeProblem(own.change, ...found, 'invalid_change', ...route.definitions)]
    })
  })
}

function bodyProblem(
  { name }: ResolvedRoute,
  key: BodyKey,
  { now, was, convert }: BodyChange,
  newer: Schema | undefined,
): readonly [message: string, fix: string] | undefined {
  const label = `operation.${bodyLabel(key)}`
  if (newer === undefined)
    return isRequest(key)
      ? [`${label}: ${name} reads no body`, 'declare it in input.body of the route']
      : [`${label}: ${name} declares no response ${key}`, 'name a status that response of the route declares']
  if (!isSameBody(now, newer))
    return [
      `${label}.now is not the schema of ${name}`,
      'give the schema that the route declares, or what a newer change says that it was',
    ]
  if (convert !== undefined) return undefined
  const side = isRequest(key) ? 'up' : 'down'
  if (isAbsent(was)) return [`${label} lacks ${side}: it did not exist`, `write ${side} beside was`]
  const [older, newest] = [plainKind(was), plainKind(now)]
  if (older === undefined || newest === undefined || older === newest) return undefined
  return [
    `${label} lacks ${side}: it was ${ofKind(older)} and is ${ofKind(newest)}`,
    `write ${side} beside was`,
  ]
}

function ofKind(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

export function isAbsent(was: BodyChange['was']): was is Absent {
  return was === absent
}

/** Creates the conversion of a request body to the newest version. Models in it have been converted before. */
export function createBodyUp(changes: readonly BodyChange[]): Converter {
  const steps = changes.toReversed().map((own) => {
    // a client sent every member that no function made
    const isSent = own.convert === undefined || own.narrowed
    return { own, check: createMadeCheck(own.now, own.change, 'body', isSent ? [] : undefined) }
  })
  return (value, extra) => {
    let made = value
    for (const { own, check } of steps) {
      made = check(convertBody(own, made, extra))
      extra.altered?.(own.change.id)
    }
    return made
  }
}

/** Creates the conversion of a response to the older version. Models in it are converted afterwards. */
export function createBodyDown(changes: readonly BodyChange[]): Converter {
  return (value, extra) => {
    let made = value
    for (const own of changes) {
      made = convertBody(own, made, extra)
      extra.altered?.(own.change.id)
    }
    return made
  }
}

/** @throws `MigrationError` with the change, if its function throws */
function convertBody(
  { change, convert }: BodyChange,
  value: unknown,
  extra: Parameters<Converter>[1],
): unknown {
  if (convert === undefined) return value
  return callBlamed({ change, fields: ['body'] }, () => convert(value, toldOf(extra)))
}

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
      // an operation of the same version that names fewer routes overrules this one
      if (
        applied.some(
          (other) =>
            other.errors?.[key] !== undefined &&
            other.change.version === operation.change.version &&
            precision(other) > precision(operation),
        )
      )
        continue
      const known = errors.get(key) ?? { code: key, status: undefined, downs: [] }
      errors.set(key, {
        code: was ?? known.code,
        status: status ?? known.status,
        downs: [...known.downs, { id: operation.change.id, down }],
      })
    }
  return errors
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

/** The texts that a schema of codes allows, if they are a few. */
function codesOf(schema: Schema | undefined): readonly string[] {
  const values: unknown = schema === undefined ? undefined : Reflect.get(schema._zod, 'values')
  return values instanceof Set ? [...values].filter((value) => typeof value === 'string') : []
}
