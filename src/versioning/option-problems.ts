import { suggestion, valueProblems } from '../definition-error.ts'
import type { DefinitionProblem, OptionRule } from '../definition-error.ts'
import { policyProblems } from './check-policy.ts'
import { COMMON_RULES } from './options.ts'
import type { VersioningOptions, VersionListing } from './options.ts'
import type { SchemeUse } from './schemes/scheme.ts'
import { canonicalVersion, cutVersion } from './version.ts'
import type { VersionFormat } from './version.ts'

const WHERE = 'enableVersioning'

/** Every mistake in the options of the schemes and in the common ones. */
export function optionsProblems(
  uses: readonly SchemeUse[],
  options: VersioningOptions,
): readonly DefinitionProblem[] {
  return [...schemeProblems(uses, options), ...commonProblems(options, uses)]
}

function schemeProblems(uses: readonly SchemeUse[], common: object): readonly DefinitionProblem[] {
  const inPath = uses.filter(({ scheme }) => scheme.segments !== undefined)
  if (uses.length === 0 || inPath.length > 1) {
    const message = uses.length === 0 ? 'there is no scheme' : 'two schemes put versions into the path'
    return [
      { code: 'invalid_option', where: WHERE, message, fix: 'give one scheme, or several different ones' },
    ]
  }
  return uses.flatMap(({ scheme, options }) => {
    // a scheme alone shares its options object with the common ones
    const single = optionProblems(
      scheme.name,
      scheme.options,
      options,
      options === common ? COMMON_RULES : {},
    )
    if (single.length > 0) return single
    // a scheme is only ever called with its own options
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const message = scheme.contradiction(options as never)
    if (message === undefined) return []
    return [{ code: 'invalid_option', where: WHERE, message, fix: 'leave one of the options out' }]
  })
}

function commonProblems(
  options: VersioningOptions,
  uses: readonly SchemeUse[],
): readonly DefinitionProblem[] {
  const alone = uses.some((use) => use.options === options)
  const problems = alone ? [] : optionProblems('', {}, options, COMMON_RULES)
  const versions: unknown = options.versions ?? []
  if (problems.length > 0 || typeof versions !== 'object' || versions === null) return problems
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(versions)
    ? versions.flatMap((entry: unknown) => {
        if (typeof entry !== 'object' || entry === null || !('version' in entry)) return []
        const { version, ...policy } = entry
        return [[String(version), policy]]
      })
    : Object.entries(versions)
  return entries.flatMap(([version, policy]) =>
    policyProblems(WHERE, `versions["${cutVersion(version)}"]`, policy),
  )
}

type Rules = Readonly<Record<string, OptionRule>>

function optionProblems(
  scheme: string,
  rules: Rules | undefined,
  options: object,
  common: Rules,
): readonly DefinitionProblem[] {
  const known: Rules = { ...rules, ...common }
  return Object.entries(options).flatMap(([name, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule !== undefined) return valueProblems(WHERE, name, value, rule)
    if (rules === undefined) return []
    return [
      {
        code: 'unknown_option',
        where: WHERE,
        message:
          scheme === '' ? `there is no option "${name}"` : `the scheme ${scheme} has no option "${name}"`,
        fix: suggestion(name, Object.keys(known)),
      },
    ]
  })
}

/** Every mistake in the list of versions. */
export function listProblems(
  entries: readonly VersionListing[],
  format: VersionFormat,
): readonly DefinitionProblem[] {
  const seen = new Map<string, string>()
  return entries.flatMap(({ version }): DefinitionProblem[] => {
    const canonical = canonicalVersion(version, format)
    if (canonical === undefined || version === '') {
      return [
        {
          code: 'invalid_version',
          where: WHERE,
          message: `"${cutVersion(version)}" in versions is not written as the format ${format} says`,
          fix: 'mend it, or choose another format',
        },
      ]
    }
    const other = seen.get(canonical)
    seen.set(canonical, version)
    return other === undefined
      ? []
      : [
          {
            code: 'duplicate_version',
            where: WHERE,
            message: `versions lists "${version}" after "${other}"`,
            fix: 'list each version once',
          },
        ]
  })
}
