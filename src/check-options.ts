import { DefinitionError, suggestion, valueProblems } from './definition-error.ts'
import type { DefinitionProblem, OptionRule } from './definition-error.ts'

/**
 * Checks what a middleware of the name `where` was given; `example` is a call as it should be.
 *
 * @throws `DefinitionError` with all that is wrong.
 */
export function checkOptions(
  where: string,
  options: unknown,
  rules: Rules,
  more: readonly DefinitionProblem[] = [],
  example = `${where}({ … })`,
): void {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  const problems = isObject
    ? [...optionProblems(where, options, rules), ...more]
    : [invalidOption(where, 'the options are not an object', `write ${example}`)]
  if (problems.length > 0) throw new DefinitionError(problems)
}

/** An option that cannot be used. */
export function invalidOption(where: string, message: string, fix: string): DefinitionProblem {
  return { code: 'invalid_option', where, message, fix }
}

/** Whether the value is `true` or `false`. */
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Whether the value can be called. */
export const isFunction = (value: unknown): boolean => typeof value === 'function'

/** What each option may hold. */
export type Rules = Readonly<Record<string, OptionRule>>

/** Reports the options that do not exist or break their rule. `group` comes before their names, as in `session.`. */
export function optionProblems(
  where: string,
  options: object,
  rules: Rules,
  group = '',
): readonly DefinitionProblem[] {
  return Object.entries(options).flatMap(([name, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule !== undefined) return valueProblems(where, group + name, value, rule)
    const message = `there is no option "${group}${name}"`
    return [{ code: 'unknown_option', where, message, fix: suggestion(name, Object.keys(rules)) }]
  })
}
