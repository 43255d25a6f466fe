import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'
import { METHODS, find, wholePath } from '../inside/parts.ts'
import { Application } from '../inside/server.ts'

const versions = ['4', '3', '2', '1'] as const
const Car = model('Car', { year: z.number(), colour: z.string() })

const yearWas = (version: '4' | '3', was: string) =>
  defineVersionChange({
    version,
    title: 'Years had another name',
    change: [reshape({ of: Car, fields: { year: { was } } })],
  })
const colourWas = defineVersionChange({
  version: '2',
  title: 'Colours had another name',
  change: [reshape({ of: Car, fields: { colour: { was: 'paint' } } })],
})

const GET = METHODS.indexOf('GET')
const { HEADER } = VersioningSchemes
const headerParameter = 'v'
const header: object = { headerParameter }

describe('a history: its cost', () => {
  const changes = [yearWas('4', 'built'), colourWas]
  const history = defineVersions({ versions, models: { Car }, changes })
  const routes = [
    { method: 'GET', path: '/free', response: z.object({ ok: z.boolean() }), handler: () => ({ ok: true }) },
    { method: 'GET', path: '/car', response: Car, handler: () => ({ year: 7, colour: 'red' }) },
  ] as const
  const module = defineModule({ controllers: [defineController({ name: 'c', prefix: '', routes })] })
  const core = new Application(module, { logger: false })
  core.enableVersioning(HEADER, { ...header, history })
  const { table } = core.compiled()
  const recordOf = (version: string, path: string): unknown => {
    const root = table.roots.get(version)
    return root && find(root, wholePath(path, true), GET).leaf?.methods[GET]
  }

  it('is one record in all versions for a route that no change reaches', () => {
    const newest = recordOf('4', '/free')
    assert.ok(newest !== undefined && newest !== null)
    for (const version of versions) assert.equal(recordOf(version, '/free'), newest)
  })

  it('is one record for each state of a route, and versions without a change share theirs', () => {
    const [newest, third, second, first] = versions.map((version) => recordOf(version, '/car'))
    assert.equal(third, second)
    assert.equal(new Set([newest, third, first]).size, 3)
  })
})

describe('the start of an application with many versions', () => {
  it('makes no older schema, and requests make those of their version once', async (t) => {
    const made = t.mock.method(z.globalRegistry, 'add')
    for (const [count, routeCount] of [
      [5, 2],
      [60, 30],
    ] as const) {
      const { app, oldest } = manyVersions(count, routeCount)
      made.mock.resetCalls()
      await app.ready()
      assert.equal(made.mock.callCount(), 0, `${count} versions of ${routeCount} routes`)
      const ask = async (url: string): Promise<unknown> => {
        const response = await app.inject({ url, headers: { v: oldest } })
        assert.equal(response.statusCode, 200)
        return response.json()
      }
      // each of the models once, and once more for another version
      assert.deepEqual(await ask('/r0'), { older0: 'x', parts: [{ size: 1 }] })
      assert.equal(made.mock.callCount(), 1)
      assert.deepEqual(await ask('/r1'), { older0: 'x', parts: [{ size: 1 }] })
      assert.equal(made.mock.callCount(), 1)
      await app.close()
    }
  })

  it('keeps one address and one list of layers for all states that no operation is about', () => {
    const { module, history } = manyVersions(40, 3)
    const many = new Application(module, { logger: false })
    many.enableVersioning(HEADER, { ...header, history })
    const { rows } = many.compiled().table
    assert.ok(rows.length > 100)
    const older = rows.map(({ route }) => route).filter((route) => route.newest !== undefined)
    for (const shared of ['pattern', 'methods', 'layers'] as const)
      assert.equal(new Set(older.map((route) => route[shared])).size, 3, shared)
  })
})

/** An application whose model has another name of a field in each version, and routes that send it. */
function manyVersions(count: number, routeCount: number) {
  const Part = model('Part', { size: z.number() })
  const fields = Object.fromEntries(
    Array.from({ length: count - 1 }, (_, at) => [`f${at}`, z.string().optional()]),
  )
  const Whole = model('Whole', { ...fields, parts: z.array(Part).default([]) })
  const list = Array.from({ length: count }, (_, index) => String(count - index))
  // types don't know names that are made
  const earlier = (at: number): never => ({ [`f${at}`]: { was: `older${at}` } }) as never
  const each = list.slice(0, -1).map((version, at) =>
    defineVersionChange({
      version,
      title: `f${at} had another name`,
      change: [reshape({ of: Whole, fields: earlier(at) })],
    }),
  )
  const history = defineVersions({ versions: list, models: { Whole, Part }, changes: each } as never)
  const routes = Array.from({ length: routeCount }, (_, index) => ({
    method: 'GET',
    path: `/r${index}`,
    name: `r${index}`,
    response: Whole,
    handler: () => ({ f0: 'x', parts: [{ size: 1 }] }),
  }))
  const module = defineModule({ controllers: [defineController({ name: 'c', prefix: '', routes } as never)] })
  const app = createApp(module, {
    logger: false,
    versioning: { scheme: HEADER, headerParameter, history } as never,
  })
  return { app, module, history, oldest: '1' }
}

describe('older versions: the code that they run', () => {
  it('is made by the first requests, also if there are several at once', async () => {
    const history = defineVersions({ versions, models: { Car }, changes: [yearWas('3', 'built')] })
    const routes = [
      { method: 'POST', path: '/car', input: { body: Car }, response: Car, handler: echo },
    ] as const
    const module = defineModule({ controllers: [defineController({ name: 'c', prefix: '', routes })] })
    const app = createApp(module, { logger: false, versioning: { scheme: HEADER, headerParameter, history } })
    const body = { built: 7, colour: 'red' }
    const ask = async (): Promise<unknown> =>
      (await app.inject({ method: 'POST', url: '/car', headers: { v: '1' }, body })).json()
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [body, body, body])
    await app.close()
  })

  it('cannot fail later because of a default that no change turns', async () => {
    const broken = defineVersionChange({
      version: '2',
      title: 'Years are numbers',
      change: [
        reshape({
          of: Car,
          fields: {
            year: {
              was: z.string(),
              up: Number,
              down: () => {
                throw new Error('out of order')
              },
            },
          },
        }),
      ],
    })
    const history = defineVersions({ versions, models: { Car }, changes: [broken] })
    const response = z.object({ car: Car.default({ year: 7, colour: 'red' }) })
    const routes = [{ method: 'GET', path: '/cars', response, handler: () => ({}) }] as const
    const module = defineModule({ controllers: [defineController({ name: 'c', prefix: '', routes })] })
    const app = createApp(module, { logger: false, versioning: { scheme: HEADER, headerParameter, history } })
    await assert.rejects(async () => app.ready(), {
      message:
        /car.*: a default cannot be converted into that of an older version: The change "years-are-numbers" failed at year: out of order/,
    })
  })
})

function echo({ body }: { readonly body: { readonly year: number; readonly colour: string } }) {
  return body
}
