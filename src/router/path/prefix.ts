import { parsePattern, shapeOf, type Pattern } from './pattern.ts'

/** Routes that the prefix does not precede. */
export interface Exclusion {
  /** Of routes without the prefix. A rest parameter at its end stands for everything below. */
  readonly pattern: Pattern
  /** `undefined` for all. */
  readonly methods: readonly string[] | undefined
}

/** The path before the routes of an application. */
export interface Prefix {
  /** Without a slash at its end, `''` for none. */
  readonly path: string
  readonly exclusions: readonly Exclusion[]
  /** Whether a route, written without the prefix, does without it. */
  readonly excludes: (text: string, methods: readonly string[]) => boolean
  /** Returns what a version segment follows in a path: the prefix, or `''` if the path doesn't begin with it. */
  readonly at: (path: string) => string
}

/** Creates the prefix of an application. */
export function createPrefix(path: string, exclusions: readonly Exclusion[]): Prefix {
  return {
    path,
    exclusions,
    excludes: (text, methods) => {
      if (exclusions.length === 0) return false
      const pattern = parsePattern(text)
      return 'segments' in pattern && exclusions.some((exclusion) => isCovered(exclusion, pattern, methods))
    },
    at:
      exclusions.length === 0
        ? () => path
        : (asked) => (`${decode(asked)}/`.startsWith(`${path}/`) ? path : ''),
  }
}

/** Whether an exclusion is about a route, written without the prefix. Names of parameters and a slash at the end don't count. */
export function isCovered(
  { pattern: excluded, methods }: Exclusion,
  pattern: Pattern,
  own: readonly string[],
): boolean {
  if (methods !== undefined && !own.every((method) => methods.includes(method))) return false
  const shape = shapeOf(pattern, false)
  const above = excluded.segments.slice(0, -1)
  // "/{rest:path}" would cover every route: it stands for itself
  if (above.length === 0 || excluded.segments.at(-1)?.kind !== 'rest')
    return shape === shapeOf(excluded, false)
  return `${shape}/`.startsWith(`${shapeOf({ ...excluded, segments: above }, false)}/`)
}

/** The prefix may be percent-encoded in a path. */
function decode(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
