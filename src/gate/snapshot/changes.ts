import { compareSources, type CompareOptions } from '../compare-documents.ts'
import type { VersionFinding } from '../finding.ts'
import { operationsById } from '../json.ts'
import { toNeighbours } from '../document/neighbours.ts'
import { prepareSource } from '../document/source.ts'
import { toApiFinding } from './api-finding.ts'
import { isByHand, type VersionServing } from './version-serving.ts'
import type { CurrentVersion } from './snapshot-index.ts'

/** A change of the history of an application. */
interface ChangeInHistory {
  readonly id: string
  /** The first version that has it. */
  readonly version: string
  /** Where it is defined, as file and line. */
  readonly source?: string | undefined
  /** The names of the routes that it reaches; `user.*` is all of one controller. */
  readonly routes: readonly string[]
  /** Whether handlers ask for it, so that it need not reach anything. */
  readonly hasSideEffects: boolean
}

/** A problem of a change that `checkHistory` of `octavo/testing` finds. */
interface ChangeProblem {
  readonly code: string
  readonly change: string
  readonly message: string
  readonly fix: string
  readonly at?: string | undefined
}

/** The changes of an application; absent if it has no history. */
export interface CheckedHistory {
  readonly changes: readonly ChangeInHistory[]
  readonly problems: readonly ChangeProblem[]
}

/** Finds changes that fail or have no effect, and differences between consecutive versions that no change describes. */
export function checkChanges(
  { changes, problems }: CheckedHistory,
  versions: readonly CurrentVersion[],
  options: CompareOptions & { readonly serving?: VersionServing | undefined },
): readonly VersionFinding[] {
  return [
    ...problems.map((problem) => toProblemFinding(problem, changes)),
    ...changes
      .filter(({ routes, hasSideEffects }) => routes.length === 0 && !hasSideEffects)
      .map(({ id, version, source }) => ({
        ...toApiFinding(version, 'change-without-effect'),
        at: id,
        ...(source === undefined ? {} : { source }),
      })),
    ...versions.flatMap((version, at) => toUnexplained(versions[at - 1], version, changes, options)),
  ]
}

function toProblemFinding(
  { code, change, message, fix, at }: ChangeProblem,
  changes: readonly ChangeInHistory[],
): VersionFinding {
  const rule = `change-${code.replaceAll('_', '-')}`
  const version = changes.find(({ id }) => id === change)?.version ?? ''
  const finding = toApiFinding(version, rule, { problem: `${message.replace(/\.$/, '')}. ${fix}` })
  return { ...finding, at: change, ...(at === undefined ? {} : { source: at }) }
}

/** Operations that break between two neighbours, and that no change of the newer one reaches. Those with routes of their own are written by hand. */
function toUnexplained(
  older: CurrentVersion | undefined,
  newer: CurrentVersion,
  changes: readonly ChangeInHistory[],
  options: Parameters<typeof checkChanges>[2],
): readonly VersionFinding[] {
  if (older === undefined) return []
  const reached = changes.filter(({ version }) => version === newer.version).flatMap(({ routes }) => routes)
  const [base, revision] = toNeighbours(older, newer)
  const { findings } = compareSources(prepareSource(base), prepareSource(revision), options)
  const names = operationsById(Object(newer.document))
  const { serving } = options
  // a webhook has one schema, so only changes and other definitions make it differ
  const isMeant = (operation: string): boolean =>
    operation.startsWith('webhook ') ||
    (serving !== undefined && isByHand(serving, operation, older.version, newer.version))
  const isReached = (route: string | undefined): boolean =>
    reached.some(
      (name) => name === route || (name.endsWith('.*') && route?.startsWith(name.slice(0, -1)) === true),
    )
  const operations = new Map(
    findings.flatMap(({ places }) =>
      places
        .filter(({ level, route }) => level === 'breaking' && !isReached(route))
        .filter(({ operation }) => !isMeant(operation))
        .map((place) => [place.operation, place] as const),
    ),
  )
  return [...operations.values()].map(({ operation, route }) => ({
    ...toApiFinding(newer.version, 'diff-unexplained', { older: older.version }),
    operation: names.get(route ?? '') ?? operation,
    ...(route === undefined ? {} : { route }),
  }))
}
