import { quotedText } from '../format.ts'
import type { Contract, ContractRoute, Content, Parameter } from '../../openapi/document/types.ts'
import { memberSchemas } from '../../base/json-schema.ts'
import { isRecord } from '../../base/values.ts'
import {
  comment,
  groupedType,
  indentedType,
  membersType,
  schemaToType,
  union,
  type TypeMember,
  type TypeNames,
} from './schema-type.ts'

/** Types that the file uses or declares besides those of schemas. */
const TAKEN = new Set(
  `Api Answer DeclaredProblem Success NamedEvent NamedEvents ItemStream RouteFunction CalledFunction Inputs Webhooks Status2XX Status3XX Status4XX Status5XX Blob Uint8Array ArrayBuffer ReadableStream Partial Record Exclude any
  unknown never string number boolean object null undefined symbol bigint void`.split(/\s+/),
)

/** The declarations of requests and responses for clients of a version. They import `octavo/client` alone. */
export function contractTypes({ version, routes, webhooks, errors, components }: Contract): string {
  const names = nameComponents(Object.keys(components))
  const named = Object.entries(components).map(
    ([name, schema]) => `export type ${names.get(pointerTo(name)) ?? name} = ${schemaToType(schema, names)}`,
  )
  const inputs = routes.map((route): TypeMember => ({
    name: route.name,
    type: inputOf(route, names),
    isRequired: true,
  }))
  const of = version === null ? 'requests that name no version' : `version ${version}`
  const has = (kind: 'events' | 'items'): boolean => routes.some(({ stream }) => stream?.kind === kind)
  const imported = [
    'Answer',
    ...(routes.some(({ problems }) => problems.length > 0) ? ['DeclaredProblem'] : []),
    ...(has('items') ? ['ItemStream'] : []),
    ...(has('events') ? ['NamedEvent', 'NamedEvents'] : []),
    'RouteFunction',
    ...(routes.some(takesCursor) ? ['CalledFunction'] : []),
  ]
  const text = [
    `// The API for ${of}. \`octavo client\` wrote this file: write it again instead of editing it.\n`,
    `import type { ${imported.join(', ')} } from 'octavo/client'\n`,
    ...named.map((type) => `${type}\n`),
    '/** The input of each route, by its name. */',
    `export interface Inputs ${membersType(inputs)}\n`,
    ...webhookTypes(webhooks, names),
    comment(`Calls of ${of}, for \`createClient<Api>()\`.`),
    `export interface Api {\n  readonly $written: {\n    readonly version: ${version === null ? null : quotedText(version)}\n    readonly inputs: Inputs\n    readonly calls: ${indentedType(indentedType(callsOf(routes, names)))}${errors === undefined ? '' : `\n    readonly errors: ${indentedType(indentedType(dataOf(errors, names)))}`}\n  }\n}`,
  ].join('\n')
  const statuses = [...RANGES, SUCCESS]
    .filter(({ name }) => new RegExp(String.raw`\b${name}\b`).test(text))
    .map(({ name, statuses: all }) => `type ${name} = ${all.join(' | ')}`)
  return `${[text, ...statuses].join('\n\n')}\n`
}

/** The payloads that receivers get, which have the envelope of documents. */
function webhookTypes(webhooks: Contract['webhooks'], names: TypeNames): readonly string[] {
  if (webhooks.length === 0) return []
  const payloads = webhooks.map(({ name, summary, data }): TypeMember => {
    const members = [
      { name: 'type', type: quotedText(name), isRequired: true },
      { name: 'timestamp', type: 'string', isRequired: true },
      ...(data === undefined ? [] : [{ name: 'data', type: schemaToType(data, names), isRequired: true }]),
    ]
    return { name, type: membersType(members), isRequired: true, note: summary }
  })
  return [
    '/** The payload of each webhook, by its name. */',
    `export interface Webhooks ${membersType(payloads)}\n`,
  ]
}

const RANGES = [2, 3, 4, 5].map((first) => ({
  name: `Status${first}XX`,
  statuses: Array.from({ length: 100 }, (_, index) => first * 100 + index),
}))

/** The statuses of results without a declared one, beside declared problems. They are those whose `ok` is known. */
const SUCCESS = { name: 'Success', statuses: [200, 201, 202, 203, 204, 205, 206, 207, 208, 226] }

function pointerTo(name: string): string {
  return `#/components/schemas/${name}`
}

/** Types for the named schemas, each with a name that TypeScript takes. */
function nameComponents(names: readonly string[]): TypeNames {
  const used = new Set(TAKEN)
  return new Map(
    names.map((name) => {
      let type = name.replaceAll(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?![\p{ID_Start}$_])/u, '_')
      while (used.has(type)) type += '_'
      used.add(type)
      return [pointerTo(name), type]
    }),
  )
}

/** The calls of routes, nested by the parts of their names. A route and a controller may share a name. */
function callsOf(routes: readonly ContractRoute[], names: TypeNames, above = ''): string {
  const below = new Map<string, ContractRoute[]>()
  for (const route of routes) {
    const [key = ''] = route.name.slice(above.length).split('.')
    below.set(key, [...(below.get(key) ?? []), route])
  }
  return membersType(
    [...below].map(([key, all]): TypeMember => {
      const own = all.find(({ name }) => name === above + key)
      const others = all.filter((route) => route !== own)
      const parts = [
        ...(own === undefined
          ? []
          : [
              `${takesCursor(own) ? 'CalledFunction' : 'RouteFunction'}<Inputs[${quotedText(own.name)}], ${answerTypes(own, names)}>`,
            ]),
        ...(others.length === 0 ? [] : [callsOf(others, names, `${above}${key}.`)]),
      ]
      return { name: key, type: parts.join(' & '), isRequired: true, note: own?.summary }
    }),
  )
}

/** Whether a route may answer in pages, which the type of its function finds out. */
function takesCursor({ parameters }: ContractRoute): boolean {
  return parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'cursor')
}

function answerTypes(route: ContractRoute, names: TypeNames): string {
  const { problems } = route
  if (problems.length === 0) return declaredTypes(route, names, 'number')
  const errors = problems.map(({ code, status, members }) => {
    const own = members === undefined ? '' : ` & ${groupedType(schemaToType(members, names))}`
    return `Answer<${status}, DeclaredProblem<${quotedText(code)}, ${status}>${own}>`
  })
  return union([declaredTypes(route, names, 'Success'), ...errors])
}

/** The answers that are no problems. `open` are the statuses if none is declared. */
function declaredTypes(
  { responses, stream, isOneResponse }: ContractRoute,
  names: TypeNames,
  open: string,
): string {
  if (responses.length === 0 && stream === undefined) return `Answer<${open}, unknown>`
  const streamed = stream === undefined ? [] : [`Answer<200, ${streamType(stream, names)}>`]
  const declared = [...responses.map(([status]) => status), ...(stream === undefined ? [] : [200])]
  const others = responses.filter(([status]) => stream === undefined || status !== 200)
  return union([
    ...streamed,
    ...others.map(([status, content]) => {
      const data = dataOf(content, names)
      if (isOneResponse) return `Answer<${open}, ${data}>`
      return `Answer<${typeof status === 'number' ? status : statusRange(status, declared)}, ${data}>`
    }),
  ])
}

/** The data of a stream: events by their names, or items. */
function streamType({ kind, schemas }: NonNullable<ContractRoute['stream']>, names: TypeNames): string {
  const types = schemas.map(([name, { schema, isOptional }]) => {
    const data = schema === undefined ? 'undefined' : schemaToType(schema, names)
    return { name, data: isOptional ? union([data, 'undefined']) : data }
  })
  if (kind === 'items') return `ItemStream<${union(types.map(({ data }) => data))}>`
  return `NamedEvents<${union(types.map(({ name, data }) => `NamedEvent<${quotedText(name)}, ${data}>`))}>`
}

/** The statuses of a range that have no schema of their own. */
function statusRange(range: string, declared: readonly (number | string)[]): string {
  const own = union(declared.filter((status) => typeof status === 'number').map(String))
  const names = RANGES.map(({ name }) => name)
  const whole =
    range === 'default'
      ? names.filter((name) => !declared.some((status) => `Status${status}` === name)).join(' | ')
      : `Status${range}`
  return own === 'never' ? whole : `Exclude<${whole}, ${own}>`
}

/** The data of an answer: JSON as a value, text as a string, anything else as bytes. */
function dataOf(content: Content | undefined, names: TypeNames): string {
  if (content === undefined) return 'undefined'
  return union(
    Object.entries(content).map(([type, { schema }]) => {
      if (isJsonContent(type)) return schemaToType(schema, names)
      return isTextContent(type) ? 'string' : 'Uint8Array'
    }),
  )
}

function isJsonContent(type: string): boolean {
  return /[/+]json\b/i.test(type)
}

function isTextContent(type: string): boolean {
  return /^text\/|[/+]xml\b/i.test(type)
}

/** The input of a call. */
function inputOf(route: ContractRoute, names: TypeNames): string {
  const sources = new Map<string, readonly TypeMember[]>()
  const places = { path: 'params', query: 'query', header: 'headers', cookie: 'cookies' } as const
  const free: string[] = []
  for (const parameter of route.parameters) {
    const source = places[parameter.in]
    const { type, properties } = parameter.schema
    // an object without properties stands for all parameters that have no name
    if (parameter.in === 'query' && type === 'object' && properties === undefined) free.push(source)
    else sources.set(source, [...(sources.get(source) ?? []), parameterMember(parameter, route, names)])
  }
  const members = [...new Set([...sources.keys(), ...free])].map((source): TypeMember => {
    const own = sources.get(source) ?? []
    const parts = [
      ...(own.length === 0 ? [] : [membersType(own)]),
      ...(free.includes(source) ? ['{ [name: string]: unknown }'] : []),
    ]
    return {
      name: source,
      type: parts.join(' & '),
      isRequired: source !== 'cookies' && own.some(({ isRequired }) => isRequired),
    }
  })
  const method: TypeMember = {
    name: 'method',
    type: union(route.methods.map((each) => quotedText(each))),
    isRequired: false,
  }
  return membersType([
    ...members,
    ...bodyMembers(route, names),
    ...(route.methods.length < 2 ? [] : [method]),
  ])
}

function parameterMember(
  { name, in: place, required, schema, description }: Parameter,
  { sources }: ContractRoute,
  names: TypeNames,
): TypeMember {
  const type = schemaToType(schema, names)
  // numbers of the pattern may be given as text
  const isWider = place === 'path' && !sources.includes('params') && type === 'number'
  return {
    name,
    type: isWider ? 'number | string' : type,
    isRequired: required === true,
    note: description,
  }
}

const BYTES = 'Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>'

function bodyMembers({ body, sources }: ContractRoute, names: TypeNames): readonly TypeMember[] {
  if (body === undefined) return []
  const isRequired = body.required === true
  if (!sources.includes('body')) return formType(body.content, sources, isRequired, names)
  const types = Object.entries(body.content)
  const json = types.find(([type]) => isJsonContent(type))
  const plain = types.some(([type]) => isTextContent(type)) ? 'string' : BYTES
  const data = json === undefined ? plain : schemaToType(json[1].schema, names)
  return [{ name: 'body', type: data, isRequired }]
}

/** The fields of a form, and its files. */
function formType(
  content: Content,
  sources: ContractRoute['sources'],
  isRequired: boolean,
  names: TypeNames,
): readonly TypeMember[] {
  const [media] = Object.values(content)
  const schema = media?.schema ?? {}
  if (!isRecord(schema['properties']))
    return (['form', 'files'] as const)
      .filter((source) => sources.includes(source))
      .map((name) => ({ name, type: name === 'form' ? schemaToType(schema, names) : FILES, isRequired }))
  const fields = memberSchemas(schema, (field) => schemaToType(field, names)).map(({ made, ...field }) => {
    const file = sources.includes('files') ? fileOf(field.schema) : undefined
    const member: TypeMember = { name: field.name, type: file ?? made, isRequired: field.isRequired }
    return { source: file === undefined ? 'form' : 'files', member }
  })
  return (['form', 'files'] as const).flatMap((source): readonly TypeMember[] => {
    const own = fields.filter((field) => field.source === source).map(({ member }) => member)
    if (own.length === 0) return []
    return [{ name: source, type: membersType(own), isRequired: own.some((member) => member.isRequired) }]
  })
}

const FILES = '{ [name: string]: Blob | readonly Blob[] }'

/** The type of a file, or of a list of them, or `undefined` for a text. */
function fileOf(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined
  if (schema['format'] === 'binary' || schema['contentEncoding'] === 'binary') return 'Blob'
  const { type, items } = schema
  return type === 'array' && fileOf(items) !== undefined
    ? `readonly ${groupedType(fileOf(items) ?? 'Blob')}[]`
    : undefined
}
