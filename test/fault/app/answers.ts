import { setTimeout as delay } from 'node:timers/promises'

import {
  defineController,
  defineInterceptor,
  ExecutionContext,
  HttpError,
  HttpRequest,
  HttpResponse,
  redirect,
  text,
} from 'octavo'
import { bearerAuth, safeEqual } from 'octavo/auth'

import { MEANT } from './alive.ts'

/** Answered by an error handler of the application. */
export class OwnError extends Error {}

export const answers = defineController({
  prefix: '/',
  inject: { response: HttpResponse, context: ExecutionContext, request: HttpRequest },
  routes: [
    { method: 'GET', path: '/canary/{n:int}', handler: ({ params }) => ({ canary: params.n }) },
    { method: 'GET', path: '/files/{rest:path}', handler: ({ params }) => text(params.rest) },
    {
      method: 'GET',
      path: '/head',
      handler: ({ inject: { response } }) => {
        response.headers.set('x-own', 'yes')
        response.cookies.set('seen', 'a value', { httpOnly: true })
        return 'with a head'
      },
    },
    {
      method: 'GET',
      path: '/slow/{n:int}',
      handler: async ({ params, inject: { context } }) => {
        await delay(params.n % 25, undefined, { signal: context.signal }).catch(() => undefined)
        return params
      },
    },
    {
      method: 'GET',
      path: '/timeout',
      timeout: 30,
      handler: ({ inject: { context } }) =>
        delay(5_000, undefined, { signal: context.signal }).catch(() => undefined),
    },
    { method: 'GET', path: '/redirect', handler: () => redirect('/cars/1') },
    { method: 'GET', path: '/empty', handler: () => undefined },
    { method: 'GET', path: '/big', handler: () => 'x'.repeat(300_000) },
    {
      method: 'GET',
      path: '/throw',
      handler: () => {
        throw new Error(MEANT)
      },
    },
    {
      method: 'GET',
      path: '/reject',
      handler: async () => Promise.reject(new OwnError('told by a handler')),
    },
    {
      method: 'GET',
      path: '/refuse',
      handler: () => {
        throw new HttpError(409, 'No', { code: 'no' })
      },
    },
    {
      method: 'GET',
      path: '/private',
      guards: [bearerAuth({ verify: (token) => safeEqual(token, 'let-me-in') })],
      interceptors: [
        defineInterceptor({
          name: 'Wrap',
          intercept: async (_context, next) => ({ data: await next() }),
        }),
      ],
      handler: () => 'private',
    },
    {
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      path: '/raw',
      handler: async ({ inject: { request } }) => {
        const { url, host, ip, protocol, cookies, query, headers, web } = request
        const seen = { url, host, ip, protocol, cookies, query, names: Object.keys(headers) }
        return { ...seen, isWeb: web.method === request.method, length: (await request.bytes()).length }
      },
    },
  ],
})
