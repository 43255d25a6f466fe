import type { AnyChange } from '../../changes/chain.ts'
import { isSchema } from '../../schema/schema.ts'
import { isRecord, toRecord } from '../../base/values.ts'

/** A function of a change that is still to be filled in. */
export interface Unfinished {
  readonly change: string
  /** Such as `User.name.up`. */
  readonly place: string
  readonly at: string | undefined
}

/** The functions of a change that are still to be filled in. */
export function unfinishedIn({ id, change }: AnyChange, at: string | undefined): readonly Unfinished[] {
  return change.flatMap((part) => functionsIn(part)).map((place) => ({ change: id, place, at }))
}

/** The functions in a part of a change that call `fillIn`, by their places. */
function functionsIn(part: unknown): readonly string[] {
  return Object.entries(toRecord(part)).flatMap(([key, value]): readonly string[] => {
    if (typeof value === 'function') return /\bfillIn\(/.test(String(value)) ? [key] : []
    // schemas are no part of what is to be filled in
    if (!isRecord(value) || isSchema(value) || key === 'of') return []
    return functionsIn(value).map((place) => (key === 'fields' ? place : `${key}.${place}`))
  })
}

/** Reports a function that is still to be filled in, in one line. */
export function toUnfinishedText({ change, place, at }: Unfinished): string {
  return `${at === undefined ? '' : `${at}  `}${place} of the change "${change}" is incomplete: replace fillIn(…)`
}
