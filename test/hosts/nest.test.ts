import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Express } from 'express'
import { inside as insideExpress } from 'octavo/inside/express'
import { inside as insideFastify } from 'octavo/inside/fastify'

import { addHandler } from '../../examples/inside/nest.ts'
import { load } from './apps.ts'
import { createFeatureVersions, digest, ORIGIN, toItem } from './features.ts'
import type { Nest, NestApp } from './nest.ts'

type Create = (options: object) => unknown

const BYTES = Uint8Array.from({ length: 3000 }, (_, at) => at % 256)

/** Opens an application with a pipe and an interceptor, which note the values that they see. */
async function openNest(
  name: string,
  platform: 'Express' | 'Fastify',
  versions: ReturnType<typeof createFeatureVersions>,
  seen: unknown[],
): Promise<NestApp> {
  const nest = await load<Nest>(name)
  function Items(): void {}
  function ItemsModule(): void {}
  const pipe = {
    transform: (body: object) => {
      seen.push(body)
      if (Object(body).name.length > 5) throw new nest.HttpException({ tooLong: 'name' }, 422)
      return body
    },
  }
  const interceptor = {
    intercept: (_: unknown, next: { handle(): { pipe(operator: unknown): object } }) =>
      next.handle().pipe(
        nest.map((value) => {
          seen.push(value)
          return value
        }),
      ),
  }
  addHandler(Items, [nest.Get('/items/:id')], [nest.Param('id')], toItem)
  addHandler(Items, [nest.Post('/items')], [nest.Body(pipe)], (body: object) => ({ id: '9', ...body }))
  addHandler(Items, [nest.Get('/session')], [nest.Req()], ({ session }: { session: { count?: number } }) => {
    session.count = (session.count ?? 0) + 1
    return toItem(session.count)
  })
  if (platform === 'Express')
    addHandler(
      Items,
      [nest.Post('/uploads'), nest.HttpCode(200), nest.UseInterceptors(nest.FileInterceptor('file'))],
      [nest.Body(), nest.UploadedFile()],
      ({ name: own }: { name: string }, { buffer }: { buffer: Uint8Array }) => ({
        id: digest(buffer),
        name: own,
      }),
    )
  nest.Controller('/')(Items)
  nest.Module({ controllers: [Items] })(ItemsModule)
  const adapter = new nest[`${platform}Adapter`]()
  const app = await nest.NestFactory.create(ItemsModule, adapter, { logger: false })
  app.useGlobalInterceptors(interceptor)
  app.enableCors({ origin: ORIGIN, credentials: true })
  if (platform === 'Express') {
    app.use((await load<Create>('compression'))({ threshold: 0 }))
    const session = await load<Create>('express-session')
    app.use(session({ secret: 'of tests', resave: false, saveUninitialized: false }))
  }
  if (platform === 'Fastify') {
    await app.register(insideFastify, { versions })
    // its newest release is for Fastify 5
    if (name !== 'nest-10') await app.register(await load('@fastify/compress'), { threshold: 0 })
  } else (app.getHttpAdapter().getInstance() as Express).use(insideExpress(versions))
  await app.listen(0, '127.0.0.1')
  return app
}

for (const major of [10, 11, 12])
  for (const platform of ['Express', 'Fastify'] as const)
    describe(`inside NestJS ${major} on ${platform}, its own parts`, () => {
      const versions = createFeatureVersions()
      const seen: unknown[] = []
      let app: NestApp
      let url = ''
      before(async () => {
        app = await openNest(`nest-${major}`, platform, versions, seen)
        url = await app.getUrl()
      })
      after(async () => {
        await app.close()
        await versions.close()
      })

      const ask = async (path: string, init: RequestInit): Promise<[number, unknown]> => {
        seen.length = 0
        const headers = new Headers(init.headers)
        headers.set('x-api-version', '1')
        const response = await fetch(url + path, { ...init, headers })
        return [response.status, await response.json()]
      }
      const post = (title: string): Promise<[number, unknown]> =>
        ask('/items', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ title }),
        })

      it('see the newest shapes: pipes and interceptors', async () => {
        assert.deepEqual(await ask('/items/7', {}), [200, { id: '7', title: 'Ann' }])
        assert.deepEqual(seen, [{ id: '7', name: 'Ann' }])
        assert.deepEqual(await post('Bee'), [201, { id: '9', title: 'Bee' }])
        assert.deepEqual(seen, [{ name: 'Bee' }, { id: '9', name: 'Bee' }])
        assert.deepEqual(await post('Beetle'), [422, { tooLong: 'name' }])
      })

      it('work in an older version: CORS and compression', async () => {
        seen.length = 0
        const headers = { origin: ORIGIN, 'x-api-version': '1', 'accept-encoding': 'gzip' }
        const response = await fetch(`${url}/items/7`, { headers })
        assert.deepEqual(await response.json(), { id: '7', title: 'Ann' })
        assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN)
        const isCompressed = platform === 'Express' || major > 10
        assert.equal(response.headers.get('content-encoding'), isCompressed ? 'gzip' : null)
        const asked = { ...headers, 'access-control-request-method': 'POST' }
        const preflight = await fetch(`${url}/items`, { method: 'OPTIONS', headers: asked })
        assert.deepEqual([preflight.status, seen.length], [204, 1])
      })

      if (platform === 'Express')
        it('work in an older version: sessions', async () => {
          const headers = { 'x-api-version': '1' }
          const first = await fetch(`${url}/session`, { headers })
          assert.deepEqual(await first.json(), { id: '1', title: 'Ann' })
          const [cookie = ''] = first.headers.getSetCookie()
          const second = await fetch(`${url}/session`, {
            headers: { ...headers, cookie: cookie.split(';')[0] ?? '' },
          })
          assert.deepEqual(await second.json(), { id: '2', title: 'Ann' })
        })

      if (platform === 'Express')
        it('take files of an older version untouched', async () => {
          const body = new FormData()
          body.append('title', 'Bee')
          body.append('file', new File([BYTES], 'a.bin'))
          const answer = await ask('/uploads', { method: 'POST', body })
          assert.deepEqual(answer, [200, { id: digest(BYTES), title: 'Bee' }])
        })
    })
