import type { DefinitionProblem } from '../../definition-error.ts'
import { invalidOption, optionProblems } from '../../check-options.ts'
import type { OptionRule, Rules } from '../../check-options.ts'
import { METHOD_INDEX } from '../../http.ts'
import type { Method } from '../../http.ts'
import { parsePattern } from '../../path/pattern.ts'
import { createPrefix } from '../../path/prefix.ts'
import type { Exclusion, Prefix } from '../../path/prefix.ts'
import { describeValue, isRecord } from '../../values.ts'

/** The path before the routes of an application, and the routes that do without it. */
export interface PrefixOptions {
  /** Literal segments only, such as `/api`. */
  readonly path: string
  /**
   * Routes that answer without the prefix, each written as it is without it. A rest parameter at the end, as in `/docs/{rest:path}`,
   * stands for a path and everything below it.
   */
  readonly exclude?: readonly (string | ExcludedRoute)[]
}

/** A path that the prefix does not precede, for some methods. */
export interface ExcludedRoute {
  /** The path without the prefix. */
  readonly path: string
  /** The methods of the excluded route. @default all */
  readonly method?: Method | readonly Method[]
}

/** Whether a value is a path without parameters. */
export function isLiteralPath(value: unknown): boolean {
  const pattern = typeof value === 'string' ? parsePattern(value) : []
  return 'segments' in pattern && pattern.params.length === 0
}

/** What a prefix may be, written as a path. */
const PREFIX_RULE: OptionRule = [
  (value) => value === '' || isLiteralPath(value),
  "a path of literal segments, such as '/api'",
]

const RULES: Rules = {
  path: PREFIX_RULE,
  exclude: [Array.isArray, "a list of paths, such as ['/health']"],
}

const EXCLUDED: Rules = {
  path: [() => true, 'a path'],
  method: [
    (value) =>
      [value].flat().length > 0 && [value].flat().every((method) => METHOD_INDEX.has(String(method))),
    "a method such as 'GET', or a list of methods",
  ],
}

/** Reports what cannot be used in `prefix`. */
export function prefixProblems(prefix: unknown): readonly DefinitionProblem[] {
  if (prefix === undefined) return []
  if (!isRecord(prefix)) return optionProblems('createApp', { prefix }, { prefix: PREFIX_RULE })
  const { path, exclude } = prefix
  const missing = invalidOption('createApp', 'prefix.path is missing', `give ${PREFIX_RULE[1]}`)
  return [
    ...(path === undefined ? [missing] : []),
    ...optionProblems('createApp', prefix, RULES, 'prefix.'),
    ...(Array.isArray(exclude) ? exclude.flatMap(exclusionProblems) : []),
  ]
}

function exclusionProblems(given: unknown): readonly DefinitionProblem[] {
  const where = 'createApp'
  const excluded = typeof given === 'string' ? { path: given } : given
  if (!isRecord(excluded) || typeof excluded['path'] !== 'string') {
    const fix = "write '/health' or { method: 'GET', path: '/health' }"
    return [invalidOption(where, `prefix.exclude has ${describeValue(given)}`, fix)]
  }
  const pattern = parsePattern(excluded['path'])
  return [
    ...optionProblems(where, excluded, EXCLUDED, 'prefix.exclude.'),
    ...('segments' in pattern ? [] : pattern.map((problem) => ({ ...problem, where }))),
  ]
}

/** Reads the option `prefix`, without problems as it is. */
export function toPrefix(given: string | PrefixOptions = ''): Prefix {
  const { path, exclude = [] } = typeof given === 'string' ? { path: given } : given
  return createPrefix(path.replace(/\/$/, ''), exclude.flatMap(toExclusion))
}

function toExclusion(given: string | ExcludedRoute): readonly Exclusion[] {
  const { path, method } = typeof given === 'string' ? { path: given, method: undefined } : given
  const pattern = parsePattern(path)
  if (!('segments' in pattern)) return []
  return [{ pattern, methods: method === undefined ? undefined : [method].flat() }]
}
