import * as fc from 'fast-check'
import { VERSION_NEUTRAL } from 'octavo'
import type { Method, VersionSpec } from 'octavo'

import { claimOf, compareClaims } from './interpreter.ts'
import type { Asked, World } from './interpreter.ts'
import { canonical, covers } from './interpreter-words.ts'
import type { Format } from './interpreter-words.ts'
import type { Row } from './support.ts'
import type { Way } from './ways.ts'

/** What versions look like in each format: `known` oldest first, ranges that cover some of them, and what requests may say. */
const LANGUAGES: Readonly<
  Record<
    Format,
    {
      readonly known: readonly string[]
      readonly ranges: readonly string[]
      /** Other spellings of known versions. */
      readonly respelled: readonly string[]
      readonly strange: readonly string[]
    }
  >
> = {
  string: {
    known: ['1', '2', '10'],
    ranges: ['>=1', '>=2', '<10', '>1 <=10', '=2', '>5'],
    respelled: [],
    strange: ['0', '9', '11', '01', '2.5', 'x'],
  },
  integer: {
    known: ['1', '2', '10'],
    ranges: ['>=1', '>=2', '<10', '>1 <=10', '=2', '>5'],
    respelled: ['01', '002'],
    strange: ['0', '9', '11', '2.5', 'x', '3-beta'],
  },
  semver: {
    known: ['1', '2.0-beta', '2.0'],
    ranges: ['>=1', '>=2.0-beta', '<2', '<=2.0.0', '>1.5'],
    respelled: ['1.0', '1.0.0', '2', '2.0.0-beta'],
    strange: ['0.9', '1.5', '3', '2.0-alpha', '1.2.3.4', 'x'],
  },
}

const METHODS: readonly Method[] = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'QUERY', 'PUT', 'OPTIONS']
const PATHS = ['/a', '/a', '/b', '/a/b', '/a/b', '/a/{x}', '/a/{x:int}', '/{y}/b'] as const
const ASKED_PATHS = ['/a', '/a', '/b', '/a/b', '/a/b', '/a/7', '/a/c', '/c/b', '/none']

/** What a route says of its versions. */
function specs(format: Format): fc.Arbitrary<VersionSpec | undefined> {
  const { known, ranges, respelled } = LANGUAGES[format]
  const entry = fc.constantFrom(...known, ...known, ...respelled, ...ranges)
  return fc.oneof(
    { weight: 3, arbitrary: fc.subarray([...known], { minLength: 1 }) },
    { weight: 3, arbitrary: entry },
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(VERSION_NEUTRAL) },
    { weight: 1, arbitrary: entry.map((each): VersionSpec => [VERSION_NEUTRAL, each]) },
  )
}

/** Route sets in which no two routes answer the same request: a later one that does is left out. */
function routeSets(
  format: Format,
  isInPath: boolean,
  elsewhere: readonly string[],
): fc.Arbitrary<readonly Row[]> {
  const { known } = LANGUAGES[format]
  // a parameter in the first segment may hold what looks like a version: see url.test.ts
  const paths = isInPath ? PATHS.filter((path) => !path.startsWith('/{')) : PATHS
  const row = fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom(...paths), specs(format))
  return fc.array(row, { minLength: 3, maxLength: 12 }).map((drawn) => {
    const kept: Row[] = []
    const own = { known, format, elsewhere }
    for (const [index, [method, path, version]] of drawn.entries()) {
      const next: Row = [method, path, version, `w${index}`]
      if (namesElsewhere(own, version)) continue
      const isSplit = isSplitAny(own, [...kept, next])
      if (!isSplit && !kept.some((other) => clash(own, other, next))) kept.push(next)
    }
    return kept
  })
}

/** Whether a route names what another deployment serves, or nothing else. Both are definition errors. */
function namesElsewhere(
  { known, format, elsewhere }: Pick<World, 'known' | 'format' | 'elsewhere'>,
  version: VersionSpec | undefined,
): boolean {
  return [version].flat().some((entry) => {
    if (typeof entry !== 'string') return false
    if (!/^[<>=]/.test(entry))
      return elsewhere.some((each) => canonical(each, format) === canonical(entry, format))
    return known.every((each) => elsewhere.includes(each) || !covers(entry, each))
  })
}

/** Whether two routes are equal for some version. */
export function clash(world: Pick<World, 'known' | 'format' | 'elsewhere'>, a: Row, b: Row): boolean {
  if (a[0] !== b[0] || a[1] !== b[1]) return false
  const isNeutral = (row: Row): boolean => [row[2]].flat().includes(VERSION_NEUTRAL)
  return (
    (a[2] === undefined && b[2] === undefined) ||
    (isNeutral(a) && isNeutral(b)) ||
    world.known.some((version) => {
      const claims = [claimOf(world, a, version), claimOf(world, b, version)] as const
      return claims[0] !== undefined && claims[1] !== undefined && compareClaims(...claims) === 0
    })
  )
}

/** Whether a range goes on above a version that another route names. That is a definition error. */
export function isSplitAny(
  world: Pick<World, 'known' | 'format' | 'elsewhere'>,
  rows: readonly Row[],
): boolean {
  return rows.some(([method, path]) => {
    const rivals = rows.filter((row) => row[0] === method && row[1] === path)
    const answering = world.known.map((version) => {
      const [row] = rivals
        .filter((rival) => claimOf(world, rival, version) !== undefined)
        .toSorted((a, b) => compareClaims(claimOf(world, a, version), claimOf(world, b, version)))
      return { row, isExact: row !== undefined && claimOf(world, row, version)?.strength === 0 }
    })
    return answering.some(({ row: below, isExact: isLow }, low) =>
      answering.some(
        ({ row: above, isExact: isHigh }, high) =>
          below !== undefined &&
          below === above &&
          !isLow &&
          !isHigh &&
          answering.some(
            ({ isExact }, place) =>
              isExact && place > low && place < high && claimOfRange(world, below, world.known[place] ?? ''),
          ),
      ),
    )
  })
}

/** Whether a range of the row covers a version. */
function claimOfRange(
  world: Pick<World, 'known' | 'format' | 'elsewhere'>,
  row: Row,
  version: string,
): boolean {
  return claimOf(world, row, version)?.strength === 1
}

/** Applications under the given ways, with requests worth asking. */
export function worlds(
  ways: readonly Way[],
): fc.Arbitrary<{ readonly world: World; readonly requests: readonly Asked[] }> {
  return fc.constantFrom<Format>('string', 'integer', 'semver').chain((format) => {
    const { known, respelled, strange } = LANGUAGES[format]
    const value = fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: fc.constantFrom(...known, ...known, ...respelled) },
      { weight: 2, arbitrary: fc.constantFrom(...strange) },
    )
    // equal values often enough for them to agree
    const values = fc.oneof(
      fc.tuple(...ways.map(() => value)),
      value.map((each) => ways.map(() => each)),
    )
    const world = fc
      .constantFrom<readonly string[]>([], [], ...known.map((each) => [each]))
      .chain((elsewhere) =>
        fc.record({
          rows: routeSets(
            format,
            ways.some(({ isPath }) => isPath),
            elsewhere,
          ),
          known: fc.constant(known),
          format: fc.constant(format),
          defaultVersion: fc.constantFrom(
            null,
            null,
            ...known.filter((each) => !elsewhere.includes(each)),
            'latest',
            'latestStable',
            'oldest',
          ),
          required: fc.boolean(),
          unknown: fc.constantFrom('error', 'error', 'floor'),
          ended: fc.oneof(
            { weight: 2, arbitrary: fc.constant({}) },
            fc.dictionary(fc.constantFrom(...known), fc.constantFrom('gone', 'forward', 'forward')),
          ),
          elsewhere: fc.constant(elsewhere),
          places: fc.constant(ways),
        }),
      )
    const request = fc.record({
      method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
      path: fc.constantFrom(...ASKED_PATHS),
      values,
    })
    return fc.record({
      // a default beside `required` is a definition error
      world: world.map((each): World => ({
        ...each,
        required: each.required && each.defaultVersion === null,
      })),
      requests: fc.array(request, { minLength: 40, maxLength: 40 }),
    })
  })
}
