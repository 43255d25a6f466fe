import { compareClaims } from './known.ts'
import type { Claim, ExpandedSpec } from './version.ts'

/** Something that answers for versions. */
export interface Versioned {
  readonly spec: ExpandedSpec
}

/** The kinds of routes that may answer if no route names the version. */
export interface Answers {
  readonly unversioned: boolean
  readonly neutral: boolean
}

/** Whether a handler of a path shape names a version. Other paths never opted in: docs/guide/versioning-rules.md#unversioned-and-neutral */
export function isVersioned(candidates: readonly Versioned[]): boolean {
  return candidates.some(({ spec }) => spec.claims.size > 0)
}

/**
 * Creates the function that selects the candidates for one method and path shape that answer a version. Several candidates conflict.
 * The order is that of docs/guide/versioning-rules.md#who-answers
 */
export function createSelect<V extends Versioned>(
  candidates: readonly V[],
): (version: string | null, answers: Answers) => readonly V[] {
  const unversioned = candidates.filter(({ spec }) => spec.unversioned)
  const neutral = candidates.filter(({ spec }) => spec.neutral)
  return (version, answers) => {
    const claimed = version === null ? [] : strongest(candidates, version)
    if (claimed.length > 0) return claimed
    if (answers.unversioned && unversioned.length > 0) return unversioned
    return answers.neutral ? neutral : []
  }
}

/** The candidates with the strongest claim on a version. */
function strongest<V extends Versioned>(candidates: readonly V[], version: string): readonly V[] {
  let best: Claim | undefined
  let holders: V[] = []
  for (const candidate of candidates) {
    const claim = candidate.spec.claims.get(version)
    if (claim === undefined) continue
    const order = best === undefined ? -1 : compareClaims(claim, best)
    if (order < 0) [best, holders] = [claim, [candidate]]
    else if (order === 0) holders.push(candidate)
  }
  return holders
}
