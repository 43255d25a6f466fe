import { isRecord } from '../../base/values.ts'
import { mapSchemas, schemaList, type JsonSchema } from '../../base/json-schema.ts'
import { ReadError } from '../json.ts'

/** The tools of a `tools/list` of an MCP server, or of the response that has it; `undefined` if the value has none. */
export function toolsOf(value: JsonSchema): readonly JsonSchema[] | undefined {
  const list = isRecord(value['result']) ? value['result'] : value
  return value['openapi'] === undefined && Array.isArray(list['tools'])
    ? schemaList(list['tools'])
    : undefined
}

/** A list of tools as an OpenAPI document, so that the same rules compare it: each tool is an operation. */
export function toToolDocument(tools: readonly JsonSchema[]): JsonSchema {
  const schemas: Record<string, JsonSchema> = {}
  const paths: Record<string, object> = {}
  for (const tool of tools) {
    const { name } = tool
    if (typeof name !== 'string') throw new ReadError('a tool has no name')
    const toSchema = (part: string): JsonSchema | undefined => {
      const schema = tool[part]
      return isRecord(schema) ? toShared(schema, `${name}.${part}`, schemas) : undefined
    }
    const [input, output] = [toSchema('inputSchema'), toSchema('outputSchema')]
    paths[`/${name}`] = {
      post: {
        operationId: name,
        'x-tool': name,
        description: tool['description'],
        ...(input && { requestBody: { required: true, content: toContent(input) } }),
        responses: { 200: { description: 'OK', ...(output && { content: toContent(output) }) } },
      },
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Tools', version: '1' },
    'x-tools': true,
    paths,
    components: { schemas },
  }
}

function toContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

/** A schema whose definitions are components. A reference to itself leads to one too. */
function toShared(schema: JsonSchema, name: string, schemas: Record<string, JsonSchema>): JsonSchema {
  const moved = (inner: JsonSchema): JsonSchema => {
    const { $ref: target, $defs: _defs, definitions: _definitions, ...own } = inner
    const [, definition] = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(String(target)) ?? []
    const key = definition === undefined ? name : `${name}.${definition}`
    const isOwn = definition !== undefined || target === '#'
    return {
      ...mapSchemas(own, moved),
      ...(isOwn && { $ref: `#/components/schemas/${key}` }),
      ...(!isOwn && target !== undefined && { $ref: target }),
    }
  }
  for (const definitions of [schema['$defs'], schema['definitions']])
    for (const [key, inner] of Object.entries(isRecord(definitions) ? definitions : {}))
      if (isRecord(inner)) schemas[`${name}.${key}`] = moved(inner)
  const root = moved(schema)
  schemas[name] = root
  return root
}
