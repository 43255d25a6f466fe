import { findHistoryInternals } from '../../changes/internals.ts'
import { checkHistory } from '../../changes/check/check-history.ts'
import { explain } from '../../changes/check/explain.ts'
import type { History } from '../../gate/snapshot/changes.ts'
import { UNVERSIONED } from '../../gate/snapshot/snapshot.ts'
import { internalsOf } from '../../server/adapters/internals.ts'
import { readServing } from '../../server/adapters/serving.ts'
import type { App } from '../../server/app/app.ts'
import type { CurrentReport } from '../job.ts'
import { readDefinitions } from '../write/read-definitions.ts'
import { unfinishedIn } from '../write/unfinished.ts'

/** Reads what is kept of an application, and how its changes do and what it defines if that is asked for. */
export async function readCurrentApp(app: App, isChecked: boolean): Promise<CurrentReport> {
  const known = app.versions()
  const { schemes, routes } = readServing(internalsOf(app, 'octavo check'))
  const history = isChecked ? readHistory(app) : undefined
  return {
    versions:
      known.length === 0
        ? [{ version: UNVERSIONED, document: app.openapi(), isDefault: false }]
        : known.map(({ version, isDefault, sunset }) => ({
            version,
            document: app.openapi({ version }),
            isDefault,
            sunset,
          })),
    serving: { schemes, routes: [...routes] },
    ...(history === undefined ? {} : { history }),
    ...(isChecked ? { definitions: await readDefinitions(app) } : {}),
  }
}

function readHistory(app: App): History | undefined {
  const { versioning, routes } = internalsOf(app, 'octavo check')
  const history = versioning()?.history
  const internals = findHistoryInternals(history)
  if (history === undefined || internals === undefined) return undefined
  const { changes } = explain(internals, routes())
  const { next } = internals.parts
  // the places to fill in are listed by themselves, and their values say nothing yet
  const unfinished = internals.parts.changes.filter((change) => unfinishedIn(change, undefined).length > 0)
  // what is not released counts for the version that the history gives it
  const isTried = (id: string): boolean =>
    internals.parts.changes.some((change) => change.id === id && change.version === 'next' && !change.preview)
  const isUnfinished = (id: string): boolean => unfinished.some((change) => change.id === id)
  return {
    changes: changes.map(({ id, version, at, reaches }) => ({
      id,
      version: isTried(id) ? (next ?? version) : version,
      source: at,
      routes: reaches.map(({ route }) => route),
      hasSideEffects: internals.parts.changes.some((change) => change.id === id && change.sideEffects),
    })),
    problems: checkHistory(history).filter(({ change }) => !isUnfinished(change)),
  }
}
