import {
  invalidOption,
  optionProblems,
  type DefinitionProblem,
  type Rules,
} from '../../base/definition-error.ts'
import { isObject, isRecord } from '../../base/values.ts'
import type { EnabledVersions } from '../../define/versions.ts'
import type { VersioningOptions } from '../../versioning/options.ts'
import { isScheme, type VersioningScheme } from '../../versioning/schemes/scheme.ts'
import type { SchemeList } from '../../versioning/versioning.ts'

/** The option `versioning` for code that does not ask which schemes there are. */
export interface AnyVersioning extends VersioningOptions {
  readonly scheme?: object
  readonly schemes?: object
}

/** The option `versioning` of `createApp`: what `enableVersioning` takes, in one object. */
export type VersioningOption<
  O extends object = object,
  S extends readonly object[] = readonly object[],
  D extends string | null = string | null,
  L extends string = string,
  H = unknown,
> =
  | ({
      /** How versions travel: one of `VersioningSchemes`, or a scheme of `defineVersioningScheme`. Its options stand beside it. */
      readonly scheme: VersioningScheme<O>
      /** Not beside `scheme`. */
      readonly schemes?: never
    } & NoInfer<O> &
      VersioningOptions<D, L, H>)
  | ({
      /** Several ways at once, each with its own options: `[[VersioningSchemes.URL], [VersioningSchemes.QUERY, { … }]]`. */
      readonly schemes: SchemeList<S>
      /** Not beside `schemes`. */
      readonly scheme?: never
    } & VersioningOptions<D, L, H>)

/**
 * The versions that `versioning` names, of the options of its scheme, its default and its list. Without a default, only requests under
 * URL are certain to name no version if their client names none.
 */
export type NamedVersions<O, D, L, H = undefined> = EnabledVersions<
  [D] extends [null] ? ('allowBare' extends keyof O ? null : unknown) : [D] extends [string] ? D : unknown,
  L,
  H
>

const RULES: Rules = {
  scheme: [isScheme, 'a scheme, such as VersioningSchemes.URL'],
  schemes: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isUse),
    'a list of schemes, each in a list with its options, such as [[VersioningSchemes.URL, {}]]',
  ],
}

/** The rule of `versioning`. The options of schemes are checked when the routes are compiled. */
export const VERSIONING_RULE: Rules[string] = [
  (value) => isRecord(value) && !isScheme(value),
  '{ scheme: VersioningSchemes.URL, … } with the options of the scheme',
  undefined,
  ({ scheme, schemes }) => {
    if (scheme !== undefined && schemes !== undefined)
      return schemeProblem('has scheme and schemes', 'leave scheme out and list it in schemes')
    if (scheme === undefined && schemes === undefined)
      return schemeProblem('has no scheme', `give ${VERSIONING_RULE[1]}`)
    return optionProblems('createApp', { scheme, schemes }, RULES, 'versioning.')
  },
]

function schemeProblem(message: string, fix: string): readonly DefinitionProblem[] {
  return [invalidOption('createApp', `versioning ${message}`, fix)]
}

/** Whether the value is a scheme in a list, with or without its options. */
function isUse(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const [scheme, options]: readonly unknown[] = value
  return isScheme(scheme) && (options === undefined || isObject(options))
}
