import type { DefinitionProblem } from '../../../../base/definition-error.ts'
import type { Versioning } from '../../../../versioning/versioning.ts'
import {
  isRange,
  canonicalVersion,
  MAX_VERSION_LENGTH,
  coveredBy,
  declaredEntries,
  type KnownVersions,
} from '../../../../versioning/version.ts'
import { commonOptionProblems, literalClashes } from './versioning-options.ts'
import type { TableRoute, Versions } from '../table.ts'
import type { ResolvedRoute } from '../../../../routes/resolved-route.ts'

/** Reports every mistake in the versions of the routes, for the enabled schemes: docs/guide/versioning-rules.md#mistakes-and-warnings */
export function versioningProblems(
  rows: readonly TableRoute[],
  versioning: Versioning,
  versions: Versions,
): readonly DefinitionProblem[] {
  const { known } = versions
  const notListed =
    isClosed(versioning) && versioning.versions.length > 0 ? unlisted(versioning, known) : NONE
  // many routes name the same versions and ranges: each is looked at once
  const wrong = new Map(
    [...declaredEntries(rows.map(({ route }) => route.version))].flatMap((entry) => {
      const problems = isRange(entry)
        ? rangeProblems(entry, versioning, known)
        : versionProblems(entry, versioning, known, notListed)
      return problems.length === 0 ? [] : [[entry, problems] as const]
    }),
  )
  return [
    ...commonOptionProblems(rows, versioning, known),
    ...versioning.versions
      .flatMap((version) => [
        ...encodingProblems(version, versioning),
        ...repeatedProblems(version, versioning),
      ])
      .map((problem) => ({ ...problem, where: versioning.placeOf() })),
    ...foldProblems(versioning, known),
    ...spellingProblems(versioning),
    ...(wrong.size === 0 ? [] : rows.flatMap(({ route }) => specProblems(route, wrong))),
    ...literalClashes(rows, versioning, versions),
  ]
}

const NONE: ReadonlySet<string> = new Set()

type Unplaced = Omit<DefinitionProblem, 'where'>

/** The problems of the versions that a route names, and then those of its ranges. */
function specProblems(
  { version, label }: Pick<ResolvedRoute, 'version' | 'label'>,
  wrong: ReadonlyMap<string, readonly Unplaced[]>,
): readonly DefinitionProblem[] {
  const entries = [...declaredEntries([version])].toSorted((a, b) => Number(isRange(a)) - Number(isRange(b)))
  return entries.flatMap((entry) => wrong.get(entry) ?? []).map((problem) => ({ ...problem, where: label }))
}

function versionProblems(
  version: string,
  versioning: Versioning,
  known: KnownVersions,
  notListed: ReadonlySet<string>,
): readonly Unplaced[] {
  if (canonicalVersion(version, known.format) === undefined) {
    return [
      {
        code: 'invalid_version',
        message: `the version "${version}" does not have the format ${known.format}`,
        fix: 'correct it, or choose another format',
      },
    ]
  }
  return [
    ...encodingProblems(version, versioning),
    ...repeatedProblems(version, versioning),
    ...(notListed.has(known.find(version) ?? '') ? notListedProblem(version, versioning) : []),
    ...elsewhereProblems(version, known),
  ]
}

/** Reports versions that begin with what the scheme writes before them, such as 'v1' under URL, which would be served at /vv1. */
function repeatedProblems(version: string, { schemes }: Versioning): readonly Unplaced[] {
  return schemes.flatMap(({ scheme, options, name }): Unplaced[] => {
    const before = scheme.before(options) ?? ''
    const rest = version.slice(before.length)
    if (!/\D$/.test(before) || !version.startsWith(before) || !/^\d/.test(rest)) return []
    return [
      {
        code: 'invalid_version',
        message: `the scheme ${name} writes "${before}" before versions, so "${version}" would be served at /${before}${version}`,
        fix: `write '${rest}'`,
      },
    ]
  })
}

function encodingProblems(version: string, { schemes }: Pick<Versioning, 'schemes'>): readonly Unplaced[] {
  return schemes.flatMap(({ scheme, options, name }): Unplaced[] => {
    const problem = scheme.problem(version, options)
    if (problem === undefined) return []
    return [
      {
        code: 'version_not_encodable',
        message: `the version "${version}" cannot travel in the scheme ${name}: ${problem}`,
        fix: 'rename the version, or choose another scheme',
      },
    ]
  })
}

/** Whether routes can name listed versions alone. A history has every version that its changes lead to. */
function isClosed({ common, history }: Versioning): boolean {
  return common.closed || history !== undefined
}

/** Reports a version outside a closed list. */
function notListedProblem(version: string, { versions, history }: Versioning): readonly Unplaced[] {
  const list = versions.join(', ')
  return [
    {
      code: 'version_not_listed',
      message:
        history === undefined
          ? `the version "${version}" is not listed, and versions is closed: it has ${list}`
          : `the version "${version}" is not in the history: it has ${list}`,
      fix: 'list it, or correct it',
    },
  ]
}

/** Reports versions that another deployment serves: no request would reach the route. */
function elsewhereProblems(version: string, known: KnownVersions): readonly Unplaced[] {
  if (!known.isElsewhere(known.find(version) ?? '')) return []
  return [
    {
      code: 'version_elsewhere',
      message: `the version "${version}" is listed with elsewhere: true, so another deployment serves it`,
      fix: 'take elsewhere out of the list, or the version out of the route',
    },
  ]
}

function unlisted({ versions }: Versioning, known: KnownVersions): ReadonlySet<string> {
  const listed = new Set(versions.map((version) => known.find(version)))
  return new Set(known.list.filter((version) => !listed.has(version)))
}

/** Two versions that the scheme reads as one, as host labels that differ by case. */
function foldProblems({ schemes, placeOf }: Versioning, known: KnownVersions): readonly DefinitionProblem[] {
  return schemes
    .flatMap((scheme) => (scheme.isCompanion ? [] : foldProblemsOf(scheme, known)))
    .map((problem) => ({ ...problem, where: placeOf() }))
}

function foldProblemsOf(
  { scheme, name, options }: Versioning['schemes'][number],
  { list, spellings }: KnownVersions,
): readonly Unplaced[] {
  const seen = new Map<string, string>()
  const texts = [...list.map((version) => [version, version] as const), ...spellings]
  return texts.flatMap(([text, version]): Unplaced[] => {
    const folded = scheme.fold(text, options)
    const other = seen.get(folded)
    seen.set(folded, version)
    if (other === undefined || (other === version && text !== version)) return []
    return [
      {
        code: 'version_not_encodable',
        message: `the scheme ${name} cannot tell the versions "${other}" and "${text}" apart`,
        fix: 'rename one of them, or choose another scheme',
      },
    ]
  })
}

/** Reports other texts of versions that no scheme can carry. */
function spellingProblems({ spellings, schemes, placeOf }: Versioning): readonly DefinitionProblem[] {
  return [...spellings.keys()].flatMap((text): DefinitionProblem[] => {
    const isCarried = schemes.some(({ scheme, options }) => scheme.problem(text, options) === undefined)
    const [problem] = isCarried ? [] : encodingProblems(text, { schemes })
    return problem === undefined ? [] : [{ ...problem, where: placeOf() }]
  })
}

function rangeProblems(range: string, versioning: Versioning, known: KnownVersions): readonly Unplaced[] {
  const shown = range.slice(0, 2 * MAX_VERSION_LENGTH)
  if (versioning.versions.length === 0) {
    return [
      {
        code: 'range_without_versions',
        message: `the range "${shown}" needs an ordered list of versions`,
        fix: "list them: versions: ['2', '1']",
      },
    ]
  }
  const missing = unlisted(versioning, known)
  if (missing.size > 0) {
    // the routes that name these versions have a report of their own
    if (isClosed(versioning)) return []
    return [
      {
        code: 'version_not_listed',
        message: `ranges are used, and versions does not list ${[...missing].join(', ')}`,
        fix: 'list every version',
      },
    ]
  }
  const covered = coveredBy(range, known)
  if (covered === undefined) {
    return [
      {
        code: 'invalid_version',
        message: `the range "${shown}" cannot be read`,
        fix: "write comparators joined by spaces, as in '>=1.2 <2'",
      },
    ]
  }
  if (covered.length > 0) return []
  return [
    {
      code: 'range_empty',
      message: `the range "${shown}" matches none of ${known.list.join(', ')}`,
      fix: 'change the range, or list the versions it is for',
    },
  ]
}
