import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineProvider,
  HttpRequest,
} from 'octavo'
import type { ExecutionContext } from 'octavo'

import { pause } from './around-support.ts'

const COUNT = 400
const wait = async (): Promise<void> => pause(Math.random() * 10)

describe('overlapping requests', () => {
  it('never see what belongs to another', async () => {
    const disposed: string[] = []
    const Own = defineProvider({
      name: 'Own',
      scope: 'request',
      inject: { request: HttpRequest },
      create: async ({ request }) => {
        await wait()
        return { path: request.path }
      },
      dispose: ({ path }) => void disposed.push(path),
    })
    const look = (context: ExecutionContext): void => {
      const { path } = context.request
      assert.deepEqual([context.state['path'], context.state['id']], [path, context.requestId])
      assert.ok(context.identity === undefined || context.identity === path)
    }
    const guard = defineGuard({
      name: 'Owner',
      inject: { own: Own },
      canActivate: async (context, { own }) => {
        await wait()
        look(context)
        context.identity = own.path
        return true
      },
    })
    const interceptor = defineInterceptor({
      name: 'Looks',
      inject: { own: Own },
      intercept: async (context, next, { own }) => {
        await wait()
        const value = await next()
        look(context)
        return [value, own.path]
      },
    })
    const cars = defineController({
      prefix: '/car',
      inject: { own: Own },
      routes: [
        {
          method: 'GET',
          path: '/{id:int}',
          handler: async ({ params, inject }, context) => {
            await wait()
            look(context)
            return [params.id, inject.own.path, context.identity]
          },
        },
      ],
    })
    const app = createApp(defineModule({ providers: [Own], controllers: [cars] }), {
      logger: false,
      guards: [guard],
      interceptors: [interceptor],
      middleware: [
        async (context, next) => {
          context.state['path'] = context.request.path
          context.state['id'] = context.requestId
          await wait()
          const response = await next()
          await wait()
          look(context)
          response.headers['x-path'] = context.request.path
          return response
        },
      ],
    })
    const ids = Array.from({ length: COUNT }, (_, index) => index)
    const responses = await Promise.all(ids.map(async (id) => app.inject(`/car/${id}`)))
    for (const [id, response] of responses.entries()) {
      const path = `/car/${id}`
      assert.deepEqual(response.json(), [[id, path, path], path])
      assert.equal(response.headers['x-path'], path)
    }
    assert.deepEqual(disposed.toSorted(), ids.map((id) => `/car/${id}`).toSorted())
  })
})
