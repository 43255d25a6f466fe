import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { requestId } from 'octavo/middleware'
import type { AppOptions, InjectResponse } from 'octavo'
import type { RequestIdOptions } from 'octavo/middleware'

import { serve } from '../support/serve.ts'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const lines: object[] = []
const write = (details: object): void => void lines.push(details)
const logger = { debug: write, info: write, warn: write, error: write }

/** The ids in the lines of the handler or its error, and of the request. */
const idsOfLines = (): readonly unknown[] => lines.map((line) => Object(line).requestId)

async function ask(
  options: RequestIdOptions | undefined,
  id: string | readonly string[] | undefined,
  url = '/',
  more: AppOptions = {},
): Promise<InjectResponse> {
  const middleware = [requestId(options)]
  const app = serve(
    [
      {
        method: 'GET',
        handler: (_input, context) => {
          context.log.info({}, 'Here')
          return context.requestId
        },
      },
      {
        method: 'GET',
        path: '/fails',
        handler: () => {
          throw new Error('broken')
        },
      },
    ],
    { logger, ...more, middleware },
  )
  const header = options?.header ?? 'x-request-id'
  lines.length = 0
  return app.inject({ url, headers: { [header]: id } })
}

describe('requestId', () => {
  it('sends the id of the context, whatever the request brings', async () => {
    const response = await ask(undefined, 'theirs')
    assert.match(String(response.headers['x-request-id']), UUID)
    assert.equal(response.json(), response.headers['x-request-id'])
    assert.deepEqual(idsOfLines(), [response.json(), response.json()])
  })
  it('takes over the id of a request where that is trusted', async () => {
    const response = await ask({ trust: true }, 'abc-DEF_1.2~3:/+=@')
    assert.equal(response.headers['x-request-id'], 'abc-DEF_1.2~3:/+=@')
    assert.equal(response.json(), 'abc-DEF_1.2~3:/+=@')
    assert.deepEqual(idsOfLines(), ['abc-DEF_1.2~3:/+=@', 'abc-DEF_1.2~3:/+=@'])
  })
  it('is in the answer to unknown errors and in their log line', async () => {
    const response = await ask({ trust: true }, 'abc', '/fails')
    assert.equal(response.statusCode, 500)
    assert.equal(response.headers['x-request-id'], 'abc')
    assert.equal(Object(response.json()).requestId, 'abc')
    assert.deepEqual(idsOfLines(), ['abc', 'abc'])
  })
  it('is in the answer where nothing is served', async () => {
    const response = await ask({ trust: true }, 'abc', '/unknown')
    assert.equal(response.statusCode, 404)
    assert.equal(response.headers['x-request-id'], 'abc')
  })

  const refused = [
    ['is empty', ''],
    ['is too long', 'a'.repeat(129)],
    ['has a blank', 'a b'],
    ['has quotes', '"a"'],
    ['has markup', '<script>'],
    ['is not ASCII', 'ä'],
    ['comes twice', ['a', 'b']],
    ['is absent', undefined],
  ] as const
  for (const [why, id] of refused) {
    it(`makes an id of its own where the one of the request ${why}`, async () => {
      const response = await ask({ trust: true }, id)
      assert.match(String(response.headers['x-request-id']), UUID)
      assert.equal(response.json(), response.headers['x-request-id'])
    })
  }

  it('takes 128 characters', async () => {
    assert.equal((await ask({ trust: true }, 'a'.repeat(128))).json(), 'a'.repeat(128))
  })
  it('asks a function whom to trust', async () => {
    const trust: RequestIdOptions['trust'] = ({ request }) => request.header('x-request-id') === 'good'
    assert.equal((await ask({ trust }, 'good')).json(), 'good')
    assert.match(String((await ask({ trust }, 'bad')).json()), UUID)
  })
  it('makes ids by a function, and carries them in another header', async () => {
    const response = await ask(
      { header: 'X-Correlation-ID', generate: ({ request }) => `of-${request.method}` },
      'x',
    )
    assert.equal(response.headers['x-correlation-id'], 'of-GET')
    assert.equal(response.headers['x-request-id'], undefined)
    assert.equal(response.json(), 'of-GET')
  })
  it('fails where the function makes none that can be sent', async () => {
    const response = await ask({ generate: () => 'a\r\nb: c' }, undefined)
    assert.equal(response.statusCode, 500)
    assert.equal(response.headers['x-request-id'], undefined)
  })
  it('refuses options that cannot be used', () => {
    for (const options of [{ header: 'a b' }, { trust: 1 }, { generate: 'uuid' }, { heder: 'x' }, null]) {
      assert.throws(() => Reflect.apply(requestId, undefined, [options]), { name: 'DefinitionError' })
    }
  })
})
