import { headerName } from '../../http/http.ts'
import type { Param, Pattern } from '../../router/path/pattern.ts'
import type { DeclaredSource, SourceName } from '../../schema/sources.ts'
import { defOf, isSchema, objectShape, schemasOf, type Schema } from '../../schema/schema.ts'
import { isObject, isString, toRecord, describeValue, isRecord } from '../../base/values.ts'
import { cloneNameless, zod } from '../zod.ts'
import { createRefine } from '../convert/refine.ts'
import type { AppliedOperation, NameWas, NamesWere, Operation } from './operation.ts'
import { absent } from '../was.ts'
import {
  acceptSent,
  callBlamed,
  convertInner,
  createMadeCheck,
  differs,
  type Plan,
  type Range,
  type Extra,
  type Identified,
  type Converter,
} from '../convert/converter.ts'
import type { Plans } from '../convert/plans.ts'
import { resultOf, toldOf } from '../convert/program.ts'
import { joinStages } from './body-layer.ts'

export interface SourceConverter {
  /** That of models. */
  readonly plan: Plan | undefined
  /** Those of operations, which run before. */
  readonly names: Converter | undefined
  /** That of a whole body, with the models in it. */
  readonly whole: Converter | undefined
  /** The names that clients know parameters by, by those that the plan reads. A parameter that did not exist has none. */
  readonly shown: ReadonlyMap<string | number, string | undefined>
  /** The names of parameters whose values operations convert, by those that the plan reads. */
  readonly converted: ReadonlySet<string>
}

/** The sources whose parameters operations describe. */
export const NAMED_SOURCES = ['query', 'headers', 'cookies'] as const

/** The names of a source that operations say something of. */
export function namesOf(source: SourceName, operation: Operation): NamesWere | undefined {
  return source === 'query' || source === 'headers' || source === 'cookies' ? operation[source] : undefined
}

/** The schema of a parameter, and its age. Without one, the parameter is a field of a model, and the schema is that of the version. */
interface DeclaredParameter {
  readonly schema: Schema
  readonly origin: number | undefined
}

/** A parameter, followed from the newest version to an older one. */
interface Parameter extends DeclaredParameter {
  /** Its newest name, which operations know it by. */
  readonly key: string
  /** Its name in the schema that values are converted into, or `undefined` if it existed only then. */
  readonly newest: string | undefined
  /** Its name in the older version, or `undefined` if it did not exist. */
  name: string | undefined
  /** The changes that gave it another name, or without which it existed. */
  readonly renamers: string[]
  /** The effects of operations on its value, newest first. */
  readonly steps: ParameterStep[]
}

/** The effect of an operation on the value of a parameter. */
interface ParameterStep {
  readonly change: Identified
  readonly was: NameWas['was']
  readonly up: NameWas['up']
  readonly accepted: NameWas['accepted']
  /** The age of models that the function gets and returns: that of its version. */
  readonly time: number
  /** On the newer side, which the result has to fit. */
  readonly newer: DeclaredParameter
  /** On the older side. */
  readonly older: DeclaredParameter
}

/**
 * The parameters of a source in an older version, or `undefined` if no operation says something of them. `operations` are newest first, and
 * values are converted to the state of `range.newer`.
 */
export function toParameters(
  source: DeclaredSource,
  operations: readonly AppliedOperation[],
  range: Range,
  { planIn, modelledFieldsOf, timeOf, orderOf }: Plans,
): readonly Parameter[] | undefined {
  const named = operations.flatMap(({ change, ...operation }) =>
    Object.entries(namesOf(source.name, operation) ?? {}).map((entry) => [...entry, change] as const),
  )
  if (named.length === 0) return undefined
  const plan = planIn(source.schema, range)
  const newest = new Map([...(plan?.names ?? [])].map(([key, name]) => [name, key]))
  const fieldIds =
    defOf(source.schema).type === 'object' ? modelledFieldsOf(source.schema).fieldIds : undefined
  const shape = objectShape(source.schema)
  const parameters = Object.entries(objectShape(plan?.parse ?? source.schema)).map(
    ([name, schema]): Parameter => {
      const key = newest.get(name) ?? name
      const own = fieldIds?.has(key) === true ? undefined : shape[key]
      const declared =
        own === undefined ? { schema, origin: undefined } : { schema: own, origin: range.origin }
      return { key, newest: name, name, ...declared, renamers: [], steps: [] }
    },
  )
  for (const [name, field, change] of named) {
    const time = Math.max(range.newer, timeOf(orderOf({ change })))
    changeParameter(parameters, source.name, { name, ...field, change, time })
  }
  return parameters
}

/** The schema of a parameter as it was at an age. */
function schemaAt({ schema, origin }: DeclaredParameter, age: number, { planOf }: Plans): Schema {
  return origin === undefined ? schema : (planOf(schema, age, origin)?.parse ?? schema)
}

/** A source as it was before operations changed parameters of it, or `undefined` if none did. */
export function sourceBefore(
  source: DeclaredSource,
  operations: readonly AppliedOperation[],
  range: Range,
  plans: Plans,
): { readonly schema: Schema; readonly converter: Omit<SourceConverter, 'whole'> } | undefined {
  const parameters = toParameters(source, operations, range, plans)
  if (parameters === undefined) return undefined
  const rest = withoutConverted(source.schema, parameters, plans)
  const plan = plans.planIn(rest, range)
  // that of models runs them itself
  const isConverted = plans.between(rest, range.newer, range.older, range.origin) !== undefined
  const refine = isConverted ? undefined : createRefine(schemasOf(defOf(source.schema)['checks']))
  const converts = parameters.flatMap((parameter) => toConvert(parameter, range, plans))
  return {
    schema: cloneNameless(plan?.parse ?? source.schema, {
      shape: Object.fromEntries(
        parameters.flatMap(({ name, ...parameter }) =>
          name === undefined ? [] : [[name, schemaAt(parameter, range.older, plans)]],
        ),
      ),
      checks: [],
    }),
    converter: {
      plan,
      names: createNames(parameters, converts, refine),
      shown: new Map(
        parameters.flatMap(({ newest, name }) => (newest === undefined ? [] : [[newest, name]])),
      ),
      converted: new Set(
        parameters.flatMap(({ newest, name, steps }) =>
          newest !== undefined && name !== undefined && steps.some(({ up }) => up !== undefined)
            ? [newest]
            : [],
        ),
      ),
    },
  }
}

function createNames(
  parameters: readonly Parameter[],
  converts: readonly Convert[],
  refine: ReturnType<typeof createRefine>,
): Converter {
  return (value, extra) => {
    const given = toRecord(value)
    if (extra.altered !== undefined) noteNames(parameters, given, extra.altered)
    const start = (): Record<string, unknown> => toNewest(parameters, given)
    // what waits for data is found again by its object
    const made = extra.loading?.keep(parameters, isObject(value) ? value : parameters, start) ?? start()
    for (const convert of converts) convert(made, given, extra)
    return refine === undefined ? made : refine(made)
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

type Convert = (
  values: Record<string, unknown>,
  given: Readonly<Record<string, unknown>>,
  extra: Extra,
) => void

/** The source without the parameters whose values operations convert, with the models in them. */
function withoutConverted(schema: Schema, parameters: readonly Parameter[], { copyWith }: Plans): Schema {
  const converted = parameters.filter(
    ({ newest, origin, steps }) => newest !== undefined && origin !== undefined && steps.length > 0,
  )
  if (converted.length === 0) return schema
  const members = converted.map(({ key }) => [key, zod.unknown()])
  return copyWith(schema, { ...objectShape(schema), ...Object.fromEntries(members) })
}

/** The conversion of a parameter's value, oldest operation first. Each result is checked by the schema of the newer side. */
function toConvert(
  { newest, name, steps }: Parameter,
  { newer, older }: Range,
  plans: Plans,
): readonly Convert[] {
  const [last] = steps
  if (newest === undefined || last === undefined) return []
  const oldest = steps.findLastIndex(({ up }) => up !== undefined)
  const stages: Converter[] = []
  const bring = ({ schema, origin }: DeclaredParameter, to: number, from: number): void => {
    const plan = origin === undefined ? undefined : plans.between(schema, to, from, origin)
    if (plan === undefined) return
    const inner = { plan, names: [name ?? newest] }
    stages.push((value, extra) => convertInner(inner, 'up', value, extra))
  }
  let age = older
  for (const [index, step] of [...steps.entries()].toReversed()) {
    const { change, was, up, accepted, time } = step
    bring(step.older, time, age)
    age = time
    // a client sent every member that no function made
    const isSent = up === undefined && index > oldest && name !== undefined
    const schema = schemaAt(step.newer, time, plans)
    const fit = createMadeCheck(schema, change, newest, isSent ? [name] : undefined)
    const check = accepted === true ? acceptSent(fit) : fit
    stages.push((value, extra) => {
      const before = was === absent ? undefined : value
      const make = (): unknown => up?.(before, toldOf(extra))
      const made = check(up === undefined ? before : callBlamed({ change, fields: [newest] }, make))
      if (extra.altered !== undefined && differs(value, made)) extra.altered(change.id)
      return made
    })
  }
  bring(last.newer, newer, age)
  const convert = joinStages(stages)
  return [
    (values, given, extra) => {
      const made = convert?.(name === undefined ? undefined : given[name], extra)
      if (made === undefined) delete values[newest]
      else values[newest] = made
    },
  ]
}

interface Named extends NameWas {
  readonly name: string
  readonly change: Identified
  readonly time: number
}

/** Notes what a parameter was: under another name, absent, of another schema, or there only then. */
function changeParameter(
  parameters: Parameter[],
  source: SourceName,
  { name, was, up, accepted, change, time }: Named,
): void {
  const known = parameters.find(({ key }) => isSameName(source, key, name))
  if (known === undefined) {
    if (isSchema(was))
      parameters.push({
        key: name,
        newest: undefined,
        name,
        schema: was,
        origin: time,
        renamers: [change.id],
        steps: [],
      })
    return
  }
  const { schema, origin } = known
  const newer = { schema, origin }
  const older = isSchema(was) ? { schema: was, origin: origin === undefined ? origin : time } : newer
  if (!isString(was) || up !== undefined) known.steps.push({ change, was, up, accepted, time, newer, older })
  if (isString(was)) {
    known.name = was
    known.renamers.push(change.id)
  } else if (was === absent) known.name = undefined
  else if (isSchema(was)) Object.assign(known, { name: known.name ?? name, ...older })
}

/** Values under their newest names. Undeclared values stay; values that only older versions have are dropped. */
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
        const made = down(value, resultOf(extra))
        if (extra.altered !== undefined && differs(value, made)) extra.altered(change)
        return made
      })
  }
  return [...headers.values()]
}

/** Creates the function that converts the headers of a response, or `undefined` if there is none to convert. */
export function createConvertHeaders(
  headers: readonly Header[],
  convertLinks: ((found: Headers) => void) | undefined,
): ((found: Headers, extra: Extra) => void) | undefined {
  if (headers.length === 0) return convertLinks
  return (found, extra) => {
    convertLinks?.(found)
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
    const { headers: _, ...rest } = response
    return [status, Object.keys(all).length === 0 ? rest : { ...rest, headers: all }]
  })
  return { ...openapi, responses: Object.fromEntries(responses) }
}
