import { VERSION_NEUTRAL } from 'octavo'

import { shapesAt } from './interpreter-paths.ts'
import type { Shape } from './interpreter-paths.ts'
import { canonical, compare, covers, isWellFormed } from './interpreter-words.ts'
import type { Format } from './interpreter-words.ts'
import type { Row } from './support.ts'

/** A place where versions stand, for the rules. */
export interface Place {
  /** Whether it is the first segment of the path. */
  readonly isPath: boolean
  readonly unsupported: number
  readonly unspecified: number
  readonly invalid: number
}

export interface World {
  readonly rows: readonly Row[]
  /** Oldest first. */
  readonly known: readonly string[]
  readonly format: Format
  /** A known version, or one of the words that stand for one. */
  readonly defaultVersion: string | null
  readonly required: boolean
  readonly unknown: 'error' | 'floor'
  /** The versions whose sunset has passed, with what happens to them. */
  readonly ended: Readonly<Record<string, 'gone' | 'forward'>>
  /** The known versions that another deployment serves. */
  readonly elsewhere: readonly string[]
  /** In the order they were enabled. */
  readonly places: readonly Place[]
}

/** A request, for the rules. */
export interface Asked {
  readonly method: string
  /** Without version segment. */
  readonly path: string
  /** What stands in each place, in their order; `null` for nothing. */
  readonly values: readonly (string | null)[]
}

export interface Expected {
  readonly status: number
  /** The word of the handler and the version. */
  readonly answer: string | undefined
  readonly code: string | undefined
  readonly allow: string | undefined
}

/** A known version, `null` for none, and `undefined` for the root "other". */
type Version = string | null | undefined

/** The version at a pattern: requests that name none may get another one at each. */
type VersionAt = (shape: Shape) => Version

/**
 * What is asked for: `r` is the version, `at` that of a pattern. `fault` tells what is wrong with the value, and `place` who gave it.
 */
interface Found {
  readonly r: Version
  readonly at: VersionAt
  readonly fault: 'ambiguous' | 'invalid' | 'unsupported' | undefined
  readonly place: Place | undefined
}

const ORDER = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Answers a request by docs/guide/versioning-rules.md, reading every row. */
export function interpret(world: World, asked: Asked): Expected {
  const { method } = asked
  const inPath = world.places.findIndex((place) => place.isPath)
  const segment = asked.values[inPath] ?? null
  const here = shapesAt(world.rows, asked.path)
  // a segment that does not look like a version, or has nothing behind it, is ordinary
  if (segment !== null && (!looksLikeVersion(segment, world.format) || here.length === 0))
    return failure(404, 'route_not_found')
  const settled = settle(world, asked, segment !== null)
  // a path without versions is the same behind each known version, the nearest one that is served included, whatever the other places name
  const alone = asked.values.map((value, index) => (index === inPath ? value : null))
  const isFree =
    settled.fault === 'ambiguous' && typeof settle(world, { ...asked, values: alone }, true).r === 'string'
  const isBehind = segment !== null && !isFree
  const found = forward(world, here, method, settled, isBehind)
  const handler = firstHandler(world, here, method, found.at, isBehind)
  if (handler !== undefined) {
    const version = found.at(handler.shape)
    const answer = `${handler.row[3]}@${version ?? null}`
    if (isOver(world, handler, version)) return { ...failure(410, 'retired_version'), answer }
    return { status: 200, answer, code: undefined, allow: undefined }
  }
  return miss(world, here, method, found, isBehind)
}

/** The version that counts: several schemes have to agree, and an unknown version may get the nearest earlier one. */
function settle(world: World, asked: Asked, isBehind: boolean): Found {
  const { format, known, places } = world
  const given = asked.values.flatMap((value, index) =>
    value === null || value === '' ? [] : [{ value, place: places[index] }],
  )
  const [first] = given
  if (first === undefined) {
    const at: VersionAt = (shape) => defaultAt(world, shape)
    return { r: defaultOf(world), at, fault: undefined, place: undefined }
  }
  const { value, place } = first
  const distinct = new Set(given.map((each) => canonical(each.value, format) ?? each.value))
  if (distinct.size > 1) return { ...always(undefined), fault: 'ambiguous', place: undefined }
  const equal = known.find((version) => canonical(version, format) === canonical(value, format))
  if (equal !== undefined) return { ...always(equal), fault: 'unsupported', place }
  if (!isWellFormed(value, format)) return { ...always(undefined), fault: 'invalid', place }
  const here = shapesAt(world.rows, asked.path)
  const isAnswered = firstHandler(world, here, asked.method, always(undefined).at, isBehind) !== undefined
  if (world.unknown === 'floor' && !isAnswered) {
    const floor = known.findLast(
      (version) =>
        !world.elsewhere.includes(version) &&
        compare(version, value) < 0 &&
        methodsIn(world, here, always(version).at, isBehind).length > 0,
    )
    if (floor !== undefined) return { ...always(floor), fault: 'unsupported', place }
  }
  return { ...always(undefined), fault: 'unsupported', place }
}

/** A version that has ended may be replaced by the next one that the path has. */
function forward(
  world: World,
  here: readonly Shape[],
  method: string,
  found: Found,
  isBehind: boolean,
): Found {
  const handler = firstHandler(world, here, method, found.at, isBehind)
  const version = handler === undefined ? found.r : found.at(handler.shape)
  if (typeof version !== 'string' || world.ended[version] !== 'forward') return found
  if (handler !== undefined && !isOver(world, handler, version)) return found
  const next = world.known
    .slice(world.known.indexOf(version) + 1)
    .filter((later) => !later.includes('-') && !world.elsewhere.includes(later))
    .find((later) =>
      ORDER.some((each) => {
        const own = firstHandler(world, here, each, always(later).at, isBehind)
        return own !== undefined && !isOver(world, own, later)
      }),
    )
  return next === undefined ? found : { ...found, ...always(next) }
}

/** Whether a handler has ended with its version: one that names it, or an unversioned one that answers it as the default. */
function isOver(
  world: World,
  { row, shape }: { readonly row: Row; readonly shape: Shape },
  version: Version,
): boolean {
  if (typeof version !== 'string' || world.ended[version] === undefined) return false
  const isDefault = row[2] === undefined && isVersioned(shape) && version === defaultOf(world)
  return isDefault || claimOf(world, row, version) !== undefined
}

/** One version at every pattern. */
function always(r: Version): Pick<Found, 'r' | 'at'> {
  return { r, at: () => r }
}

/** The default version, which may be chosen by its place. */
function defaultOf({ known, defaultVersion, elsewhere }: World): string | null {
  if (defaultVersion === null || known.includes(defaultVersion)) return defaultVersion
  const own = known.filter((version) => !elsewhere.includes(version))
  return chosen(defaultVersion, own) ?? null
}

/** The default version of a pattern: one that is chosen by its place is chosen among those of the pattern. */
function defaultAt(world: World, shape: Shape): string | null {
  const { known, defaultVersion } = world
  const overall = defaultOf(world)
  if (defaultVersion === null || known.includes(defaultVersion)) return overall
  const belongs = isVersioned(shape) && shape.rows.some((row) => row[2] === undefined)
  const own = known.filter(
    (version) =>
      shape.rows.some((row) => claimOf(world, row, version) !== undefined) ||
      (belongs && version === overall),
  )
  return chosen(defaultVersion, own) ?? overall
}

function chosen(selector: string, versions: readonly string[]): string | undefined {
  if (selector === 'latest') return versions.at(-1)
  if (selector === 'oldest') return versions[0]
  return versions.findLast((version) => !version.includes('-'))
}

/** The answer if no route matches: docs/guide/versioning-rules.md#misses */
function miss(
  world: World,
  here: readonly Shape[],
  method: string,
  { r, at, fault, place }: Found,
  isBehind: boolean,
): Expected {
  if (here.length === 0) return failure(404, 'route_not_found')
  const own = methodsIn(world, here, at, isBehind)
  // at a path without versions, only the method can be wrong
  const isPlain = own.length > 0 && !here.some(isVersioned)
  if (fault === 'ambiguous' && !isPlain) return failure(400, 'ambiguous_version')
  if (fault === 'invalid' && !isPlain) return failure(place?.invalid ?? 400, 'invalid_version')
  if (r === null) return unspecified(world, here, method)
  if (own.length > 0) return onlyThese(own, method)
  return unserved(world, r, place)
}

/** The answer to a request for a version that does not have the path. */
function unserved({ ended, places }: World, r: Version, place: Place | undefined): Expected {
  if (typeof r === 'string' && ended[r] !== undefined) return failure(410, 'retired_version')
  return failure((place ?? places[0])?.unsupported ?? 404, 'unsupported_version')
}

/** The answer to a request without version and default. */
function unspecified({ places }: World, here: readonly Shape[], method: string): Expected {
  const all: readonly string[] = here.flatMap(({ rows }) => rows.map((row) => row[0]))
  const isServed = all.includes(method) || (method === 'HEAD' && all.includes('GET'))
  if (method === 'OPTIONS' || !isServed) return onlyThese(all, method)
  // with several schemes, no one decides the status
  const [only, ...others] = places
  return failure(others.length > 0 ? 400 : (only?.unspecified ?? 400), 'unspecified_version')
}

/** 405, or the answer to OPTIONS. */
function onlyThese(methods: readonly string[], method: string): Expected {
  return method === 'OPTIONS'
    ? { status: 204, answer: undefined, code: undefined, allow: toAllow(methods) }
    : { ...failure(405, 'method_not_allowed'), allow: toAllow(methods) }
}

/** The handler of the most specific pattern that has one. */
function firstHandler(
  world: World,
  here: readonly Shape[],
  method: string,
  at: VersionAt,
  isBehind: boolean,
): { readonly row: Row; readonly shape: Shape } | undefined {
  for (const shape of here) {
    const row = handlerOf(world, shape, method, at(shape), isBehind)
    if (row !== undefined) return { row, shape }
  }
  return undefined
}

/** The methods that are answered for `r`. */
function methodsIn(
  world: World,
  here: readonly Shape[],
  at: VersionAt,
  isBehind: boolean,
): readonly string[] {
  return here.flatMap((shape) =>
    shape.rows
      .map(([method]) => method)
      .filter((method) => handlerOf(world, shape, method, at(shape), isBehind) !== undefined),
  )
}

/** The route that answers at a pattern: docs/guide/versioning-rules.md#who-answers. HEAD falls back to GET. */
function handlerOf(
  world: World,
  shape: Shape,
  method: string,
  r: Version,
  isBehind: boolean,
): Row | undefined {
  const rows = shape.rows.filter((row) => row[0] === method)
  const opted = isVersioned(shape)
  if (world.required && opted && r === null) return undefined
  const claims = typeof r === 'string' ? rows.filter((row) => claimOf(world, row, r) !== undefined) : []
  const [strongest] = claims.toSorted((a, b) =>
    compareClaims(claimOf(world, a, String(r)), claimOf(world, b, String(r))),
  )
  const unversioned = opted ? r === null || r === defaultOf(world) : r !== undefined || !isBehind
  const neutral = r !== undefined || !(opted || isBehind)
  const found =
    strongest ??
    rows.find((row) => unversioned && row[2] === undefined) ??
    rows.find((row) => neutral && [row[2]].flat().includes(VERSION_NEUTRAL))
  return found ?? (method === 'HEAD' ? handlerOf(world, shape, 'GET', r, isBehind) : undefined)
}

/** How a row covers a version: 0 for the version itself, else what its range covers, as places in the list. */
interface Claim {
  readonly strength: 0 | 1
  readonly low: number
  readonly high: number
}

/** The strongest claim of a row on a version; `undefined` for none. */
export function claimOf(
  world: Pick<World, 'known' | 'format' | 'elsewhere'>,
  row: Row,
  version: string,
): Claim | undefined {
  const { known, format, elsewhere } = world
  if (elsewhere.includes(version)) return undefined
  const claims = entriesOf(row).flatMap((entry): Claim[] => {
    if (!/^[<>=]/.test(entry)) {
      return canonical(entry, format) === canonical(version, format) ? [{ strength: 0, low: 0, high: 0 }] : []
    }
    const covered = known.filter((each) => !elsewhere.includes(each) && covers(entry, each))
    if (!covered.includes(version)) return []
    return [{ strength: 1, low: known.indexOf(covered[0] ?? ''), high: known.indexOf(covered.at(-1) ?? '') }]
  })
  return claims.toSorted(compareClaims)[0]
}

/** The version itself, then the range that begins latest, then the one that ends earliest. */
export function compareClaims(a: Claim | undefined, b: Claim | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
  return a.strength - b.strength || b.low - a.low || a.high - b.high
}

function entriesOf([, , spec]: Row): readonly string[] {
  return [spec].flat().filter((entry) => typeof entry === 'string')
}

/** Whether some handler of any method names a version. */
function isVersioned({ rows }: Shape): boolean {
  return rows.some((row) => entriesOf(row).length > 0)
}

function toAllow(methods: readonly string[]): string {
  const all = new Set([...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])])
  return ORDER.filter((method) => all.has(method)).join(', ')
}

/** Whether a segment looks like a version: docs/guide/versioning-rules.md#segments-that-look-like-a-version */
function looksLikeVersion(text: string, format: Format): boolean {
  return /^\d+(\.\d+)*$/.test(text) || (format !== 'string' && isWellFormed(text, format))
}

function failure(status: number, code: string): Expected {
  return { status, answer: undefined, code, allow: undefined }
}
