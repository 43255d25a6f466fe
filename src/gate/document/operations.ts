import { isRecord, isString } from '../../base/values.ts'
import { ReadError } from './read-error.ts'
import type { Node, Source } from './source.ts'

/** An operation of a document. */
export interface Operation {
  /** Upper case, as in requests. */
  readonly method: string
  readonly path: string
  /** The path without the names of its parameters, and without the prefix of the version. */
  readonly pattern: string
  readonly id: string | undefined
  readonly node: Node
  readonly parameters: readonly Parameter[]
  readonly pointer: string
}

/** A parameter of an operation. */
export interface Parameter {
  /** `path`, `query`, `header` or `cookie`. */
  readonly in: string
  readonly name: string
  /** The key that parameters of two documents are compared by: names of headers in lower case, places in the path. */
  readonly key: string
  readonly node: Node
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** The operations of `paths`. @throws {ReadError} */
export function operationsOf(source: Source): readonly Operation[] {
  const paths = source.root['paths'] ?? {}
  if (!isRecord(paths)) throw new ReadError('/paths has to be an object')
  const names = Object.keys(paths).filter((path) => path.startsWith('/'))
  const prefix = prefixOf(names)
  return names.flatMap((path) => {
    const item = source.resolve(paths[path])
    return isRecord(item) ? operationsOfItem(item, path, prefix, source) : []
  })
}

/** The operations of a path item; `prefix` is what all paths begin with. */
export function operationsOfItem(
  item: Node,
  path: string,
  prefix: string,
  source: Source,
): readonly Operation[] {
  const extra = isRecord(item['additionalOperations']) ? item['additionalOperations'] : {}
  const given = [...METHODS.map((method) => [method, item[method]] as const), ...Object.entries(extra)]
  return given.flatMap(([method, value]): readonly Operation[] => {
    const node = source.resolve(value)
    if (!isRecord(node)) return []
    const id = node['operationId']
    return [
      {
        method: method.toUpperCase(),
        path,
        pattern: withoutVersion(path.slice(prefix.length), source).replaceAll(/\{[^{}]*\}/g, '{}'),
        id: isString(id) ? id : undefined,
        node,
        parameters: toParameters([item, node], path, source),
        get pointer() {
          return source.pointerOf(node) || source.pointerOf(item)
        },
      },
    ]
  })
}

/** A path without the segment that has the version of the document. */
function withoutVersion(path: string, source: Source): string {
  const segments = path.split('/')
  return segments.filter((segment) => !/^v?\{version\}$/.test(source.withoutVersion(segment))).join('/')
}

/** The version that all paths begin with, such as `/v1`; nothing if they do not. */
function prefixOf(paths: readonly string[]): string {
  const [first] = paths
  const prefix = first === undefined ? undefined : /^\/v?\d[\w.-]*(?=\/|$)/.exec(first)?.[0]
  if (prefix === undefined) return ''
  return paths.every((path) => path === prefix || path.startsWith(`${prefix}/`)) ? prefix : ''
}

function toParameters(nodes: readonly Node[], path: string, source: Source): readonly Parameter[] {
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const parameters = new Map<string, Parameter>()
  for (const owner of nodes)
    for (const value of Array.isArray(owner['parameters']) ? owner['parameters'] : []) {
      const node = source.resolve(value)
      if (!isRecord(node) || !isString(node['in']) || !isString(node['name'])) continue
      const { in: place, name } = { in: node['in'], name: node['name'] }
      const named = place === 'path' ? inPath.indexOf(name) : name
      const known = place === 'header' ? name.toLowerCase() : named
      const key = `${place} ${known}`
      // these are no parameters (OpenAPI, Parameter Object)
      if (/^header (accept|content-type|authorization)$/.test(key)) continue
      parameters.set(key, { in: place, name, key, node })
    }
  return [...parameters.values()]
}
