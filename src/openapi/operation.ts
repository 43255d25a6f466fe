import type { DefinitionProblem } from '../definition-error.ts'
import { isSchema } from '../define/schema.ts'
import type { Method } from '../http.ts'
import { statusAt } from '../versioning/policy.ts'
import type { Lifetime } from '../versioning/policy.ts'
import type { ConvertedRoute, DocumentedRoute } from './model.ts'
import { toResponses } from './responses.ts'
import type { Operation, SecurityAlternative } from './types.ts'
import type { Wire } from './wire.ts'

/** What is known of an operation besides its route. */
export interface OperationParts {
  readonly converted: ConvertedRoute
  readonly wire: Wire
  readonly security: readonly SecurityAlternative[]
  readonly now: number
}

/** The operation of one method of a route, without what is merged into it. */
export function toOperation(documented: DocumentedRoute, method: Method, parts: OperationParts): Operation {
  const { route, lifetime } = documented
  const { converted, wire, security, now } = parts
  const parameters = [...wire.parameters, ...converted.parameters]
  const { summary = toSummary(route.name), tags } = route
  const origin = wire.origin === undefined ? [] : [`The version comes from: ${wire.origin}.`]
  const description = [route.description ?? [], origin].flat().join('\n\n')
  return {
    operationId: toOperationId(documented, method),
    ...(tags.length === 0 ? {} : { tags }),
    summary,
    ...(description === '' ? {} : { description }),
    ...(route.deprecated || isDeprecated(lifetime, now) ? { deprecated: true } : {}),
    ...(lifetime?.sunset === undefined
      ? {}
      : { 'x-sunset': new Date(lifetime.sunset).toISOString().slice(0, 10) }),
    security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(converted.body === undefined ? {} : { requestBody: converted.body }),
    responses: toResponses(documented, converted, wire),
  }
}

/** Whether something counts as deprecated at a moment (RFC 9745 section 2.1: that moment may be to come). */
export function isDeprecated(lifetime: Lifetime | undefined, now: number): boolean {
  return statusAt(lifetime, now) !== 'active'
}

/** The name of the route; that of one with several methods, or with an id of its own, tells the method. */
function toOperationId({ route }: DocumentedRoute, method: Method): string {
  const id = route.operationId ?? route.name
  return route.methods.length === 1 ? id : `${id}.${method.toLowerCase()}`
}

/** Words of a route's name: `car.getByCarId` is `Get by car id`. */
function toSummary(name: string): string {
  const words = name
    .slice(name.lastIndexOf('.') + 1)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_$]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Reports what `openapi` of a route holds that a document cannot. */
export function extensionProblems({ route }: DocumentedRoute): readonly DefinitionProblem[] {
  const at = placeOfSchema(route.openapi, [])
  if (at === undefined) return []
  return [
    {
      code: 'undocumented_schema',
      where: route.label,
      message: `openapi.${at} is a zod schema`,
      fix: 'openapi is put into the document as it is: write JSON Schema, or z.toJSONSchema(schema)',
    },
  ]
}

function placeOfSchema(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isSchema(value)) return path.join('.')
  for (const [key, member] of Object.entries(value)) {
    const found = placeOfSchema(member, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

/** Merges what a route says itself into its operation: objects by member, lists of parameters by place and name, all else replaced. */
export function extend(operation: Operation, own: object): Operation {
  if (Object.keys(own).length === 0) return operation
  // what is merged was made as an operation, and its owner answers for the rest
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return merge(operation, own) as Operation
}

function merge(base: unknown, own: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(own) && own.every(isParameter)) {
    const keys = new Set(own.map(keyOf))
    return [...base.filter((each) => !keys.has(keyOf(each))), ...own]
  }
  if (!isRecord(base) || !isRecord(own)) return own
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue
    merged[name] = name in merged ? merge(merged[name], value) : value
  }
  return merged
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isParameter(value: unknown): boolean {
  return isRecord(value) && 'in' in value && 'name' in value
}

function keyOf(value: unknown): string {
  return isRecord(value) ? `${String(value['in'])} ${String(value['name'])}` : ''
}
