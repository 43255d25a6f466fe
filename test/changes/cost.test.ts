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
