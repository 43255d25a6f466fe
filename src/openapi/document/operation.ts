import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { Middleware } from '../../define/layers.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { MERGE_PATCH, takesMergePatch } from '../../schema/body-types.ts'
import { isSchema } from '../../schema/schema.ts'
import type { Method } from '../../http/http.ts'
import { hasBrownouts, statusAt, toInterval, type Lifetime } from '../../versioning/policy.ts'
import { isObject, isRecord } from '../../base/values.ts'
import { headerSchemasOf } from '../schemas/markers.ts'
import { addedTo, withAddedHeaders, toOperationResponses } from './responses.ts'
import type {
  ConvertedRoute,
  DocumentedRoute,
  DocumentSettings,
  OpenApiVersion,
  Operation,
  Parameter,
  RequestBody,
  SecurityAlternative,
} from './types.ts'
import { isFormatted, type ErrorAnswers } from './problems.ts'
import { summarize } from './summary.ts'
import type { RequestWire } from './wire.ts'

/** The parts of an operation besides its route. */
interface OperationParts {
  readonly converted: ConvertedRoute
  readonly wire: RequestWire
  readonly security: readonly SecurityAlternative[]
  readonly now: number
  /** The answers of Octavo itself. */
  readonly answers: ErrorAnswers
  /** That of the application. */
  readonly middleware: readonly Middleware[]
  readonly toolOf: DocumentSettings['toolOf']
  readonly openapi: OpenApiVersion
}
export type WriteOperation = (documented: DocumentedRoute, method: Method, parts: OperationParts) => Operation

/** Prepares the function that makes operations. Versions in which a route is equal share its operation, or all of it but the parameters. */
export function createOperations(): WriteOperation {
  const known = new WeakMap<ConvertedRoute, Map<string, WithParameters>>()
  return (documented, method, parts) => {
    const { converted, wire, now, answers } = parts
    // media types that name the version make each another
    if (wire.toAccepted !== undefined) return toRouteOperation(documented, method, parts)(wire.parameters)
    const { lifetime } = documented
    const format = isFormatted(answers) && answers.Problem.content
    const key = JSON.stringify([
      method,
      wire.origin,
      wire.refusals,
      isDeprecated(lifetime, now),
      lifetime,
      format,
    ])
    const operations = known.get(converted) ?? new Map<string, WithParameters>()
    known.set(converted, operations)
    const operation = operations.get(key) ?? toRouteOperation(documented, method, parts)
    operations.set(key, operation)
    return operation(wire.parameters)
  }
}

/** An operation with the parameters that name its version; the same object where there are none. */
type WithParameters = (own: readonly Parameter[]) => Operation

function toRouteOperation(
  documented: DocumentedRoute,
  method: Method,
  parts: OperationParts,
): WithParameters {
  const { route } = documented
  const { converted } = parts
  const head = operationHead(documented, method, parts)
  const added = addedTo(route, parts.middleware, method)
  const declared = withAddedHeaders(converted.parameters, added)
  const body = converted.body && bodyOfMethod(route, method, converted.body)
  const tail = {
    ...(body === undefined ? {} : { requestBody: body }),
    responses: toOperationResponses(documented, { ...parts, added }),
  }
  const write: WithParameters = (own) => {
    const parameters = own.length === 0 ? declared : [...own, ...declared]
    const operation = { ...head, ...(parameters.length === 0 ? {} : { parameters }), ...tail }
    return extendOperation(operation, route.openapi, converted.headers)
  }
  let plain: Operation | undefined
  return (own) => (own.length === 0 ? (plain ??= write(own)) : write(own))
}

/** Returns the members of an operation that come from the options and policies of its route. */
function operationHead(
  { route, lifetime }: DocumentedRoute,
  method: Method,
  { wire, security, now, toolOf }: Pick<OperationParts, 'wire' | 'security' | 'now' | 'toolOf'>,
): Omit<Operation, 'responses'> {
  const { summary = summarize(route), tags } = route
  const origin = wire.origin === undefined ? [] : [`The version comes from: ${wire.origin}.`]
  const description = [route.description ?? [], origin].flat().join('\n\n')
  const id = route.operationId ?? route.name
  const operationId = route.methods.length === 1 ? id : `${id}.${method.toLowerCase()}`
  const tool = toolOf({ operationId, method, tags })
  return {
    operationId,
    ...(tool === undefined ? {} : { 'x-tool': tool }),
    ...(tags.length === 0 ? {} : { tags }),
    summary,
    ...(description === '' ? {} : { description }),
    ...(route.deprecated || isDeprecated(lifetime, now) ? { deprecated: true } : {}),
    ...(lifetime?.sunset === undefined
      ? {}
      : { 'x-sunset': new Date(lifetime.sunset).toISOString().slice(0, 10) }),
    ...(hasBrownouts(lifetime) ? { 'x-brownouts': lifetime.brownouts.map(toInterval) } : {}),
    security,
  }
}

/** The body by one method: PATCH takes JSON objects as merge patches as well. */
function bodyOfMethod({ sources, forward }: ResolvedRoute, method: Method, body: RequestBody): RequestBody {
  // the API behind says what it takes
  if (forward !== undefined) return body
  const json = body.content['application/json']
  const declared = sources.find(({ name }) => name === 'body')
  if (json === undefined || declared === undefined || !takesMergePatch(declared.schema, method)) return body
  return { ...body, content: { ...body.content, [MERGE_PATCH]: json } }
}

/** Whether something counts as deprecated at a moment (RFC 9745 section 2.1: that moment may be to come). */
function isDeprecated(lifetime: Lifetime | undefined, now: number): boolean {
  return statusAt(lifetime, now) !== 'active'
}

/** Reports what `openapi` of a route holds that a document cannot. */
export function extensionProblems({ route }: DocumentedRoute): readonly DefinitionProblem[] {
  const converted = new Set<unknown>(headerSchemasOf(route.openapi).map(({ schema }) => schema))
  const found = findForeign(route.openapi, [], [], converted)
  if (found === undefined) return []
  return [
    {
      code: 'invalid_field',
      where: route.label,
      message: `openapi.${found.at} is ${found.kind}`,
      fix:
        found.kind === SCHEMA
          ? 'openapi is put into the document as it is: write JSON Schema there'
          : 'openapi is put into the document as it is: write JSON',
    },
  ]
}

const SCHEMA = 'a zod schema'

interface Foreign {
  readonly at: string
  readonly kind: string
}

/** The first value that JSON cannot hold. */
function findForeign(
  value: unknown,
  path: readonly string[],
  above: readonly object[],
  converted: ReadonlySet<unknown>,
): Foreign | undefined {
  if (converted.has(value)) return undefined
  const at = path.join('.')
  if (['function', 'symbol', 'bigint'].includes(typeof value)) return { at, kind: `a ${typeof value}` }
  if (!isObject(value)) return undefined
  if (isSchema(value)) return { at, kind: SCHEMA }
  if (above.includes(value)) return { at, kind: 'an object that it is in' }
  for (const [key, member] of Object.entries(value)) {
    const found = findForeign(member, [...path, key], [...above, value], converted)
    if (found !== undefined) return found
  }
  return undefined
}

/** Merges what a route says itself into its operation: objects by member, lists of parameters by place and name, all else replaced. */
function extendOperation(operation: Operation, own: object, shown: OwnSchemas): Operation {
  if (Object.keys(own).length === 0) return operation
  // what is merged was made as an operation, and its owner answers for the rest
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return mergeOwn(operation, own, shown) as Operation
}

/** The converted schemas in `openapi`. */
type OwnSchemas = ConvertedRoute['headers']

function mergeOwn(base: unknown, own: unknown, shown: OwnSchemas): unknown {
  if (isSchema(own)) return shown.get(own)
  if (
    Array.isArray(base) &&
    Array.isArray(own) &&
    own.every((each) => isRecord(each) && 'in' in each && 'name' in each)
  ) {
    const keys = new Set(own.map(parameterKey))
    return [...base.filter((each) => !keys.has(parameterKey(each))), ...own]
  }
  if (!isRecord(own)) return own
  // beside a reference, nothing would count
  const merged: Record<string, unknown> = isRecord(base) && !('$ref' in base) ? { ...base } : {}
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue
    merged[name] = mergeOwn(merged[name], value, shown)
  }
  return merged
}

function parameterKey(value: unknown): string {
  return isRecord(value) ? `${String(value['in'])} ${String(value['name'])}` : ''
}
