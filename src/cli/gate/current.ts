import type { Setting } from '../command.ts'
import { findApp } from '../find-app.ts'
import { doJob, type CurrentReport } from '../job.ts'

/** The application of today, or `undefined` if it cannot be loaded, which has been printed. Its changes are checked if `isChecked`. */
export async function readCurrent(
  app: string | undefined,
  setting: Setting,
  isChecked = false,
): Promise<CurrentReport | undefined> {
  const module = findApp(app, setting.cwd)
  const made = await doJob({ task: 'current', module, isChecked }, setting)
  return made?.kind === 'current' ? made : undefined
}
