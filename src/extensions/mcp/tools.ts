import type { RouteCall, RouteMap } from '../../client/route-map.ts'
import type {
  Content,
  OpenApiDocument,
  Operation,
  Parameter,
  SchemaObject,
} from '../../openapi/document/types.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { mapSchemas, reachOf, refOf, refsIn, resolve, type Components } from '../../base/json-schema.ts'

/** A tool as `tools/list` shows it (MCP, revision 2026-07-28, "Tools"). */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
  }
}

/** The parts of a request that arguments become. */
export type ArgumentPlace = 'params' | 'query' | 'headers' | 'body'

/** An argument of a tool. */
export interface ToolArgument {
  readonly place: ArgumentPlace
  /** The name in its place. */
  readonly name: string
}

/** How the body of a success is read. */
export type ResultKind = 'json' | 'text' | 'events' | 'items'

/** An operation of a version as a tool. */
export interface Tool {
  readonly listed: ListedTool
  /** The full name of the route. */
  readonly route: string
  readonly method: string
  readonly call: RouteCall
  readonly arguments: ReadonlyMap<string, ToolArgument>
  readonly kind: ResultKind
  /** Whether the value of a success is the member `result`, because structured content is always an object. */
  readonly isWrapped: boolean
}

/** An operation that cannot be a tool. */
interface LeftOut {
  readonly operation: string
  readonly why: string
}

/** What the option `include` is asked about. */
export interface ToolCandidate {
  /** The operation id, such as `car.getOne`. */
  readonly operationId: string
  /** The method in upper case. */
  readonly method: string
  /** The path in the document of its version. */
  readonly path: string
  /** The tags of the operation. */
  readonly tags: readonly string[]
}

/** The tools of a version. */
export interface ToolList {
  readonly tools: ReadonlyMap<string, Tool>
  readonly leftOut: readonly LeftOut[]
  /** Pairs of operations whose tools would have one name. */
  readonly clashes: readonly (readonly [string, string])[]
}

/** Methods that are no tool: they tell of another operation, or of the server. */
const NO_TOOLS: ReadonlySet<string> = new Set(['head', 'options', 'trace'])
const READING: ReadonlySet<string> = new Set(['get', 'x-query'])
const REPEATABLE: ReadonlySet<string> = new Set(['get', 'x-query', 'put', 'delete'])
const ADDING: ReadonlySet<string> = new Set(['get', 'x-query', 'post'])

/** Makes tools of the chosen operations of a document. `routes` tell how they are called. */
export function toTools(
  document: OpenApiDocument,
  routes: RouteMap,
  isChosen: (candidate: ToolCandidate) => boolean,
): ToolList {
  const tools = new Map<string, Tool>()
  const ids = new Map<string, string>()
  const leftOut: LeftOut[] = []
  const clashes: (readonly [string, string])[] = []
  const calls = callsByPath(routes)
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [key, operation] of Object.entries(item)) {
      const method = key.replace(/^x-/, '').toUpperCase()
      const { operationId, tags = [] } = operation
      if (NO_TOOLS.has(key) || !isChosen({ operationId, method, path, tags })) continue
      const called = calls
        .get(path)
        ?.find(({ call }) => call.method === method || call.others?.includes(method))
      const made =
        called === undefined ? 'it has no route' : toTool(document, { ...called, key, method, operation })
      if (typeof made === 'string') {
        leftOut.push({ operation: operationId, why: made })
        continue
      }
      const other = ids.get(made.listed.name)
      if (other !== undefined) clashes.push([other, operationId])
      ids.set(made.listed.name, operationId)
      tools.set(made.listed.name, made)
    }
  }
  return { tools, leftOut, clashes }
}

interface NamedCall {
  readonly name: string
  readonly call: RouteCall
}

/** The calls by their paths as documents write them. */
function callsByPath({ routes }: RouteMap): ReadonlyMap<string, readonly NamedCall[]> {
  const calls = new Map<string, NamedCall[]>()
  for (const [name, call] of Object.entries(routes)) {
    const path = call.path.replaceAll(/\{([^{}:]*):path\}/g, '{$1}')
    calls.set(path, [...(calls.get(path) ?? []), { name, call }])
  }
  return calls
}

interface ToolParts extends NamedCall {
  readonly key: string
  readonly method: string
  readonly operation: Operation
}

/** Makes the tool of an operation, or says why there is none. */
function toTool(
  { components: { schemas = {} } }: OpenApiDocument,
  { name: route, call, key, method, operation }: ToolParts,
): Tool | string {
  if (call.form !== undefined) return 'its input is a form'
  if (call.body === 'bytes') return 'its body is bytes'
  const result = toResult(operation, schemas)
  if (typeof result === 'string') return result
  const input = toInput(operation, call, schemas)
  if (typeof input === 'string') return input
  const { operationId, summary } = operation
  const listed: ListedTool = {
    name: toToolName(operationId),
    ...(summary !== undefined && { title: toShownText(summary) }),
    description: toDescription(operation),
    inputSchema: input.schema,
    ...(result.schema && { outputSchema: result.schema }),
    annotations: {
      readOnlyHint: READING.has(key),
      destructiveHint: !ADDING.has(key),
      idempotentHint: REPEATABLE.has(key),
    },
  }
  return {
    listed,
    route,
    method,
    call,
    arguments: input.places,
    kind: result.kind,
    isWrapped: result.isWrapped,
  }
}

/** The longest name that models of all vendors take. */
const MAX_NAME = 64

/** A name of letters, digits, `_` and `-`, which are all that models of all vendors take. */
function toToolName(operationId: string): string {
  return operationId.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME)
}

function toDescription({ summary, description, deprecated, operationId, ...more }: Operation): string {
  const sunset: unknown = more['x-sunset']
  const texts = [
    deprecated === true ? 'Deprecated.' : undefined,
    description ?? summary ?? operationId,
    typeof sunset === 'string' ? `It ends on ${sunset.slice(0, 10)}.` : undefined,
  ]
  return toShownText(texts.filter((text) => text !== undefined).join(' '))
}

/**
 * A text for a model without the characters that no person sees: what a document of somebody else hides in a description is an
 * instruction that nobody has read.
 */
function toShownText(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u{E0100}-\u{E01EF}]/gu, '')
}

interface ToolInput {
  readonly schema: ListedTool['inputSchema']
  readonly places: ReadonlyMap<string, ToolArgument>
}

const PLACES: Readonly<Record<string, ArgumentPlace>> = { path: 'params', query: 'query', header: 'headers' }

/** Path, query, headers and body as one object, or why an operation cannot have one. */
function toInput(
  { parameters = [], requestBody }: Operation,
  call: RouteCall,
  schemas: Components,
): ToolInput | string {
  const places = new Map<string, ToolArgument>()
  const properties: Record<string, SchemaObject> = {}
  const required: string[] = []
  for (const parameter of parameters) {
    if (isOfVersion(parameter, call)) continue
    const place = PLACES[parameter.in]
    if (place === undefined) {
      if (parameter.required === true) return `it needs the cookie ${parameter.name}`
      continue
    }
    // in a path and a query, or beside a body, a name may stand twice
    const name =
      places.has(parameter.name) || parameter.name === 'body'
        ? `${parameter.in}_${parameter.name}`
        : parameter.name
    places.set(name, { place, name: parameter.name })
    properties[name] = toArgumentSchema(parameter)
    if (parameter.required === true) required.push(name)
  }
  const body = findJson(requestBody?.content ?? {})
  if (requestBody !== undefined) {
    if (body === undefined && call.body !== 'text') return 'its body is no JSON'
    places.set('body', { place: 'body', name: 'body' })
    properties['body'] = body ?? { type: 'string' }
    if (requestBody.required === true) required.push('body')
  }
  const schema = { type: 'object', properties, required, additionalProperties: false } as const
  return { schema: withDefinitions(schema, schemas), places }
}

/** Whether a parameter names the version, which the tool has already. */
function isOfVersion({ name, in: place }: Parameter, { headers = {}, query = {} }: RouteCall): boolean {
  const names = place === 'header' ? headers : place === 'query' ? query : {}
  return Object.keys(names).some((own) => own.toLowerCase() === name.toLowerCase())
}

function toArgumentSchema({ schema, description, deprecated }: Parameter): SchemaObject {
  return {
    ...schema,
    ...(description !== undefined && { description: toShownText(description) }),
    ...(deprecated === true && { deprecated }),
  }
}

const JSON_TYPE = /^application\/(?:[^;]+\+)?json$/

function findJson(content: Content): SchemaObject | undefined {
  const found = Object.entries(content).find(([type]) => JSON_TYPE.test(typeOf(type)))
  return found === undefined ? undefined : (found[1].schema ?? {})
}

interface ToolResult {
  readonly kind: ResultKind
  readonly isWrapped: boolean
  readonly schema: ListedTool['outputSchema'] | undefined
}

/** How the results of an operation are read and described, or why they cannot. */
function toResult({ responses }: Operation, schemas: Components): ToolResult | string {
  const successes = Object.entries(responses).filter(([status]) => /^2/.test(status))
  const contents = successes.map(([, response]): Content =>
    '$ref' in response ? {} : (response.content ?? {}),
  )
  const types = contents.flatMap((content) => Object.keys(content)).map(typeOf)
  if (types.includes('text/event-stream')) return { kind: 'events', isWrapped: true, schema: undefined }
  if (types.includes('application/x-ndjson')) return { kind: 'items', isWrapped: true, schema: undefined }
  const unread = types.find((type) => !JSON_TYPE.test(type) && !type.startsWith('text/'))
  if (unread !== undefined) return `its result is ${unread}`
  const [schema, ...others] = contents.map(findJson).filter((found) => found !== undefined)
  if (types.some((type) => !JSON_TYPE.test(type))) return { kind: 'text', isWrapped: true, schema: undefined }
  if (schema === undefined) return { kind: 'json', isWrapped: true, schema: undefined }
  const root = resolve(schema, schemas)
  const isObject = root['type'] === 'object'
  // with several schemas, or with none beside one, no schema is true for all results
  const isOne = others.length === 0 && contents.length === 1
  if (!isOne) return { kind: 'json', isWrapped: false, schema: undefined }
  const shown = isObject
    ? { ...root, type: 'object' as const }
    : { type: 'object' as const, properties: { result: schema }, required: ['result'] }
  return { kind: 'json', isWrapped: !isObject, schema: withDefinitions(shown, schemas) }
}

function typeOf(contentType: string): string {
  return parseMediaType(contentType)?.type ?? contentType
}

type ObjectSchema = ListedTool['inputSchema']

/** A schema of a document as a schema of its own: what it refers to stands in `$defs`. */
function withDefinitions(schema: ObjectSchema, schemas: Components): ObjectSchema {
  const names = reachOf(refsIn(schema), schemas)
  const own = { ...toOwn(schema), type: schema.type }
  if (names.size === 0) return own
  return { ...own, $defs: Object.fromEntries([...names].map((name) => [name, toOwn(schemas[name] ?? {})])) }
}

function toOwn({ discriminator: _discriminator, ...schema }: SchemaObject): SchemaObject {
  const name = refOf(schema)
  const { description } = schema
  return {
    ...mapSchemas(schema, toOwn),
    ...(name !== undefined && { $ref: `#/$defs/${name}` }),
    ...(typeof description === 'string' && { description: toShownText(description) }),
  }
}
