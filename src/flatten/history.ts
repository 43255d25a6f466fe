import type { KnownVersions } from '../versioning/spec.ts'
import type { FlatRoute } from './flat-route.ts'

/**
 * Writes routes out for the versions of a history: those that changes reach once for each state that they had. The others stay as they
 * are.
 *
 * @throws `DefinitionError` with every mistake in the changes.
 */
export type ExpandRoutes = (routes: readonly FlatRoute[], known: KnownVersions) => readonly FlatRoute[]

/** The changes of a history that clients may ask for before they are released. */
export interface Previews {
  /** Those that have a name, with what is told of them. */
  readonly all: ReadonlyMap<string, PreviewInfo>
  /** The routes as they are for clients who see some of them. */
  readonly with: (names: readonly string[]) => Previewed
}

/** What is told of a preview. */
export interface PreviewInfo {
  /** As it was given; `undefined` for changes that are not released. */
  readonly until: string | undefined
  readonly changes: readonly { readonly title: string; readonly description: string }[]
}

/** What clients get who see some previews. */
interface Previewed {
  readonly expand: ExpandRoutes
  /** The versions in which they can be seen: older changes of the same fields are written against the state before them. */
  readonly versions: readonly string[]
  /** Whether a change is among them. */
  readonly has: (change: object) => boolean
}

const histories = new WeakMap<object, { readonly expand: ExpandRoutes; readonly previews: Previews }>()

/** Remembers how a history writes routes out. An application that has none loads nothing of it. */
export function setExpansion(history: object, expand: ExpandRoutes, previews: Previews): void {
  histories.set(history, { expand, previews })
}

/** How a history writes routes out; `undefined` for anything else. */
export function expansionOf(history: object | undefined): ExpandRoutes | undefined {
  return history && histories.get(history)?.expand
}

/** The previews of a history; `undefined` for anything else. */
export function previewsOf(history: object | undefined): Previews | undefined {
  return history && histories.get(history)?.previews
}
