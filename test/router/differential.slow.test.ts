import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineParamType } from 'octavo'

import { serve } from '../support/serve.ts'
import { interpret, shapeOf } from './interpreter.ts'
import type { NaiveAnswer, NaiveRoute, SlashMode } from './interpreter.ts'
import { controller } from '../support/untyped.ts'

defineParamType({ name: 'letters', pattern: /[ab]+/ })
defineParamType({ name: 'slashed', pattern: /[ab/]+/ })

/** Random sets of routes for each way with trailing slashes, and requests for each set. */
const SETS = 400
const REQUESTS = 14

const LITERALS = ['a', 'b', 'ab', '1', '1.5', 'a-b', 'a.json', '1-a', 'é']
const PARAMS = ['{}', '{:int}', '{:float}', '{:uuid}', '{:letters}', '{:slashed}']
const MIXED = [
  '{}-{}',
  '{:int}-{}',
  '{}.json',
  'a{}',
  'a{:int}',
  'a{}b',
  'ab{}',
  '{}-b',
  '{}b',
  '{:float}-{:int}',
  '{}.{}.json',
  '{:letters}-',
  '-{:uuid}',
]
const METHODS = ['GET', 'GET', 'GET', 'POST', 'DELETE', 'HEAD', 'QUERY', 'OPTIONS']
const UUID = '6F9619ff-8b86-d011-b42d-00cf4fc964ff'
const TEXTS = [
  'a-b.json',
  'ab.json',
  'ab-b',
  'a1-b',
  'abb',
  '',
  'a',
  'b',
  'ab',
  '1',
  '12',
  '1.5',
  '1.',
  'a-b',
  'a-b-1',
  '1-a',
  '1.5-2',
  '1-',
  'a.json',
  'a.b.json',
  'a1',
  '.json',
  UUID,
  `-${UUID}`,
]
/** Texts that fit a type, and what others may take of them. */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  int: ['1', '12', '007'],
  float: ['1.5', '1', '0.25'],
  uuid: [UUID],
  letters: ['a', 'ab', 'bba'],
  slashed: ['a', 'a%2Fb', '%2f'],
  path: ['', 'a', 'a/b', '1/', '/', 'a//b'],
}
const ESCAPED = ['%61', 'a%2Fb', '%2f', 'a%2F', '%C3%A9', '%31', 'a%2Db', '%20', '%0A', 'c%25']

describe('the trie against a plain interpreter of the rules', () => {
  for (const [index, mode] of (['ignore', 'strict', 'redirect'] as const).entries()) {
    it(`agrees on ${SETS} sets of routes with trailing slashes under '${mode}'`, async () => {
      const random = createRandom(index + 1)
      for (let set = 0; set < SETS; set++) await compare(randomRoutes(random, mode), random, mode)
    })
  }
})

async function compare(routes: readonly NaiveRoute[], random: Random, mode: SlashMode): Promise<void> {
  const ask = createAsk(routes, mode)
  for (let request = 0; request < REQUESTS; request++) {
    const target = randomTarget(routes, random)
    const method =
      random.below(3) === 0 ? random.pick(['HEAD', 'OPTIONS', 'PATCH']) : random.pick(routes).method
    const expected = interpret(routes, method, target, mode)
    const actual = await ask(method, target)
    const listed = routes.map((route) => `${route.name}: ${route.method} ${route.path}`).join('\n')
    assert.deepEqual(
      actual,
      expected,
      `${method} ${target} among\n${listed}\n${JSON.stringify({ actual, expected })}`,
    )
  }
}

/** Asks an application that has the routes. */
function createAsk(
  routes: readonly NaiveRoute[],
  trailingSlash: SlashMode,
): (method: string, target: string) => Promise<NaiveAnswer> {
  let called: NaiveAnswer | undefined
  const app = serve(
    controller({
      name: 'c',
      prefix: '/',
      routes: routes.map(({ name, method, path }) => ({
        name,
        method,
        path,
        handler: ({ params }: { readonly params: object }) => {
          called = { kind: 'route', name, params: { ...params } }
          return null
        },
      })),
    }),
    { trailingSlash },
  )
  return async (method, target) => {
    called = undefined
    const { statusCode, headers } = await app.inject({ method, url: target })
    if (called !== undefined) return called
    if (statusCode === 404) return { kind: 'missing' }
    if (statusCode === 308) return { kind: 'redirect', location: String(headers['location']) }
    assert.ok(statusCode === 204 || statusCode === 405, `${statusCode}`)
    return { kind: 'allow', status: statusCode, allow: String(headers['allow']) }
  }
}

function randomRoutes(random: Random, mode: SlashMode): readonly NaiveRoute[] {
  const routes = new Map<string, NaiveRoute>()
  const count = 1 + random.below(9)
  for (let index = 0; index < count; index++) {
    const path = randomPattern(random, [...routes.values()].at(-1)?.path)
    const method = random.pick(METHODS)
    const shape = toShape(path, mode)
    // two spellings of one path are a mistake where the slash does not count
    const spelled = [...routes.values()].some(
      (other) => toShape(other.path, mode) === shape && other.path.endsWith('/') !== path.endsWith('/'),
    )
    const key = `${method} ${shape}`
    if (!routes.has(key) && !spelled) routes.set(key, { name: `r${index}`, method, path })
  }
  return [...routes.values()]
}

function toShape(path: string, mode: SlashMode): string {
  return shapeOf(mode === 'strict' || path === '/' ? path : path.replace(/\/$/, ''))
}

function randomPattern(random: Random, model: string | undefined): `/${string}` {
  // half of the patterns differ from another in one segment: those compete
  const segments =
    model === undefined || random.below(2) === 0
      ? Array.from({ length: random.below(4) }, () => randomSegment(random))
      : replaceOne(model.split('/').slice(1).filter(isSimple), random)
  const rest = random.below(5) === 0
  if (rest) segments.push('{:path}')
  let next = 0
  // names differ from route to route: the trie must not mind
  const named = segments.join('/').replaceAll(/\{\w*/g, () => `{p${next++}_${random.below(3)}`)
  return `/${named}${!rest && segments.length > 0 && random.below(6) === 0 ? '/' : ''}`
}

function isSimple(segment: string): boolean {
  return segment !== '' && !segment.endsWith(':path}')
}

function replaceOne(segments: readonly string[], random: Random): string[] {
  const at = random.below(segments.length + 1)
  return segments.map((segment, index) => (index === at ? randomSegment(random) : segment))
}

function randomSegment(random: Random): string {
  const dice = random.below(10)
  if (dice < 4) return random.pick(LITERALS)
  return random.pick(dice < 6 ? PARAMS : MIXED)
}

/** A path near one of the routes, or any path. */
function randomTarget(routes: readonly NaiveRoute[], random: Random): string {
  const model = random.pick(routes).path.slice(1).split('/')
  const length = Math.max(1, random.below(8) === 0 ? random.below(5) : model.length)
  const segments = Array.from({ length }, (_, index) => {
    if (random.below(10) === 0) return random.pick(TEXTS)
    return encodeURI(model[index] ?? '').replaceAll(/%7B\w+(?::(\w+))?%7D/g, (__, type = 'str') =>
      random.pick(random.below(6) === 0 ? ESCAPED : (FITTING[type] ?? TEXTS)),
    )
  })
  return `/${segments.join('/')}${random.below(8) === 0 ? '/' : ''}`
}

interface Random {
  readonly below: (limit: number) => number
  readonly pick: <T>(list: readonly T[]) => T
}

/** Numbers that are the same in every run (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return {
    below,
    pick: (list) => {
      const item = list[below(list.length)]
      if (item === undefined) throw new RangeError('An empty list has nothing to pick')
      return item
    },
  }
}
