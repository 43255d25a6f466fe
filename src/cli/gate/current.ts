import { UNVERSIONED } from '../../gate/snapshot/snapshot.ts'
import type { CurrentVersion } from '../../gate/snapshot/snapshot.ts'
import type { Setting } from '../command.ts'
import { findApp } from '../find-app.ts'
import { doJob } from '../job.ts'

/** The versions of an application, oldest first, each with its document; `undefined` if it cannot be loaded, which has been printed */
export async function readCurrent(
  app: string | undefined,
  setting: Setting,
): Promise<readonly CurrentVersion[] | undefined> {
  const module = findApp(app, setting.cwd)
  const served = await doJob({ task: 'routes', module }, setting)
  if (served?.kind !== 'routes') return undefined
  const made = await doJob({ task: 'openapi', module, wanted: { kind: 'each' } }, setting)
  if (made?.kind !== 'documents') return undefined
  return made.documents.map(({ version, document }) => {
    const info = served.versions.find((one) => one.version === version)
    return {
      version: version ?? UNVERSIONED,
      document,
      isDefault: info?.isDefault === true,
      sunset: info?.sunset,
    }
  })
}
