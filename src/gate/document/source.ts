import { isObject, isRecord } from '../../values.ts'
import { toPointerStep } from '../json.ts'
import { ReadError } from './read-error.ts'

/** An object of a document. */
export type Node = Readonly<Record<string, unknown>>

/** Documents by the name of their file; references lead from one to another. */
export type Files = ReadonlyMap<string, unknown>

/** An OpenAPI document with everything that its references lead to. */
export interface Source {
  readonly root: Node
  /** Takes the version of the document out of a text, so that texts of two versions can be equal: `version=1`, `.v1+json`. */
  readonly withoutVersion: (text: string) => string
  /** In OpenAPI 3.0, schemas are a dialect of their own: `nullable`, boolean `exclusiveMinimum`, references without siblings. */
  readonly is30: boolean
  /** Follows references until there is none; gives other values as they are. @throws {ReadError} */
  readonly resolve: (value: unknown) => unknown
  /** The JSON pointer of an object of the document, after the name of its file if that is another one (RFC 6901). */
  readonly pointerOf: (value: unknown) => string
}

/**
 * Prepares a document for comparison.
 * @throws {ReadError} if it is no OpenAPI 3 document
 */
export function toSource(document: unknown, files: Files = new Map(), main = ''): Source {
  if (!isRecord(document)) throw new ReadError('The document is no object')
  const version = document['openapi']
  if (typeof version !== 'string' || !/^3\.[0-2](\.|$)/.test(version))
    throw new ReadError(
      `The document says openapi: ${JSON.stringify(version) ?? 'nothing'}. Give a document of OpenAPI 3.0, 3.1 or 3.2`,
    )
  const places = new Map<object, Place>()
  const find = (name: string): unknown => {
    const value = name === main ? document : files.get(name)
    if (isObject(value) && !places.has(value)) note(value, { file: name, pointer: '' }, places)
    return value
  }
  find(main)
  const follow = (reference: string, from: object): unknown => {
    const [file = '', pointer = ''] = reference.split('#', 2)
    const own = places.get(from)?.file ?? main
    const root = find(file === '' ? own : toName(file, own))
    const target = root === undefined ? undefined : pick(root, pointer)
    if (target === undefined)
      throw new ReadError(`${places.get(from)?.pointer ?? ''}: the reference ${reference} leads nowhere`)
    return target
  }
  return {
    root: document,
    withoutVersion: toWithoutVersion(document['info']),
    is30: version.startsWith('3.0'),
    resolve: (value) => {
      let current = value
      for (let steps = 0; isRecord(current) && typeof current['$ref'] === 'string'; steps++) {
        if (steps > 50) throw new ReadError(`The reference ${current['$ref']} leads back to itself`)
        current = follow(current['$ref'], current)
      }
      return current
    },
    pointerOf: (value) => {
      const place = isObject(value) ? places.get(value) : undefined
      if (place === undefined) return ''
      if (place.file === main) return place.pointer
      const folder = main.slice(0, main.lastIndexOf('/') + 1)
      return `${place.file.startsWith(folder) ? place.file.slice(folder.length) : place.file}#${place.pointer}`
    },
  }
}

function toWithoutVersion(info: unknown): (text: string) => string {
  const version = isRecord(info) ? info['version'] : undefined
  if (typeof version !== 'string' || version === '') return (text) => text
  const escaped = version.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  const pattern = new RegExp(`(?<![\\d.])${escaped}(?![\\d.])`, 'g')
  return (text) => text.replaceAll(pattern, '{version}')
}

/** The name of a file that a reference leads to, relative to the file that has it. */
export function toName(reference: string, from: string): string {
  const path = new URL(reference, new URL(from, 'file:///')).pathname
  return decodeURIComponent(path.slice(1))
}

interface Place {
  readonly file: string
  readonly pointer: string
}

/** Notes where each object stands. Objects that stand in several places keep the first one. */
function note(start: object, at: Place, places: Map<object, Place>): void {
  const open: [object, string][] = [[start, at.pointer]]
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [value, pointer] = entry
    if (places.has(value)) continue
    places.set(value, { file: at.file, pointer })
    for (const [key, member] of Object.entries(value).toReversed())
      if (isObject(member)) open.push([member, `${pointer}/${toPointerStep(key)}`])
  }
}

function pick(root: unknown, pointer: string): unknown {
  let value = root
  for (const step of decode(pointer).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
