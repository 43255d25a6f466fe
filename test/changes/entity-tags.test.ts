import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, file, HttpError, reply, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { etag } from 'octavo/middleware'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Car = model('Car', { id: z.string(), colour: z.string() })
const colours = defineVersionChange({
  version: '3',
  title: 'Colours have a name',
  change: [reshape({ of: Car, fields: { colour: { was: 'paint' } } })],
})
const ids = defineVersionChange({
  version: 'next',
  title: 'Keys are ids',
  change: [reshape({ of: Car, fields: { id: { was: 'key' } } })],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [ids, colours] })

const TAG = '"r7"'

const CarController = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      name: 'get',
      response: Car,
      handler: (_, { request, response }) => {
        response.headers.set('x-seen', request.header('if-none-match') ?? 'none')
        response.headers.set('x-seen-too', request.headers['if-none-match'] ?? 'none')
        response.headers.set('etag', TAG)
        const known = request.header('if-none-match')
        if (known !== undefined && known.split(', ').some((tag) => tag.replace('W/', '') === TAG))
          return reply(304)
        return { id: '7', colour: 'red' }
      },
    },
    {
      method: 'GET',
      path: '/weak',
      response: Car,
      handler: () => reply(200, { id: '7', colour: 'red' }, { headers: { etag: 'W/"r7"' } }),
    },
    {
      method: 'PUT',
      path: '/',
      input: { body: Car, headers: { 'if-match': z.string() } },
      response: Car,
      handler: ({ body, headers }) => {
        if (headers['if-match'] !== TAG && headers['if-match'] !== '*')
          throw new HttpError(412, 'Changed', { headers: { etag: TAG } })
        return reply(200, body, { headers: { etag: '"r8"' } })
      },
    },
    { method: 'GET', path: '/plain', handler: () => reply(200, 'same', { headers: { etag: TAG } }) },
    {
      method: 'GET',
      path: '/hand',
      version: ['2', '1'],
      handler: () => reply(200, 'old', { headers: { etag: TAG } }),
    },
    {
      method: 'GET',
      path: '/hand',
      version: '3',
      handler: () => reply(200, 'new', { headers: { etag: TAG } }),
    },
    { method: 'GET', path: '/file', version: '1', handler: () => file(Buffer.from('old'), { etag: TAG }) },
    {
      method: 'GET',
      path: '/file',
      version: ['3', '2'],
      handler: () => file(Buffer.from('new'), { etag: TAG }),
    },
  ],
})

function open(
  scheme: object = { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
  tags = false,
): App {
  return serve(CarController, {
    middleware: tags ? [etag()] : [],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- options of several schemes
    versioning: {
      ...(scheme as { scheme: typeof VersioningSchemes.URL }),
      history,
    },
  })
}

async function get(
  app: App,
  version: string,
  headers: Record<string, string> = {},
  url = '/car',
): Promise<readonly unknown[]> {
  const { statusCode, headers: got } = await app.inject({ url, version, headers })
  return [statusCode, got['etag']]
}

describe('an entity tag of a handler', () => {
  it('has a suffix in the versions that are not the newest', async () => {
    const app = open()
    assert.deepEqual(await get(app, '3'), [200, '"r7"'])
    assert.deepEqual(await get(app, '2'), [200, '"r7;v=2"'])
    assert.deepEqual(await get(app, '1'), [200, '"r7;v=2"'])
    assert.deepEqual(await get(app, '1', {}, '/car/weak'), [200, 'W/"r7;v=2"'])
  })

  it('has none where versions have the same bytes', async () => {
    const app = open()
    assert.deepEqual(await get(app, '3', {}, '/car/plain'), [200, '"r7"'])
    assert.deepEqual(await get(app, '1', {}, '/car/plain'), [200, '"r7"'])
  })

  it('has one where versions are written by hand', async () => {
    const app = open()
    assert.deepEqual(await get(app, '3', {}, '/car/hand'), [200, '"r7"'])
    assert.deepEqual(await get(app, '2', {}, '/car/hand'), [200, '"r7;v=2"'])
  })

  it('has none where the URL tells versions apart', async () => {
    for (const scheme of [
      { scheme: VersioningSchemes.URL },
      { scheme: VersioningSchemes.QUERY },
      { scheme: VersioningSchemes.HOST },
    ])
      assert.deepEqual(await get(open(scheme), '1'), [200, '"r7"'])
  })
})

describe('a condition of a request', () => {
  const seen = async (version: string, condition: string): Promise<readonly unknown[]> => {
    const { statusCode, headers } = await open().inject({
      url: '/car',
      version,
      headers: { 'if-none-match': condition },
    })
    assert.equal(headers['x-seen'], headers['x-seen-too'])
    return [statusCode, headers['etag'], headers['x-seen']]
  }

  it('loses the suffix of its version', async () => {
    assert.deepEqual(await seen('3', '"r7"'), [304, '"r7"', '"r7"'])
    assert.deepEqual(await seen('2', '"r7;v=2"'), [304, '"r7;v=2"', '"r7"'])
    assert.deepEqual(await seen('2', 'W/"r7;v=2"'), [304, '"r7;v=2"', 'W/"r7"'])
    assert.deepEqual(await seen('2', '"a;v=2", "r7;v=2"'), [304, '"r7;v=2"', '"a", "r7"'])
  })

  it('never holds for a tag of another version', async () => {
    assert.deepEqual(await seen('2', '"r7"'), [200, '"r7;v=2"', '"r7;v="'])
    assert.deepEqual(await seen('3', '"r7;v=2"'), [200, '"r7"', '"r7;v=2"'])
  })

  it('protects changes', async () => {
    const app = open()
    const put = async (version: string, condition: string): Promise<readonly unknown[]> => {
      const json = version === '3' ? { key: '7', colour: 'red' } : { key: '7', paint: 'red' }
      const answer = await app.inject({
        method: 'PUT',
        url: '/car',
        version,
        json,
        headers: { 'if-match': condition },
      })
      return [answer.statusCode, answer.headers['etag']]
    }
    assert.deepEqual(await put('2', '"r7;v=2"'), [200, '"r8;v=2"'])
    assert.deepEqual(await put('2', '*'), [200, '"r8;v=2"'])
    assert.deepEqual(await put('2', '"r7"'), [412, '"r7;v=2"'])
    assert.deepEqual(await put('3', '"r7"'), [200, '"r8"'])
    assert.deepEqual(await put('3', '"r7;v=2"'), [412, '"r7"'])
  })

  it('is read by files', async () => {
    const app = open()
    const asking = (tag: string): Record<string, string> => ({ 'if-none-match': tag })
    assert.deepEqual(await get(app, '1', asking('"r7;v=1"'), '/car/file'), [304, '"r7;v=1"'])
    assert.deepEqual(await get(app, '1', asking('"r7"'), '/car/file'), [200, '"r7;v=1"'])
    assert.deepEqual(await get(app, '3', asking('"r7"'), '/car/file'), [304, '"r7"'])
  })

  it('is compared by the middleware of the application as it was sent', async () => {
    const app = open(undefined, true)
    const [, tag] = await get(app, '2', {}, '/car/weak')
    assert.equal(tag, 'W/"r7;v=2"')
    assert.deepEqual(await get(app, '2', { 'if-none-match': tag }, '/car/weak'), [304, tag])
    assert.deepEqual(await get(app, '3', { 'if-none-match': tag }, '/car/weak'), [200, 'W/"r7"'])
  })
})
