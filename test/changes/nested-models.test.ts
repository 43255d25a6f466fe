/** Functions of changes get and return nested models as they were at their time, whatever newer changes say of these. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import { createApp, defineController, DefinitionError, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  fieldNames,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { tryNewer } from './fuzz/newer.ts'

const Engine = model('Engine', { power: z.number(), fuel: z.string() })
const Car = model('Car', {
  id: z.string(),
  engine: Engine,
  spares: z.array(Engine),
  byName: z.record(z.string(), Engine),
  any: z.union([Engine, z.string()]),
  label: z.string(),
})

/** Version 3: an engine has another power, and the fuel is new. */
const powers = defineVersionChange({
  version: '3',
  title: 'Powers',
  change: [
    reshape({
      of: Engine,
      fields: { power: { was: 'kw' }, fuel: { was: absent } },
      up: () => ({ fuel: 'gas' }),
    }),
  ],
})
/** The same version: ids were numbers. */
const ids = defineVersionChange({
  version: '3',
  title: 'Ids',
  change: [reshape({ of: Car, fields: { id: { was: z.number(), up: String, down: Number } } })],
})
/** Version 2: what the engine says is part of the label, and the spares were in an object. */
const labels = defineVersionChange({
  version: '2',
  title: 'Labels',
  change: [
    reshape({
      of: before([powers, ids], Car),
      reads: ['engine', 'byName', 'id'],
      fields: {
        label: {
          was: z.object({ text: z.string(), kw: z.number() }),
          up: (old, { reads }) => `${old.text} ${reads.engine.kw}`,
          down: (now, { reads }) => {
            expectTypeOf(reads).toEqualTypeOf<{
              engine: { kw: number }
              byName: Record<string, { kw: number }>
              id: number
            }>()
            return { text: `${now} ${JSON.stringify(reads)}`, kw: reads.engine.kw }
          },
        },
        spares: {
          was: z.object({ first: Engine.optional(), all: z.array(Engine) }),
          up: ({ all, first }) => {
            expectTypeOf(first).toEqualTypeOf<{ kw: number } | undefined>()
            return all
          },
          down: (now) => ({ first: now.find(({ kw }) => kw > 1), all: now }),
        },
        any: {
          was: z.object({ v: z.union([Engine, z.string()]) }),
          up: ({ v }) => v,
          down: (v) => {
            expectTypeOf(v).toEqualTypeOf<{ kw: number } | string>()
            return { v }
          },
        },
      },
    }),
  ],
})

const engine = (kw: number): object => ({ kw })
const power = (kw: number): object => ({ power: kw, fuel: 'gas' })

function open(): { app: App; seen: unknown[] } {
  const seen: unknown[] = []
  const history = defineVersions({
    versions: ['3', '2', '1'],
    models: { Car, Engine },
    changes: [labels, powers, ids],
  })
  const CarController = defineController({
    prefix: '/cars',
    routes: [
      {
        method: 'GET',
        response: Car,
        handler: () =>
          ({
            id: '7',
            engine: power(1),
            spares: [power(1), power(2)],
            byName: { main: power(3) },
            any: power(4),
            label: 'It',
          }) as never,
      },
      {
        method: 'POST',
        status: 200,
        input: { body: Car },
        handler: ({ body }) => {
          seen.push(body)
          return 'ok'
        },
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [CarController] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })
  return { app, seen }
}

describe('Nested models that functions of changes get and return', () => {
  it('are in responses what they were at the time of the change', async () => {
    const { app } = open()
    assert.deepEqual((await app.inject('/v1/cars')).json(), {
      id: 7,
      engine: engine(1),
      spares: { first: engine(2), all: [engine(1), engine(2)] },
      byName: { main: engine(3) },
      any: { v: engine(4) },
      label: { text: 'It {"engine":{"kw":1},"byName":{"main":{"kw":3}},"id":7}', kw: 1 },
    })
  })
  it('are in requests what they were at the time of the change', async () => {
    const { app, seen } = open()
    const body = {
      id: 7,
      engine: engine(1),
      spares: { all: [engine(2)] },
      byName: { main: engine(3) },
      any: { v: engine(4) },
      label: { text: 'It', kw: 1 },
    }
    assert.equal((await app.inject({ method: 'POST', url: '/v1/cars', body })).statusCode, 200)
    assert.deepEqual(seen, [
      {
        id: '7',
        engine: power(1),
        spares: [power(2)],
        byName: { main: power(3) },
        any: power(4),
        label: 'It 1',
      },
    ])
  })
})

const engineNames = fieldNames(Engine)
/** Version 2: whole bodies, inputs and parameters were others. */
const bodies = defineVersionChange({
  version: '2',
  title: 'Bodies',
  change: [
    operation({
      route: 'garage.swap',
      before: [powers],
      query: {
        sort: {
          was: z.array(engineNames),
          up: (old) => {
            expectTypeOf(old).toEqualTypeOf<'kw'[]>()
            return [old].flat()[0]
          },
        },
      },
      body: {
        now: z.array(Engine),
        was: z.object({ only: Engine }),
        up: ({ only }) => {
          expectTypeOf(only).toEqualTypeOf<{ kw: number }>()
          return [{ kw: only.kw + 1 }]
        },
      },
      response: {
        body: {
          200: {
            now: z.object({ engines: z.array(Engine) }),
            was: Engine,
            load: (now) => now.engines.map(({ kw }) => kw),
            down: ({ engines: [first = { kw: 0 }] }, { loaded }) => {
              expectTypeOf(first).toEqualTypeOf<{ kw: number }>()
              expectTypeOf(loaded).toEqualTypeOf<number[]>()
              return first
            },
          },
        },
      },
    }),
    operation({
      route: 'garage.find',
      before: [powers],
      input: {
        was: { query: z.object({ at: z.int(), engine: Engine.optional() }) },
        up: ({ query }) => {
          expectTypeOf(query.engine).toEqualTypeOf<{ kw: number } | undefined>()
          return { query: { least: query.at } }
        },
      },
      paged: {
        now: z.object({ items: z.array(Engine), next: z.string().nullable() }),
        was: z.object({ engines: z.array(Engine) }),
        atMost: 9,
        next: ({ items }, { cursor }) => {
          expectTypeOf(items).toEqualTypeOf<{ kw: number }[]>()
          return cursor === undefined ? { cursor: 'b' } : undefined
        },
        down: ({ items }) => ({ engines: items }),
      },
    }),
  ],
})

describe('Models in whole bodies, inputs and parameters that functions get and return', () => {
  const seen: unknown[] = []
  const Page = z.object({ items: z.array(Engine), next: z.string().nullable() })
  const garage = defineController({
    name: 'garage',
    prefix: '/garage',
    routes: [
      {
        method: 'POST',
        name: 'swap',
        status: 200,
        input: { query: { sort: engineNames }, body: z.array(Engine) },
        response: z.object({ engines: z.array(Engine) }),
        handler: ({ query, body }) => {
          seen.push(query.sort, body)
          return { engines: [{ power: 3, fuel: 'gas' }] }
        },
      },
      {
        method: 'GET',
        name: 'find',
        input: { query: { cursor: z.string().optional(), least: z.int().default(0) } },
        response: Page,
        handler: ({ query: { cursor, least } }) => {
          const own = cursor === undefined ? 1 : 2
          return { items: [{ power: own + least, fuel: 'gas' }], next: cursor === undefined ? 'b' : null }
        },
      },
    ],
  })
  const history = defineVersions({ versions: ['3', '2', '1'], models: { Engine }, changes: [powers, bodies] })
  const app = createApp(defineModule({ controllers: [garage] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })

  it('are what they were at the time of the change, as `before` says', async () => {
    const body = { only: { kw: 1 } }
    const response = await app.inject({ method: 'POST', url: '/v1/garage?sort=kw', body })
    assert.deepEqual(response.json(), { kw: 3 })
    assert.deepEqual(seen, ['power', [{ power: 2, fuel: 'gas' }]])
    assert.deepEqual((await app.inject('/v1/garage?at=7')).json(), { engines: [{ kw: 8 }, { kw: 9 }] })
  })
  it('are refused in any other shape', async () => {
    // @ts-expect-error -- an engine of the newest version
    operation({ route: 'a', before: [powers], body: { now: Engine, was: z.string(), up: () => power(7) } })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- mistakes that types refuse
    for (const bases of [[powers], [bodies], [{}]] as never[]) {
      const wrong = operation({ route: 'garage.swap', before: bases, summary: { was: 'Swap' } })
      const change = defineVersionChange({ version: '2', title: 'Wrong', change: [wrong] })
      const own = defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
      const versioning = { scheme: VersioningSchemes.URL, history: own }
      await assert.rejects(
        async () => serve(garage, { versioning }).ready(),
        (error) => error instanceof DefinitionError && /operation.before/.test(error.message),
      )
    }
  })
})

describe('A released change', () => {
  // `npm run check -- fuzz:history --newer` compares more histories
  it('answers older versions as before, whatever newer changes say', async () => {
    const findings: unknown[] = []
    let calls = 0
    for (let index = 0; index < 10; index++) {
      const report = await tryNewer(47, index, index % 5 === 0)
      findings.push(...report.findings.map(({ text }) => `${index}: ${text}`))
      calls += report.calls
    }
    assert.deepEqual(findings, [])
    assert.ok(calls > 200, `only ${calls} calls`)
  })
})
