import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import type * as Octavo from 'octavo'
import type * as Auth from 'octavo/auth'
import type * as Changes from 'octavo/changes'
import type * as Idempotency from 'octavo/idempotency'
import { build } from 'esbuild'
import { z } from 'zod'

import { FOLDER, ROOT } from '../support/program.ts'

type Copy = typeof Octavo & typeof Changes & typeof Auth & typeof Idempotency

const outfile = join(FOLDER, `copy-${randomUUID()}.mjs`)
await build({
  stdin: {
    contents: ['index', 'changes/index', 'extensions/auth/index', 'extensions/idempotency/index']
      .map((path) => `export * from './src/${path}.ts'`)
      .join('\n'),
    resolveDir: ROOT,
  },
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outfile,
})
/** A copy as pnpm makes one for each set of peers: modules of their own. */
const load = async (copy: string): Promise<Copy> => import(`${pathToFileURL(outfile).href}?${copy}`)
const a = await load('a')
const b = await load('b')

describe('copies of the package, of which two are loaded', () => {
  /** The answer of an application of one copy. */
  const ask = async (
    controller: object,
    options: Octavo.AppOptions = {},
    request: Octavo.InjectOptions = { url: '/a' },
  ): Promise<readonly [status: number, type: unknown, body: string]> => {
    const controllers = [a.defineController({ prefix: '/', ...controller } as never)]
    const app = a.createApp(a.defineModule({ controllers }), { logger: false, ...options })
    const { statusCode, headers, body } = await app.inject(request)
    return [statusCode, headers['content-type'], body]
  }
  const get = (handler: (input: never) => unknown, route: object = {}): object => ({
    routes: [{ method: 'GET', path: '/a', handler, ...route }],
  })

  it('are two', () => assert.notEqual(a.reply, b.reply))

  const results: readonly (readonly [string, () => unknown, readonly unknown[]])[] = [
    ['reply', () => b.reply(201, { x: 1 }), [201, 'application/json', '{"x":1}']],
    ['text', () => b.text('x'), [200, 'text/plain; charset=utf-8', 'x']],
    ['html', () => b.html('x'), [200, 'text/html; charset=utf-8', 'x']],
    ['redirect', () => b.redirect('/x'), [302, undefined, '']],
    ['accepted', () => b.accepted({ location: '/x' }), [202, undefined, '']],
    ['file', () => b.file(Buffer.from('x')), [200, 'application/octet-stream', 'x']],
    ['stream', () => b.stream(['x']), [200, 'application/octet-stream', 'x']],
    ['sse', () => b.sse([{ data: 1 }], { heartbeat: 0 }), [200, 'text/event-stream', 'data: 1\n\n']],
  ]
  for (const [name, handler, expected] of results)
    it(`send results of each other: ${name}`, async () => assert.deepEqual(await ask(get(handler)), expected))

  it('know errors of each other, and no other errors', async () => {
    const thrown = async (error: Error): Promise<number> => {
      const handler = (): never => {
        throw error
      }
      return (await ask(get(handler)))[0]
    }
    assert.equal(await thrown(new b.HttpError(404)), 404)
    assert.equal(await thrown(new b.ValidationError([])), 422)
    assert.equal(await thrown(new Error('x')), 500)
    class Lost extends b.HttpError {}
    const isOf = (error: unknown): readonly boolean[] =>
      [a.HttpError, a.ValidationError, Lost].map((type) => error instanceof type)
    assert.deepEqual(isOf(new b.HttpError(400)), [true, false, false])
    assert.deepEqual(isOf(new b.ValidationError([])), [true, true, false])
    assert.deepEqual(isOf(new Lost(400)), [true, false, true])
    assert.deepEqual(isOf(new Error('x')), [false, false, false])
    assert.ok(new b.DefinitionError([]) instanceof a.DefinitionError)
  })

  it('take tokens, providers, controllers and modules of each other', async () => {
    const Shop = b.defineProvider({ name: 'Shop', create: () => ({ cars: 2 }) })
    const controller = b.defineController({
      prefix: '/a',
      routes: [
        {
          method: 'GET',
          input: { inject: { shop: Shop, response: b.HttpResponse } },
          handler: ({ inject: { shop, response } }) => {
            response.status = 202
            return shop.cars
          },
        },
      ],
    })
    const own = b.defineModule({ providers: [Shop], controllers: [controller] })
    const app = a.createApp(a.defineModule({ imports: [own] }), { logger: false })
    const { statusCode, body } = await app.inject('/a')
    assert.deepEqual([statusCode, body], [202, '2'])
  })

  it('take guards, interceptors and their documentation from each other', async () => {
    const guards = [b.bearerAuth({ verify: () => ({ sub: 'ann' }) })]
    assert.equal((await ask({ ...get(() => 1), guards }))[0], 401)
    let runs = 0
    const controller = a.defineController({
      prefix: '/a',
      interceptors: [b.idempotency({ required: true })],
      routes: [{ method: 'POST', handler: () => ++runs }],
    })
    const app = a.createApp(a.defineModule({ controllers: [controller] }), { logger: false })
    const headers = { 'idempotency-key': '"0123456789abcdef"' }
    const bodies = [
      await app.inject({ method: 'POST', url: '/a', headers }),
      await app.inject({ method: 'POST', url: '/a', headers }),
    ].map(({ body }) => body)
    assert.deepEqual(bodies, ['1', '1'])
    await app.ready()
    assert.match(JSON.stringify(app.openapi().paths['/a']), /Idempotency-Key/i)
  })

  it('take models and changes of each other', async () => {
    const Model = b.model('Car', { id: z.number(), title: z.string(), doors: z.int() })
    const change = b.defineVersionChange({
      version: '2',
      title: 'Cars have titles and doors',
      change: [
        b.reshape({
          of: Model,
          fields: { title: { was: 'name' }, doors: { was: b.absent } },
          up: () => ({ doors: 4 }),
        }),
      ],
    })
    const history = a.defineVersions({ versions: ['2', '1'], models: { Car: Model }, changes: [change] })
    const app = a.createApp(
      a.defineModule({
        controllers: [
          b.defineController({
            prefix: '/car',
            routes: [{ method: 'GET', response: Model, handler: () => ({ id: 1, title: 'Ford', doors: 4 }) }],
          }),
        ],
      }),
      { logger: false, versioning: { scheme: b.VersioningSchemes.URL, history } },
    )
    const bodies = [await app.inject('/v1/car'), await app.inject('/v2/car')].map(({ body }) => body)
    assert.deepEqual(bodies, ['{"id":1,"name":"Ford"}', '{"id":1,"title":"Ford","doors":4}'])
  })
})
