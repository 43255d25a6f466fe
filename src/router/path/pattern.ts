import type { DefinitionErrorCode } from '../../base/definition-error.ts'
import { findParamType, paramTypeNames, type ParamType } from './param-types.ts'

/** A named parameter of a pattern. */
export interface Param {
  readonly name: string
  readonly type: ParamType
}

/** One segment of a path pattern: what stands between two slashes. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'param'; readonly param: Param }
  /** Text and parameters in turn: `/{from}-{to}.json` is `[from, '-', to, '.json']`. */
  | { readonly kind: 'mixed'; readonly parts: readonly (string | Param)[] }
  | { readonly kind: 'rest'; readonly param: Param }

export interface Pattern {
  readonly text: string
  readonly segments: readonly Segment[]
  /** Whether the pattern ends with a slash (`/` alone does not count, nor one behind the rest). */
  readonly trailingSlash: boolean
  readonly params: readonly Param[]
}

/** Something wrong in a pattern, without its place. */
export interface PatternProblem {
  readonly code: DefinitionErrorCode
  readonly message: string
  readonly fix: string
}

function invalidPath(message: string, fix: string): PatternProblem {
  return { code: 'invalid_pattern', message, fix }
}

/** The problem of a text that does not begin with a slash. `subject`: what it is, with a space behind it. */
export function withoutSlash(subject: string, text: string): PatternProblem {
  return invalidPath(`${subject}"${text}" does not begin with a slash`, `write "/${text}"`)
}

/** `''` for `'/'` and `''`, otherwise the prefix without a trailing slash. */
export function normalizePrefix(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
}

/** A path below a prefix; never doubles a slash. Without a path it is the prefix itself, and `/` where that is empty. */
export function joinPaths(prefix: string, path: string): string {
  return normalizePrefix(prefix) + path || '/'
}

/**
 * Reads a path pattern; a list of problems when it cannot be read.
 *
 * @example
 * parsePattern('/car/{id:int}') // → { text, segments: [literal car, param id], trailingSlash: false, params: [id] }
 */
export function parsePattern(text: string): Pattern | readonly PatternProblem[] {
  if (!text.startsWith('/')) {
    return [withoutSlash('', text)]
  }
  const trailingSlash = text.length > 1 && text.endsWith('/')
  const texts = text.slice(1, trailingSlash ? -1 : undefined).split('/')
  const problems: PatternProblem[] = []
  const segments =
    text === '/'
      ? []
      : texts.flatMap((segment, index) => toSegment(segment, index === texts.length - 1, problems))
  const params = segments.flatMap(paramsOf)
  const twice = params.find(
    (param, index) => params.findIndex((other) => other.name === param.name) !== index,
  )
  if (twice !== undefined) {
    problems.push({
      code: 'duplicate_param',
      message: `"${text}" names the parameter ${twice.name} twice`,
      fix: 'give each parameter a name of its own',
    })
  }
  if (problems.length > 0) return problems
  // a rest takes the slash behind it: "/" below a prefix that ends with one is the prefix
  const slash = trailingSlash && segments.at(-1)?.kind !== 'rest'
  return { text, segments, trailingSlash: slash, params }
}

/** The parameters of a segment, from left to right. */
function paramsOf(segment: Segment): readonly Param[] {
  switch (segment.kind) {
    case 'literal':
      return []
    case 'mixed':
      return segment.parts.filter((part) => typeof part !== 'string')
    case 'param':
    case 'rest':
      return [segment.param]
  }
}

/**
 * The shape of a pattern: parameters by type, without their names. It is also the key of the trie: `:` begins a parameter and `**`
 * stands for the rest, as radix3 has it.
 */
export function patternShape(pattern: Pattern, strict: boolean): string {
  return `/${pattern.segments.map(sectionOf).join('/')}${strict && pattern.trailingSlash ? '/' : ''}`
}

export function sectionOf(segment: Segment): string {
  switch (segment.kind) {
    case 'literal':
      return segment.text
    case 'param':
      return `:${segment.param.type.name}`
    case 'mixed':
      return `:~${mixedShape(segment.parts)}`
    case 'rest':
      return '**'
  }
}

/** A mixed segment with the types of its parameters and without their names. */
export function mixedShape(parts: readonly (string | Param)[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : `{${part.type.name}}`)).join('')
}

function toSegment(text: string, last: boolean, problems: PatternProblem[]): readonly Segment[] {
  const problem = (text === '' && EMPTY) || foreignSpelling(text)
  if (problem !== undefined) {
    problems.push(problem)
    return []
  }
  const parts = mixedParts(text, problems)
  const [first, second] = parts
  if (first === undefined) return []
  if (second === undefined) {
    if (typeof first === 'string') return [{ kind: 'literal', text: first }]
    if (first.type.name !== 'path') return [{ kind: 'param', param: first }]
    if (last) return [{ kind: 'rest', param: first }]
  }
  const mistake = mixedMistake(text, parts)
  if (mistake !== undefined) problems.push(mistake)
  return [{ kind: 'mixed', parts }]
}

const EMPTY = invalidPath('the pattern has two slashes in a row', 'remove one')

/** The spellings of other frameworks, with ours. */
const FOREIGN: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^:(\w+)/, ([, name]) => `write "{${name}}"`],
  [/^\[(?:\.\.\.)?(\w+)\]$/, ([, name]) => `write "{${name}}"`],
  [/\*+(\w*)/, ([, name]) => `write "{${name || 'rest'}:path}" as the last segment`],
  [
    /%([\da-f]{2})/i,
    ([escape]) => `write the character itself instead of "${escape}": patterns are not percent-encoded`,
  ],
]

function foreignSpelling(text: string): PatternProblem | undefined {
  for (const [spelling, repair] of FOREIGN) {
    const match = spelling.exec(text)
    if (match !== null) {
      return {
        code: 'foreign_pattern',
        message: `"${text}" is not how a pattern is written here`,
        fix: repair(match),
      }
    }
  }
  if (/[?#\\]/.test(text) || text === '.' || text === '..') {
    return invalidPath(`"${text}" can never be a path segment`, 'remove it from the path')
  }
  return undefined
}

/** Text and parameters of a segment, in turn; what cannot be read is reported and left out. */
function mixedParts(text: string, problems: PatternProblem[]): readonly (string | Param)[] {
  return text.split(/(\{[^{}]*\})/).flatMap((part, index): (string | Param)[] => {
    if (part === '') return []
    if (index % 2 === 0) {
      if (/[{}]/.test(part)) {
        problems.push(
          invalidPath(`"${text}" has a brace without its other half`, 'write "{name}" or "{name:type}"'),
        )
        return []
      }
      return [part]
    }
    return toParam(part.slice(1, -1), problems)
  })
}

function toParam(text: string, problems: PatternProblem[]): Param[] {
  const [name = '', typeName = 'str', ...more] = text.split(':')
  if (!/^[a-z_]\w*$/i.test(name) || name === '__proto__' || more.length > 0) {
    problems.push(
      invalidPath(
        `"{${text}}" is not a parameter`,
        'write "{name}" or "{name:type}"; a name has letters, digits and _, and is not __proto__',
      ),
    )
    return []
  }
  const type = findParamType(typeName)
  if (type === undefined) {
    problems.push({
      code: 'unknown_param_type',
      message: `"{${text}}" has an unknown type`,
      fix: `use one of ${paramTypeNames().join(', ')}, or add the type with defineParamType`,
    })
    return []
  }
  return [{ name, type }]
}

const BUILT_IN_MIXED = ['str', 'int', 'float', 'uuid']

function mixedMistake(text: string, parts: readonly (string | Param)[]): PatternProblem | undefined {
  const params = parts.filter((part) => typeof part !== 'string')
  if (params.some((param) => param.type.name === 'path')) {
    return invalidPath(
      `"${text}" is not the last segment alone`,
      'let "{name:path}" be the whole last segment',
    )
  }
  if (parts.some((part, index) => typeof part !== 'string' && typeof parts[index + 1] === 'object')) {
    return invalidPath(
      `"${text}" has two adjacent parameters`,
      'write a text between them, as in "{from}-{to}"',
    )
  }
  // several parameters are told apart in linear time by the built-in types' own rules; a regular expression has none
  if (params.length > 1 && params.some((param) => !BUILT_IN_MIXED.includes(param.type.name))) {
    return invalidPath(
      `"${text}" mixes a type of your own with another parameter`,
      'give it a segment of its own',
    )
  }
  return undefined
}

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

export function createPrefix(path: string, exclusions: readonly Exclusion[]): Prefix {
  return {
    path,
    exclusions,
    excludes: (text, methods) => {
      if (exclusions.length === 0) return false
      const pattern = parsePattern(text)
      return 'segments' in pattern && exclusions.some((exclusion) => coversRoute(exclusion, pattern, methods))
    },
    at:
      exclusions.length === 0
        ? () => path
        : (asked) => (`${decodePath(asked)}/`.startsWith(`${path}/`) ? path : ''),
  }
}

/** Whether an exclusion is about a route, written without the prefix. Names of parameters and a slash at the end don't count. */
export function coversRoute(
  { pattern: excluded, methods }: Exclusion,
  pattern: Pattern,
  own: readonly string[],
): boolean {
  if (methods !== undefined && !own.every((method) => methods.includes(method))) return false
  const shape = patternShape(pattern, false)
  const above = excluded.segments.slice(0, -1)
  // "/{rest:path}" would cover every route: it stands for itself
  if (above.length === 0 || excluded.segments.at(-1)?.kind !== 'rest')
    return shape === patternShape(excluded, false)
  return `${shape}/`.startsWith(`${patternShape({ ...excluded, segments: above }, false)}/`)
}

/** The prefix may be percent-encoded in a path. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
