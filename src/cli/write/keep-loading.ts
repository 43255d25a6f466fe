import { relative } from 'node:path'

import type { Setting } from '../command.ts'
import { askApp, LoadError, type CurrentReport, type LoadProblem } from '../app-process.ts'
import type { ChangeDraft } from '../../gate/write/draft.ts'
import { toStableText } from '../../gate/json.ts'
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

/** The drafts of changes by what is known of them: drafts that load, drafts that are tried beside these, and drafts that wait. */
interface Suspects {
  readonly good: readonly ChangeDraft[]
  readonly tried: readonly ChangeDraft[]
  readonly waiting: readonly ChangeDraft[]
}

/**
 * Writes the changes that the application can be loaded with, and leaves the others out with the reason. If a problem names no change, halves
 * of the suspects are tried until it is found. A `string` says why nothing can be written.
 */
export async function writeLoading(
  drafts: readonly ChangeDraft[],
  sources: Sources,
  app: string | undefined,
  setting: Setting,
): Promise<KeptChanges | string> {
  const left: UnwrittenDraft[] = []
  let suspects: Suspects = { good: [], tried: drafts, waiting: [] }
  const leaveOut = (refused: readonly UnwrittenDraft[]): void => {
    left.push(...refused)
    suspects = without(suspects, new Set(refused.map(({ draft }) => draft)))
  }
  for (let loads = 1; ; loads++) {
    const layout = await layOut([...suspects.good, ...suspects.tried], sources)
    if (typeof layout === 'string') return layout
    leaveOut(layout.kept)
    if (layout.changes.length === 0) return { ...layout, kept: left, current: undefined }
    const isLast = suspects.waiting.length === 0
    const { problems, current } = await tryLayout(layout, isLast, app, setting)
    if (problems === undefined && isLast) return { ...layout, kept: withoutCovered(left, layout), current }
    const { good, tried, waiting } = suspects
    const rest = loads < MOST_LOADS ? [] : [...tried, ...waiting, ...(loads === MOST_LOADS ? [] : good)]
    if (rest.length > 0) leaveOut(rest.map((draft) => ({ draft, why: MANY })))
    else if (problems === undefined) suspects = { good: [...good, ...tried], tried: waiting, waiting: [] }
    else {
      const refused = findRefused(layout, problems, setting.cwd)
      // once, the change of another model is taken to stand for those that reach no route
      const told = loads === 1 ? refused.filter((each) => !isUnused(each)) : [...left, ...refused]
      const named = new Set(refused.map(({ draft }) => draft))
      const equal = equalsOf(told, suspects).filter(({ draft }) => !named.has(draft))
      if (named.size + equal.length > 0) leaveOut([...refused, ...equal])
      else if (tried.length > 1) suspects = halved(suspects)
      else
        leaveOut(
          [...tried, ...(tried.length === 0 ? good : [])].map((draft) => ({
            draft,
            why: reasonOf(problems[0]),
          })),
        )
    }
  }
}

/** The other drafts of one difference: if models share a named schema, the draft of the next model would reach the routes of a draft that is left out. */
function equalsOf(
  told: readonly UnwrittenDraft[],
  { good, tried, waiting }: Suspects,
): readonly UnwrittenDraft[] {
  const reasons = new Map(told.map(({ draft, why }) => [textOf(draft), why]))
  const known = new Set(told.map(({ draft }) => draft))
  return [...good, ...tried, ...waiting].flatMap((draft) => {
    const text = known.has(draft) ? undefined : textOf(draft)
    const why = text === undefined ? undefined : reasons.get(text)
    return why === undefined ? [] : [{ draft, why }]
  })
}

/** Drafts without those that the change of another model makes unneeded: fields of one named schema are one field, whatever models have it. */
function withoutCovered(
  left: readonly UnwrittenDraft[],
  { changes }: Pick<Layout, 'changes'>,
): readonly UnwrittenDraft[] {
  const written = new Set(changes.map(({ draft }) => textOf(draft)))
  return left.filter(
    (each) => !isUnused(each) || textOf(each.draft) === undefined || !written.has(textOf(each.draft)),
  )
}

function isUnused({ why }: Pick<UnwrittenDraft, 'why'>): boolean {
  return why.includes('reaches no route of an older version')
}

/** The fields of a draft that have a named schema, as a text. */
function textOf(draft: ChangeDraft): string | undefined {
  const text = draft.kind === 'model' ? toStableText(draft.fields) : ''
  return text.includes('"$ref"') ? text : undefined
}

/** Suspects without some of them. If none is left beside those that load, the waiting ones follow. */
function without({ good, tried, waiting }: Suspects, gone: Pick<ReadonlySet<ChangeDraft>, 'has'>): Suspects {
  const [kept, others, rest] = [good, tried, waiting].map((drafts) =>
    drafts.filter((draft) => !gone.has(draft)),
  )
  return others?.length === 0
    ? { good: kept ?? [], tried: rest ?? [], waiting: [] }
    : { good: kept ?? [], tried: others ?? [], waiting: rest ?? [] }
}

function halved({ good, tried, waiting }: Suspects): Suspects {
  const middle = Math.ceil(tried.length / 2)
  return { good, tried: tried.slice(0, middle), waiting: [...tried.slice(middle), ...waiting] }
}

/** Writes changes, and loads the application with them. They stay if it can be loaded and nothing waits. */
async function tryLayout(
  { files }: Layout,
  isLast: boolean,
  app: string | undefined,
  setting: Setting,
): Promise<{
  readonly problems: readonly LoadProblem[] | undefined
  readonly current: CurrentReport | undefined
}> {
  let problems: readonly LoadProblem[] | undefined
  let current: CurrentReport | undefined
  await writeChecked(
    await formatCode(files, setting.cwd),
    async () => {
      const request = { kind: 'current', isChecked: isLast, isTried: true } as const
      try {
        current = await askApp(app, request, setting)
      } catch (error) {
        if (!(error instanceof LoadError)) throw error
        ;({ problems } = error)
      }
      return problems === undefined && isLast
    },
    () => undefined,
  )
  return { problems, current }
}

const MANY = 'the app cannot be loaded with this change and others: write it by hand'

/** The changes that problems name, or else those of the models that they name. */
function findRefused(
  { changes }: Layout,
  problems: readonly LoadProblem[],
  cwd: string,
): readonly UnwrittenDraft[] {
  const found = (test: (problem: LoadProblem, change: LaidOutChange) => boolean): readonly UnwrittenDraft[] =>
    changes.flatMap((change) => {
      const problem = problems.find((each) => test(each, change))
      return problem === undefined ? [] : [{ draft: change.draft, why: reasonOf(problem) }]
    })
  const named = found((problem, change) => names(problem, change, cwd))
  return named.length > 0
    ? named
    : found(({ message }, { draft }) => draft.kind === 'model' && message.includes(`"${draft.model}"`))
}

function names(
  { where = '', message, fix = '', stack = '' }: LoadProblem,
  { id, path, text }: LaidOutChange,
  cwd: string,
): boolean {
  const file = relative(cwd, path).replaceAll('\\', '/')
  const place = `${where}\n${stack}`
  return (
    [place, message, fix].some((each) => each.includes(`"${id}"`) || each.includes(`"${text.title}"`)) ||
    place.includes(file)
  )
}

function reasonOf(problem: LoadProblem | undefined): string {
  return `the app cannot be loaded with the change: ${problem?.message ?? 'it ends'}`
}
