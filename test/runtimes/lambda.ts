import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { createApp, defineController, defineModule, HttpRequest, stream } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { z } from 'zod'

import { PLATFORMS } from './workerd.ts'

/** What adapters for Lambda answer an event of a function URL with. */
interface Answer {
  readonly statusCode: number
  readonly body: string
  readonly isBase64Encoded: boolean
}

type Handler = (event: object, context: object) => Promise<Answer>

const SignedIn = bearerAuth({ verify: (token) => (token === 'secret' ? { id: 7 } : undefined) })

const controller = defineController({
  prefix: '/',
  inject: { request: HttpRequest },
  routes: [
    { method: 'GET', path: '/guarded', guards: [SignedIn], handler: () => 'in' },
    {
      method: 'GET',
      path: '/headers',
      input: { headers: { tags: z.array(z.string()) } },
      handler: ({ headers, inject: { request } }) => [headers.tags, request.headers['host'], request.ip],
    },
    { method: 'POST', path: '/body', input: { body: z.object({ a: z.int() }) }, handler: ({ body }) => body },
    {
      method: 'GET',
      path: '/stream',
      handler: () =>
        stream(
          (async function* () {
            for (const part of ['a', 'b', 'c']) {
              await new Promise((resolve) => setTimeout(resolve, 5))
              yield part
            }
          })(),
          { type: 'text/plain' },
        ),
    },
  ],
})

const CASES: readonly (readonly [
  method: string,
  path: string,
  body: string | undefined,
  expected: string,
])[] = [
  ['GET', '/guarded', undefined, '"in"'],
  ['GET', '/headers', undefined, '[["a","b"],"api.example.com","203.0.113.7"]'],
  ['POST', '/body', '{"a":1}', '{"a":1}'],
  ['GET', '/stream', undefined, 'abc'],
]

/** Longest answer in milliseconds. */
const PATIENCE = 5_000

/** Calls an application by the adapters that the guide names. @throws if an answer is another, or does not end. */
export async function checkLambda(): Promise<readonly string[]> {
  const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
  const require = createRequire(join(PLATFORMS, 'package.json'))
  const adapters: Readonly<Record<string, Handler>> = {
    'serverless-http': require('serverless-http')(app.handler),
    '@codegenie/serverless-express': require('@codegenie/serverless-express')({ app: app.handler }),
  }
  for (const [name, handler] of Object.entries(adapters)) {
    for (const [method, path, body, expected] of CASES) {
      const late = new Promise<never>((_, reject) =>
        setTimeout(reject, PATIENCE, new Error(`${name}: ${path} does not end`)).unref(),
      )
      const answer = await Promise.race([handler(toEvent(method, path, body), {}), late])
      const text = Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8').toString()
      assert.deepEqual([name, path, answer.statusCode, text], [name, path, 200, expected])
    }
  }
  await app.close()
  return Object.keys(adapters)
}

/** An event of a function URL, in format 2.0. */
function toEvent(method: string, path: string, body: string | undefined): object {
  const headers = {
    host: 'api.example.com',
    authorization: 'Bearer secret',
    tags: 'a,b',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'check' }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers,
    requestContext: { http, stage: '$default', requestId: 'check' },
    body,
    isBase64Encoded: false,
  }
}
