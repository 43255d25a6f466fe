import type { Move } from '../chain.ts'
import type { OwnStep } from './own.ts'
import { refusePromise } from './turn.ts'
import type { Extra, Identified } from './turn.ts'
import { downWork, upWork } from './work.ts'
import type { Site, UpSite, Work, WorkOf } from './work.ts'

/** As `downWork`, with works that tell whether the change alters something. */
export function trackedDownWork(own: OwnStep, site: Site): readonly Work[] {
  // what only the newer version has is dropped, and what only the older one has is made
  return [
    ...notes(['gone', 'rename'], own, site, (move) => (move.kind === 'rename' ? move.now : nameOf(move))),
    ...downWork(own, site).map(watched),
    ...notes(['born'], own, site, nameOf),
  ]
}

/** As `upWork`, with works that tell whether the change alters something. */
export function trackedUpWork(own: OwnStep, site: UpSite): readonly Work[] {
  return [
    ...notes(['born', 'rename'], own, site, (move) => (move.kind === 'rename' ? move.was : nameOf(move))),
    ...upWork(own, site).map(watched),
    ...notes(['gone'], own, site, nameOf),
  ]
}

function nameOf(move: Move): string {
  return move.kind === 'rename' ? move.now : move.name
}

/** The works that tell of members that are there. */
function notes(
  kinds: readonly Move['kind'][],
  { step: { change }, moves }: OwnStep,
  { registerOf }: Site,
  nameAt: (move: Move) => string,
): readonly Work[] {
  return moves
    .filter(({ kind }) => kinds.includes(kind))
    .map((move) => ({
      kind: 'turn',
      change,
      name: nameAt(move),
      register: registerOf(move.slot),
      call: (value, { altered }) => {
        altered?.(change.id, move.kind === 'rename')
        return value
      },
      check: undefined,
      skipsAbsent: true,
      spares: NONE,
    }))
}

const NONE = { absent: false, null: false }

/** A work that compares what it makes with what was there. What a group makes and drops is told by notes. */
function watched(work: Work): Work {
  return work.kind === 'turn' ? watchedTurn(work) : watchedGroup(work)
}

/** Functions of changes see nothing of who is told of them. */
function watchedGroup(work: WorkOf<'group'>): WorkOf<'group'> {
  const { call } = work
  return { ...work, call: call && ((values, { request }) => call(values, { request })) }
}

function watchedTurn(work: WorkOf<'turn'>): WorkOf<'turn'> {
  const { change, call, check, spares } = work
  return {
    ...work,
    spares: NONE,
    check: undefined,
    call: (value, extra) => {
      const isSpared = (value === undefined && spares.absent) || (value === null && spares.null)
      const called =
        call === undefined || isSpared ? value : refusePromise(call(value, { request: extra.request }))
      const made = check === undefined ? called : check(called)
      if (differs(value, made)) extra.altered?.(change.id)
      return made
    },
  }
}

/** Returns what stands for what is missing. */
type Fallback = (extra: Extra) => unknown

/** Watches the default that stands for what is missing in an older version. */
export function trackedFallback(
  fallback: Fallback | undefined,
  change: Identified | undefined,
): Fallback | undefined {
  if (fallback === undefined || change === undefined) return fallback
  return (extra) => {
    const value = fallback(extra)
    if (value !== undefined) extra.altered?.(change.id)
    return value
  }
}

/** Whether two values are written differently. */
export function differs(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return false
  if (typeof one !== 'object' || typeof other !== 'object') return true
  try {
    return JSON.stringify(one) !== JSON.stringify(other)
  } catch {
    // such as a bigint in it
    return true
  }
}
