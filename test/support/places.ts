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
