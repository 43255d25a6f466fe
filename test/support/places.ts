import assert from 'node:assert/strict'

import type { DefinitionProblem, DefinitionWarning } from 'octavo'

/** The text of a definition error without files and lines, which change with every edit of a test. `test/define/places.test.ts` has them. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(/ \([^()\s]+\.[cm]?[jt]s:\d+\)/g, '')
}

/** The entries of a definition error without files and lines. */
export function placeless<P extends DefinitionProblem | DefinitionWarning>(
  problems: readonly P[],
): readonly Omit<P, 'at'>[] {
  return problems.map(({ at: _at, ...problem }) => ({
    ...problem,
    where: withoutPlaces(problem.where),
    message: withoutPlaces(problem.message),
  }))
}

/** Code and place of a problem. Only one test has the words of a message and of its fix, so that better words are one edit. */
export type ExpectedProblem = Pick<DefinitionProblem, 'code' | 'where'> & Partial<DefinitionProblem>

/** Asserts that these are all problems, in this order. Words are compared where `expected` has them. */
export function assertProblems(
  actual: readonly DefinitionProblem[],
  expected: readonly ExpectedProblem[],
): void {
  const compared = placeless(actual).map(({ message, fix, ...place }, index) => {
    const words = expected[index] ?? { message, fix }
    return {
      ...place,
      ...(words.message === undefined ? {} : { message }),
      ...(words.fix === undefined ? {} : { fix }),
    }
  })
  assert.deepEqual(compared, expected)
}
