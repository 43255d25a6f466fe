import { suggestion, type DefinitionProblem } from './definition-error.ts'
import { describeMistake, describeValue, isRecord } from './values.ts'
import { errorAt } from './source-location.ts'

/** The test that an option has to pass, and how the expectation reads in a message. */
export type OptionRule = readonly [test: (value: unknown) => boolean, expected: string]

export type Rules = Readonly<Record<string, OptionRule>>

/**
 * Reports the options that do not exist or break their rule. `group` comes before their names, as in `session.`; `unknown` is the
 * message about one that does not exist.
 */
export function optionProblems(
  where: string,
  options: object,
  rules: Rules,
  group = '',
  unknown = (name: string): string => `there is no option "${name}"`,
): readonly DefinitionProblem[] {
  return Object.entries(options).flatMap(([key, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
    const name = group + key
    if (rule === undefined) {
      const fix = suggestion(key, Object.keys(rules))
      return [{ code: 'unknown_option', where, message: unknown(name), fix }]
    }
    const [test, expected] = rule
    if (value === undefined || test(value)) return []
    return [invalidOption(where, describeMistake(name, value, test, expected), `give ${expected}`)]
  })
}

/** An option that cannot be used. */
export function invalidOption(where: string, message: string, fix: string): DefinitionProblem {
  return { code: 'invalid_option', where, message, fix }
}

/** Reports those of the options that are missing. */
export function missingOptions(
  where: string,
  options: unknown,
  names: readonly string[],
  fix: string,
): readonly DefinitionProblem[] {
  const given = Object(options)
  return names
    .filter((name) => given[name] === undefined)
    .map((name) => invalidOption(where, `${name} is missing`, fix))
}

/** Checks the options of the middleware `where`. `example` is a correct call. @throws `DefinitionError` with all that is wrong. */
export function checkOptions(
  where: string,
  options: unknown,
  rules: Rules,
  more: readonly DefinitionProblem[] = [],
  example = `${where}({ … })`,
): void {
  const problems = isRecord(options)
    ? [...optionProblems(where, options, rules), ...more]
    : [invalidOption(where, `the options are ${describeValue(options)}`, `write ${example}`)]
  if (problems.length > 0) throw errorAt(problems, checkOptions, 1)
}
