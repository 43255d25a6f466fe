import type { KnownVersions } from '../versioning/spec.ts'
import type { FlatRoute } from './flat-route.ts'

/**
 * Writes routes out for the versions of a history: those that changes reach once for each state that they had. The others stay as they
 * are.
 *
 * @throws `DefinitionError` with every mistake in the changes.
 */
export type ExpandRoutes = (routes: readonly FlatRoute[], known: KnownVersions) => readonly FlatRoute[]

const histories = new WeakMap<object, ExpandRoutes>()

/** Remembers how a history writes routes out. An application that has none loads nothing of it. */
export function setExpansion(history: object, expand: ExpandRoutes): void {
  histories.set(history, expand)
}

/** How a history writes routes out; `undefined` for anything else. */
export function expansionOf(history: unknown): ExpandRoutes | undefined {
  return typeof history === 'object' && history !== null ? histories.get(history) : undefined
}
