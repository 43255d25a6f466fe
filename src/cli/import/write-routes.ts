import { literalText, quotedText, valueText } from '../format.ts'
import { toCamel } from './import-names.ts'
import { reachOf, refsIn } from '../../base/json-schema.ts'
import { inlined } from './schema-parts.ts'
import { markBody } from './shared-bodies.ts'
import type { Content } from '../../openapi/document/types.ts'
import type { ImportedApi, ImportedOperation } from './read-api.ts'
import {
  bodySchemaText,
  isJsonMedia,
  mediaIn,
  mediaText,
  plainType,
  rankOf,
  rawText,
  writeInputs,
  type InputMedia,
  type RouteWriting,
  type ShownInput,
} from './write-inputs.ts'
import { schemaText } from './write-schema.ts'

/** The operations of a controller. */
export interface ControllerGroup {
  /** The text that its names are made of. */
  readonly name: string
  readonly operations: readonly ImportedOperation[]
}

/** The most operations with one tag, or below one path, that make one controller if the document has no others. */
const MOST_TOGETHER = 20

/**
 * Groups operations by their first tag, or else by the first word of their path. Of many operations that all have the same one, it is the
 * first word that differs.
 */
export function toControllerGroups(operations: readonly ImportedOperation[]): readonly ControllerGroup[] {
  const groups = new Map<string, ImportedOperation[]>()
  const isLarge = operations.length > MOST_TOGETHER
  const isTagged = !isLarge || new Set(operations.map(({ tags: [tag] }) => tag)).size > 1
  const shared = isLarge ? prefixOf(operations) : ''
  const nameOf = ({ tags: [tag], path }: ImportedOperation): string => {
    if (tag !== undefined && isTagged) return tag
    const words = path.slice(shared === '/' ? 0 : shared.length).split('/')
    const first = words.find((segment) => segment !== '' && !segment.includes('{'))
    return first ?? (shared.split('/').at(-1) || 'root')
  }
  for (const operation of operations) {
    // tags may differ in what names of files and constants cannot show
    const key = toCamel(nameOf(operation))
    groups.set(key, [...(groups.get(key) ?? []), operation])
  }
  return [...groups].map(([key, all]) => ({
    name: (isTagged ? all[0]?.tags[0] : undefined) ?? key,
    operations: all,
  }))
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
export function writeRoute(operation: ImportedOperation, parts: RouteParts, writing: RouteWriting): string {
  const { method, operationId: id, deprecated, tags } = operation
  const inputs = writeInputs(operation, writing)
  const answers = writeResponses(operation.responses, writing)
  const path = inputs.path.slice(parts.prefix === '/' ? 0 : parts.prefix.length)
  const isTagged = tags.join('\n') !== parts.tags.join('\n')
  const [summary, description] = [operation.summary, operation.description].map((text) => text?.trim())
  return literalText({
    method: quotedText(method),
    path: path === operation.path && path === '/' ? undefined : routeTextOf(path),
    name: quotedText(parts.name),
    operationId: id === parts.shownId ? undefined : routeTextOf(id),
    summary: routeTextOf(summary),
    description: description === summary ? undefined : routeTextOf(description),
    tags: isTagged ? valueText(tags) : undefined,
    deprecated: deprecated && 'true',
    guards: parts.guard && `[${parts.guard}]`,
    input: literalText(inputs.input),
    response: answers.response,
    openapi: valueText({
      'x-sunset': operation['x-sunset'],
      'x-stability-level': operation['x-stability-level'],
      'x-beta': operation['x-beta'],
      security: parts.security,
      ...inputs.openapi,
      responses: answers.openapi,
    }),
    forward: parts.upstream,
  })
}

function routeTextOf(text = ''): string | undefined {
  return text === '' ? undefined : quotedText(text)
}

interface WrittenResponses {
  readonly response: string
  readonly openapi: object | undefined
}

/** Statuses and ranges that `response` takes. */
const DECLARABLE = /^[2-5]\d\d$|^[45]XX$|^default$/

/** Writes the responses: schemas by status, and what only documents can say. */
function writeResponses(responses: ImportedOperation['responses'], writing: RouteWriting): WrittenResponses {
  const declared: Record<string, string> = {}
  const extra: Record<string, object> = {}
  for (const [status, { description, headers, content = {} }] of Object.entries(responses)) {
    const main = mainOf(content)
    const isDeclared = DECLARABLE.test(status)
    if (isDeclared) declared[status] = responseText(status, description, main, writing)
    const others = Object.entries(content).filter(([type]) => !isDeclared || type !== main?.type)
    const shown = isDeclared ? main?.schema : undefined
    const ownHeaders = Object.entries(headers).map(([name, { schema, ...rest }]) => {
      const plain = Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith('x-')))
      return [name, { ...plain, ...(schema === undefined ? {} : { schema: inlined(schema, writing) }) }]
    })
    const own = {
      description: isDeclared ? undefined : description || status,
      headers: ownHeaders.length === 0 ? undefined : Object.fromEntries(ownHeaders),
      content: mediaText(others, shown, writing, writing.shown.response),
    }
    if (Object.values(own).some((member) => member !== undefined)) extra[status] = own
  }
  if (!Object.keys(declared).some((status) => status.startsWith('2') || status === 'default'))
    writing.note(/^response-success-status/, 'no response says what a success is, so any does')
  const { '200': only, ...rest } = declared
  return {
    // without a body, the status that is not named is 204
    response:
      only !== undefined && Object.keys(rest).length === 0 && !only.startsWith('z.undefined(')
        ? only
        : literalText(declared),
    openapi: Object.keys(extra).length === 0 ? undefined : extra,
  }
}

/** The components that documents of the app show by their names in bodies and in responses, because those of JSON have them. */
export function findShown({ operations, schemas }: ImportedApi): ShownInput {
  const find = (media: readonly InputMedia[]): ReadonlySet<string> =>
    reachOf(
      media.flatMap(({ type, schema = {} }) => (isJsonMedia(type) ? [...refsIn(schema)] : [])),
      schemas,
    )
  const body = find(operations.flatMap(({ requestBody }) => mediaIn(requestBody?.content)))
  const response = find(
    operations.flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        DECLARABLE.test(status) ? (mainOf(content) ?? []) : [],
      ),
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

function mainOf(content: Content | undefined): InputMedia | undefined {
  return mediaIn(content).toSorted(
    (one, other) => Math.min(2, rankOf(one.type)) - Math.min(2, rankOf(other.type)),
  )[0]
}

function responseText(
  status: string,
  description: string,
  main: InputMedia | undefined,
  writing: RouteWriting,
): string {
  const note = description === '' ? '' : `.describe(${quotedText(description)})`
  if (main === undefined || status === '204' || status === '304') return `z.undefined()${note}`
  const type = plainType(main.type)
  const { schema = {} } = main
  if (type === '*/*')
    writing.note(/^response-media-type/, `${main.type} is application/json, because Octavo sends JSON`)
  if (isJsonMedia(type)) {
    const isPlain = type === '*/*' || /^application\/json *(?:; *charset=[^;]*)?$/i.test(main.type)
    return isPlain
      ? markBody(schemaText(writing, schema), schema, writing.bodies)
      : bodySchemaText(schema, main.type, writing)
  }
  if (schema['type'] !== 'string')
    writing.note(/^response-/, `${main.type} has no schema of its own, because changes don't convert it`)
  return rawText(main)
}

/** The name of a route: the operation's id without the name of its controller, or one that Octavo would give it. */
export function routeNameOf({ operationId, method, path }: ImportedOperation, group: string): string {
  const own = operationId?.split(/[/.]/).at(-1)
  if (own !== undefined && own !== '') {
    const name = toCamel(own)
    const prefix = toCamel(group)
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    return /^[A-Z]/.test(rest) ? toCamel(rest) : name
  }
  const words = path.replaceAll(/\{([^{}]*)\}/g, 'by $1')
  return toCamel(`${method.toLowerCase()} ${words}`)
}
