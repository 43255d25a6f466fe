import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineRouter,
} from 'octavo'
import type { App, Layers, Middleware } from 'octavo'
import { z } from 'zod'

import { pause } from './around-support.ts'

/** Everything that can stand around a handler, at one level, writing down when it runs. */
function level(name: string, trace: string[], wait: (() => Promise<void>) | undefined): Required<Layers> {
  const middleware: Middleware =
    wait === undefined
      ? (_context, next) => {
          trace.push(`${name} middleware`)
          return next()
        }
      : async (_context, next) => {
          trace.push(`${name} middleware`)
          await wait()
          const response = await next()
          trace.push(`${name} middleware ends`)
          return response
        }
  return {
    middleware: [middleware],
    guards: [
      defineGuard({
        name: `${name}Guard`,
        canActivate: () => {
          trace.push(`${name} guard`)
          return wait === undefined ? true : wait().then(() => true)
        },
      }),
    ],
    interceptors: [
      defineInterceptor({
        name: `${name}Interceptor`,
        intercept:
          wait === undefined
            ? (_context, next) => {
                trace.push(`${name} interceptor`)
                return next()
              }
            : async (_context, next) => {
                trace.push(`${name} interceptor`)
                await wait()
                const value = await next()
                trace.push(`${name} interceptor ends`)
                return value
              },
      }),
    ],
    errorHandlers: [
      defineErrorHandler({
        match: 500,
        handle: () => {
          trace.push(`${name} error handler`)
          return wait === undefined ? undefined : wait()
        },
      }),
    ],
  }
}

interface Built {
  readonly app: App
  readonly trace: string[]
}

function build(wait: (() => Promise<void>) | undefined): Built {
  const trace: string[] = []
  const at = (name: string): Required<Layers> => level(name, trace, wait)
  const limit = z.coerce.number().refine(() => {
    trace.push('validation')
    return true
  })
  const handler = (): string => {
    trace.push('handler')
    return 'done'
  }
  const fail = (): never => {
    throw new Error('broken')
  }
  const input = { query: { limit } }
  const routes = [
    { method: 'GET' as const, name: 'one', input, ...at('route'), handler },
    { method: 'POST' as const, name: 'fail', ...at('route'), handler: fail },
  ] as const
  const nested = defineRouter({ prefix: '/nested', ...at('nested'), routes })
  const outer = defineRouter({ prefix: '/outer', ...at('router'), routers: [nested] })
  const cars = defineController({ prefix: '/car', ...at('controller'), routes })
  const { guards, interceptors, middleware, errorHandlers } = at('app')
  const inner = defineModule({ name: 'Inner', ...at('module'), controllers: [cars], routers: [outer] })
  // what stands around the root module's own routes is not for those of its imports
  const root = defineModule({ name: 'Root', ...at('root'), imports: [inner] })
  const app = createApp(root, {
    logger: false,
    guards,
    interceptors,
    middleware,
    errorHandlers,
  })
  return { app, trace }
}

const paths = [
  ['/car', ['module', 'controller', 'route']],
  ['/outer/nested', ['module', 'router', 'nested', 'route']],
] as const
const later = async (): Promise<void> => pause()

describe('layers around a handler', () => {
  for (const [path, levels] of paths) {
    const all = ['app', ...levels]
    const inwards = [
      ...all.map((name) => `${name} middleware`),
      ...all.map((name) => `${name} guard`),
      'validation',
      ...all.map((name) => `${name} interceptor`),
      'handler',
    ]
    const outwards = [
      ...all.toReversed().map((name) => `${name} interceptor ends`),
      ...all.toReversed().map((name) => `${name} middleware ends`),
    ]

    it(`runs level by level before ${path}`, async () => {
      const { app, trace } = build(undefined)
      const response = await app.inject(`${path}?limit=1`)
      assert.equal(response.json(), 'done')
      assert.deepEqual(trace, inwards)
    })

    it(`runs level by level around ${path} when everything takes time`, async () => {
      const { app, trace } = build(later)
      const response = await app.inject(`${path}?limit=1`)
      assert.equal(response.json(), 'done')
      assert.deepEqual(trace, [...inwards, ...outwards])
    })

    for (const [how, wait] of [
      ['at once', undefined],
      ['later', later],
    ] as const) {
      it(`asks error handlers of ${path} from the inside out, ${how}`, async () => {
        const { app, trace } = build(wait)
        const response = await app.inject({ method: 'POST', url: path })
        assert.equal(response.statusCode, 500)
        assert.deepEqual(
          trace.filter((entry) => entry.endsWith('error handler')),
          all.toReversed().map((name) => `${name} error handler`),
        )
      })
    }
  }

  const misses = [
    ['an unknown path', { url: '/unknown' }, 404],
    ['an unknown path below a controller', { url: '/car/unknown' }, 404],
    ['a method that the path does not have', { method: 'DELETE', url: '/car' }, 405],
    ['a malformed path', { url: '/car/%ff' }, 400],
    ['OPTIONS', { method: 'OPTIONS', url: '/car' }, 204],
  ] as const
  for (const [what, request, status] of misses) {
    it(`is the middleware of the application alone for ${what}`, async () => {
      const { app, trace } = build(later)
      const response = await app.inject(request)
      assert.equal(response.statusCode, status)
      assert.deepEqual(trace, ['app middleware', 'app middleware ends'])
    })
  }
})
