import { suggestion, valueProblems } from '../definition-error.ts'
import type { DefinitionProblem, OptionRule } from '../definition-error.ts'

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
