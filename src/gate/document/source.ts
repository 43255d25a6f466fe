import { isObject, isRecord } from '../../base/values.ts'
import { toolsOf, toToolDocument } from './tool-list.ts'
import { toPointerStep, decodePointer, pickAt, pointerSteps, ReadError } from '../json.ts'

/** An object of a document. */
export type Node = Readonly<Record<string, unknown>>

/** Documents by the name of their file; references lead from one to another. */
export type SourceFiles = ReadonlyMap<string, unknown>

/** An OpenAPI document with everything that its references lead to. */
export interface ComparedSource {
  readonly root: Node
  /** Takes the version of the document out of a text, so that texts of two versions can be equal: `version=1`, `.v1+json`. */
  readonly withoutVersion: (text: string) => string
  /** In OpenAPI 3.0, schemas are a dialect of their own: `nullable`, boolean `exclusiveMinimum`, references without siblings. */
  readonly is30: boolean
  /** Returns the target of a reference, or `undefined` if it leads nowhere. */
  readonly follow: (reference: Node) => unknown
  /**
   * Follows references until there is none, and returns other values as they are. A reference that leads nowhere is noted.
   * @throws {ReadError} for references that lead back to themselves
   */
  readonly resolve: (value: unknown) => unknown
  /** The references that were followed and lead nowhere. */
  readonly unresolved: ReadonlySet<Node>
  /** The JSON pointer of an object of the document, after the name of its file if that is another one (RFC 6901). */
  readonly pointerOf: (value: unknown) => string
  /** The steps to an object of the main document; none for others. */
  readonly stepsOf: (value: unknown) => readonly string[]
  /** The name of the schema that an object is, if it has one. */
  readonly schemaOf: (value: unknown) => string | undefined
  /** The texts of schemas that were compared word by word, by the schemas. */
  readonly schemaTexts: Map<unknown, string>
}

/** Stands for the target of a reference that leads nowhere. */
export const UNRESOLVED: Node = Object.freeze({})

/** Describes a reference that leads nowhere. */
export function toUnresolvedText({ $ref: reference }: Node): string {
  return `the target of ${String(reference)} does not exist`
}

/**
 * Prepares a document for comparison.
 * @throws {ReadError} if it is no OpenAPI 3 document, and no list of tools
 */
export function prepareSource(given: unknown, files: SourceFiles = new Map(), main = ''): ComparedSource {
  if (!isRecord(given)) throw new ReadError('the document has to be an object')
  const tools = toolsOf(given)
  const document = tools === undefined ? given : toToolDocument(tools)
  const version = document['openapi']
  if (typeof version !== 'string' || !/^3\.[0-2](\.|$)/.test(version))
    throw new ReadError(`openapi is ${JSON.stringify(version) ?? 'missing'}: use OpenAPI 3.0, 3.1 or 3.2`)
  const placeOf = createPointerFinder(document, files, main)
  const names = schemaNames(document)
  const targets = new Map<string, unknown>()
  const unresolved = new Set<Node>()
  const follow = (from: Node): unknown => {
    const reference = String(from['$ref'])
    const own = files.size === 0 ? main : (placeOf(from)?.file ?? main)
    const key = `${own} ${reference}`
    if (!targets.has(key)) targets.set(key, find(reference, own))
    return targets.get(key)
  }
  const find = (reference: string, from: string): unknown => {
    const [file = '', pointer = ''] = reference.split('#', 2)
    const name = file === '' ? from : resolveFileName(file, from)
    return pickAt(name === main ? document : files.get(name), pointerSteps(decodePointer(pointer)))
  }
  const pointerOf = (value: unknown): string => {
    const place = isObject(value) ? placeOf(value) : undefined
    if (place === undefined) return ''
    const pointer = toPointer(place)
    if (place.file === main) return pointer
    const folder = main.slice(0, main.lastIndexOf('/') + 1)
    return `${place.file.startsWith(folder) ? place.file.slice(folder.length) : place.file}#${pointer}`
  }
  return {
    root: document,
    withoutVersion: toWithoutVersion(document['info']),
    is30: version.startsWith('3.0'),
    follow,
    resolve: (value) => {
      let current = value
      for (let steps = 0; isRecord(current) && typeof current['$ref'] === 'string'; steps++) {
        if (steps > 50) throw new ReadError(`the reference ${current['$ref']} is circular`)
        const target = follow(current)
        if (target === undefined) {
          unresolved.add(current)
          return UNRESOLVED
        }
        current = target
      }
      return current
    },
    unresolved,
    pointerOf,
    stepsOf: (value) => {
      const place = isObject(value) ? placeOf(value) : undefined
      return place?.file === main ? toPlaceSteps(place) : []
    },
    schemaOf: (value) => names.get(value),
    schemaTexts: new Map(),
  }
}

/** The names of schemas by what they are. */
function schemaNames(document: Node): ReadonlyMap<unknown, string> {
  const schemas = pickAt(document, ['components', 'schemas'])
  return new Map(Object.entries(isRecord(schemas) ? schemas : {}).map(([name, schema]) => [schema, name]))
}

function toWithoutVersion(info: unknown): (text: string) => string {
  const version = isRecord(info) ? info['version'] : undefined
  if (typeof version !== 'string' || version === '') return (text) => text
  const escaped = version.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  const pattern = new RegExp(`(?<![\\d.])${escaped}(?![\\d.])`, 'g')
  return (text) => text.replaceAll(pattern, '{version}')
}

/** The name of a file that a reference leads to, relative to the file that has it. */
export function resolveFileName(reference: string, from: string): string {
  const path = new URL(reference, new URL(from, 'file:///')).pathname
  return decodeURIComponent(path.slice(1))
}

interface FoundPlace {
  readonly file: string
  /** Where the object stands that has it, and the name there. Pointers are written for few of all objects. */
  readonly above: FoundPlace | undefined
  readonly step: string
  pointer?: string
}

function toPointer(place: FoundPlace): string {
  if (place.above === undefined) return ''
  return (place.pointer ??= `${toPointer(place.above)}/${toPointerStep(place.step)}`)
}

function toPlaceSteps(place: FoundPlace): readonly string[] {
  const steps: string[] = []
  for (let each: FoundPlace = place; each.above !== undefined; each = each.above) steps.push(each.step)
  return steps.toReversed()
}

/** Returns the places of objects. Most comparisons never need them, so they are collected on demand. */
function createPointerFinder(
  document: object,
  files: SourceFiles,
  main: string,
): (value: object) => FoundPlace | undefined {
  let places: Map<object, FoundPlace> | undefined
  return (value) => {
    if (places === undefined) {
      places = new Map()
      notePlace(document, main, places)
      for (const [file, root] of files) if (isObject(root)) notePlace(root, file, places)
    }
    return places.get(value)
  }
}

/** Notes where each object stands. Objects that stand in several places keep the first one. */
function notePlace(start: object, file: string, places: Map<object, FoundPlace>): void {
  const found: (readonly [object, FoundPlace])[] = []
  const add = (value: object, place: FoundPlace): void => {
    if (places.has(value)) return
    places.set(value, place)
    found.push([value, place])
  }
  add(start, { file, above: undefined, step: '' })
  // the list grows while it is walked
  for (const [value, above] of found)
    for (const [step, member] of Object.entries(value))
      if (isObject(member)) add(member, { file, above, step })
}
