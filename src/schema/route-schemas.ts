import type { Pattern } from '../router/path/pattern.ts'
import { acceptsBytes, isNothing } from './accepts.ts'
import {
  findResponse,
  RANGES,
  STREAM_STATUS,
  defOf,
  isSchema,
  innerOf,
  schemaOf,
  schemasOf,
  type ResponseKey,
  type Schema,
} from './schema.ts'
import { readSources, type DeclaredSource, type SourceProblem } from './sources.ts'
import { describeValue, isRecord, isString, libraryOf } from '../base/values.ts'

/** The fields of a route that hold schemas. */
interface Declaring {
  readonly input?: Readonly<Record<string, unknown>>
  readonly response?: unknown
  readonly events?: unknown
  readonly items?: unknown
  readonly status?: number
}

/** The schemas that a route declares. */
export interface RouteSchemas {
  readonly sources: readonly DeclaredSource[]
  readonly responses: ReadonlyMap<ResponseKey, Schema>
  /** Whether `response` is a schema without a status. */
  readonly isOneResponse: boolean
  readonly stream: DeclaredStream | undefined
  /** The status of results that have none of their own. */
  readonly status: number
}

/** Reads the schemas of a route. What cannot be used is reported and left out. */
export function readSchemas(route: Declaring, pattern: Pattern, problems: SourceProblem[]): RouteSchemas {
  const sources = readSources(route.input ?? {}, pattern, problems)
  const { byStatus, success, isOne } = readResponses(route.response, problems)
  const stream = readStream(route, problems)
  const responses = byStatus(route.status)
  const status = stream === undefined ? (route.status ?? success ?? 200) : STREAM_STATUS
  if (route.status !== undefined && stream === undefined && isUndeclaredStatus(responses, status))
    problems.push({
      code: 'invalid_response',
      message: `status is ${status}, which response does not declare, so results would be sent unparsed`,
      fix: `declare it, such as response: { ${status}: Car }, or remove status`,
    })
  return { sources, responses, isOneResponse: isOne, stream, status }
}

/** Whether a response declares successes, but not the status of plain results. */
export function isUndeclaredStatus(responses: ReadonlyMap<ResponseKey, unknown>, status: number): boolean {
  return (
    declaresData(status) &&
    findResponse(responses, status) === undefined &&
    [...responses.keys()].some((key) => typeof key === 'number' && key < 300)
  )
}

/** The schemas of data that results can have, by status: those that envelopes wrap. */
export function dataResponses({
  responses,
  status,
}: Pick<RouteSchemas, 'responses' | 'status'>): ReadonlyMap<number, Schema> {
  const found = new Map<number, Schema>()
  // the status of the route may be one that `default` declares
  for (const key of [...responses.keys(), status]) {
    if (typeof key !== 'number' || !declaresData(key)) continue
    const schema = findResponse(responses, key)
    if (schema !== undefined && defOf(schema).type !== 'file' && !acceptsBytes(schema)) found.set(key, schema)
  }
  return found
}

/** Errors and redirects have no data of a result, and other statuses have no body. */
function declaresData(status: number): boolean {
  return status < 300 && status !== 204 && status !== 205
}

/** A route's `response`, read. */
interface DeclaredResponses {
  /** The schemas by status; `status` is the route's own, for a response that names none. */
  readonly byStatus: (status: number | undefined) => ReadonlyMap<ResponseKey, Schema>
  /** Whether `response` is a schema without a status. */
  readonly isOne: boolean
  /** The only 2xx status that is declared. */
  readonly success: number | undefined
}

/** Reads a `response`: a schema, schemas by status, or pairs of status and schema. What cannot be used is reported. */
function readResponses(response: unknown, problems: SourceProblem[]): DeclaredResponses {
  if (isSchema(response)) return toOneResponse(response)
  if (libraryOf(response) !== undefined) {
    problems.push({
      code: 'invalid_response',
      message: `response is ${describeValue(response)}`,
      fix: 'write a schema of zod 4',
    })
    return { byStatus: () => new Map(), success: undefined, isOne: false }
  }
  const entries: readonly unknown[] = Array.isArray(response) ? response : Object.entries(response ?? {})
  const schemas = new Map<ResponseKey, Schema>()
  for (const entry of entries) {
    const [status, schema]: readonly unknown[] = Array.isArray(entry) ? entry : []
    const key = responseKey(status)
    if (isSchema(schema) && key !== undefined) {
      if (schemas.has(key)) {
        problems.push({
          code: 'invalid_response',
          message: `response declares ${key} twice`,
          fix: 'declare each status once',
        })
      }
      schemas.set(key, schema)
    } else {
      problems.push({
        code: 'invalid_response',
        message: wrongEntry(entry),
        fix: 'write response: Car, { 200: Car, 404: Problem } or [[200, Car], [404, Problem]] with statuses from 200 to 599, 4XX, 5XX or default',
      })
    }
  }
  const successes = [...schemas.keys()]
    .filter((status) => typeof status === 'number')
    .filter((status) => status < 300)
  return { byStatus: () => schemas, success: successes.length === 1 ? successes[0] : undefined, isOne: false }
}

/** A schema without a status. One of nothing is that of 204. */
function toOneResponse(response: Schema): DeclaredResponses {
  const success = isNothing(response) ? 204 : undefined
  return { byStatus: (status = success ?? 200) => new Map([[status, response]]), success, isOne: true }
}

function wrongEntry(entry: unknown): string {
  if (!Array.isArray(entry)) return `response lists ${describeValue(entry)}`
  const [status, schema]: readonly unknown[] = entry
  if (responseKey(status) === undefined) return `response has the status ${describeValue(status, true)}`
  return `response has ${describeValue(schema)} for the status ${describeValue(status, true)}`
}

function responseKey(key: unknown): ResponseKey | undefined {
  const status = Number(key)
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status
  return RANGES.find((range) => range === key)
}

/** The content of a route's stream. */
export interface DeclaredStream {
  readonly kind: 'events' | 'items'
  /** The schemas of the data of events by their names; the one of items under `UNNAMED`. */
  readonly schemas: ReadonlyMap<string, Schema>
}

/** The name under which a stream without names is declared: clients call an event without a name so (the HTML standard, section 9.2.6). */
export const UNNAMED = 'message'

/** Reads `events` and `items` of a route. What cannot be used is reported. */
function readStream(route: Declaring, problems: SourceProblem[]): DeclaredStream | undefined {
  const { events, items } = route
  if (events === undefined && items === undefined) return undefined
  const found = [
    ...conflicts(route),
    ...(events === undefined ? itemsProblems(items) : eventsProblems(events)),
  ]
  problems.push(...found.map((problem): SourceProblem => ({ code: 'invalid_stream', ...problem })))
  if (found.length > 0) return undefined
  const given = events ?? items
  const entries = isSchema(given) ? [[UNNAMED, given] as const] : Object.entries(Object(given))
  return {
    kind: events === undefined ? 'items' : 'events',
    schemas: new Map(entries.flatMap(([name, schema]) => (isSchema(schema) ? [[name, schema]] : []))),
  }
}

type Problem = Omit<SourceProblem, 'code'>

function conflicts({ events, items, response, status }: Declaring): readonly Problem[] {
  const field = events === undefined ? 'items' : 'events'
  const isBoth = events !== undefined && items !== undefined
  const declared = Array.isArray(response) ? Object.fromEntries(response) : Object(response)
  const isAnswered = isSchema(response) || STREAM_STATUS in declared
  return [
    ...(isBoth
      ? [
          {
            message: 'a route has both events and items',
            fix: 'declare one of them, and the other in a route of its own',
          },
        ]
      : []),
    ...(isAnswered
      ? [
          {
            message: `response declares ${STREAM_STATUS}, which is the status of ${field}`,
            fix: 'remove it, and keep the other statuses, such as response: { 404: Problem }',
          },
        ]
      : []),
    ...(status === undefined || status === STREAM_STATUS
      ? []
      : [
          {
            message: `status is ${status} beside ${field}`,
            fix: `remove it: a stream has the status ${STREAM_STATUS}`,
          },
        ]),
  ]
}

function itemsProblems(items: unknown): readonly Problem[] {
  if (isSchema(items)) return []
  return [
    { message: `items is ${describeValue(items)}`, fix: 'write the schema of an item, such as items: Car' },
  ]
}

function eventsProblems(events: unknown): readonly Problem[] {
  if (isSchema(events)) return []
  const fix = 'write the schema of their data, such as events: Car or events: { car: Car }'
  if (!isRecord(events) || libraryOf(events) !== undefined || Object.keys(events).length === 0)
    return [
      {
        message: `events is ${isRecord(events) && libraryOf(events) === undefined ? 'empty' : describeValue(events)}`,
        fix,
      },
    ]
  return Object.entries(events).flatMap(([name, schema]): readonly Problem[] => {
    if (name === '' || /[\r\n\0]/.test(name))
      return [{ message: `events names ${JSON.stringify(name)}`, fix: 'name events by text on one line' }]
    return isSchema(schema) ? [] : [{ message: `events.${name} is ${describeValue(schema)}`, fix }]
  })
}

/** Whether what a schema makes is always text. The data of such an event is sent as it stands, any other as JSON. */
export function isTextSchema(schema: Schema): boolean {
  const def = defOf(schema)
  switch (def.type) {
    case 'string':
    case 'template_literal':
      return true
    case 'enum':
      return Object.values(Object(def['entries'])).every(isString)
    case 'literal':
      return Array.isArray(def['values']) && def['values'].every(isString)
    case 'union':
      return schemasOf(def['options']).every(isTextSchema)
    case 'pipe':
      return isStringSchema(schemaOf(def['out']))
    default:
      return SAME.has(def.type) && isStringSchema(innerOf(def))
  }
}

function isStringSchema(schema: Schema | undefined): boolean {
  return schema !== undefined && isTextSchema(schema)
}

/** Wrappers that make no other kind of value. Data that is left out is no text, and no data either. */
const SAME = new Set(['optional', 'default', 'prefault', 'readonly', 'catch', 'nonoptional'])
