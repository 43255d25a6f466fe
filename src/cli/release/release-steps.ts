import type { HistoryReport } from '../app-process.ts'
import { blockAt, findInBlock, inFront, type Edit } from '../source-edits.ts'

/** A definition that a release is about. */
export interface ReleasedPlace {
  readonly kind: HistoryReport['places'][number]['kind']
  /** The line on which it begins. That of a route may be the line of its controller or module, once for each route. */
  readonly line: number
}

/** A version that is released. */
export interface Release {
  readonly version: string
  /** The version that the history gave as `next` to what is not released. */
  readonly trial: string | undefined
}

/** A line that a release changes. There is no edit if the code doesn't tell surely what to edit. */
export interface ReleaseStep {
  readonly line: number
  /** The code to write there. */
  readonly code: string
  readonly edit: Edit | undefined
}

/** The version `'next'` of a definition, alone or in a list. */
const NEXT = /\bversion: ?(?:\[[^\]]*?)?(?:'next'|"next")/g

/** The steps that release the changes and routes of a file as a version. */
export function toReleaseSteps(
  source: string,
  places: readonly ReleasedPlace[],
  { version, trial }: Release,
): readonly ReleaseStep[] {
  const toStep = (line: number, code: string, edit: Edit | undefined): ReleaseStep => ({
    line: edit === undefined ? line : source.slice(0, edit.end).trimEnd().split('\n').length,
    code,
    edit,
  })
  return [...new Set(places.map(({ line }) => line))].flatMap((line) => {
    const own = places.filter((place) => place.line === line)
    const block = blockAt(source, line)
    if (own[0]?.kind === 'history') {
      const first = inFront(source, block, /\bversions: ?\[/g, (quote) => quote + version + quote)
      const steps = [toStep(line, `versions: ['${version}', …]`, first)]
      if (trial === undefined) return steps
      const [next, ...others] = findInBlock(block, /^[ \t]*next: ?(?:'[^'\n]*'|"[^"\n]*"),?[ \t]*\r?\n/gm)
      const edit = next === undefined || others.length > 0 ? undefined : { ...next, text: '' }
      return [...steps, toStep(line, `remove next: '${trial}'`, edit)]
    }
    const found = findInBlock(block, NEXT)
    const code = `version: '${version}'`
    // the routes of a controller have one version together, or each its own
    if (found.length !== 1 && found.length !== own.length) return [toStep(line, code, undefined)]
    return found.map(({ end }) => {
      const quote = source.charAt(end - 1)
      return toStep(line, code, { start: end - "'next'".length, end, text: quote + version + quote })
    })
  })
}
