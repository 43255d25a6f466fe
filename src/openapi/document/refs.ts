import type { Operation, PathItem, SchemaObject } from './types.ts'

/** The references of a part of a document. */
type DocumentReferences = ReadonlySet<string>

/** Finds everything that a part of a document refers to, as a `$ref` or in the mapping of a discriminator. */
export function findReferences(value: unknown): DocumentReferences {
  // in its text, for to look into every object takes ten times as long
  const text = JSON.stringify(value) ?? ''
  return new Set([...text.matchAll(/"#\/components\/([^"\\]+)"/g)].map(([, ref = '']) => ref))
}

/** Returns the references of path items. Documents share operations and parts of them, and each is looked through once. */
export function referencesOfItems(items: readonly PathItem[]): DocumentReferences {
  const found = new Set<string>()
  for (const item of items)
    for (const operation of Object.values(item))
      for (const reference of remembered(operation, referencesOfOperation)) found.add(reference)
  return found
}

function referencesOfOperation(operation: Operation): DocumentReferences {
  return new Set(Object.values(operation).flatMap((part) => [...remembered(part, findReferences)]))
}

const known = new WeakMap<object, DocumentReferences>()
const NONE: DocumentReferences = new Set()

/** Returns the references of a part, which is looked up when it was looked through before. */
function remembered<T>(part: T, find: (part: T) => DocumentReferences): DocumentReferences {
  if (typeof part === 'string' && !part.startsWith('#')) return NONE
  if (typeof part !== 'object' || part === null) return find(part)
  const before = known.get(part)
  if (before !== undefined) return before
  const found = find(part)
  known.set(part, found)
  return found
}

/** The names of the components of a kind among references. */
export function componentNames(references: DocumentReferences, kind: string): ReadonlySet<string> {
  const start = `${kind}/`
  return new Set([...references].filter((ref) => ref.startsWith(start)).map((ref) => ref.slice(start.length)))
}

/** The schemas that are referred to, and those that they refer to, by name. */
export function schemasIn(
  references: DocumentReferences,
  schemas: Readonly<Record<string, SchemaObject>>,
): Readonly<Record<string, SchemaObject>> {
  const found = new Set(componentNames(references, 'schemas'))
  // each schema that is found adds the schemas that it refers to
  for (const name of found)
    for (const other of componentNames(remembered(schemas[name], findReferences), 'schemas')) found.add(other)
  return pickNamed(schemas, found)
}

/** The members of a record that are named, in the order of their names. */
export function pickNamed<T>(
  record: Readonly<Record<string, T>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => names.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** A part of a document in which components of a kind have other names. */
export function renamed<T>(value: T, kind: string, names: ReadonlyMap<string, string>): T {
  if (names.size === 0) return value
  const start = `#/components/${kind}/`
  const visit = (each: unknown): unknown => {
    if (typeof each === 'string' && each.startsWith(start)) {
      const name = names.get(each.slice(start.length))
      return name === undefined ? each : start + name
    }
    if (Array.isArray(each)) return each.map(visit)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, visit(member)]))
  }
  // nothing but names changes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return visit(value) as T
}

/**
 * The name, with a number where it is taken; it is taken then. Routes share names in different versions, versions can be written alike,
 * and schemas be named as versions of others.
 */
export function toFreeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}.${count}`
  taken.add(name)
  return name
}
