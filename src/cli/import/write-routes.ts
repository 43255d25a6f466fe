import { isRecord, toRecord } from '../../base/values.ts'
import { quoted } from '../types/schema-type.ts'
import { valueText } from '../write/zod-text.ts'
import { toCamel } from './names.ts'
import { reachOf, refsIn } from '../../base/json-schema.ts'
import { inlined } from './schema-parts.ts'
import type { ImportedApi, ImportedMedia, ImportedOperation, ImportedResponse } from './read-api.ts'
import { bodyText, isJson, mediaText, plainType, rawText, writeInputs, type Writing } from './write-inputs.ts'

/** The operations of a controller. */
export interface Group {
  /** The text that its names are made of. */
  readonly name: string
  readonly operations: readonly ImportedOperation[]
}

/** Groups operations by their first tag, or by the first word of their path. */
export function toGroups(operations: readonly ImportedOperation[]): readonly Group[] {
  const groups = new Map<string, ImportedOperation[]>()
  for (const operation of operations) {
    const first = operation.path.split('/').find((segment) => segment !== '' && !segment.includes('{'))
    const name = operation.tags[0] ?? first ?? 'root'
    // tags may differ in what names of files and constants cannot show
    const key = toCamel(name)
    groups.set(key, [...(groups.get(key) ?? []), operation])
  }
  return [...groups].map(([key, all]) => ({ name: all[0]?.tags[0] ?? key, operations: all }))
}

/** The literal segments that the paths of a controller begin with. */
export function prefixOf(operations: readonly ImportedOperation[]): string {
  const paths = operations.map(({ path }) => path.split('/').slice(1))
  const [first = []] = paths
  const same = first.findIndex(
    (segment, at) => segment.includes('{') || paths.some((segments) => segments[at] !== segment),
  )
  const segments = first.slice(0, same === -1 ? first.length : same)
  return `/${segments.filter((segment) => segment !== '').join('/')}`
}

/** A route as a literal. */
export interface RouteParts {
  readonly name: string
  readonly prefix: string
  readonly guard: string | undefined
  /** The credentials as documents show them, if the guard cannot say them. */
  readonly security: ImportedOperation['security'] | undefined
  readonly upstream: string
  /** The tags that the controller gives. */
  readonly tags: readonly string[]
  /** The `operationId` that documents would show. */
  readonly shownId: string
}

/** Writes an operation as a route that is forwarded. */
export function writeRoute(operation: ImportedOperation, parts: RouteParts, writing: Writing): string {
  const { method, id, isDeprecated, tags } = operation
  const inputs = writeInputs(operation, writing)
  const answers = writeResponses(operation.responses, writing)
  const path = inputs.path.slice(parts.prefix === '/' ? 0 : parts.prefix.length)
  const openapi = {
    ...(parts.security === undefined ? {} : { security: parts.security }),
    ...inputs.openapi,
    ...answers.openapi,
  }
  const isTagged = tags.join('\n') !== parts.tags.join('\n') && tags.length > 0
  const members = [
    `method: ${quoted(method)}`,
    ...(path === '' || (path === '/' && operation.path === '/') ? [] : [`path: ${quoted(path)}`]),
    `name: ${quoted(parts.name)}`,
    ...(id === undefined || id === parts.shownId ? [] : [`operationId: ${quoted(id)}`]),
    ...textsOf(operation),
    ...(isTagged ? [`tags: ${valueText(tags)}`] : []),
    ...(isDeprecated ? ['deprecated: true'] : []),
    ...(parts.guard === undefined ? [] : [`guards: [${parts.guard}]`]),
    ...(inputs.input.length === 0 ? [] : [`input: { ${inputs.input.join(', ')} }`]),
    ...(answers.response === '' ? [] : [`response: ${answers.response}`]),
    ...(Object.keys(openapi).length === 0 ? [] : [`openapi: ${valueText(openapi)}`]),
    `forward: ${parts.upstream}`,
  ]
  return `{ ${members.join(', ')} }`
}

/** The summary, and the description if it says more. */
function textsOf({ summary = '', description = '' }: ImportedOperation): readonly string[] {
  const [short, long] = [summary.trim(), description.trim()]
  return [
    ...(short === '' ? [] : [`summary: ${quoted(short)}`]),
    ...(long === '' || long === short ? [] : [`description: ${quoted(long)}`]),
  ]
}

interface WrittenResponses {
  readonly response: string
  readonly openapi: object
}

/** Statuses and ranges that `response` takes. */
const DECLARABLE = /^[2-5]\d\d$|^[45]XX$|^default$/

/** Writes the responses: schemas by status, and what only documents can say. */
function writeResponses(responses: readonly ImportedResponse[], writing: Writing): WrittenResponses {
  const declared: (readonly [status: string, text: string])[] = []
  const extra: Record<string, object> = {}
  for (const response of responses) {
    const { status, description, headers, content } = response
    const main = mainOf(content)
    const isDeclared = DECLARABLE.test(status)
    if (isDeclared) declared.push([status, responseText(response, main, writing)])
    const others = content.filter((media) => (isDeclared ? media !== main : true))
    const own = {
      ...(isDeclared ? {} : { description: description === '' ? status : description }),
      ...(Object.keys(headers).length === 0 ? {} : { headers: headersText(headers, writing) }),
      ...(others.length === 0
        ? {}
        : {
            content: mediaText(
              others,
              isDeclared ? main?.schema : undefined,
              writing.components,
              writing.shown.response,
            ),
          }),
    }
    if (Object.keys(own).length > 0) extra[status] = own
  }
  const [only] = declared
  const response =
    declared.length === 1 && only?.[0] === '200'
      ? only[1]
      : `{ ${declared.map(([status, text]) => `${/^[45]XX$/.test(status) ? quoted(status) : status}: ${text}`).join(', ')} }`
  return {
    response: declared.length === 0 ? '' : response,
    openapi: Object.keys(extra).length === 0 ? {} : { responses: extra },
  }
}

/** The components that documents of the app show by their names in bodies and in responses, because those of JSON have them. */
export function findShown({ operations, schemas }: ImportedApi): Writing['shown'] {
  const find = (media: readonly ImportedMedia[]): ReadonlySet<string> =>
    reachOf(
      media.flatMap(({ type, schema = {} }) => (isJson(type) ? [...refsIn(schema)] : [])),
      schemas,
    )
  const body = find(operations.flatMap((operation) => operation.body?.content ?? []))
  const response = find(
    operations.flatMap(({ responses }) =>
      responses.flatMap(({ status, content }) => (DECLARABLE.test(status) ? (mainOf(content) ?? []) : [])),
    ),
  )
  // with a default, a component differs in bodies and responses, and so does its name if both have it
  const isSame = (name: string): boolean =>
    [...reachOf([name], schemas)].every((each) => !JSON.stringify(schemas[each]).includes('"default":'))
  const same = [...body, ...response].filter(isSame)
  const only = (own: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...same, ...[...own].filter((name) => !other.has(name))])
  return { body: only(body, response), response: only(response, body) }
}

function mainOf(content: readonly ImportedMedia[]): ImportedMedia | undefined {
  return (
    content.find(({ type }) => plainType(type) === 'application/json') ??
    content.find(({ type }) => isJson(type)) ??
    content[0]
  )
}

function responseText(
  { status, description }: ImportedResponse,
  main: ImportedMedia | undefined,
  writing: Writing,
): string {
  const note = description === '' ? '' : `.describe(${quoted(description)})`
  if (main === undefined || status === '204' || status === '304') return `z.undefined()${note}`
  const type = plainType(main.type)
  const { schema = {} } = main
  if (type === '*/*')
    writing.note(/^response-media-type/, `${main.type} is application/json, because Octavo sends JSON`)
  if (isJson(type)) {
    if (type !== 'application/json' && type !== '*/*') return bodyText(schema, type, writing)
    return writing.models.writer.text(schema)
  }
  if (schema['type'] !== 'string')
    writing.note(/^response-/, `${main.type} has no schema of its own, because changes don't convert it`)
  return rawText(main)
}

function headersText(headers: Readonly<Record<string, unknown>>, { components }: Writing): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const { schema, ...rest } = toRecord(header)
      const plain = Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith('x-')))
      return [name, { ...plain, ...(isRecord(schema) ? { schema: inlined(schema, components) } : {}) }]
    }),
  )
}

/** The name of a route: the operation's id without the name of its controller, or one that Octavo would give it. */
export function routeNameOf({ id, method, path }: ImportedOperation, group: string): string {
  const own = id?.split(/[/.]/).at(-1)
  if (own !== undefined && own !== '') {
    const name = toCamel(own)
    const prefix = toCamel(group)
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    return /^[A-Z]/.test(rest) ? toCamel(rest) : name
  }
  const words = path.replaceAll(/\{([^{}]*)\}/g, 'by $1')
  return toCamel(`${method.toLowerCase()} ${words}`)
}
