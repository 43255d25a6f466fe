import { headerName } from '../../http/headers.ts'
import { isSchema, type Schema } from '../../schema/schema.ts'
import { describeValue, isRecord, toRecord } from '../../base/values.ts'
import type { AppliedOperation } from './operation.ts'
import { absent } from '../was.ts'
import { toldOf } from '../convert/program.ts'
import { differs } from '../convert/tracking.ts'
import type { Extra, Converter } from '../convert/converter.ts'

/** The headers of a response, by lower-case name. */
type Headers = Record<string, string | string[]>

/** A header of responses, followed from the newest version to an older one. */
interface Header {
  /** Its newest name in lower case, which operations know it by. */
  readonly key: string
  /** Its name in the older version, or `undefined` if it did not exist. */
  name: string | undefined
  /** The schema in documents. */
  schema: Schema | undefined
  readonly downs: Converter[]
  /** The changes that gave it another name, or before which it did not exist. */
  readonly renamers: string[]
}

/** The headers that operations say something of, newest operation first; what the oldest says of a name counts. */
export function toHeaders(applied: readonly AppliedOperation[]): readonly Header[] {
  const headers = new Map<string, Header>()
  const all = applied.flatMap(({ response, change }) =>
    Object.entries(response?.headers ?? {}).map((entry) => [...entry, change.id] as const),
  )
  for (const [now, { was, down }, change] of all) {
    const key = headerName(now)
    const header = headers.get(key) ?? { key, name: now, schema: undefined, downs: [], renamers: [] }
    headers.set(key, header)
    if (was === absent || typeof was === 'string') header.renamers.push(change)
    if (was === absent) header.name = undefined
    else if (typeof was === 'string') header.name = was
    else if (isSchema(was)) Object.assign(header, { name: header.name ?? now, schema: was })
    if (down !== undefined)
      header.downs.push((value, extra) => {
        const made = down(value, toldOf(extra))
        if (extra.altered !== undefined && differs(value, made)) extra.altered(change)
        return made
      })
  }
  return [...headers.values()]
}

/** Creates the function that converts the headers of a response, or `undefined` if there is none to convert. */
export function createConvertHeaders(
  headers: readonly Header[],
): ((found: Headers, extra: Extra) => void) | undefined {
  if (headers.length === 0) return undefined
  return (found, extra) => {
    // all are taken out before one is put back, for two may swap their names
    const values = headers.map(({ key }) => found[key])
    for (const { key } of headers) delete found[key]
    for (const [index, { key, name, downs, renamers }] of headers.entries()) {
      if (extra.altered !== undefined && values[index] !== undefined && name !== key)
        for (const change of renamers) extra.altered(change)
      if (name === undefined) continue
      const value = downs.reduce<unknown>((made, down) => down(made, extra), values[index])
      if (value !== undefined && value !== null)
        found[headerName(name)] = Array.isArray(value) ? value.map(toText) : toText(value)
    }
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`
  throw new TypeError(`down of a response header returned ${describeValue(value)}, which is no text`)
}

/**
 * Returns the description of a route's operation, with the headers that an older version had, whose schemas documents convert. `success`
 * are the keys of successful responses.
 */
export function documentHeaders(
  openapi: object,
  headers: readonly Header[],
  success: readonly string[],
): object {
  if (headers.length === 0) return openapi
  const given = toRecord(toRecord(openapi)['responses'])
  const statuses = [...new Set([...Object.keys(given), ...success])]
  const responses = statuses.map((status) => {
    const response = toRecord(given[status])
    const shown = Object.entries(toRecord(response['headers']))
    const others = shown.filter(([name]) => !headers.some(({ key }) => key === headerName(name)))
    const own = headers.flatMap(({ key, name, schema }) => {
      const now = shown.find(([each]) => headerName(each) === key)?.[1]
      if (name === undefined || (schema === undefined && now === undefined)) return []
      if (schema === undefined) return [[name, now]]
      if (now === undefined && !success.includes(status)) return []
      return [[name, { ...(isRecord(now) ? now : {}), schema }]]
    })
    const all = Object.fromEntries([...others, ...own])
    return [status, Object.keys(all).length === 0 ? response : { ...response, headers: all }]
  })
  return { ...openapi, responses: Object.fromEntries(responses) }
}
