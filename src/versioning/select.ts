import { compareClaims } from './spec.ts'
import type { ExpandedSpec } from './spec.ts'

/** Something that answers for versions. */
export interface Versioned {
  readonly spec: ExpandedSpec
}

/** Whether a path shape opted into versioning: some handler names a version (rules P6 and P8). */
export function isVersioned(candidates: readonly Versioned[]): boolean {
  return candidates.some(({ spec }) => spec.claims.size > 0)
}

/**
 * Which of the candidates for one method and path shape answer a version: those that name it, else the ranges that begin latest,
 * else the unversioned ones where those may answer, else the neutral ones (rules P1 and P5). Several mean that they conflict.
 */
export function selectFor<V extends Versioned>(
  candidates: readonly V[],
  version: string | null,
  answers: { readonly unversioned: boolean; readonly neutral: boolean },
): readonly V[] {
  const claimed = version === null ? [] : strongest(candidates, version)
  if (claimed.length > 0) return claimed
  const unversioned = answers.unversioned ? candidates.filter(({ spec }) => spec.unversioned) : []
  if (unversioned.length > 0) return unversioned
  return answers.neutral ? candidates.filter(({ spec }) => spec.neutral) : []
}

function strongest<V extends Versioned>(candidates: readonly V[], version: string): readonly V[] {
  const claims = candidates.flatMap((candidate) => {
    const claim = candidate.spec.claims.get(version)
    return claim === undefined ? [] : [{ candidate, claim }]
  })
  const [best] = claims.toSorted((a, b) => compareClaims(a.claim, b.claim))
  return best === undefined
    ? []
    : claims.filter(({ claim }) => compareClaims(claim, best.claim) === 0).map(({ candidate }) => candidate)
}
