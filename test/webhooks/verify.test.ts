import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { afterEach, describe, it, mock } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineProvider,
  DefinitionError,
  FileStream,
  FileStreams,
} from 'octavo'
import type { App, Guard, InjectResponse, Store } from 'octavo'
import { anyOf, bearerAuth } from 'octavo/auth'
import { createWebhookSecret, signWebhook, verifyWebhook } from 'octavo/webhooks'
import { createMemoryStore } from 'octavo/stores'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

import { placeless } from '../support/places.ts'

/** The vector of the specification's libraries. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfyaK64MAM='

interface Served {
  readonly app: App
  readonly seen: unknown[]
}

function serve(guard: Guard, schema: z.ZodType = z.object({ test: z.number() }), store?: Store): Served {
  const seen: unknown[] = []
  const controller = defineController({
    name: 'hook',
    routes: [
      {
        method: 'POST',
        guards: [guard],
        input: { body: schema },
        status: 204,
        handler: ({ body }) => void seen.push(body),
      },
    ],
  })
  return { app: createApp(defineModule({ controllers: [controller] }), store && { store }), seen }
}

const { id, timestamp, body, signature, secret } = VECTOR
const headers = {
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
}

const post = (
  app: App,
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
  text = body,
) => app.inject({ method: 'POST', url: '/hook', headers: { ...given }, body: text })

const outcome = ({ statusCode, body: text }: InjectResponse): readonly unknown[] => [
  statusCode,
  ...(text === '' ? [] : [JSON.parse(text).code]),
]

const at = (seconds: number): void => mock.timers.enable({ apis: ['Date'], now: seconds * 1000 })
afterEach(() => mock.timers.reset())

describe('signWebhook', () => {
  it('signs as the vector of the specification', () => {
    assert.equal(signWebhook({ id, timestamp, body, secrets: secret }), signature)
  })

  it('signs with each of several secrets', () => {
    const both = signWebhook({ id, timestamp, body, secrets: [OTHER, secret] })
    assert.equal(both, `${signWebhook({ id, timestamp, body, secrets: OTHER })} ${signature}`)
  })

  it('is read by another library, and reads what that one signs', async () => {
    const created = createWebhookSecret()
    const now = Math.floor(Date.now() / 1000)
    const text = JSON.stringify({ test: 1, word: 'Grüße' })
    const own = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now),
      'webhook-signature': signWebhook({
        id: 'msg_1',
        timestamp: now,
        body: text,
        secrets: [OTHER, created],
      }),
    }
    assert.deepEqual(new Webhook(created).verify(text, own), JSON.parse(text))

    const theirs = new Webhook(created).sign('msg_2', new Date(now * 1000), text)
    const { app, seen } = serve(verifyWebhook({ secrets: created }), z.object({ word: z.string() }))
    const response = await post(
      app,
      {
        'content-type': 'application/json',
        'webhook-id': 'msg_2',
        'webhook-timestamp': String(now),
        'webhook-signature': theirs,
      },
      text,
    )
    assert.deepEqual([response.statusCode, seen], [204, [{ word: 'Grüße' }]])
  })

  it('creates secrets that differ, each of 32 bytes', () => {
    const secrets = [createWebhookSecret(), createWebhookSecret()]
    assert.notEqual(secrets[0], secrets[1])
    for (const each of secrets) assert.equal(Buffer.from(each.replace('whsec_', ''), 'base64').length, 32)
  })

  for (const wrong of ['', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_not base64 at all, is it?', 'password'])
    it(`refuses the secret ${JSON.stringify(wrong)}, and does not repeat it`, () => {
      assert.throws(
        () => signWebhook({ id, timestamp, body, secrets: wrong }),
        (error) =>
          error instanceof TypeError && (wrong === '' || !error.message.includes(wrong.slice(6) || '?')),
      )
    })
})

describe('a request with a signature', () => {
  type Case = readonly [
    title: string,
    change: Readonly<Record<string, string | readonly string[] | undefined>>,
    expected: readonly unknown[],
    text?: string,
  ]
  const REFUSED = [401, 'invalid_signature']
  const cases: readonly Case[] = [
    ['is allowed', {}, [204]],
    [
      'is allowed with further signatures beside its own',
      { 'webhook-signature': `v1,AAAA v1a,BBBB ${signature}` },
      [204],
    ],
    ['is refused without an id', { 'webhook-id': undefined }, REFUSED],
    ['is refused without a time', { 'webhook-timestamp': undefined }, REFUSED],
    ['is refused without a signature', { 'webhook-signature': undefined }, REFUSED],
    ['is refused with an empty signature', { 'webhook-signature': '' }, REFUSED],
    ['is refused with two ids', { 'webhook-id': [id, 'msg_2'] }, REFUSED],
    ['is refused with two times', { 'webhook-timestamp': [String(timestamp), '1'] }, REFUSED],
    ['is refused with a signature in two lines', { 'webhook-signature': [signature, signature] }, REFUSED],
    ['is refused with another id', { 'webhook-id': 'msg_2' }, REFUSED],
    ['is refused with another time', { 'webhook-timestamp': String(timestamp + 1) }, REFUSED],
    ['is refused with a time that is no number', { 'webhook-timestamp': 'now' }, REFUSED],
    ['is refused with a negative time', { 'webhook-timestamp': `-${timestamp}` }, REFUSED],
    [
      'is refused with a signature of another scheme',
      { 'webhook-signature': signature.replace('v1', 'v2') },
      REFUSED,
    ],
    ['is refused with the start of a signature', { 'webhook-signature': signature.slice(0, -8) }, REFUSED],
    ['is refused with a longer signature', { 'webhook-signature': signature.replace('=', 'AAA=') }, REFUSED],
    [
      'is refused with the signature of another secret',
      { 'webhook-signature': signWebhook({ id, timestamp, body, secrets: OTHER }) },
      REFUSED,
    ],
    ['is refused with another body', {}, REFUSED, '{"test": 2432232315}'],
    ['is refused with a body that means the same', {}, REFUSED, '{"test":2432232314}'],
    ['is refused without a body', {}, REFUSED, ''],
  ]
  for (const [title, change, expected, text] of cases)
    it(title, async () => {
      at(timestamp)
      const { app, seen } = serve(verifyWebhook({ secrets: secret }))
      const response = await post(app, { ...headers, ...change }, text)
      assert.deepEqual(outcome(response), expected)
      assert.deepEqual(seen, expected[0] === 204 ? [{ test: 2_432_232_314 }] : [])
    })

  it('is refused as a problem document with a challenge, and without a reason for the guess of a secret', async () => {
    at(timestamp)
    const { app } = serve(verifyWebhook({ secrets: secret }))
    const response = await post(app, { ...headers, 'webhook-id': 'msg_2' })
    assert.equal(response.headers['www-authenticate'], 'Webhook header="webhook-signature"')
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:invalid-signature',
      title: 'Invalid signature',
      status: 401,
      detail: 'The signature is not accepted',
      code: 'invalid_signature',
    })
  })

  it('is validated like any other request', async () => {
    at(timestamp)
    const { app, seen } = serve(verifyWebhook({ secrets: secret }), z.object({ other: z.string() }))
    assert.deepEqual(outcome(await post(app, headers)), [422, 'validation_failed'])
    assert.deepEqual(seen, [])
  })

  it('is not read beyond the limit of bodies', async () => {
    const { app } = serve(verifyWebhook({ secrets: secret }))
    assert.deepEqual(outcome(await post(app, headers, `"${'a'.repeat(2_000_000)}"`)), [413, 'body_too_large'])
  })

  const times: readonly (readonly [away: number, tolerance: number | undefined, expected: number])[] = [
    [299, undefined, 204],
    [-299, undefined, 204],
    [301, undefined, 401],
    [-301, undefined, 401],
    [9, 10_000, 204],
    [11, 10_000, 401],
  ]
  for (const [away, tolerance, expected] of times)
    it(`is a ${expected} ${away} seconds away${tolerance === undefined ? '' : ` with ${tolerance} ms`}`, async () => {
      at(timestamp + away)
      const { app } = serve(verifyWebhook({ secrets: secret, ...(tolerance && { tolerance }) }))
      const response = await post(app, headers)
      assert.equal(response.statusCode, expected)
    })
})

describe('the secrets of verifyWebhook', () => {
  for (const secrets of [[OTHER, secret], [secret, OTHER], [secret.replace('whsec_', '')]])
    it(`allow a signature by any of them: ${secrets.length}, ${secrets.indexOf(secret)}`, async () => {
      at(timestamp)
      assert.equal((await post(serve(verifyWebhook({ secrets })).app, headers)).statusCode, 204)
    })

  it('are found for each request by a function, with what it injects', async () => {
    at(timestamp)
    const Vault = defineProvider({ name: 'Vault', create: () => new Map([[id, [OTHER, secret]]]) })
    const guard = verifyWebhook({
      inject: { vault: Vault },
      secrets: async ({ request }, { vault }) => vault.get(request.header('webhook-id') ?? ''),
    })
    const controller = defineController({
      name: 'hook',
      routes: [{ method: 'POST', guards: [guard], handler: () => 'ok' }],
    })
    const app = createApp(defineModule({ controllers: [controller], providers: [Vault] }))
    assert.equal((await post(app, headers)).statusCode, 200)
    assert.equal((await post(app, { ...headers, 'webhook-id': 'msg_2' })).statusCode, 401)
  })
})

describe('a request that comes again', () => {
  /** A sender with two secrets signs twice. */
  const twice = {
    ...headers,
    'webhook-signature': signWebhook({ id, timestamp, body, secrets: [OTHER, secret] }),
  }

  it('is refused as long as its time is near', async () => {
    at(timestamp)
    const { app, seen } = serve(verifyWebhook({ secrets: [OTHER, secret], replays: true }))
    assert.equal((await post(app, twice)).statusCode, 204)
    assert.deepEqual(outcome(await post(app, twice)), [401, 'invalid_signature'])
    const reordered = twice['webhook-signature'].split(' ').toReversed().join(' ')
    assert.deepEqual(outcome(await post(app, { ...twice, 'webhook-signature': reordered })), [
      401,
      'invalid_signature',
    ])
    assert.deepEqual(outcome(await post(app, headers)), [401, 'invalid_signature'])
    assert.equal(seen.length, 1)
  })

  it('is allowed as another attempt of its event, which has another time', async () => {
    at(timestamp + 5)
    const { app, seen } = serve(verifyWebhook({ secrets: secret, replays: true }))
    assert.equal((await post(app, headers)).statusCode, 204)
    const later = signWebhook({ id, timestamp: timestamp + 5, body, secrets: secret })
    const retry = { ...headers, 'webhook-timestamp': String(timestamp + 5), 'webhook-signature': later }
    assert.equal((await post(app, retry)).statusCode, 204)
    assert.equal(seen.length, 2)
  })

  it('is not remembered if its signature is wrong', async () => {
    at(timestamp)
    const keys: string[] = []
    const memory = createMemoryStore()
    const set: (typeof memory)['set'] = (key) => keys.push(key) > 0
    const replays = { ...memory, set }
    const { app } = serve(verifyWebhook({ secrets: secret, replays }))
    await post(app, { ...headers, 'webhook-id': 'msg_2' })
    assert.deepEqual(keys, [])
    await post(app, headers)
    assert.equal(keys.length, 1)
  })

  it('is a 503 if the store fails, so that the sender tries again', async () => {
    at(timestamp)
    const replays = { ...createMemoryStore(), set: async () => Promise.reject(new Error('down')) }
    const { app, seen } = serve(verifyWebhook({ secrets: secret, replays }))
    assert.deepEqual(outcome(await post(app, headers)), [503, 'replays_unavailable'])
    assert.deepEqual(seen, [])
  })

  it('is remembered in the store of the application, which others share, for twice the tolerance', async () => {
    at(timestamp)
    const memory = createMemoryStore()
    const times: unknown[] = []
    const set: (typeof memory)['set'] = (key, value, options) => {
      times.push(options?.ttl)
      return memory.set(key, value, options)
    }
    const guard = verifyWebhook({ secrets: secret, replays: true })
    const apps = [
      serve(guard, undefined, { ...memory, set }),
      serve(guard, undefined, { ...memory, set }),
      serve(guard),
    ]
    const statuses = []
    for (const { app } of apps) statuses.push((await post(app, headers)).statusCode)
    assert.deepEqual(statuses, [204, 401, 204])
    assert.deepEqual(times, [600_000, 600_000])
  })
})

describe('the formats of other senders', () => {
  it('include that of GitHub, with the vector of its documentation', async () => {
    const { app, seen } = serve(
      verifyWebhook({ format: 'github', secrets: "It's a Secret to Everybody" }),
      z.string(),
    )
    const signed = {
      'content-type': 'text/plain',
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    assert.equal((await post(app, signed, 'Hello, World!')).statusCode, 204)
    assert.deepEqual(outcome(await post(app, signed, 'Hello, world!')), [401, 'invalid_signature'])
    assert.deepEqual(outcome(await post(app, { 'content-type': 'text/plain' }, 'Hello, World!')), [
      401,
      'invalid_signature',
    ])
    assert.deepEqual(seen, ['Hello, World!'])
  })

  it('include that of Stripe', async () => {
    at(timestamp)
    const hex = createHmac('sha256', 'whsec_stripe').update(`${timestamp}.${body}`).digest('hex')
    const { app } = serve(verifyWebhook({ format: 'stripe', secrets: 'whsec_stripe', replays: true }))
    const headed = (header: string) => ({ 'content-type': 'application/json', 'stripe-signature': header })
    assert.deepEqual(outcome(await post(app, headed(`t=${timestamp + 1},v1=${hex}`))), [
      401,
      'invalid_signature',
    ])
    assert.deepEqual(outcome(await post(app, headed(`t=${timestamp},v0=${hex}`))), [401, 'invalid_signature'])
    const rotated = `t=${timestamp},v1=${'0'.repeat(64)},v1=${hex},v0=${hex}`
    assert.equal((await post(app, headed(rotated))).statusCode, 204)
    assert.deepEqual(outcome(await post(app, headed(`t=${timestamp},v1=${hex}`))), [401, 'invalid_signature'])
    mock.timers.reset()
    at(timestamp + 400)
    const fresh = serve(verifyWebhook({ format: 'stripe', secrets: 'whsec_stripe' }))
    assert.deepEqual(outcome(await post(fresh.app, headed(rotated))), [401, 'invalid_signature'])
  })
})

describe('the guard', () => {
  it('is in documents as a key in a header', async () => {
    const { app } = serve(
      verifyWebhook({
        secrets: secret,
        schemeName: 'hooks',
        description: 'Signed',
        replays: true,
      }),
    )
    await app.ready()
    const { paths, components } = app.openapi()
    assert.deepEqual(paths['/hook']?.['post']?.security, [{ hooks: [] }])
    assert.deepEqual(
      paths['/hook']?.['post']?.parameters?.map(({ in: place, name }) => `${place} ${name}`),
      ['header webhook-id', 'header webhook-timestamp'],
    )
    assert.ok(paths['/hook']?.['post']?.responses['503'])
    assert.deepEqual(components.securitySchemes, {
      hooks: { type: 'apiKey', in: 'header', name: 'webhook-signature', description: 'Signed' },
    })
  })

  it('is one of several in anyOf', async () => {
    at(timestamp)
    const admin = bearerAuth({ verify: (token) => token === 't0k3n' })
    const { app } = serve(anyOf(verifyWebhook({ secrets: secret }), admin))
    assert.equal((await post(app, headers)).statusCode, 204)
    const json = { 'content-type': 'application/json' }
    assert.equal((await post(app, { ...json, authorization: 'Bearer t0k3n' })).statusCode, 204)
    assert.equal((await post(app, json)).statusCode, 401)
  })

  for (const [title, guarding] of [
    ['', (guard: Guard) => guard],
    [' in anyOf', (guard: Guard) => anyOf(guard, bearerAuth({ verify: () => true }))],
  ] as const)
    it(`refuses routes that read a file while it arrives${title}, and says how to mend it`, () => {
      const guard = guarding(verifyWebhook({ secrets: secret }))
      const create = (files: Readonly<Record<string, z.ZodType>>) =>
        createApp(
          defineModule({
            controllers: [
              defineController({
                name: 'hook',
                guards: [guard],
                routes: [{ method: 'POST', input: { files }, handler: () => 'ok' }],
              }),
            ],
          }),
        )
      for (const [schema, fix] of [
        [z.instanceof(FileStream), 'z.file()'],
        [z.instanceof(FileStreams), 'z.array(z.file())'],
      ] as const)
        assert.throws(
          () => create({ photo: schema }),
          (error) => {
            assert.ok(error instanceof DefinitionError)
            assert.deepEqual(placeless(error.errors), [
              {
                code: 'invalid_field',
                where: 'hook.post: POST /hook',
                message:
                  'input.files.photo is read while it arrives, and verifyWebhook reads the whole body before',
                fix: `write ${fix} in its place, or remove the guard`,
              },
            ])
            return true
          },
        )
    })

  it('lets routes read forms, and files that are held in memory', async () => {
    const controller = defineController({
      name: 'hook',
      routes: [
        {
          method: 'POST',
          guards: [verifyWebhook({ secrets: secret })],
          input: { form: { title: z.string() }, files: { photo: z.file() } },
          handler: async ({ form, files }) => [form.title, files.photo.name, await files.photo.text()],
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }))
    at(timestamp)
    const text = [
      '--b',
      'content-disposition: form-data; name="title"',
      '',
      'Title',
      '--b',
      'content-disposition: form-data; name="photo"; filename="a.txt"',
      '',
      'hello',
      '--b--',
      '',
    ].join('\r\n')
    const signed = signWebhook({ id, timestamp, body: text, secrets: secret })
    const given = {
      ...headers,
      'content-type': 'multipart/form-data; boundary=b',
      'webhook-signature': signed,
    }
    const response = await post(app, given, text)
    assert.deepEqual([response.statusCode, response.json()], [200, ['Title', 'a.txt', 'hello']])
  })

  const mistakes: readonly (readonly [title: string, options: unknown, message: RegExp])[] = [
    ['no options', undefined, /the options are undefined/],
    ['no secrets', {}, /secrets is missing/],
    ['an empty list', { secrets: [] }, /secrets is an empty list/],
    ['a secret that is too short', { secrets: 'whsec_c2hvcnQ=' }, /secrets is a string of 14 characters/],
    ['one that is no base64', { secrets: [secret, 'not at all!'] }, /secrets\[1\] is a string/],
    ['an unknown format', { secrets: secret, format: 'gitlab' }, /format is "gitlab"/],
    ['a tolerance that is no time', { secrets: secret, tolerance: 0 }, /tolerance is 0/],
    ['a store that is none', { secrets: secret, replays: new Map() }, /replays is an instance of Map/],
    ['replays of GitHub', { secrets: 's', format: 'github', replays: true }, /replays is set/],
    ['an unknown option', { secrets: secret, tolerence: 1 }, /there is no option "tolerence"/],
  ]
  for (const [title, options, message] of mistakes)
    it(`refuses ${title}`, () => {
      assert.throws(
        () => (verifyWebhook as unknown as (options: unknown) => Guard)(options),
        (error) =>
          error instanceof DefinitionError &&
          message.test(error.message) &&
          !error.message.includes('c2hvcnQ'),
      )
    })
})
