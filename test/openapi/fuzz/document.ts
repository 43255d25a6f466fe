import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** An object of a document, or anything else that is JSON. */
export type Json = Readonly<Record<string, unknown>>

/** A schema of a document, and where it stands, as a JSON pointer. */
export interface Placed {
  readonly schema: unknown
  readonly pointer: string
}

export interface Field extends Placed {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly explode: boolean
}

/** What a media type holds; `encoding` gives the content types of parts by their names. */
export interface Media extends Placed {
  readonly type: string
  readonly encoding: ReadonlyMap<string, string>
}

export interface Answer {
  readonly status: string
  readonly media: readonly Media[]
  readonly headers: readonly Field[]
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly fields: readonly Field[]
  readonly body: { readonly isRequired: boolean; readonly media: readonly Media[] } | undefined
  readonly answers: readonly Answer[]
  /** Alternatives, each the names of the schemes that it demands. */
  readonly security: readonly (readonly string[])[]
  readonly servers: readonly string[]
}

/** Where a credential goes. */
export interface SecurityScheme {
  readonly type: unknown
  readonly in: unknown
  readonly name: unknown
  readonly scheme: unknown
}

/** A document as a stranger reads it. */
export interface ReadDocument {
  readonly operations: readonly Operation[]
  readonly schemes: ReadonlyMap<string, SecurityScheme>
  /** Follows references until there is none. */
  readonly resolve: (placed: Placed) => Placed
  readonly isValid: (placed: Placed, value: unknown) => boolean
  /** Why a value is not valid. */
  readonly explain: (placed: Placed, value: unknown) => string
}

/** The members of path items that are operations; OpenAPI 3.1 has none for QUERY, so Octavo writes it as an extension. */
export const METHODS = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
  'x-query',
] as const

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a document from its JSON and nothing else. */
export function readDocument(document: unknown): ReadDocument {
  const root = isObject(document) ? document : {}
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(root, 'document')
  const validators = new Map<string, ValidateFunction>()
  const resolve = (placed: Placed): Placed => {
    let now = placed
    for (let depth = 0; depth < 50 && isObject(now.schema); depth += 1) {
      const { $ref } = now.schema
      if (typeof $ref !== 'string') return now
      now = { schema: find(root, $ref), pointer: $ref.replace(/^#/, '') }
    }
    return now
  }
  const validatorOf = ({ pointer }: Placed): ValidateFunction => {
    const known = validators.get(pointer)
    if (known !== undefined) return known
    const compiled = ajv.compile({ $ref: `document#${pointer}` })
    validators.set(pointer, compiled)
    return compiled
  }
  const servers = Array.isArray(root['servers']) ? root['servers'] : []
  const operations = Object.entries(asObject(root['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = asObject(item)[method]
      if (!isObject(operation)) return []
      const at = `/paths/${escape(path)}/${method}`
      return [toOperation(operation, { at, path, method, resolve, root, servers })]
    }),
  )
  const schemes = Object.entries(asObject(asObject(root['components'])['securitySchemes']))
  return {
    operations,
    resolve,
    schemes: new Map(
      schemes.map(([name, scheme]) => {
        const { type, in: place, name: key, scheme: kind } = asObject(scheme)
        return [name, { type, in: place, name: key, scheme: kind }]
      }),
    ),
    isValid: (placed, value) => validatorOf(placed)(value),
    explain: (placed, value) => {
      const validate = validatorOf(placed)
      return validate(value) ? '' : ajv.errorsText(validate.errors)
    },
  }
}

interface Place {
  readonly at: string
  readonly path: string
  readonly method: string
  readonly root: Json
  readonly servers: readonly unknown[]
  readonly resolve: (placed: Placed) => Placed
}

function toOperation(operation: Json, { at, path, method, root, servers, resolve }: Place): Operation {
  const list = Array.isArray(operation['parameters']) ? operation['parameters'] : []
  const fields = list.map((parameter: unknown, index) => {
    const placed = resolve({ schema: parameter, pointer: `${at}/parameters/${index}` })
    return toField(placed)
  })
  const body =
    operation['requestBody'] === undefined
      ? undefined
      : resolve({ schema: operation['requestBody'], pointer: `${at}/requestBody` })
  const security = operation['security'] ?? root['security'] ?? []
  const own = Array.isArray(operation['servers']) ? operation['servers'] : servers
  return {
    id: textOf(operation['operationId'], `${method} ${path}`),
    method: method.replace('x-', '').toUpperCase(),
    path,
    fields,
    body: body && {
      isRequired: asObject(body.schema)['required'] === true,
      media: toMedia(asObject(body.schema)['content'], `${body.pointer}/content`),
    },
    answers: Object.entries(asObject(operation['responses'])).map(([status, response]) =>
      toAnswer(status, resolve({ schema: response, pointer: `${at}/responses/${status}` }), resolve),
    ),
    security: (Array.isArray(security) ? security : []).map((each) => Object.keys(asObject(each))),
    servers: (own.length === 0 ? [{ url: '/' }] : own).map((server: unknown) => toServer(server)),
  }
}

function toField({ schema, pointer }: Placed): Field {
  const field = asObject(schema)
  const style = field['style'] ?? (field['in'] === 'query' || field['in'] === 'cookie' ? 'form' : 'simple')
  return {
    name: String(field['name']),
    in: String(field['in']),
    isRequired: field['required'] === true,
    explode: typeof field['explode'] === 'boolean' ? field['explode'] : style === 'form',
    schema: field['schema'],
    pointer: `${pointer}/schema`,
  }
}

function toAnswer(status: string, { schema, pointer }: Placed, resolve: Place['resolve']): Answer {
  const { content, headers } = asObject(schema)
  return {
    status,
    media: toMedia(content, `${pointer}/content`),
    headers: Object.entries(asObject(headers)).map(([name, header]) => {
      const placed = resolve({ schema: header, pointer: `${pointer}/headers/${escape(name)}` })
      return { ...toField(placed), name: name.toLowerCase(), in: 'header' }
    }),
  }
}

function toMedia(content: unknown, pointer: string): readonly Media[] {
  return Object.entries(asObject(content)).map(([type, media]) => ({
    type,
    schema: asObject(media)['schema'],
    pointer: `${pointer}/${escape(type)}/schema`,
    encoding: new Map(
      Object.entries(asObject(asObject(media)['encoding'])).flatMap(([name, encoding]) => {
        const { contentType } = asObject(encoding)
        return typeof contentType === 'string' ? [[name, contentType] as const] : []
      }),
    ),
  }))
}

/** The address of a server, its variables as they are by default. */
function toServer(server: unknown): string {
  const { url, variables } = asObject(server)
  const filled = textOf(url, '/').replaceAll(/\{([^}]+)\}/g, (_all, name: string) =>
    String(asObject(asObject(variables)[name])['default']),
  )
  return new URL(filled, 'http://localhost/docs/openapi.json').href.replace(/\/$/, '')
}

function find(root: Json, ref: string): unknown {
  let now: unknown = root
  for (const segment of ref.split('/').slice(1)) {
    const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
    now = Array.isArray(now) ? now[Number(key)] : asObject(now)[key]
  }
  if (now === undefined) throw new Error(`${ref} leads nowhere`)
  return now
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

export function asObject(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** A segment of a JSON pointer in a URI fragment. */
export function escape(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}
