import {
  invalidOption,
  optionProblems,
  type DefinitionProblem,
  type OptionRule,
  type Rules,
} from '../../base/definition-error.ts'
import { METHOD_INDEX, type Method } from '../../http/http.ts'
import { parsePattern, createPrefix, type Exclusion, type Prefix } from '../../router/path/pattern.ts'
import { describeValue, isRecord } from '../../base/values.ts'

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

/** The rule of a prefix, written as a path. */
export const PREFIX_RULE: OptionRule = [
  (value) => value === '' || isLiteralPath(value),
  "a path of literal segments, such as '/api'",
]

/** Reads the option `prefix`, whose mistakes are reported by `prefixProblems`. */
export function toPrefix(given: string | PrefixOptions = ''): Prefix {
  const { path, exclude = [] } = typeof given === 'string' ? { path: given } : given
  return createPrefix(path.replace(/\/$/, ''), exclude.flatMap(toExclusion))
}

function toExclusion(given: string | ExcludedRoute): readonly Exclusion[] {
  const { path, method }: ExcludedRoute = typeof given === 'string' ? { path: given } : given
  const pattern = parsePattern(path)
  if (!('segments' in pattern)) return []
  return [{ pattern, methods: method === undefined ? undefined : [method].flat() }]
}

export const PREFIX_RULES: Rules = {
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

/** Reports a path that is missing in `prefix`, and exclusions that cannot be used. */
export function prefixProblems({
  path,
  exclude,
}: Readonly<Record<string, unknown>>): readonly DefinitionProblem[] {
  const missing = invalidOption('createApp', 'prefix.path is missing', `give ${PREFIX_RULE[1]}`)
  return [
    ...(path === undefined ? [missing] : []),
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
