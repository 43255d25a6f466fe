import type { RouteCall, RouteMap } from '../../client/route-map.ts'
import type { ToolCandidate } from '../../define/layers.ts'
import type { OpenApiDocument, Operation } from '../../openapi/document/types.ts'
import { toShownText, type ObjectSchema } from './json-parts.ts'
import { toToolName } from './options.ts'
import { toInput, type ToolArgument } from './tool-input.ts'
import { describeResult, type ResultKind } from './tool-result.ts'

/** A tool as `tools/list` shows it (MCP, revision 2026-07-28, "Tools"). */
interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: ObjectSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
  }
}

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

/** The tools of a version. */
export interface ToolList {
  readonly tools: ReadonlyMap<string, Tool>
  readonly leftOut: readonly LeftOut[]
  /** Pairs of operations whose tools would have one name. */
  readonly clashes: readonly (readonly [string, string])[]
}

/** Methods that are no tool: they tell of another operation, or of the server. */
const NO_TOOLS: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE'])
const READING: ReadonlySet<string> = new Set(['GET', 'QUERY'])
const REPEATABLE: ReadonlySet<string> = new Set(['PUT', 'DELETE'])

/** Creates the tools of the chosen operations of a document. `routes` tell how they are called. */
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
      if (NO_TOOLS.has(method) || !isChosen({ operationId, method, tags })) continue
      const called = calls
        .get(path)
        ?.find(({ call }) => call.method === method || call.others?.includes(method))
      const made =
        called === undefined ? 'it has no route' : toTool(document, { ...called, method, operation })
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
  readonly method: string
  readonly operation: Operation
}

/** Creates the tool of an operation, or returns the reason why there is none. */
function toTool(
  { components: { schemas = {} } }: OpenApiDocument,
  { name: route, call, method, operation }: ToolParts,
): Tool | string {
  if (call.form !== undefined) return 'its input is a form'
  if (call.body === 'bytes') return 'its body is bytes'
  const result = describeResult(operation, schemas)
  if (typeof result === 'string') return result
  const input = toInput(operation, call, schemas)
  if (typeof input === 'string') return input
  const { operationId, summary } = operation
  const isReading = READING.has(method)
  const listed: ListedTool = {
    name: toToolName(operationId),
    ...(summary !== undefined && { title: toShownText(summary) }),
    description: toDescription(operation),
    inputSchema: input.schema,
    ...(result.schema && { outputSchema: result.schema }),
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: !isReading && method !== 'POST',
      idempotentHint: isReading || REPEATABLE.has(method),
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

function toDescription({ summary, description, deprecated, operationId, ...more }: Operation): string {
  const sunset: unknown = more['x-sunset']
  const texts = [
    deprecated === true ? 'Deprecated.' : undefined,
    description ?? summary ?? operationId,
    typeof sunset === 'string' ? `It ends on ${sunset.slice(0, 10)}.` : undefined,
  ]
  return toShownText(texts.filter((text) => text !== undefined).join(' '))
}
