import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, describe, it } from 'node:test'

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  createApp,
  defineController,
  defineModule,
  defineProvider,
  DefinitionError,
  VersioningSchemes,
} from 'octavo'
import type { OpenApiDocument } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import {
  createMemoryOutbox,
  createWebhooks,
  createWebhookSecret,
  defineWebhook,
  verifyWebhook,
  WebhookChannels,
} from 'octavo/webhooks'
import type {
  CreateWebhooksOptions,
  Delivery,
  MemoryOutbox,
  Subscription,
  WebhookAttempt,
  Webhooks,
} from 'octavo/webhooks'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { CarSold, createSales, history, OwnerMoved, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

const secret = createWebhookSecret()
const sale = { owner: { id: '7', first: 'Ann', last: 'Lee' }, sale: { cents: 950, at: new Date(0) } }

interface Started {
  readonly webhooks: Webhooks<string | undefined>
  readonly outbox: MemoryOutbox
  readonly attempts: WebhookAttempt[]
  readonly disabled: string[]
}

const open: (() => Promise<unknown>)[] = []
after(async () => {
  for (const close of open) await close()
})

async function receive(answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(answer)
  open.push(receiver.stop)
  return receiver
}

/** Sends to some subscriptions, over an outbox in memory. */
function start(
  subscriptions: readonly Subscription[],
  options: Partial<CreateWebhooksOptions<string | undefined>> = {},
): Started {
  const attempts: WebhookAttempt[] = []
  const disabled: string[] = []
  const outbox = createMemoryOutbox()
  const webhooks = createWebhooks<string | undefined>({
    subscriptions: {
      of: (_event, audience) =>
        subscriptions.filter(({ id }) => audience === undefined || id.startsWith(audience)),
      find: (id) => subscriptions.find((each) => each.id === id),
      disable: (id) => disabled.push(id),
    },
    history,
    outbox,
    allowPrivate: true,
    ...options,
  })
  const collect = (message: unknown): void => {
    const attempt = message as WebhookAttempt
    if (subscriptions.some(({ id }) => id === attempt.delivery.subscription)) attempts.push(attempt)
  }
  subscribe(WebhookChannels.attempt, collect)
  open.push(async () => unsubscribe(WebhookChannels.attempt, collect))
  return { webhooks, outbox, attempts, disabled }
}

/** Attempts until there is none to come. */
async function settle(attempts: readonly WebhookAttempt[], count: number): Promise<void> {
  while (attempts.length < count) await new Promise((resolve) => void setTimeout(resolve, 5))
}

let number = 0
const subscription = (url: string, more: Partial<Subscription> = {}): Subscription => ({
  id: `s${(number += 1)}`,
  url,
  secrets: secret,
  ...more,
})

/** Validates a payload by the document of a version. */
function createValidate(document: OpenApiDocument, name: string): (payload: unknown) => string {
  // it would compile the schema of schemas first
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...document, $id: 'document' })
  const pointer = `webhooks/${name}/post/requestBody/content/application~1json/schema`
  const validate = ajv.compile({ $ref: `document#/${pointer}` })
  return (payload) => (validate(payload) ? '' : ajv.errorsText(validate.errors))
}

const People = defineProvider({
  name: 'People',
  create: () => ({ names: async () => new Map<string, string>() }),
})

describe('an event that is delivered', () => {
  it('reaches three pinned versions, each valid by its own document and no other', async () => {
    const app = createSales()
    await app.ready()
    const validators = new Map(
      ['1', '2', '3'].map((version) => [version, createValidate(app.openapi({ version }), 'car.sold')]),
    )
    const { url, received } = await receive()
    const pinned = ['1', '2', '3'].map((version) => subscription(url, { id: `pin-${version}`, version }))
    const { webhooks, attempts } = start(pinned)
    const id = await webhooks.send(CarSold, sale)
    await settle(attempts, 3)
    await webhooks.close()
    assert.equal(received.length, 3)
    const payloads = new Map(
      attempts.map(({ delivery }) => [delivery.subscription.replace('pin-', ''), JSON.parse(delivery.body)]),
    )
    for (const [version, payload] of payloads)
      for (const [other, validate] of validators)
        assert.equal(
          validate(payload) === '',
          other === version,
          `${version} by ${other}: ${validate(payload)}`,
        )
    assert.deepEqual(payloads.get('3').data, {
      owner: { id: '7', first: 'Ann', last: 'Lee' },
      sale: { cents: 950, at: '1970-01-01T00:00:00.000Z' },
    })
    assert.deepEqual(payloads.get('2').data, {
      owner: { id: 7, first: 'Ann', last: 'Lee' },
      sale: { euros: 9.5, at: '1970-01-01T00:00:00.000Z' },
    })
    assert.deepEqual(payloads.get('1').data, {
      owner: { id: 7, name: 'Ann Lee' },
      sale: { euros: 9.5, at: '1970-01-01T00:00:00.000Z' },
    })
    for (const { headers, body } of received) {
      assert.equal(headers['webhook-id'], id)
      assert.equal(headers['content-type'], 'application/json')
      // what another library makes of it
      assert.equal(
        Object(new Webhook(secret).verify(body, headers as Record<string, string>)).type,
        'car.sold',
      )
    }
  })

  it('reaches verifyWebhook of another application', async () => {
    const seen: unknown[] = []
    const hook = defineController({
      name: 'hook',
      routes: [
        {
          method: 'POST',
          guards: [verifyWebhook({ secrets: [createWebhookSecret(), secret] })],
          input: { body: z.object({ type: z.literal('car.sold'), data: CarSold.schema }) },
          status: 204,
          handler: ({ body }) => void seen.push(body.data.sale),
        },
      ],
    })
    const app = serve(hook)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    open.push(() => app.close())
    const { webhooks, attempts } = start([subscription(`${url}/hook`)])
    await webhooks.send(CarSold, sale)
    await settle(attempts, 1)
    await webhooks.close()
    assert.equal(attempts[0]?.outcome, 'delivered')
    assert.deepEqual(seen, [{ cents: 950, at: new Date(0) }])
  })

  it('reaches the newest shape without a version, none of the versions without it, and its audience alone', async () => {
    const { url } = await receive()
    const subscriptions = [
      subscription(url, { id: 'acme-1', version: '1' }),
      subscription(url, { id: 'acme-2', version: '2' }),
      subscription(url, { id: 'acme-3', version: null }),
      subscription(url, { id: 'other-1' }),
    ]
    const { webhooks } = start(subscriptions)
    const { deliveries, errors } = await webhooks.prepare(
      OwnerMoved,
      { id: '7', first: 'Ann', last: 'Lee' },
      { audience: 'acme', id: 'evt_1' },
    )
    await webhooks.close()
    assert.deepEqual(
      deliveries.map(({ id, subscription: to, body }) => [id, to, JSON.parse(body).data.id]),
      [
        ['evt_1', 'acme-2', 7],
        ['evt_1', 'acme-3', '7'],
      ],
    )
    assert.deepEqual(errors, [])
  })

  it('is refused if its data is not as the schema says, and nothing is sent', async () => {
    const { url, received } = await receive()
    const { webhooks } = start([subscription(url)])
    const wrong = { ...sale, owner: { ...sale.owner, id: 'seven' } }
    await assert.rejects(webhooks.send(CarSold, wrong), (error) => {
      assert.ok(error instanceof TypeError)
      return /webhook car\.sold is not as its schema says: owner\.id/.test(error.message)
    })
    await assert.rejects(webhooks.send(CarSold, sale, { id: 'a.b' }), /The id of an event/)
    await webhooks.close()
    assert.equal(received.length, 0)
  })

  it('has the members that its schema declares and no others', async () => {
    const { webhooks } = start([subscription('https://hooks.example.com/')])
    const secretive = { ...sale, owner: { ...sale.owner, password: 'x' } }
    const { deliveries } = await webhooks.prepare(CarSold, secretive)
    await webhooks.close()
    assert.ok(!deliveries[0]?.body.includes('password'))
  })

  it('reaches the others if a subscription has an unknown version', async () => {
    const { url, received } = await receive()
    const { webhooks, attempts } = start([subscription(url, { id: 'lost', version: '9' }), subscription(url)])
    await assert.rejects(webhooks.send(CarSold, sale), (error) => {
      assert.ok(error instanceof AggregateError)
      const [first] = error.errors
      assert.match(first.message, /The subscription lost gets no car\.sold/)
      return /no version 9: there are 3, 2, 1/.test(first.cause.message)
    })
    await settle(attempts, 1)
    await webhooks.close()
    assert.equal(received.length, 1)
  })

  it('refuses a history that an application refuses', () => {
    const Name = model('Name', { first: z.string() })
    const bad = defineVersions({
      versions: ['2', '1'],
      models: { Name },
      changes: [
        defineVersionChange({
          version: '2',
          title: 'Names have one part',
          // the older versions demand a field that nothing makes
          // @ts-expect-error types find it, too
          change: [reshape({ of: Name, fields: { last: { was: z.string() } } })],
        }),
      ],
      messages: [Name],
    })
    const subscriptions = { of: () => [], find: () => undefined, disable: () => undefined }
    const codes = (make: () => unknown): unknown => {
      try {
        return make()
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return error.errors.map(({ code, where }) => [code, where])
      }
    }
    const refused = codes(() => createWebhooks({ subscriptions, history: bad }))
    assert.ok(Array.isArray(refused) && refused.length > 0, String(refused))
    const route = { method: 'GET', response: Name, handler: () => ({ first: 'Ann' }) } as const
    const app = serve([route], { versioning: { scheme: VersioningSchemes.URL, history: bad } })
    assert.deepEqual(
      codes(() => app.versions()),
      refused,
    )
  })

  it('needs no history', async () => {
    const Ping = defineWebhook({ name: 'ping', schema: z.object({ n: z.int().default(1) }) })
    const { url, received } = await receive()
    const webhooks = createWebhooks({
      subscriptions: {
        of: () => [subscription(url, { id: 'plain' }), subscription(url, { version: '1' })],
        find: () => subscription(url),
        disable: () => undefined,
      },
      allowPrivate: true,
    })
    await assert.rejects(webhooks.send(Ping, {}), AggregateError)
    await webhooks.close()
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body).data),
      [{ n: 1 }],
    )
  })
})

describe('the secrets of a subscription', () => {
  it('all sign while one replaces another', async () => {
    const [older, newer] = [createWebhookSecret(), createWebhookSecret()]
    const { url, received } = await receive()
    const { webhooks, attempts } = start([subscription(url, { secrets: [newer, older] })])
    await webhooks.send(CarSold, sale)
    await settle(attempts, 1)
    await webhooks.close()
    const [{ body, headers } = { body: '', headers: {} }] = received
    for (const each of [older, newer])
      assert.ok(new Webhook(each).verify(body, headers as Record<string, string>))
    assert.throws(() => new Webhook(secret).verify(body, headers as Record<string, string>))
  })

  it('are read again for each attempt, and are not in the outbox', async () => {
    const { webhooks } = start([subscription('https://hooks.example.com/', { secrets: secret })])
    const { deliveries } = await webhooks.prepare(CarSold, sale)
    await webhooks.close()
    assert.deepEqual(Object.keys(deliveries[0] ?? {}), ['id', 'event', 'subscription', 'body', 'attempt'])
    assert.ok(!JSON.stringify(deliveries).includes(secret.slice(8)))
  })
})

describe('an attempt', () => {
  const outcomeOf = ({ outcome, status, problem }: WebhookAttempt) => [outcome, status, problem]
  const delivery: Delivery = { id: 'msg_1', event: 'car.sold', subscription: '', body: '{}', attempt: 1 }

  async function attempt(
    answer: Parameters<typeof startReceiver>[0],
    options: Partial<CreateWebhooksOptions<string | undefined>> = {},
    given: Partial<Delivery> = {},
  ): Promise<WebhookAttempt & { readonly added: readonly (readonly [number, number])[] }> {
    const { url } = await receive(answer)
    const target = subscription(url)
    const added: (readonly [number, number])[] = []
    const { webhooks } = start([target], {
      outbox: { add: ({ attempt: next }, delay) => added.push([next, delay]) },
      ...options,
    })
    const made = await webhooks.deliver({ ...delivery, subscription: target.id, ...given })
    await webhooks.close()
    return { ...made, added }
  }

  for (const status of [200, 201, 202, 204])
    it(`has success with the status ${status}`, async () => {
      const made = await attempt((_request, response) => response.writeHead(status).end())
      assert.deepEqual(
        [outcomeOf(made), made.added, made.delay],
        [['delivered', status, undefined], [], undefined],
      )
    })

  for (const status of [400, 401, 404, 429, 500, 503])
    it(`is repeated after the status ${status}`, async () => {
      const made = await attempt((_request, response) => response.writeHead(status).end())
      assert.deepEqual(outcomeOf(made), ['retry', status, undefined])
      assert.deepEqual([made.added.length, made.added[0]?.[0], made.added[0]?.[1]], [1, 2, made.delay])
      // 5 s, and a fifth at most
      assert.ok(Number(made.delay) >= 5000 && Number(made.delay) <= 6000, String(made.delay))
    })

  const waits: readonly (readonly [title: string, header: string, from: number, to: number])[] = [
    ['seconds', '120', 120_000, 120_000],
    ['a date', new Date(Date.now() + 3_600_000).toUTCString(), 3_400_000, 3_600_000],
    ['less than is planned', '1', 5000, 6000],
    ['more than a day', '999999', 86_400_000, 86_400_000],
    ['a date that has passed', new Date(0).toUTCString(), 5000, 6000],
    ['nonsense', 'soon', 5000, 6000],
  ]
  for (const [title, header, from, to] of waits)
    it(`waits as long as Retry-After says: ${title}`, async () => {
      const { delay = 0 } = await attempt((_request, response) =>
        response.writeHead(503, { 'retry-after': header }).end(),
      )
      assert.ok(delay >= from && delay <= to, String(delay))
    })

  it('disables the subscription after a 410, and is not repeated', async () => {
    const { url } = await receive((_request, response) => response.writeHead(410).end())
    const target = subscription(url)
    const { webhooks, disabled, attempts } = start([target])
    await webhooks.send(CarSold, sale)
    await settle(attempts, 1)
    assert.deepEqual(await webhooks.close(), undefined)
    assert.deepEqual([attempts.map(outcomeOf), disabled], [[['disabled', 410, undefined]], [target.id]])
  })

  it('is dropped if the subscription has ended', async () => {
    const made = await attempt(undefined, {}, { subscription: 'gone' })
    assert.deepEqual([outcomeOf(made), made.added], [['dropped', undefined, undefined], []])
  })

  it('is given up with an answer that is too large, or never ends', async () => {
    const made = await attempt((_request, response) => {
      response.writeHead(200)
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(16_384), () => setImmediate(more))
      }
      more()
    })
    assert.deepEqual(outcomeOf(made), ['retry', 200, 'answer_too_large'])
    const small = await attempt((_request, response) => response.end('0123456789'), { answerLimit: 9 })
    assert.deepEqual(outcomeOf(small), ['retry', 200, 'answer_too_large'])
    const fits = await attempt((_request, response) => response.end('0123456789'), { answerLimit: 10 })
    assert.deepEqual(outcomeOf(fits), ['delivered', 200, undefined])
  })

  it('is given up with headers that are too large', async () => {
    const made = await attempt((_request, response) =>
      response.writeHead(200, { x: 'x'.repeat(17_000) }).end(),
    )
    assert.deepEqual(outcomeOf(made), ['retry', undefined, 'answer_too_large'])
  })

  it('is given up if no answer comes, or not all of it', async () => {
    const silent = await attempt(() => undefined, { timeout: 50 })
    assert.deepEqual(outcomeOf(silent), ['retry', undefined, 'timeout'])
    const slow = await attempt((_request, response) => void response.writeHead(200).write('a'), {
      timeout: 200,
    })
    assert.deepEqual(outcomeOf(slow), ['retry', 200, 'timeout'])
  })

  it('is repeated if the receiver closes the connection, or is not there', async () => {
    const cut = await attempt((request) => request.socket.destroy())
    assert.deepEqual(outcomeOf(cut), ['retry', undefined, 'network'])
    const gone = await startReceiver()
    await gone.stop()
    const target = subscription(gone.url)
    const { webhooks } = start([target], { outbox: { add: () => undefined } })
    const made = await webhooks.deliver({ ...delivery, subscription: target.id })
    await webhooks.close()
    assert.deepEqual(outcomeOf(made), ['retry', undefined, 'network'])
    assert.equal(Object(made.error).code, 'ECONNREFUSED')
  })

  it('is repeated if your own functions fail', async () => {
    const down = (): never => {
      throw new Error('down')
    }
    const made = await attempt(undefined, {
      subscriptions: { of: () => [], find: down, disable: () => undefined },
    })
    assert.deepEqual(
      [outcomeOf(made), Object(made.error).message],
      [['retry', undefined, 'internal'], 'down'],
    )
    const unusable = await attempt(undefined, {
      subscriptions: {
        of: () => [],
        find: () => ({ id: 's', url: 'https://hooks.example.com/', secrets: 'short' }),
        disable: () => undefined,
      },
    })
    assert.deepEqual(outcomeOf(unusable), ['retry', undefined, 'internal'])
  })

  it('rejects if the outbox does not take the next one, so that a queue keeps the job', async () => {
    const full = (): never => {
      throw new Error('full')
    }
    await assert.rejects(
      attempt((_request, response) => response.writeHead(500).end(), { outbox: { add: full } }),
      /full/,
    )
  })

  it('never waits longer than a timer can', async () => {
    const { delay } = await attempt((_request, response) => response.writeHead(500).end(), {
      retryDelays: [2_147_483_647],
    })
    assert.equal(delay, 2_147_483_647)
  })

  it('is the last one after those that are planned', async () => {
    const made = await attempt((_request, response) => response.writeHead(500).end(), {}, { attempt: 10 })
    assert.deepEqual([outcomeOf(made), made.added], [['failed', 500, undefined], []])
    const before = await attempt((_request, response) => response.writeHead(500).end(), {}, { attempt: 9 })
    assert.deepEqual([before.outcome, before.added[0]?.[0]], ['retry', 10])
  })
})

describe('the outbox in memory', () => {
  it('repeats attempts, each with the same id and body, and a signature of its own', async () => {
    let count = 0
    const { url, received } = await receive((_request, response) => {
      count += 1
      response.writeHead(count < 3 ? 500 : 204).end()
    })
    const { webhooks, attempts } = start([subscription(url)], { retryDelays: [1, 1, 1] })
    const id = await webhooks.send(CarSold, sale)
    await settle(attempts, 3)
    await webhooks.close()
    assert.deepEqual(
      attempts.map(({ outcome, delivery: { attempt } }) => [outcome, attempt]),
      [
        ['retry', 1],
        ['retry', 2],
        ['delivered', 3],
      ],
    )
    assert.deepEqual(
      received.map(({ headers }) => headers['webhook-id']),
      [id, id, id],
    )
    assert.equal(new Set(received.map(({ body }) => body)).size, 1)
  })

  it('is drained by close, which makes a last attempt at what waits', async () => {
    let isUp = false
    const { url, received } = await receive((_request, response) =>
      response.writeHead(isUp ? 204 : 500).end(),
    )
    const { webhooks, attempts } = start([subscription(url)])
    await webhooks.send(CarSold, sale)
    await settle(attempts, 1)
    isUp = true
    await webhooks.send(CarSold, sale)
    await webhooks.close()
    assert.deepEqual(attempts.map(({ outcome }) => outcome).toSorted(), ['delivered', 'delivered', 'retry'])
    assert.equal(received.length, 3)
  })

  it('returns what has no success when it is closed, and takes nothing more', async () => {
    const { url } = await receive((_request, response) => response.writeHead(500).end())
    const { webhooks, outbox } = start([subscription(url), subscription(url)])
    const id = await webhooks.send(CarSold, sale)
    const left = await outbox.close()
    assert.deepEqual(
      left.map((each) => [each.id, each.attempt]),
      [
        [id, 2],
        [id, 2],
      ],
    )
    await assert.rejects(webhooks.send(CarSold, sale), (error) => {
      assert.ok(error instanceof AggregateError)
      return error.errors.every(({ cause }) => /The outbox is closed/.test(cause.message))
    })
    await webhooks.close()
  })

  it('refuses events beyond its limit, and has the sender know which subscriptions get none', async () => {
    const answers: (() => void)[] = []
    const { url, received } = await receive((_request, response) => {
      answers.push(() => response.writeHead(204).end())
    })
    const targets = ['a', 'b', 'c'].map((id) => subscription(url, { id: `full-${id}` }))
    const { webhooks, attempts } = start(targets, { outbox: createMemoryOutbox({ maxDeliveries: 2 }) })
    await assert.rejects(webhooks.send(CarSold, sale, { id: 'evt_1' }), (error) => {
      assert.ok(error instanceof AggregateError)
      assert.equal(error.message, 'The event evt_1 cannot be sent to 1 of 3 subscriptions')
      const [{ message, cause }] = error.errors
      assert.match(message, /^The subscription full-c gets no car\.sold: The outbox in memory is full/)
      return /holds 2 deliveries. Raise maxDeliveries, or use a queue/.test(cause.message)
    })
    while (answers.length < 2) await new Promise((resolve) => void setTimeout(resolve, 5))
    // those that run count as well
    await assert.rejects(webhooks.send(CarSold, sale), /cannot be sent to 3 of 3/)
    for (const answer of answers.splice(0)) answer()
    await settle(attempts, 2)
    await new Promise((resolve) => void setImmediate(resolve))
    await webhooks.send(CarSold, sale, { audience: 'full-c' })
    while (answers.length < 1) await new Promise((resolve) => void setTimeout(resolve, 5))
    for (const answer of answers) answer()
    await webhooks.close()
    assert.equal(received.length, 3)
  })

  it('keeps a place for the next attempt of what it has taken', async () => {
    const { url } = await receive((_request, response) => response.writeHead(500).end())
    const { webhooks, attempts } = start([subscription(url)], {
      outbox: createMemoryOutbox({ maxDeliveries: 1 }),
      retryDelays: [1, 1, 100_000],
    })
    await webhooks.send(CarSold, sale)
    await settle(attempts, 3)
    assert.deepEqual(
      attempts.map(({ outcome }) => outcome),
      ['retry', 'retry', 'retry'],
    )
    // the last one waits, and no other one has a place
    await assert.rejects(webhooks.send(CarSold, sale), (error) =>
      /outbox in memory is full/.test(Object(error).cause.message),
    )
    await webhooks.close()
  })

  it('makes no more attempts at the same time than it may', async () => {
    let running = 0
    let most = 0
    const { url } = await receive((_request, response) => {
      running += 1
      most = Math.max(most, running)
      setTimeout(() => {
        running -= 1
        response.writeHead(204).end()
      }, 5)
    })
    const targets = Array.from({ length: 7 }, () => subscription(url))
    const { webhooks, attempts } = start(targets, { outbox: createMemoryOutbox({ concurrency: 2 }) })
    await webhooks.send(CarSold, sale)
    await webhooks.close()
    assert.deepEqual([attempts.length, most], [7, 2])
  })

  it('closes with more deliveries than a call may have arguments', async () => {
    const outbox = createMemoryOutbox({ maxDeliveries: 130_000 })
    const waiting = { id: 'msg_1', event: 'car', subscription: 's', body: '{}', attempt: 1 }
    for (let count = 0; count < 130_000; count++) void outbox.add({ ...waiting }, 100_000)
    assert.equal((await outbox.close()).length, 130_000)
  })

  it('reaches 100 subscribers while one of them does not answer', async () => {
    const { url, received } = await receive()
    let answer = (): void => undefined
    const silent = await receive((_request, response) => {
      answer = () => response.writeHead(204).end()
    })
    const targets = Array.from({ length: 100 }, (_, at) => subscription(at === 0 ? silent.url : url))
    // longer than the others take on a slow machine
    const { webhooks, attempts } = start(targets, { timeout: 300_000 })
    await webhooks.send(CarSold, sale)
    await settle(attempts, 99)
    assert.deepEqual([received.length, silent.received.length], [99, 1])
    answer()
    await webhooks.close()
    assert.equal(attempts.filter(({ outcome }) => outcome === 'delivered').length, 100)
  })

  it('keeps what it gets before it is connected', async () => {
    const alone = createMemoryOutbox()
    const waiting = { id: 'msg_1', event: 'car', subscription: 's', body: '{}', attempt: 1 }
    void alone.add(waiting, 1000)
    assert.deepEqual(await alone.close(), [waiting])
  })

  it('loads what older payloads show, once for each version', async () => {
    const Car = model('LoadedCar', { id: z.string(), owner: z.string() })
    const loads: unknown[] = []
    const owners = defineVersionChange({
      version: '2',
      title: 'A car has the id of its owner',
      change: [
        reshape({
          of: Car,
          inject: { people: People },
          load: async (cars, { inject: { people } }) => {
            loads.push(cars.map(({ owner }) => owner))
            return people.names()
          },
          fields: {
            owner: {
              was: z.object({ name: z.string() }),
              up: ({ name }) => name,
              down: (id, { loaded }) => ({ name: loaded.get(id) ?? 'nobody' }),
            },
          },
        }),
      ],
    })
    const CarsMoved = defineWebhook({ name: 'cars.moved', schema: z.object({ cars: z.array(Car) }) })
    const { url, received } = await receive()
    const { webhooks, attempts } = start(
      ['1', '2', '1'].map((version) => subscription(url, { version })),
      {
        history: defineVersions({ versions: ['2', '1'], models: { Car }, changes: [owners] }),
        inject: { people: { names: async () => new Map([['7', 'Ann']]) } },
      },
    )
    const cars = [
      { id: 'a', owner: '7' },
      { id: 'b', owner: '8' },
    ]
    await webhooks.send(CarsMoved, { cars })
    await settle(attempts, 3)
    await webhooks.close()
    const first = [
      { id: 'a', owner: { name: 'Ann' } },
      { id: 'b', owner: { name: 'nobody' } },
    ]
    assert.deepEqual(
      received.map(({ body }) => JSON.stringify(JSON.parse(body).data.cars)).toSorted(),
      [first, cars, first].map((each) => JSON.stringify(each)).toSorted(),
    )
    assert.deepEqual(loads, [['7', '8']])
  })

  it('ends with the application, as a provider', async () => {
    const { url, received } = await receive()
    const { webhooks } = start([subscription(url)])
    const Sender = defineProvider({ name: 'Sender', create: () => webhooks, dispose: (each) => each.close() })
    const cars = defineController({
      prefix: '/car',
      inject: { sender: Sender },
      routes: [{ method: 'POST', handler: ({ inject }) => inject.sender.send(CarSold, sale) }],
    })
    const app = createApp(defineModule({ controllers: [cars], providers: [Sender] }))
    const response = await app.inject({ method: 'POST', url: '/car' })
    await app.close()
    assert.equal(received[0]?.headers['webhook-id'], response.json())
  })
})

describe('close', () => {
  it('waits for an attempt of your queue, and for the next one to be stored', async () => {
    let answer = (): void => undefined
    const { url, received } = await receive((_request, response) => {
      answer = () => response.writeHead(500).end()
    })
    const stored: number[] = []
    const target = subscription(url)
    const { webhooks } = start([target], {
      outbox: {
        add: async (delivery) => {
          await new Promise((resolve) => void setTimeout(resolve, 20))
          stored.push(delivery.attempt)
        },
      },
    })
    const delivery: Delivery = { id: 'm', event: 'car', subscription: target.id, body: '{}', attempt: 1 }
    const attempt = webhooks.deliver(delivery)
    while (received.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5))
    const closing = webhooks.close()
    answer()
    await closing
    assert.deepEqual(stored, [2])
    const { outcome } = await attempt
    assert.equal(outcome, 'retry')
  })

  it('can be called again, and lets later attempts reject without counting them', async () => {
    const { url } = await receive()
    const target = subscription(url)
    const stored: unknown[] = []
    const { webhooks } = start([target], { outbox: { add: (each) => stored.push(each) } })
    const delivery: Delivery = { id: 'm', event: 'car', subscription: target.id, body: '{}', attempt: 1 }
    await webhooks.deliver(delivery)
    await webhooks.close()
    await webhooks.close()
    await assert.rejects(webhooks.deliver(delivery), /The webhooks are closed/)
    assert.deepEqual(stored, [])
  })
})

describe('createWebhooks', () => {
  const subscriptions = { of: () => [], find: () => undefined, disable: () => undefined }
  const cases: readonly (readonly [title: string, options: unknown, message: RegExp])[] = [
    ['no options', undefined, /the options are undefined/],
    ['no subscriptions', {}, /subscriptions is missing/],
    ['subscriptions without find', { subscriptions: { of: () => [] } }, /subscriptions is an object with of/],
    ['an outbox without add', { subscriptions, outbox: {} }, /outbox is an empty object/],
    ['delays that are no times', { subscriptions, retryDelays: [1, 0] }, /retryDelays\[1\] is 0/],
    ['a timeout that is no time', { subscriptions, timeout: '5s' }, /timeout is "5s"/],
    ['ports that are no numbers', { subscriptions, ports: ['443'] }, /ports\[0\] is "443"/],
    ['a word for a switch', { subscriptions, allowPrivate: 'yes' }, /allowPrivate is "yes"/],
    ['an unknown option', { subscriptions, retries: 3 }, /there is no option "retries"/],
  ]
  for (const [title, options, message] of cases)
    it(`refuses ${title}`, () => {
      assert.throws(
        () => (createWebhooks as unknown as (options: unknown) => void)(options),
        (error) => error instanceof DefinitionError && message.test(error.message),
      )
    })

  it('refuses an outbox of no attempts', () => {
    assert.throws(() => createMemoryOutbox({ concurrency: 0 }), DefinitionError)
  })
})
