import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { defineVersioningScheme } from 'octavo'

import { ask, CARS, notAllowed, notFound, ok, serve, unspecified, unsupported, varying } from './support.ts'
import type { Answer } from './support.ts'

const ALL = ['1', '2']
const PINNED = new Map([
  ['ann', '1'],
  ['bob', '2'],
  ['eve', '9'],
])

interface AccountOptions {
  readonly header?: string
}

const account = defineVersioningScheme<AccountOptions>({
  name: 'account',
  read: (request, { header = 'x-account' }) => PINNED.get(request.header(header) ?? ''),
  write: (_request, version, { header = 'x-account' }) => ({
    headers: { [header]: [...PINNED].find(([, pinned]) => pinned === version)?.[0] ?? '' },
  }),
  vary: ['X-Account'],
  statusCodes: { unsupported: 403 },
})
const vary = (answer: Answer): Answer => varying('x-account', answer)

describe('a scheme of your own', () => {
  const app = serve(CARS, account)
  const cases = [
    ['reads a version', 'GET', '/cars', 'ann', vary(ok('cars@1'))],
    ['reads another version', 'GET', '/cars', 'bob', vary(ok('cars@2'))],
    ['takes undefined for no version', 'GET', '/cars', 'joe', vary(unspecified(400, ALL))],
    ['has statuses of its own', 'GET', '/cars', 'eve', vary(unsupported(403, '9', ALL))],
    [
      'answers a method that the version lacks with 405',
      'POST',
      '/cars',
      'ann',
      vary(notAllowed('GET, HEAD, OPTIONS')),
    ],
    ['answers an unknown version at a never-versioned path', 'GET', '/health', 'eve', ok('health@null')],
    ['answers 404 at a path that no version has', 'GET', '/planes', 'eve', notFound],
  ] as const
  for (const [title, method, url, name, expected] of cases) {
    it(`${title}: ${method} ${url} of ${name}`, async () => {
      assert.deepEqual(await ask(app, { method, url, headers: { 'x-account': name } }), expected)
    })
  }
  it('writes the version that inject is given', async () => {
    assert.deepEqual(await ask(app, { url: '/cars', version: '2' }), vary(ok('cars@2')))
  })
  it('has options of its own beside the common ones', async () => {
    const served = serve(CARS, account, { header: 'x-tenant', defaultVersion: '2', versions: ['2', '1'] })
    assert.deepEqual(
      [await ask(served, { url: '/cars', headers: { 'x-tenant': 'ann' } }), await ask(served, '/cars')],
      [vary(ok('cars@1')), vary(ok('cars@2'))],
    )
  })
  it('without write, inject cannot choose a version', async () => {
    const silent = serve(CARS, defineVersioningScheme({ name: 'silent', read: () => '1' }))
    await assert.rejects(silent.inject({ url: '/cars', version: '1' }), TypeError)
    assert.deepEqual(await ask(silent, '/cars'), ok('cars@1'))
  })
})

describe('a scheme of your own: values that it reads', () => {
  const reading = (read: Parameters<typeof defineVersioningScheme>[0]['read']): ReturnType<typeof serve> =>
    serve(CARS, defineVersioningScheme({ name: 'mine', read }))
  const cases: readonly (readonly [string, Parameters<typeof reading>[0], Answer])[] = [
    [
      'a promise of a version',
      async () => {
        await setImmediate()
        return '2'
      },
      ok('cars@2'),
    ],
    [
      'a promise of no version',
      async () => {
        await setImmediate()
        return undefined
      },
      unspecified(400, ALL),
    ],
    ['a list is an order of preference', () => ['9', '2', '1'], ok('cars@2')],
    ['a list is never ambiguous', () => ['1', '2'], ok('cars@1')],
    ['an empty list is no version', () => [], unspecified(400, ALL)],
    ['a list of empty texts is no version', () => ['', ''], unspecified(400, ALL)],
    ['a list of one version is that version', () => ['2'], ok('cars@2')],
    ['a list of unknown versions is unsupported', () => ['8', '9'], unsupported(404, '8, 9', ALL)],
    ['the empty text is no version', () => '', unspecified(400, ALL)],
    [
      '65 characters are unsupported, and cut to 64',
      () => '9'.repeat(65),
      unsupported(404, '9'.repeat(64), ALL),
    ],
    ['__proto__', () => '__proto__', unsupported(404, '__proto__', ALL)],
    ['the scheme gets the request', ({ query }) => String(query['v'] ?? ''), ok('cars@1')],
  ]
  for (const [title, read, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(reading(read), '/cars?v=1'), expected))
  }
  it('a scheme that throws is a mistake of the application', async () => {
    const throwing = reading(() => {
      throw new Error('secret')
    })
    const rejecting = reading(async () => Promise.reject(new Error('secret')))
    const answers = await Promise.all([throwing.inject('/cars'), rejecting.inject('/cars')])
    assert.deepEqual(
      answers.map(({ statusCode, body }) => [statusCode, body.includes('secret')]),
      [
        [500, false],
        [500, false],
      ],
    )
  })
  for (const [title, read] of [
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('secret'))],
  ] as const)
    it(`of which it ${title}, routes without versions and unknown paths do not depend, and the log has it once`, async () => {
      const errors: string[] = []
      const ignore = (): void => undefined
      const error = (details: object, message = ''): void => {
        errors.push(`${message}: ${Object(details).err.message}`)
      }
      const logger = { debug: ignore, info: ignore, warn: ignore, error }
      const mine = defineVersioningScheme({ name: 'mine', read })
      const app = serve(CARS, mine, {}, { logger })
      const statusOf = async (method: string, url: string): Promise<readonly number[]> => [
        (await app.inject({ method, url })).statusCode,
        (await app.fetch(new Request(`http://localhost${url}`, { method }))).status,
      ]
      assert.deepEqual(await statusOf('GET', '/health'), [200, 200])
      assert.deepEqual(await statusOf('GET', '/nowhere'), [404, 404])
      assert.deepEqual(await statusOf('DELETE', '/health'), [405, 405])
      assert.deepEqual(errors, ['The versioning scheme mine fails: secret'])
      assert.deepEqual(await statusOf('GET', '/cars'), [500, 500])
      assert.equal(errors.length, 3)
    })
  it('a list with a long text is cut', async () => {
    const long = reading(() => ['9'.repeat(5000), '8'])
    assert.deepEqual(await ask(long, '/cars'), unsupported(404, '9'.repeat(64), ALL))
  })
})
