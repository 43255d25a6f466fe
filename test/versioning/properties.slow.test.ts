import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import type { App, InjectOptions, InjectResponse } from 'octavo'

import { clash, isSplitAny, worlds } from './arbitraries.ts'
import { build, toRequest, WAYS } from './ways.ts'
import type { Way } from './ways.ts'
import { interpret } from './interpreter.ts'
import type { Expected } from './interpreter.ts'
import type { Row } from './support.ts'

/** The same cases every time, and no more of them than ten seconds hold. */
const RUNS = { seed: 20261121, numRuns: 30, interruptAfterTimeLimit: 10_000 } as const
const FEWER = { ...RUNS, numRuns: 15 } as const

const { path, accept, header, query, host } = WAYS

const EVERY_WAY: readonly (readonly Way[])[] = [
  [path],
  [accept],
  [header],
  [query],
  [host],
  [path, header],
  [query, path],
  [accept, query],
  [host, path],
  [header, host],
  [header, path, query],
]

/** What an application answers, in the words of the interpreter. */
async function answerOf(app: App, request: InjectOptions): Promise<Expected> {
  const { statusCode, headers, body, route, version } = await app.inject(request)
  const code =
    statusCode < 400 || request.method === 'HEAD' ? undefined : String(Reflect.get(JSON.parse(body), 'code'))
  return {
    status: statusCode,
    answer: route === null ? undefined : `${route.name.replace(/^.*\./, '')}@${version}`,
    code,
    allow: headers['allow'] === undefined ? undefined : String(headers['allow']),
  }
}

describe('the lookup agrees with a naive interpreter of the rules', () => {
  for (const ways of EVERY_WAY) {
    it(`every request (${ways.map(({ name }) => name).join(' and ')})`, async () => {
      const property = fc.asyncProperty(worlds(ways), async ({ world, requests }) => {
        const app = build(world, ways, world.rows)
        for (const asked of requests) {
          const expected = interpret(world, asked)
          // HEAD has no body to read a code from
          const visible = asked.method === 'HEAD' ? { ...expected, code: undefined } : expected
          const request = toRequest(ways, asked)
          assert.deepEqual(await answerOf(app, request), visible, JSON.stringify(request))
        }
      })
      await fc.assert(property, RUNS)
    })
  }
})

/** Some of the ways: what follows depends little on them. */
const SOME_WAYS: readonly (readonly Way[])[] = [[path], [accept], [query], [header, path]]

/** Everything of a response that a client sees. */
async function seen(
  app: App,
  request: InjectOptions,
): Promise<Pick<InjectResponse, 'statusCode' | 'headers' | 'body'>> {
  const { statusCode, headers, body } = await app.inject(request)
  return { statusCode, headers, body }
}

describe('the order of declaration does not matter', () => {
  for (const ways of SOME_WAYS) {
    it(`of routes, controllers and modules never matters (${ways.map(({ name }) => name).join(' and ')})`, async () => {
      const arbitrary = worlds(ways).chain(({ world, requests }) =>
        fc.record({
          world: fc.constant(world),
          requests: fc.constant(requests),
          shuffled: fc.shuffledSubarray([...world.rows], { minLength: world.rows.length }),
          split: fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
        }),
      )
      const property = fc.asyncProperty(arbitrary, async ({ world, requests, shuffled, split }) => {
        const [one, other] = [build(world, ways, world.rows), build(world, ways, shuffled, split)]
        for (const asked of requests) {
          const request = toRequest(ways, asked)
          assert.deepEqual(await seen(other, request), await seen(one, request), JSON.stringify(request))
        }
      })
      await fc.assert(property, FEWER)
    })
  }
})

/**
 * What a version answers, but for what is told of other versions: `supported`, and whether what it lacks exists elsewhere (which
 * tells an unsupported version from a path that does not exist).
 */
async function withoutOthers(app: App, request: InjectOptions): Promise<unknown> {
  const { statusCode, headers, body } = await app.inject(request)
  const problem: { code?: string; supported?: unknown } =
    statusCode < 400 || body === '' ? {} : JSON.parse(body)
  const isAbsent = statusCode === 404 || statusCode === 406
  if (isAbsent) return 'absent'
  return { statusCode, allow: headers['allow'], body: statusCode < 400 ? body : problem.code }
}

/** Whether a route at the pattern names a version: that is a matter of all versions. */
function isOpted(rows: readonly Row[], pattern: string): boolean {
  return rows.some((row) => row[1] === pattern && [row[2]].flat().some((entry) => typeof entry === 'string'))
}

describe('versions do not touch each other', () => {
  for (const ways of SOME_WAYS) {
    it(`routes of one version never change what another answers (${ways.map(({ name }) => name).join(' and ')})`, async () => {
      const arbitrary = worlds(ways).chain(({ world, requests }) => {
        const [changed = '', ...others] = world.known.filter((version) => !world.elsewhere.includes(version))
        return fc.record({
          // what has ended is replaced by other versions
          world: fc.constant({ ...world, ended: {} }),
          requests: fc.constant(requests),
          changed: fc.constantFrom(changed, ...others),
          asked: fc.constantFrom(changed, ...others),
          added: fc.array(
            fc.tuple(
              fc.constantFrom('GET', 'POST', 'PUT', 'HEAD'),
              fc.constantFrom('/a', '/b', '/a/b', '/a/{x}', '/a/{x:int}'),
            ),
            { minLength: 1, maxLength: 5 },
          ),
        })
      })
      let compared = 0
      const property = fc.asyncProperty(arbitrary, async ({ world, requests, changed, asked, added }) => {
        fc.pre(changed !== asked)
        const after = [...world.rows]
        const patterns = new Set<string>(world.rows.map((row) => row[1]))
        for (const [index, [method, pattern]] of added.entries()) {
          const next: Row = [method, pattern, changed, `new${index}`]
          // a path that had no versions and now has some is another kind of path
          const turns = patterns.has(pattern) && !isOpted(world.rows, pattern)
          if (turns || isSplitAny(world, [...after, next])) continue
          if (!after.some((row) => clash(world, row, next))) after.push(next)
        }
        const [one, other] = [build(world, ways, world.rows), build(world, ways, after)]
        for (const each of requests) {
          const request = toRequest(ways, { ...each, values: ways.map(() => asked) })
          compared += 1
          assert.deepEqual(
            await withoutOthers(other, request),
            await withoutOthers(one, request),
            JSON.stringify(request),
          )
        }
      })
      await fc.assert(property, FEWER)
      assert.ok(compared > 250, `${compared} answers were compared`)
    })
  }
})

describe('HEAD and GET', () => {
  for (const ways of SOME_WAYS) {
    it(`HEAD is GET without a body, errors included (${ways.map(({ name }) => name).join(' and ')})`, async () => {
      const property = fc.asyncProperty(worlds(ways), async ({ world, requests }) => {
        const app = build(
          world,
          ways,
          world.rows.filter(([method]) => method !== 'HEAD'),
        )
        for (const asked of requests) {
          const get = await seen(app, { ...toRequest(ways, asked), method: 'GET' })
          const head = await seen(app, { ...toRequest(ways, asked), method: 'HEAD' })
          assert.deepEqual(head, { ...get, body: '' }, JSON.stringify(toRequest(ways, asked)))
        }
      })
      await fc.assert(property, FEWER)
    })
  }
})
