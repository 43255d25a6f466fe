import type { OptionRule, Rules } from '../../base/definition-error.ts'
import { isBoolean, isFunction, isRecord, isString } from '../../base/values.ts'
import { headerName, METHODS } from '../../http/http.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { isSchema } from '../../schema/schema.ts'
import { bodiesOf, bodyLabel, bodySchema, isRequest, type BodyKey } from './bodies.ts'
import { inputSources } from './whole-input.ts'
import { pathBefore, type Operation, type OperationOptions } from './operation.ts'

type ResponseMember = keyof NonNullable<OperationOptions['response']>

/** The members of an operation apart from its routes, `before` and what it injects; the members of `response` one by one. */
export type OperationKind =
  | Exclude<keyof OperationOptions, 'route' | 'before' | 'response' | 'inject'>
  | `response.${ResponseMember}`

/** Something that an operation describes of a route. */
export interface OperationField {
  /** Its name in messages, with `the` before names that are not members of the operation. */
  readonly label: string
  readonly was: unknown
  /** Its value in the newest version, if its key says so. */
  readonly newest?: unknown
  readonly hasFunction?: boolean
}

type Fields = readonly (readonly [key: string, field: OperationField])[]

/** A kind of difference, besides its types (`operation.ts`) and the checks of values with members of their own (`check-change.ts`). */
interface OperationKindRow {
  /** Whether `octavo check --write` writes it. */
  readonly isWritten: boolean
  /** Whether an operation of all routes may have it. */
  readonly isForAllRoutes?: true
  /** The rule of its value. @default an object */
  readonly rule?: OptionRule
  /** The rules of the members of `{ was }`, for a kind that is written like this. */
  readonly earlier?: Rules
  /** Lists the fields of a route that an operation of this kind describes. Operations about one field have equal keys for it. */
  readonly fields: (operation: Operation, route: ResolvedRoute) => Fields
}

/** The rule of a status of results. */
export const STATUS: OptionRule = [
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
  'a status between 200 and 599',
]
const TEXT: OptionRule = [isString, 'a text']
export const NAMES: OptionRule = [(value) => Array.isArray(value) && value.every(isString), 'a list of names']
const PATH: OptionRule = [
  (value) => isString(value) && value.startsWith('/'),
  'a path that begins with a slash',
]

/**
 * Every kind of difference that an operation can describe. A kind that is missing here, or a written one without its text
 * (`cli/write/change-text.ts`), fails the type check.
 */
export const OPERATION_KINDS = {
  path: {
    isWritten: true,
    earlier: { now: PATH, was: PATH },
    fields: ({ path }, route) => {
      const was = path && pathBefore(route, path)
      return was === undefined ? [] : [['path', { label: 'the path', was }]]
    },
  },
  method: {
    isWritten: true,
    earlier: {
      was: [(value) => METHODS.some((method) => method === value), `one of ${METHODS.join(', ')}`],
    },
    fields: ({ method }) =>
      method === undefined ? [] : [['method', { label: 'the method', was: method.was }]],
  },
  status: {
    isWritten: true,
    earlier: { was: STATUS },
    fields: ({ status }, route) =>
      status === undefined
        ? []
        : [[`status ${route.status}`, { label: 'the status', was: status.was, newest: route.status }]],
  },
  query: { isWritten: true, fields: ({ query }) => namedFields('query', query) },
  headers: { isWritten: true, fields: ({ headers }) => namedFields('headers', headers) },
  cookies: { isWritten: true, fields: ({ cookies }) => namedFields('cookies', cookies) },
  body: { isWritten: true, fields: (operation, route) => bodyFields(operation, route, isRequest) },
  // `response.body` has its field
  paged: { isWritten: true, fields: () => [] },
  'response.headers': {
    isWritten: true,
    fields: ({ response }) => namedFields('response.headers', response?.headers),
  },
  'response.body': {
    isWritten: true,
    fields: (operation, route) => bodyFields(operation, route, (key) => !isRequest(key)),
  },
  'response.status': {
    isWritten: true,
    fields: ({ response }) =>
      Object.entries(response?.status ?? {}).map(([newest, { was }]) => [
        `status ${newest}`,
        { label: `the status ${newest}`, was, newest: Number(newest) },
      ]),
  },
  // what clients read in documents breaks no requests
  summary: {
    isWritten: false,
    earlier: { was: TEXT },
    fields: ({ summary }, route) => documentedFields('summary', summary, route),
  },
  description: {
    isWritten: false,
    earlier: { was: TEXT },
    fields: ({ description }, route) => documentedFields('description', description, route),
  },
  tags: {
    isWritten: false,
    earlier: { was: NAMES },
    // equal lists are equal texts
    fields: ({ tags }, route) =>
      tags === undefined
        ? []
        : [['tags', { label: 'the tags', was: tags.was.join(), newest: route.tags.join() }]],
  },
  deprecated: {
    isWritten: false,
    earlier: { was: [isBoolean, 'true or false'] },
    fields: ({ deprecated }, route) => documentedFields('deprecated', deprecated, route),
  },
  // documents don't say which guards of the two versions belong together
  withoutGuards: {
    isWritten: false,
    isForAllRoutes: true,
    rule: [
      (value) => Array.isArray(value) && value.every((guard) => isRecord(guard) || isFunction(guard)),
      'a list of guards',
    ],
    fields: ({ withoutGuards }) =>
      withoutGuards === undefined ? [] : [['guards', { label: 'the guards', was: withoutGuards }]],
  },
  errors: {
    isWritten: true,
    isForAllRoutes: true,
    fields: ({ errors = {} }) =>
      Object.entries(errors).map(([code, { was = code, status, down }]) => {
        const isOther = status !== undefined || down !== undefined
        return [`error ${code}`, { label: `the error ${code}`, was: isOther ? { was } : was, newest: code }]
      }),
  },
  // documents don't say which of two events was the other one
  events: {
    isWritten: false,
    fields: ({ events = {} }) =>
      Object.entries(events).map(([name, { was }]) => [
        `event ${name}`,
        { label: `events.${name}`, was, newest: name },
      ]),
  },
  // documents don't say which values moved where
  input: {
    isWritten: true,
    // one function makes all sources, so that one of them may be what it is
    fields: (operation) =>
      inputSources(operation).map((source) => [
        `input ${source}`,
        { label: 'input', was: operation.input?.was[source], hasFunction: true },
      ]),
  },
} as const satisfies Readonly<Record<OperationKind, OperationKindRow>>

/** A kind that `octavo check --write` writes. */
export type WrittenKind = {
  [K in OperationKind]: (typeof OPERATION_KINDS)[K]['isWritten'] extends true ? K : never
}[OperationKind]

/** Every kind with its row. */
export const KIND_ROWS: readonly (readonly [kind: string, row: OperationKindRow])[] =
  Object.entries(OPERATION_KINDS)

/** The parts of a route that an operation describes, by keys that all operations share. */
export function fieldsOf(operation: Operation, route: ResolvedRoute): ReadonlyMap<string, OperationField> {
  return new Map(KIND_ROWS.flatMap(([, { fields }]) => fields(operation, route)))
}

function documentedFields(
  key: 'summary' | 'description' | 'deprecated',
  earlier: { readonly was: unknown } | undefined,
  route: ResolvedRoute,
): Fields {
  return earlier === undefined ? [] : [[key, { label: `the ${key}`, was: earlier.was, newest: route[key] }]]
}

function bodyFields(operation: Operation, route: ResolvedRoute, test: (key: BodyKey) => boolean): Fields {
  const bodies = [...bodiesOf(operation)].filter(([key]) => test(key))
  return bodies.map(([key, { was, convert }]) => {
    const label = isRequest(key) ? 'the body' : `the response ${key}`
    return [
      bodyLabel(key),
      { label, was, newest: bodySchema(route, key), hasFunction: convert !== undefined },
    ]
  })
}

function namedFields(
  source: string,
  names: Readonly<Record<string, { readonly was: unknown }>> = {},
): Fields {
  return Object.entries(names).flatMap(([name, { was, ...functions }]): Fields => {
    const key = namedKey(source, name)
    const label = `${source}.${name}`
    const hasFunction = Object.values(functions).some(isFunction)
    // a parameter that did not exist had neither a name nor a schema
    return [
      ...(isSchema(was) ? [] : [[`${key} name`, { label, was, newest: name, hasFunction }] as const]),
      ...(isString(was) ? [] : [[`${key} schema`, { label, was, hasFunction }] as const]),
    ]
  })
}

/** The key of a parameter or header among the fields of a route. */
export function namedKey(source: string, name: string): string {
  return `${source} ${source.endsWith('headers') ? headerName(name) : name}`
}
