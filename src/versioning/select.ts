import { compareClaims } from './spec.ts'
import type { Claim, ExpandedSpec } from './spec.ts'

/** Something that answers for versions. */
export interface Versioned {
  readonly spec: ExpandedSpec
}

/** Who else answers where nothing claims the version. */
export interface Answers {
  readonly unversioned: boolean
  readonly neutral: boolean
}

/** Whether a path shape opted into versioning: some handler names a version (rules P6 and P8). */
export function isVersioned(candidates: readonly Versioned[]): boolean {
  return candidates.some(({ spec }) => spec.claims.size > 0)
}

/**
 * Makes the function that tells which of the candidates for one method and path shape answer a version: those that name it, else the
 * ranges that begin latest, else the unversioned ones where those may answer, else the neutral ones (rules P1 and P5). Several mean
 * that they conflict.
 */
export function createSelect<V extends Versioned>(
  candidates: readonly V[],
): (version: string | null, answers: Answers) => readonly V[] {
  const unversioned = candidates.filter(({ spec }) => spec.unversioned)
  const neutral = candidates.filter(({ spec }) => spec.neutral)
  const strongest = new Map<string, { readonly claim: Claim; readonly holders: V[] }>()
  for (const candidate of candidates) {
    for (const [version, claim] of candidate.spec.claims) {
      const best = strongest.get(version)
      const order = best === undefined ? -1 : compareClaims(claim, best.claim)
      if (order < 0) strongest.set(version, { claim, holders: [candidate] })
      else if (order === 0) best?.holders.push(candidate)
    }
  }
  return (version, answers) => {
    const claimed = version === null ? undefined : strongest.get(version)
    if (claimed !== undefined) return claimed.holders
    if (answers.unversioned && unversioned.length > 0) return unversioned
    return answers.neutral ? neutral : []
  }
}
