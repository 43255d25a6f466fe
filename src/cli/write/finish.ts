import { type Arguments, say, type Setting } from '../command.ts'
import { toUnfinishedText } from './unfinished.ts'
import { writeChanges, type Failed } from './write.ts'

/** Writes the missing changes if `--write` is set, and lists incomplete functions. Returns whether something is left to do. */
export async function finishChanges(
  failed: Omit<Failed, 'app'>,
  isBad: boolean,
  given: Arguments,
  setting: Setting,
): Promise<boolean> {
  const { unfinished } = failed.definitions
  for (const each of unfinished) say(toUnfinishedText(each))
  if (given.has('write') && !isBad && failed.result.findings.some(({ level }) => level === 'warning'))
    say(
      'No change was written, because all findings are warnings. Run octavo check --write --strict to write changes for them',
    )
  const isWritten =
    isBad && given.has('write') && (await writeChanges({ ...failed, app: given.positionals[0] }, setting))
  return unfinished.length > 0 || (isBad && !isWritten)
}
