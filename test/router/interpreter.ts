/**
 * The routing rules once more, as plainly as they can be written: every pattern becomes a list of segment matchers, all routes are
 * sorted by specificity and tried in turn. It knows nothing of the trie, and is compared with it.
 */

export type SlashMode = 'ignore' | 'strict' | 'redirect'

export interface NaiveRoute {
  readonly name: string
  readonly method: string
  readonly path: string
}

export type NaiveAnswer =
  | { readonly kind: 'route'; readonly name: string; readonly params: Readonly<Record<string, unknown>> }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'allow'; readonly status: 204 | 405; readonly allow: string }
  | { readonly kind: 'missing' }

/** Each type: its regular expression, its value, and its place in the order. */
const TYPES: Readonly<
  Record<string, readonly [source: string, parse: (text: string) => unknown, rank: number]>
> = {
  uuid: ['[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}', String, 0],
  int: ['[0-9]+', Number, 1],
  float: ['[0-9]+(?:\\.[0-9]+)?', Number, 2],
  // the types of the differential test's own, by name
  letters: ['[ab]+', String, 3],
  slashed: ['[ab/]+', String, 4],
  str: ['.+', String, 5],
}

const METHODS = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

interface Part {
  readonly text: string
  /** Absent for literal text. */
  readonly param?: { readonly name: string; readonly type: string }
}

/** `['{a}', '-', '{b:int}']` of a segment. */
function partsOf(segment: string): readonly Part[] {
  return segment
    .split(/(\{\w+(?::\w+)?\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const [, name, type = 'str'] = /^\{(\w+)(?::(\w+))?\}$/.exec(text) ?? []
      return name === undefined ? { text } : { text, param: { name, type } }
    })
}

/** The segments of a pattern. A trailing slash that counts is an empty literal segment. */
function segmentsOf(path: string, mode: SlashMode): readonly string[] {
  const segments = path.slice(1).split('/')
  if (path === '/') return mode === 'strict' ? [''] : []
  return segments.at(-1) === '' && mode !== 'strict' ? segments.slice(0, -1) : segments
}

/** Smaller is more specific: literal, mixed, typed, str, rest. */
function rankOf(segment: string): readonly (number | string)[] {
  const parts = partsOf(segment)
  const [first] = parts
  const params = parts.flatMap(({ param }) => (param === undefined ? [] : [param]))
  if (params.length === 0) return [0]
  const literal = parts.filter(({ param }) => param === undefined)
  if (literal.length > 0) {
    const start = first !== undefined && first.param === undefined ? first.text.length : 0
    const length = literal.reduce((sum, { text }) => sum + text.length, 0)
    const types = params.map(({ type }) => TYPES[type]?.[2] ?? 9).join('')
    return [1, -length, -start, types, shapeOf(segment)]
  }
  const type = params[0]?.type ?? ''
  return type === 'path' ? [3] : [2, TYPES[type]?.[2] ?? 9]
}

/** A segment without the names of its parameters. */
export function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+(?::(\w+))?\}/g, (_, type = 'str') => `{${type}}`)
}

function compareRanks(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

/** A pattern that ends comes before one whose rest may be empty. */
const ENDED: readonly number[] = [-1]

function compareRoutes(a: NaiveRoute, b: NaiveRoute, mode: SlashMode): number {
  const [left, right] = [segmentsOf(a.path, mode), segmentsOf(b.path, mode)]
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [mine, other] = [left[index], right[index]]
    const order = compareRanks(
      mine === undefined ? ENDED : rankOf(mine),
      other === undefined ? ENDED : rankOf(other),
    )
    if (order !== 0) return order
  }
  return 0
}

function decode(segment: string): string {
  return decodeURIComponent(segment)
}

/** The values of the parameters; `undefined` when the path does not match. */
function matchRoute(
  path: string,
  target: string,
  mode: SlashMode,
): Readonly<Record<string, unknown>> | undefined {
  const segments = segmentsOf(path, mode)
  const whole = target.slice(1).split('/').map(decode)
  const trimmed = mode !== 'strict' && whole.at(-1) === '' && whole.at(-2) !== '' ? whole.slice(0, -1) : whole
  const params: Record<string, unknown> = {}
  for (const [index, segment] of segments.entries()) {
    const [first] = partsOf(segment)
    if (first?.param?.type === 'path') {
      // where slashes do not count, the one before an empty rest does not either
      if (index > whole.length || (index === whole.length && mode === 'strict')) return undefined
      return { ...params, [first.param.name]: whole.slice(index).join('/') }
    }
    const text = trimmed[index]
    const values = text === undefined ? undefined : matchSegment(segment, text)
    if (values === undefined) return undefined
    Object.assign(params, values)
  }
  return segments.length === trimmed.length ? params : undefined
}

function matchSegment(segment: string, text: string): Readonly<Record<string, unknown>> | undefined {
  const parts = partsOf(segment)
  const source = parts.map((part) =>
    part.param === undefined ? RegExpEscape(part.text) : `(${TYPES[part.param.type]?.[0]})`,
  )
  const match = new RegExp(`^${source.join('')}$`, 's').exec(text)
  if (match === null) return undefined
  const params = parts.flatMap(({ param }) => (param === undefined ? [] : [param]))
  return Object.fromEntries(
    params.map(({ name, type }, index) => [name, TYPES[type]?.[1](match[index + 1] ?? '')]),
  )
}

function RegExpEscape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&')
}

/** What a request is answered with. */
export function interpret(
  routes: readonly NaiveRoute[],
  method: string,
  target: string,
  mode: SlashMode,
): NaiveAnswer {
  const matching = routes.flatMap((route) => {
    const params = matchRoute(route.path, target, mode)
    return params === undefined ? [] : [{ route, params }]
  })
  const accepted = method === 'HEAD' ? ['HEAD', 'GET'] : [method]
  const [best] = matching
    .filter(({ route }) => accepted.includes(route.method))
    .toSorted(
      (a, b) =>
        compareRoutes(a.route, b.route, mode) ||
        accepted.indexOf(a.route.method) - accepted.indexOf(b.route.method),
    )
  if (best !== undefined) {
    const location = mode === 'redirect' ? canonical(best.route.path, target) : target
    return location === target
      ? { kind: 'route', name: best.route.name, params: best.params }
      : { kind: 'redirect', location }
  }
  if (matching.length === 0) return { kind: 'missing' }
  const methods = new Set(matching.map(({ route }) => route.method))
  if (methods.has('GET')) methods.add('HEAD')
  methods.add('OPTIONS')
  const allow = METHODS.filter((name) => methods.has(name)).join(', ')
  return { kind: 'allow', status: method === 'OPTIONS' ? 204 : 405, allow }
}

/** The spelling of the target that the pattern declares. */
function canonical(path: string, target: string): string {
  if (path === '/' || path.endsWith(':path}')) return target
  if (path.endsWith('/')) return target.endsWith('/') ? target : `${target}/`
  return target.endsWith('/') ? target.slice(0, -1) : target
}
