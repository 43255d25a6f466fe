import { changeProblem } from '../chain.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isObject } from '../../base/values.ts'
import { isSameSchema, plainKind, schemasIn, shareTransform } from '../convert/compare.ts'
import {
  callBlamed,
  copyData,
  createMadeCheck,
  unloaded,
  type Extra,
  type Loader,
  type ResponseExtra,
  type Converter,
  type LoadedExtra,
} from '../convert/converter.ts'
import { resultOf } from '../convert/program.ts'
import { absent, type Absent } from '../was.ts'
import { PAGED_STATUS, pageItems } from './paged.ts'
import type { AppliedOperation, Operation } from './operation.ts'
import { defOf, isSchema, type ResponseKey, type Schema } from '../../schema/schema.ts'

/** A whole body before an operation, in one direction. */
export interface BodyChange {
  readonly change: AppliedOperation['change']
  readonly now: Schema
  readonly was: Schema | Absent
  readonly convert: ((value: unknown, extra: ResponseExtra & LoadedExtra<unknown>) => unknown) | undefined
  /** Loads data for `convert`. */
  readonly loader?: BodyLoader | undefined
  readonly narrowed: boolean
}

interface BodyLoader extends Pick<Loader, 'tokens'> {
  readonly load: (value: unknown, extra: never) => unknown
}

/** The whole bodies that an operation says what they were: the request by `body`, responses by their statuses. */
export function bodiesOf({
  body,
  response,
  paged,
  inject: tokens = {},
}: Operation): ReadonlyMap<BodyKey, Omit<BodyChange, 'change'>> {
  const bodies = new Map<BodyKey, Omit<BodyChange, 'change'>>()
  const toLoader = (load: BodyLoader['load'] | undefined): BodyChange['loader'] => load && { load, tokens }
  if (body !== undefined)
    bodies.set('body', {
      now: body.now,
      was: body.was,
      convert: body.up,
      narrowed: body.narrowed === true,
      loader: toLoader(body.load),
    })
  for (const [status, { now, was, down, load }] of Object.entries(response?.body ?? {}))
    bodies.set(Number(status), { now, was, convert: down, narrowed: false, loader: toLoader(load) })
  if (paged !== undefined) {
    const { now, was, load, down = (page: unknown) => pageItems(now, page) } = paged
    bodies.set(PAGED_STATUS, { now, was, convert: down, narrowed: false, loader: toLoader(load) })
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
    ...(test('body') ? sentSchemas(operation) : []),
  ])
}

/** The schemas that an operation says sources and parameters of requests had. */
function sentSchemas({ input, query, headers, cookies }: Operation): readonly Schema[] {
  const parameters = [query, headers, cookies].flatMap((names = {}) => Object.values(names))
  return [...Object.values(input?.was ?? {}), ...parameters.map(({ was }) => was)].filter(isSchema)
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
  widen: (schema: Schema) => Schema,
): readonly DefinitionProblem[] {
  const keys = new Set(applied.flatMap((operation) => [...bodiesOf(operation).keys()]))
  return [...keys].flatMap((key) => {
    // responses of the route take what older versions accept
    const comparable = isRequest(key) ? (schema: Schema) => schema : widen
    let newer = bodySchema(route, key)
    return applied.flatMap((operation): readonly DefinitionProblem[] => {
      const own = bodyChanges(key, [operation])[0]
      const whole = isRequest(key) ? operation.input?.was.body : undefined
      if (whole !== undefined) newer = isAbsent(whole) ? undefined : whole
      if (own === undefined) return []
      const found = bodyProblem(route, key, { ...own, now: comparable(own.now) }, newer && comparable(newer))
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
  if (!isSameSchema(now, newer))
    return [
      `${label}.now is not the schema of ${name}`,
      'give the schema that the route declares, or what a newer change says that it was',
    ]
  const unparsed = isRequest(key) ? reparsedProblem(label, now, was) : undefined
  if (unparsed !== undefined || convert !== undefined) return unparsed
  const side = isRequest(key) ? 'up' : 'down'
  if (isAbsent(was)) return [`${label} lacks ${side}: it did not exist`, `write ${side} beside was`]
  const [older, newest] = [plainKind(was), plainKind(now)]
  if (older === undefined || newest === undefined || older === newest) return undefined
  return [
    `${label} lacks ${side}: it was ${ofKind(older)} and is ${ofKind(newest)}`,
    `write ${side} beside was`,
  ]
}

/** The reason why the newest schema cannot parse what a function makes of a value that the older one has parsed. */
export function reparsedProblem(
  label: string,
  now: Schema,
  was: unknown,
): readonly [message: string, fix: string] | undefined {
  // one that did not change is reported as that
  if (isSchema(was) && !isSameSchema(now, was) && shareTransform(now, was))
    return [
      `${label}: older values have passed a transform of the newest schema, which would run twice`,
      'write in was what clients send, without the transform: it runs on what up returns',
    ]
  if ([...schemasIn(now)].some((each) => defOf(each).type === 'promise'))
    return [
      `${label}: the newest schema holds z.promise(), whose check takes time`,
      'declare what it resolves to',
    ]
  return undefined
}

function ofKind(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

export function isAbsent(was: BodyChange['was']): was is Absent {
  return was === absent
}

/** Creates the conversion of a whole body by one change to its newer side. `schema` is that of the newer side, at the time of the change. */
export function createBodyUp(own: BodyChange, schema: Schema): Converter {
  // a client sent every member that no function made
  const isSent = own.convert === undefined || own.narrowed
  return toBodyConverter(own, createMadeCheck(schema, own.change, 'body', isSent ? [] : undefined, true))
}

/** Creates the conversion of a whole body by one change to its older side. */
export function createBodyDown(own: BodyChange): Converter {
  // a parser makes the lists and objects of a result anew, but for those that it does not know
  const isShared = [...schemasIn(own.now)].some((each) => SHARED.has(defOf(each).type))
  return toBodyConverter(own, (made) => made, isShared ? copyData : undefined)
}

/** The types of schema that return the very value that they take. */
const SHARED: ReadonlySet<string> = new Set(['any', 'unknown', 'date', 'custom'])

function toBodyConverter(
  own: BodyChange,
  check: (made: unknown) => unknown,
  copy: (value: unknown) => unknown = (value) => value,
): Converter {
  const { change, convert, loader } = own
  const toMade = (value: unknown, extra: Extra, loaded?: unknown): unknown => {
    const call = (): unknown => convert?.(copy(value), { ...resultOf(extra), loaded })
    const made = check(convert === undefined ? value : callBlamed({ change, fields: ['body'] }, call))
    extra.altered?.(change.id)
    return made
  }
  if (loader === undefined) return toMade
  return (value, extra) => {
    const { loading } = extra
    if (loading === undefined) throw unloaded()
    const progress = loading.keep(own, isObject(value) ? value : own, (): Progress => ({}))
    const { loaded } = progress
    if (loaded !== undefined) return (progress.made ??= { value: toMade(value, extra, loaded.value) }).value
    // of its own for each body, because one call takes one body
    const load: Loader['load'] = (_, told) => loader.load(value, told)
    loading.wait(
      { change, tokens: loader.tokens, load },
      {},
      (result) => (progress.loaded = { value: result }),
      [],
    )
    return undefined
  }
}

/** How far a body for which data is loaded has been converted. */
interface Progress {
  loaded?: { readonly value: unknown }
  made?: { readonly value: unknown }
}
