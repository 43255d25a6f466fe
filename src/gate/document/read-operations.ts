import { isRecord, isString } from '../../base/values.ts'
import { ReadError } from '../json.ts'
import { UNRESOLVED, type Node, type ComparedSource } from './source.ts'

/** An operation of a document. */
export interface ComparedOperation {
  /** Upper case, as in requests. */
  readonly method: string
  readonly path: string
  /** The path without the names of its parameters, and without the version. */
  readonly pattern: string
  readonly id: string | undefined
  readonly node: Node
  readonly parameters: readonly ComparedParameter[]
  /** The object that it is, or the one that has it if that leads nowhere. */
  readonly place: Node
}

/** A parameter of an operation. */
export interface ComparedParameter {
  /** `path`, `query`, `header` or `cookie`. */
  readonly in: string
  readonly name: string
  /** The key that parameters of two documents are compared by: names of headers in lower case, places in the path. */
  readonly key: string
  readonly node: Node
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** The operations of `paths`. @throws {ReadError} */
export function readOperations(source: ComparedSource): readonly ComparedOperation[] {
  const paths = source.root['paths'] ?? {}
  if (!isRecord(paths)) throw new ReadError('/paths has to be an object')
  const names = Object.keys(paths).filter((path) => path.startsWith('/'))
  const place = versionPlaceOf(names, source)
  return names.flatMap((path) => {
    const item = source.resolve(paths[path])
    return isRecord(item) ? operationsOfItem(item, path, source, place) : []
  })
}

/** The operations of a path item. `versionPlace` is the segment that has the version in all paths. */
export function operationsOfItem(
  item: Node,
  path: string,
  source: ComparedSource,
  versionPlace?: number,
): readonly ComparedOperation[] {
  const extra = isRecord(item['additionalOperations']) ? item['additionalOperations'] : {}
  const given = [...METHODS.map((method) => [method, item[method]] as const), ...Object.entries(extra)]
  const segments = segmentsOf(path).filter((_, at) => at !== versionPlace)
  const own = `/${segments.join('/')}`
  return given.flatMap(([method, value]): readonly ComparedOperation[] => {
    const node = source.resolve(value)
    if (!isRecord(node)) return []
    const id = node['operationId']
    const unnamed = segments.map((segment) =>
      segment.includes('{')
        ? segment.replaceAll(/\{[^{}]*\}/g, '{}')
        : source.withoutVersion(segment).replaceAll('{version}', '<version>'),
    )
    return [
      {
        method: method.toUpperCase(),
        path,
        pattern: `/${unnamed.join('/')}`,
        id: isString(id) ? id : undefined,
        node,
        parameters: readParameters([item, node], own, source),
        place: node === UNRESOLVED ? item : node,
      },
    ]
  })
}

const segmentsOf = (path: string): readonly string[] => path.split('/').slice(1)

/** The place of the segment that has the version, such as `v1`, if all paths have one there and lead on behind it. */
function versionPlaceOf(paths: readonly string[], source: ComparedSource): number | undefined {
  const all = paths.map(segmentsOf)
  const isVersion = (segment: string): boolean =>
    /^v?\d[\w.-]*$/.test(segment) || /^v?\{version\}$/.test(source.withoutVersion(segment))
  const place = all[0]?.findIndex(isVersion) ?? -1
  const isEverywhere = all.every(
    (segments) => isVersion(segments[place] ?? '') && (place === 0 || segments.length > place + 1),
  )
  return place !== -1 && isEverywhere ? place : undefined
}

function readParameters(
  nodes: readonly Node[],
  path: string,
  source: ComparedSource,
): readonly ComparedParameter[] {
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const parameters = new Map<string, ComparedParameter>()
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
