import type { Awaitable } from '../base/async.ts'
import type { MigrationRequest, MigrationSite } from './migration-extra.ts'
import type { Schema } from '../schema/schema.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import type { ResolvedRoute } from './resolved-route.ts'

/**
 * Writes routes out for the versions of a history: those that changes reach once for each state that they had. The others stay as they
 * are.
 *
 * @throws `DefinitionError` with every mistake in the changes.
 */
export type ExpandRoutes = (
  routes: readonly ResolvedRoute[],
  knownOf: (routes: readonly ResolvedRoute[]) => KnownVersions,
) => readonly ResolvedRoute[]

/**
 * Converts a value between versions. Without one, it is of the newest models. If a change loads data for it, the result is a promise.
 *
 * @throws `RangeError` for a version that does not exist.
 */
export type MigrateValue = (
  schema: Schema,
  value: unknown,
  versions: {
    readonly from?: string | undefined
    readonly to?: string | undefined
    /** The name of the route whose whole bodies are converted. */
    readonly route?: string | undefined
  },
  extra: Partial<MigrationRequest>,
  provide?: MigrationSite['provide'],
) => Awaitable<unknown>

/** A token that a change injects. */
export interface ChangeUse {
  readonly where: string
  readonly part: object
  readonly key: string
  readonly token: unknown
}

/** The changes of a history that clients may ask for before they are released. */
export interface Previews {
  /** Those that have a name, with what is told of them. */
  readonly all: ReadonlyMap<string, PreviewInfo>
  /** The routes as they are for clients who see some of them. */
  readonly with: (names: readonly string[]) => Previewed
}

/** The description of a preview. */
export interface PreviewInfo {
  /** As it was given, or `undefined` for changes that are not released. */
  readonly until: string | undefined
  readonly changes: readonly { readonly title: string; readonly description: string }[]
}

/** The routes and versions of clients who see some previews. */
export interface Previewed {
  readonly expand: ExpandRoutes
  /** The versions in which they can be seen: older changes of the same fields are written against the state before them. */
  readonly versions: readonly string[]
  /** Whether a change is among them. */
  readonly has: (change: object) => boolean
  readonly migrate: MigrateValue
}

/** The functions of a history that an application needs. */
interface HistoryCode {
  readonly expand: ExpandRoutes
  readonly previews: Previews
  readonly migrate: MigrateValue
  /** The tokens that changes inject. */
  readonly uses: readonly ChangeUse[]
}

const histories = new WeakMap<object, HistoryCode>()

/** Remembers how a history writes routes out. An application that has none loads nothing of it. */
export function setExpansion(history: object, code: HistoryCode): void {
  histories.set(history, code)
}

/** Returns the functions of a history, or `undefined` for anything else. */
export function historyCodeOf(history: object | undefined): HistoryCode | undefined {
  return history && histories.get(history)
}
