import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

import { handler } from './.recipes/lambda.ts'

const ROOT = join(import.meta.dirname, '../../../../../..')

type Handler = typeof handler

/** An event of an HTTP API, as AWS documents the payload version 2.0. */
const EVENT: APIGatewayProxyEventV2 = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/v1/cars',
  rawQueryString: 'make=Ford%20Fiesta',
  headers: {
    accept: '*/*',
    'content-length': '0',
    host: 'abc123.execute-api.eu-central-1.amazonaws.com',
    'user-agent': 'curl/8.7.1',
    'x-amzn-trace-id': 'Root=1-67000000-000000000000000000000000',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  },
  queryStringParameters: { make: 'Ford Fiesta' },
  requestContext: {
    accountId: '123456789012',
    apiId: 'abc123',
    domainName: 'abc123.execute-api.eu-central-1.amazonaws.com',
    domainPrefix: 'abc123',
    http: {
      method: 'GET',
      path: '/v1/cars',
      protocol: 'HTTP/1.1',
      sourceIp: '203.0.113.7',
      userAgent: 'curl/8.7.1',
    },
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: '$default',
    stage: '$default',
    time: '12/Mar/2026:19:03:58 +0000',
    timeEpoch: 1773342238000,
  },
  isBase64Encoded: false,
}

/** A POST with a body and a cookie. */
function postOf(body: string, isBase64Encoded = false): APIGatewayProxyEventV2 {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  return {
    ...EVENT,
    rawQueryString: '',
    cookies: ['theme=dark', 'session=abc'],
    headers: {
      ...EVENT.headers,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    },
    requestContext: {
      ...EVENT.requestContext,
      http: { ...EVENT.requestContext.http, method: 'POST' },
    },
    body,
    isBase64Encoded,
  }
}

/** Text is sent as it is, so that logs and consoles show it. */
function bodyOf({ body = '', isBase64Encoded }: APIGatewayProxyStructuredResultV2): unknown {
  assert.equal(isBase64Encoded, false)
  return JSON.parse(body)
}

function describeHandler(name: string, load: () => Promise<Handler>): void {
  describe(name, () => {
    it('reads path, query and address', async () => {
      const run = await load()
      const result = await run(EVENT)
      assert.deepEqual([result.statusCode, bodyOf(result)], [200, { make: 'Ford Fiesta', ip: '203.0.113.7' }])
      assert.match(String(result.headers?.['content-type']), /^application\/json/)
    })

    it('reads bodies as text and in base64, and cookies, and sets several', async () => {
      const run = await load()
      const body = '{"name":"Škoda"}'
      for (const event of [postOf(body), postOf(Buffer.from(body).toString('base64'), true)]) {
        const result = await run(event)
        assert.deepEqual([result.statusCode, bodyOf(result)], [201, { name: 'Škoda' }])
        assert.deepEqual(
          result.cookies?.map((cookie) => cookie.split('=')[0]),
          ['last', 'seen'],
        )
        assert.equal(result.headers?.['set-cookie'], undefined)
      }
    })

    it('takes no host from the path', async () => {
      const run = await load()
      const result = await run({ ...EVENT, rawPath: '//example.com/v1/cars' })
      assert.equal(result.statusCode, 404)
    })

    it('answers with problem documents', async () => {
      const run = await load()
      const invalid = await run({ ...EVENT, rawQueryString: '' })
      assert.equal(invalid.statusCode, 422)
      assert.equal(invalid.headers?.['content-type'], 'application/problem+json')
      const missing = await run({ ...EVENT, rawPath: '/v1/boats' })
      assert.equal(missing.statusCode, 404)
    })
  })
}

describeHandler('the recipe for Lambda', async () => handler)

const folder = mkdtempSync(join(tmpdir(), 'octavo-lambda-'))
after(() => rmSync(folder, { recursive: true }))

describeHandler('its bundle', async () => {
  const file = join(folder, 'lambda.mjs')
  const page = readFileSync(join(ROOT, 'docs/cookbook/lambda.md'), 'utf8')
  const [, command = ''] = /^npx (esbuild [\s\S]*?\n.*)\n/m.exec(page) ?? []
  const own = command
    .replace('esbuild', join(ROOT, 'node_modules/.bin/esbuild'))
    .replace('src/lambda.ts', join(ROOT, 'test/outside/cookbook/.recipes/lambda.ts'))
    .replace('dist/lambda.mjs', file)
  execFileSync('sh', ['-c', `${own} --log-level=error`], { cwd: join(ROOT, 'test/outside') })
  const bundle: { readonly handler: Handler } = await import(pathToFileURL(file).href)
  return bundle.handler
})
