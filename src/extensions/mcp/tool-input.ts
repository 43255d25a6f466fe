import type { Components } from '../../base/json-schema.ts'
import type { RouteCall } from '../../client/route-map.ts'
import type { Operation, Parameter, SchemaObject } from '../../openapi/document/types.ts'
import { findJson, toShownText, withDefinitions, type ObjectSchema } from './json-parts.ts'

/** The parts of a request that arguments become. */
export type ArgumentPlace = 'params' | 'query' | 'headers' | 'body'

/** An argument of a tool. */
export interface ToolArgument {
  readonly place: ArgumentPlace
  /** The name in its place. */
  readonly name: string
}

interface ToolInput {
  readonly schema: ObjectSchema
  readonly places: ReadonlyMap<string, ToolArgument>
}

const PLACES: Readonly<Record<string, ArgumentPlace>> = { path: 'params', query: 'query', header: 'headers' }

/** Path, query, headers and body as one object, or why an operation cannot have one. */
export function toInput(
  { parameters = [], requestBody }: Operation,
  call: RouteCall,
  schemas: Components,
): ToolInput | string {
  const cookie = parameters.find(({ in: place, required }) => place === 'cookie' && required === true)
  if (cookie !== undefined) return `it needs the cookie ${cookie.name}`
  const body = findJson(requestBody?.content ?? {})
  if (requestBody !== undefined && body === undefined && call.body !== 'text') return 'its body is no JSON'
  const places = new Map<string, ToolArgument>()
  const properties: Record<string, SchemaObject> = {}
  const required: string[] = []
  const add = (name: string, argument: ToolArgument, schema: SchemaObject, isRequired = false): void => {
    places.set(name, argument)
    properties[name] = schema
    if (isRequired) required.push(name)
  }
  for (const parameter of parameters) {
    const place = PLACES[parameter.in]
    if (place === undefined || isOfVersion(parameter, call)) continue
    const { name } = parameter
    // in a path and a query, or beside a body, a name may stand twice
    const own = places.has(name) || name === 'body' ? `${parameter.in}_${name}` : name
    add(own, { place, name }, toArgumentSchema(parameter), parameter.required)
  }
  if (requestBody !== undefined)
    add('body', { place: 'body', name: 'body' }, body ?? { type: 'string' }, requestBody.required)
  const schema = { type: 'object', properties, required, additionalProperties: false } as const
  return { schema: withDefinitions(schema, schemas), places }
}

/** Whether a parameter names the version, which the tool has already. */
function isOfVersion({ name, in: place }: Parameter, { headers = {}, query = {} }: RouteCall): boolean {
  if (place === 'path') return false
  return Object.keys(place === 'header' ? headers : query).some(
    (own) => own.toLowerCase() === name.toLowerCase(),
  )
}

function toArgumentSchema({ schema, description, deprecated }: Parameter): SchemaObject {
  return {
    ...schema,
    ...(description !== undefined && { description: toShownText(description) }),
    ...(deprecated === true && { deprecated }),
  }
}
