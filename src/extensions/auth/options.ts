import {
  errorAt,
  invalidOption,
  optionProblems,
  type DefinitionProblem,
  type Rules,
} from '../../base/definition-error.ts'
import { isFunction, isObject, isRecord, isNonEmptyString } from '../../base/values.ts'

/** The options that all guards of this folder have. `D` is what `verify` injects. */
export interface AuthOptions<D = {}> {
  /**
   * The tokens that `verify` needs, by the keys under which it receives them as its last argument. Octavo checks when the application is
   * created that the module of the guard sees these tokens.
   */
  readonly inject?: D
  /** The realm of the credentials in the challenge, in printable ASCII. @default 'api' */
  readonly realm?: string
  /** Shown in documents. */
  readonly description?: string
}

/** The rules of options that several guards have. */
export const RULES = {
  verify: [isFunction, 'a function'],
  inject: [isRecord, 'an object of tokens'],
  text: [isNonEmptyString, 'a string with at least one character'],
  // the characters of keys in the components of a document (OpenAPI 3.1 section 4.8.7)
  name: [matchesPattern(/^[\w.-]+$/), 'a name of letters, digits, ".", "-" and "_"'],
  realm: [matchesPattern(/^[ -~]+$/), 'a string of printable ASCII characters'],
  // a token (RFC 9110 section 5.6.2), as the names of headers and cookies are
  token: [matchesPattern(/^[\w!#$%&'*+.^`|~-]+$/), 'a name of letters, digits and "-"'],
  parameter: [matchesPattern(/^[!-~]+$/), 'a name of printable ASCII characters without blanks'],
} as const satisfies Rules

/**
 * Checks the options of a guard where it is made.
 *
 * @throws `DefinitionError` with everything that is wrong.
 */
export function checkGuardOptions(
  where: string,
  options: unknown,
  rules: Rules,
  required: readonly string[] = ['verify'],
  more: readonly DefinitionProblem[] = [],
): void {
  const given = isObject(options) ? options : {}
  const problems = [
    ...required
      .filter((name) => Reflect.get(given, name) === undefined)
      .map((name) => invalidOption(where, `${name} is missing`, `give ${rules[name]?.[1] ?? 'it'}`)),
    ...optionProblems(where, given, rules, '', {
      unknown: (name) =>
        name === 'optional'
          ? '"optional" is no option: the optional form of a guard is optional(guard)'
          : `there is no option "${name}"`,
    }),
    ...more,
  ]
  if (problems.length > 0) throw errorAt(problems, checkGuardOptions, 1)
}

function matchesPattern(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value)
}
