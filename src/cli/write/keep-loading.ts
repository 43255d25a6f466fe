import { relative } from 'node:path'

import { say, type Setting } from '../command.ts'
import { askApp, type CurrentReport, type LoadProblem } from '../app-process.ts'
import type { ChangeDraft } from '../../gate/write/draft.ts'
import { formatCode } from '../run-formatter.ts'
import { writeChecked } from '../write-file.ts'
import { layOut, type LaidOutChange, type Layout, type Sources, type UnwrittenDraft } from './lay-out.ts'

/** The changes that were written. */
export interface KeptChanges extends Layout {
  /** The application with them, or `undefined` if none was written. */
  readonly current: CurrentReport | undefined
}

/** Loads are counted, because each takes seconds. */
const MOST_LOADS = 16

/**
 * Writes the changes that the application can be loaded with, and leaves the others out with the reason. A `string` says why nothing can be
 * written.
 */
export async function writeLoading(
  drafts: readonly ChangeDraft[],
  sources: Sources,
  app: string | undefined,
  setting: Setting,
): Promise<KeptChanges | string> {
  const left: UnwrittenDraft[] = []
  let current: CurrentReport | undefined
  let loads = 0
  /** Writes changes, and returns why the application refuses them. */
  const tryAll = async (layout: Layout): Promise<readonly LoadProblem[] | undefined> => {
    let problems: readonly LoadProblem[] | undefined
    const files = await formatCode(layout.files, setting.cwd)
    loads++
    await writeChecked(
      files,
      async () => {
        const request = { kind: 'current', isChecked: true, isTried: true } as const
        current = await askApp(app, request, setting, (found) => void (problems = found))
        return problems === undefined
      },
      () => undefined,
    )
    return problems
  }
  let rest = drafts
  for (;;) {
    const layout = await layOut(rest, sources)
    if (typeof layout === 'string') return layout
    const kept = [...left, ...layout.kept]
    if (layout.changes.length === 0) return { ...layout, kept, current: undefined }
    const problems = await tryAll(layout)
    if (problems === undefined) return { ...layout, kept, current }
    const refused = await findRefused(layout, problems, setting.cwd)
    left.push(...refused)
    const gone = new Set(refused.map(({ draft }) => draft))
    rest = rest.filter((draft) => !gone.has(draft))
    if (loads > MOST_LOADS) {
      say('The app cannot be loaded with the changes that are left')
      return {
        files: [],
        changes: [],
        kept: [...kept, ...rest.map((draft) => ({ draft, why: MANY }))],
        current: undefined,
      }
    }
  }
}

const MANY = 'the app cannot be loaded with this change and others: write it by hand'

/** The changes that problems are about: those that they name, else half of them. */
async function findRefused(
  { changes }: Layout,
  problems: readonly LoadProblem[],
  cwd: string,
): Promise<readonly UnwrittenDraft[]> {
  const named = changes.flatMap((change) => {
    const problem = problems.find((each) => names(each, change, cwd))
    return problem === undefined ? [] : [{ draft: change.draft, why: reasonOf(problem) }]
  })
  const [first] = problems
  if (named.length > 0 || first === undefined) return named
  // without a name, half of them are left out until the app can be loaded
  return changes.slice(Math.floor(changes.length / 2)).map(({ draft }) => ({ draft, why: reasonOf(first) }))
}

function names(
  { where, message, fix = '' }: LoadProblem,
  { id, path, text }: LaidOutChange,
  cwd: string,
): boolean {
  const file = relative(cwd, path).replaceAll('\\', '/')
  return (
    [where, message, fix].some((each) => each.includes(`"${id}"`) || each.includes(`"${text.title}"`)) ||
    where.includes(file)
  )
}

function reasonOf({ message }: LoadProblem): string {
  return `the app cannot be loaded with the change: ${message}`
}
