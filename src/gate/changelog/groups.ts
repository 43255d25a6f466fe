import { operationsIn, whereOf } from '../finding.ts'
import type { Finding, Level } from '../finding.ts'
import type { ChangelogVersion } from './changelog.ts'

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

/** The findings of a version by their level, the worst first. A difference that several operations share is listed once. */
export function groupFindings({ findings }: ChangelogVersion): readonly LevelGroup[] {
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
export function lifeOf({ deprecated, sunset }: ChangelogVersion): string {
  const parts = [
    ...(deprecated === undefined
      ? []
      : [deprecated === true ? 'Deprecated' : `Deprecation on ${deprecated}`]),
    ...(sunset === undefined ? [] : [`${deprecated === undefined ? 'Sunset' : 'sunset'} on ${sunset}`]),
  ]
  return parts.length === 0 ? '' : `${parts.join(', ')}.`
}

/** Returns the note of a version with nothing to list. */
export function emptyNote({ before, changes, findings }: ChangelogVersion): string | undefined {
  if (before === undefined) return 'The first version.'
  return changes.length === 0 && findings.length === 0
    ? `Clients notice no difference from version ${before}.`
    : undefined
}
