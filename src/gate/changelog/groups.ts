import { capitalize } from '../../base/values.ts'
import { operationsIn, whereOf, type Finding, type Level } from '../finding.ts'
import type { ChangelogVersion } from './changelog.ts'
import type { ChangeExample } from './example.ts'

/** The same difference of one or more operations. */
interface FindingGroup extends Pick<Finding, 'rule' | 'at' | 'message'> {
  readonly operations: readonly string[]
}

/** The differences of one level. */
export interface LevelGroup {
  readonly level: Level
  readonly title: string
  readonly groups: readonly FindingGroup[]
}

const TITLES = [
  ['breaking', 'Breaking'],
  ['warning', 'To check'],
  ['info', 'Compatible'],
] as const

/** The findings of a version or a change by their level, the worst first. A difference that several operations share is listed once. */
export function groupFindings({ findings }: Pick<ChangelogVersion, 'findings'>): readonly LevelGroup[] {
  return TITLES.flatMap(([level, title]): readonly LevelGroup[] => {
    const groups = new Map<string, Omit<FindingGroup, 'operations'> & { readonly operations: Set<string> }>()
    for (const finding of findings) {
      if (finding.level !== level) continue
      const { rule, message } = finding
      const at = whereOf(finding)
      const key = JSON.stringify([rule, at, message])
      const group = groups.get(key) ?? { rule, at, message, operations: new Set() }
      groups.set(key, group)
      for (const operation of operationsIn(finding)) group.operations.add(operation)
    }
    const made = [...groups.values()].map((group) => ({ ...group, operations: [...group.operations] }))
    return made.length === 0 ? [] : [{ level, title, groups: made }]
  })
}

/** Describes the life of a version, without saying whether that is over. */
export function lifeOf({ deprecated, sunset, retired }: ChangelogVersion): string {
  const parts = [
    ...(deprecated === undefined
      ? []
      : [deprecated === true ? 'Deprecated' : `Deprecation on ${deprecated}`]),
    ...(sunset === undefined ? [] : [`${retired === true ? 'retirement' : 'sunset'} on ${sunset}`]),
  ]
  const text = parts.join(', ')
  return text === '' ? '' : `${capitalize(text)}.`
}

/** The JSON of an example as the lines of a diff: what was, and what is. */
export function toDiff({ before, after }: ChangeExample): readonly [was: string, is: string] {
  return [toLines('-', before), toLines('+', after)]
}

/** JSON behind a sign, on one line if it is short. */
function toLines(sign: string, value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  const line = text.replaceAll(/\n */g, ' ')
  return (line.length > 72 ? text : line).replaceAll(/^/gm, `${sign} `)
}

/** Returns the title of the differences that no change describes. `before` is written as the format asks for. */
export function differencesTitle({ changes }: ChangelogVersion, before: string): string {
  return `${changes.length === 0 ? 'Differences' : 'Other differences'} from ${before}`
}

/** Returns the note of a version with nothing to list. */
export function emptyNote({ before, changes, findings }: ChangelogVersion): string | undefined {
  if (before === undefined) return 'The first version.'
  return changes.length === 0 && findings.length === 0
    ? `Clients notice no difference from version ${before}.`
    : undefined
}
