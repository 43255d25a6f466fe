import { refOf, schemaList } from '../../base/json-schema.ts'
import { toRecord } from '../../base/values.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { toDistinctName, toTypeName } from './import-names.ts'

/** The schemas of bodies that have no name, by their text. Each has one for each use. */
export type Bodies = Map<string, SchemaObject[]>

/** Shorter texts are repeated rather than named. */
const SHORTEST = 40

/** A mark that no text of source has. */
const MARK = '\0'

/** Marks the text of a body, so that those that are equal get one constant. */
export function markBody(text: string, schema: SchemaObject, bodies: Bodies): string {
  if (refOf(schema) !== undefined || text.length < SHORTEST) return text
  bodies.set(text, [...(bodies.get(text) ?? []), schema])
  return MARK + text + MARK
}

/** Names the bodies that occur more than once. `constants` are those of named schemas. */
export function nameBodies(
  bodies: Bodies,
  constants: ReadonlyMap<string, string>,
  taken: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const used = new Set([...constants.values(), ...taken])
  const named = new Map<string, string>()
  for (const [text, [schema = {}, ...others]] of bodies) {
    if (others.length === 0) continue
    const name = toDistinctName(bodyNameOf(schema, constants), used)
    used.add(name)
    named.set(text, name)
  }
  return named
}

/** Puts constants, or else the texts themselves, in the places of marked texts. */
export function withBodies(code: string, named: ReadonlyMap<string, string>): string {
  return code
    .split(MARK)
    .map((part, at) => (at % 2 === 1 ? (named.get(part) ?? part) : part))
    .join('')
}

/** The name of a body: that of the first schema in it, or else of its first members. It does not depend on the operations that have it. */
function bodyNameOf(schema: SchemaObject, constants: ReadonlyMap<string, string>): string {
  const members = [schema, ...schemaList(schema['allOf'])].flatMap((part) =>
    Object.entries(toRecord(part['properties'])),
  )
  for (const [, member] of [['', schema] as const, ...members]) {
    const { items, ...own } = toRecord(member)
    const [one, each] = [own, toRecord(items)].map((part) => constants.get(refOf(part) ?? ''))
    if (one !== undefined) return `${one}Body`
    if (each !== undefined) return `${each}List`
  }
  const names = members.slice(0, 3).map(([name]) => name)
  return names.length === 0 ? 'Body' : toTypeName(`${names.join(' ')} body`)
}
