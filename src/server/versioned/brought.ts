import { isRecord } from '../../values.ts'
import { notScheme } from '../../versioning/schemes/scheme.ts'
import type { VersioningScheme } from '../../versioning/schemes/scheme.ts'
import type { VersionedRouting } from './routing.ts'

/** The member of a scheme with the code that it brings along. It is hidden from types, because it is none of its user's business. */
const ROUTING: unique symbol = Symbol.for('octavo.versioned-routing')

interface Bringing {
  readonly [ROUTING]: VersionedRouting
}

/** The scheme with the code that it brings along. */
export function bringing<O>(scheme: VersioningScheme<O>, routing: VersionedRouting): VersioningScheme<O> {
  const brought: VersioningScheme<O> & Bringing = { ...scheme, [ROUTING]: routing }
  return brought
}

/** The code that a scheme brings along, or one of several schemes. @throws `TypeError` if there is no scheme. */
export function routingOf(given: unknown): VersionedRouting {
  const schemes: readonly unknown[] = Array.isArray(given) ? given.map(toScheme) : [given]
  const found = schemes.find(isBringing)
  if (found === undefined) throw notScheme()
  return found[ROUTING]
}

/** The scheme of an entry, with or without its options. */
function toScheme(entry: unknown): unknown {
  return Array.isArray(entry) ? entry[0] : entry
}

function isBringing(value: unknown): value is Bringing {
  return isRecord(value) && ROUTING in value
}
