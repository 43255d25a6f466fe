import type { SchemaObject } from './types.ts'

/** The names of the components of a kind that a part of a document refers to. */
export function referencesIn(value: unknown, kind: string, found = new Set<string>()): ReadonlySet<string> {
  const start = `#/components/${kind}/`
  const visit = (each: unknown): void => {
    // as a `$ref`, or in the mapping of a discriminator
    if (typeof each === 'string' && each.startsWith(start)) found.add(each.slice(start.length))
    else if (typeof each === 'object' && each !== null) Object.values(each).forEach(visit)
  }
  visit(value)
  return found
}

/** The schemas that a part of a document refers to, and those that they refer to, by name. */
export function schemasIn(
  value: unknown,
  schemas: Readonly<Record<string, SchemaObject>>,
): Readonly<Record<string, SchemaObject>> {
  const found = new Set<string>()
  const follow = (names: Iterable<string>): void => {
    for (const name of names) {
      if (found.has(name)) continue
      found.add(name)
      follow(referencesIn(schemas[name], 'schemas'))
    }
  }
  follow(referencesIn(value, 'schemas'))
  return pick(schemas, found)
}

/** The members of a record that are named, in the order of their names. */
export function pick<T>(
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
