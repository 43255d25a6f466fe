import { describeValue, isRecord, isString } from '../base/values.ts'
import { STREAM_STATUS, defOf, isSchema, innerOf, schemaOf, schemasOf, type Schema } from './schema.ts'
import type { SourceProblem } from './sources.ts'

/** The content of a route's stream. */
export interface DeclaredStream {
  readonly kind: 'events' | 'items'
  /** The schemas of the data of events by their names; the one of items under `UNNAMED`. */
  readonly schemas: ReadonlyMap<string, Schema>
}

/** The name under which a stream without names is declared: clients call an event without a name so (the HTML standard, section 9.2.6). */
export const UNNAMED = 'message'

/** The members of a route that have a part in its stream. */
interface Declaring {
  readonly events?: unknown
  readonly items?: unknown
  readonly response?: unknown
  readonly status?: number
}

/** Reads `events` and `items` of a route. What cannot be used is reported. */
export function toStream(route: Declaring, problems: SourceProblem[]): DeclaredStream | undefined {
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
  if (!isRecord(events) || Object.keys(events).length === 0)
    return [{ message: `events is ${isRecord(events) ? 'empty' : describeValue(events)}`, fix }]
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
