import type { OptionRule } from '../../base/check-options.ts'
import type { Method } from '../../http/http.ts'
import { parsePattern } from '../../router/path/pattern.ts'
import { createPrefix, type Exclusion, type Prefix } from '../../router/path/prefix.ts'

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

/** Reads the option `prefix`. What is wrong in an object is reported by code that may not be loaded yet, so anything is read. */
export function toPrefix(given: string | PrefixOptions = ''): Prefix {
  const { path, exclude = [] } = typeof given === 'string' ? { path: given } : given
  return createPrefix(textOf(path).replace(/\/$/, ''), [exclude].flat().flatMap(toExclusion))
}

function toExclusion(given: string | ExcludedRoute): readonly Exclusion[] {
  const { path, method } = typeof given === 'string' ? { path: given, method: undefined } : { ...given }
  const pattern = parsePattern(textOf(path))
  if (!('segments' in pattern)) return []
  return [{ pattern, methods: method === undefined ? undefined : [method].flat() }]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
