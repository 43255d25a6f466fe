import { headerName } from '../http/headers.ts'
import type { Param, Pattern } from '../router/path/pattern.ts'
import type { DeclaredSource, SourceName } from '../schema/sources.ts'
import type { Fields, Schema } from '../schema/schema.ts'
import { isSchema } from '../schema/schema.ts'
import { isString, toRecord } from '../base/values.ts'
import { shapeOf } from './chain.ts'
import { cloneNameless } from './convert/clone.ts'
import type { Applied, NamesWere, Operation } from './operation.ts'
import { absent } from './was.ts'
import type { FieldWas } from './reshape.ts'
import type { Plan } from './convert/plan.ts'
import { differs } from './convert/tracking.ts'
import type { Extra, Turn } from './convert/turn.ts'

/** The functions that turn the values of a source. */
export interface Turned {
  /** That of models. */
  readonly plan: Plan | undefined
  /** Those of operations, which run before. */
  readonly names: Turn | undefined
}

/** The names of a source that operations say something of. */
export function namesOf(source: SourceName, operation: Operation): NamesWere | undefined {
  return source === 'query' || source === 'headers' || source === 'cookies' ? operation[source] : undefined
}

/** A parameter, followed from the newest version to an older one. */
interface Parameter {
  /** Its newest name, which operations know it by. */
  readonly key: string
  /** Its name in the schema that values are turned into, or `undefined` if it existed only then. */
  readonly newest: string | undefined
  /** Its name in the older version, or `undefined` if it did not exist. */
  name: string | undefined
  schema: Schema
  /** The changes that gave it another name, or without which it existed. */
  readonly renamers: string[]
}

/** A source as it was before operations changed parameters of it, newest operation first, or `undefined` if none did. */
export function turnNames(
  source: DeclaredSource,
  plan: Plan | undefined,
  operations: readonly Applied[],
): { readonly schema: Schema; readonly up: Turn } | undefined {
  const named = operations.flatMap((operation) => {
    const names = namesOf(source.name, operation)
    return names === undefined ? [] : [{ names, change: operation.change.id }]
  })
  if (named.length === 0) return undefined
  const schema = plan?.parse ?? source.schema
  const newest = new Map([...(plan?.names ?? [])].map(([key, name]) => [name, key]))
  const parameters = Object.entries(shapeOf(schema)).map(([name, field]): Parameter => ({
    key: newest.get(name) ?? name,
    newest: name,
    name,
    schema: field,
    renamers: [],
  }))
  const ups: Up[] = []
  for (const { names, change } of named) {
    for (const [name, field] of Object.entries(names)) {
      const parameter = changeParameter(parameters, source.name, name, { was: field.was, change })
      const { up } = field
      const written = parameter?.newest
      if (up !== undefined && written !== undefined) ups.unshift(createUp(written, up, change))
    }
  }
  return {
    schema: cloneNameless(schema, { shape: toShape(parameters) }),
    up: (value, extra) => {
      const given = toRecord(value)
      if (extra.altered !== undefined) noteNames(parameters, given, extra.altered)
      const made = toNewest(parameters, given)
      for (const up of ups) up(made, extra)
      return made
    },
  }
}

/** Notes the changes that gave parameters which were sent another name, or without which they existed. */
function noteNames(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
  altered: (change: string) => void,
): void {
  for (const { name, newest, renamers } of parameters) {
    if (name === undefined || name === newest || given[name] === undefined) continue
    for (const change of renamers) altered(change)
  }
}

type Up = (value: Record<string, unknown>, extra: Extra) => void

function createUp(name: string, up: NonNullable<FieldWas['up']>, change: string): Up {
  return (value, extra) => {
    const made = up(value[name], { request: extra.request })
    if (extra.altered !== undefined && differs(value[name], made)) extra.altered(change)
    value[name] = made
  }
}

/** Notes what a parameter was: under another name, absent, of another schema, or there only then. */
function changeParameter(
  parameters: Parameter[],
  source: SourceName,
  name: string,
  { was, change }: Pick<FieldWas, 'was'> & { readonly change: string },
): Parameter | undefined {
  const known = parameters.find(({ key }) => isSameName(source, key, name))
  if (known === undefined) {
    if (isSchema(was))
      parameters.push({ key: name, newest: undefined, name, schema: was, renamers: [change] })
    return undefined
  }
  if (typeof was === 'string') {
    known.name = was
    known.renamers.push(change)
  } else if (was === absent) known.name = undefined
  else if (isSchema(was)) Object.assign(known, { name: known.name ?? name, schema: was })
  return known
}

function toShape(parameters: readonly Parameter[]): Fields {
  return Object.fromEntries(
    parameters.flatMap(({ name, schema }) => (name === undefined ? [] : [[name, schema]])),
  )
}

/** Values under their newest names. What no version declares stays, what existed only then is nothing that handlers know. */
function toNewest(
  parameters: readonly Parameter[],
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const made: Record<string, unknown> = { ...value }
  for (const { name } of parameters) if (name !== undefined) delete made[name]
  for (const { name, newest } of parameters)
    if (name !== undefined && newest !== undefined && value[name] !== undefined) made[newest] = value[name]
  return made
}

/** Path parameters of an older version: they are read under the names of the pattern, which stay. `undefined` if no name differs. */
export function turnParams({ parse, names = new Map() }: Plan): ReturnType<typeof turnNames> {
  const newest = new Map([...names].map(([now, was]) => [was, now]))
  if ([...names].every(([now, was]) => now === was)) return undefined
  return {
    schema: cloneNameless(parse, { shape: renamed(shapeOf(parse), newest) }),
    up: (value) => renamed(toRecord(value), names),
  }
}

function renamed<T>(of: Readonly<Record<string, T>>, names: ReadonlyMap<string, string>): Record<string, T> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** The pattern with the older names of its parameters, for documents and clients. */
export function renameParams(pattern: Pattern, names: ReadonlyMap<string, string>): Pattern {
  const rename = (param: Param): Param => ({ ...param, name: names.get(param.name) ?? param.name })
  return {
    ...pattern,
    segments: pattern.segments.map((segment) => {
      if (segment.kind === 'literal') return segment
      if (segment.kind !== 'mixed') return { ...segment, param: rename(segment.param) }
      return { ...segment, parts: segment.parts.map((part) => (isString(part) ? part : rename(part))) }
    }),
    params: pattern.params.map(rename),
  }
}

/** Names of headers are compared as headers are. */
export function isSameName(source: SourceName, one: string, other: string): boolean {
  return source === 'headers' ? headerName(one) === headerName(other) : one === other
}
