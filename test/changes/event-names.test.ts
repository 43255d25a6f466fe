import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, sse, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { checkHistory } from 'octavo/testing'
import { defineUpstream } from 'octavo/upstream'
import { createWebhooks, defineWebhook, type Subscription } from 'octavo/webhooks'
import { z } from 'zod'

import { internalsOf } from '../inside/server.ts'
import { contractTypes } from '../inside/tools.ts'
import { explain, findHistoryInternals } from '../inside/parts.ts'

const Car = model('Car', { brand: z.string() })
const paid = defineVersionChange({
  version: '3',
  title: 'Payouts are paid',
  change: [
    operation({ webhook: 'payout.paid', name: { was: 'transfer.paid' } }),
    operation({ route: 'car.watch', events: { sold: { was: 'bought' } } }),
    reshape({ of: Car, fields: { brand: { was: 'make' } } }),
  ],
})
const bills = defineVersionChange({
  version: '2',
  title: 'Bills are transfers',
  change: [
    operation({ webhook: 'payout.paid', name: { was: 'bill.paid' } }),
    operation({ route: 'car.watch', events: { sold: { was: 'gone' }, note: { was: 'hint' } } }),
  ],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [paid, bills] })
const PayoutPaid = defineWebhook({ name: 'payout.paid', schema: Car })
const Other = defineWebhook({ name: 'car.sold', schema: Car })

const cars = defineController({
  name: 'car',
  prefix: '/cars',
  routes: [
    {
      method: 'GET',
      path: '/watch',
      name: 'watch',
      events: { sold: Car, note: z.string() },
      handler: () =>
        sse([
          { event: 'sold', id: '1', data: { brand: 'Fiat' } },
          { event: 'note', data: 'red' },
        ]),
    },
  ],
})

const app = createApp(defineModule({ controllers: [cars] }), {
  logger: false,
  docs: { webhooks: [PayoutPaid, Other] },
  versioning: { scheme: VersioningSchemes.URL, history },
})

const SENT: Readonly<Record<string, string>> = {
  3: 'event: sold\nid: 1\ndata: {"brand":"Fiat"}\n\nevent: note\ndata: red\n\n',
  2: 'event: bought\nid: 1\ndata: {"make":"Fiat"}\n\nevent: note\ndata: red\n\n',
  1: 'event: gone\nid: 1\ndata: {"make":"Fiat"}\n\nevent: hint\ndata: red\n\n',
}

describe('names of events of older versions', () => {
  after(() => app.close())

  it('are in streams, over sockets too, and in documents', async () => {
    await app.ready()
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const [version, text] of Object.entries(SENT)) {
      assert.equal((await app.inject(`/v${version}/cars/watch`)).body, text)
      assert.equal(await (await fetch(`${origin}/v${version}/cars/watch`)).text(), text)
      const document = JSON.stringify(app.openapi({ version }))
      const names = ['sold', 'bought', 'gone', 'note', 'hint'].filter((name) =>
        document.includes(`"const":"${name}"`),
      )
      assert.deepEqual(
        names,
        [...text.matchAll(/event: (\w+)/g)].map(([, name]) => name),
      )
    }
  })

  it('are known to clients by types', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://localhost', fetch: app.fetch })
    const seen: string[] = []
    for await (const event of client.at('1').car.watch()) {
      if (event.event === 'gone') seen.push(event.data.make)
      else {
        const hint: 'hint' = event.event
        seen.push(hint, event.data)
        break
      }
    }
    for await (const event of client.at('2').car.watch()) {
      if (event.event === 'bought') seen.push(event.data.make)
      break
    }
    assert.deepEqual(seen, ['Fiat', 'hint', 'red', 'Fiat'])
  })

  it('are those of streams of an API behind', async () => {
    const behind = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(SENT[3])
    }).listen(0, '127.0.0.1')
    await once(behind, 'listening')
    const garage = defineUpstream({
      name: 'garage',
      url: `http://127.0.0.1:${Object(behind.address()).port}`,
    })
    const route = {
      method: 'GET',
      path: '/watch',
      name: 'watch',
      events: { sold: Car, note: z.string() },
      forward: garage,
    } as const
    const forwarding = createApp(
      defineModule({ controllers: [defineController({ name: 'car', prefix: '/cars', routes: [route] })] }),
      { logger: false, versioning: { scheme: VersioningSchemes.URL, history } },
    )
    after(async () => {
      await forwarding.close()
      behind.close()
    })
    // an event without an id has the one before it
    for (const [version, text] of Object.entries(SENT))
      assert.equal(
        (await forwarding.inject(`/v${version}/cars/watch`)).body.replace(/id: 1\n(data: red)/, '$1'),
        text,
      )
  })

  it('are in payloads, whatever the name of the subscription', async () => {
    const all: readonly (Subscription & { readonly event: string })[] = [
      ['a', 'payout.paid', undefined],
      ['b', 'transfer.paid', '2'],
      ['c', 'payout.paid', '1'],
      ['d', 'bill.paid', undefined],
      ['e', 'car.sold', '1'],
    ].map(([id = '', event = '', version]) => ({
      id,
      event,
      version,
      url: 'https://example.com',
      secrets: [],
    }))
    const asked: string[] = []
    const webhooks = createWebhooks({
      history,
      subscriptions: {
        of: (event) => {
          asked.push(event)
          return all.filter((each) => each.event === event || (event === 'bill.paid' && each.id === 'c'))
        },
        find: () => undefined,
        disable: () => undefined,
      },
    })
    const { deliveries, errors } = await webhooks.prepare(PayoutPaid, { brand: 'Fiat' })
    assert.deepEqual(errors, [])
    assert.deepEqual(asked, ['payout.paid', 'transfer.paid', 'bill.paid'])
    assert.deepEqual(
      deliveries.map(({ subscription, body }) => {
        const { type, data } = Object(JSON.parse(body))
        return [subscription, type, Object.keys(data).join()]
      }),
      [
        ['a', 'payout.paid', 'brand'],
        ['c', 'bill.paid', 'make'],
        ['b', 'transfer.paid', 'make'],
        ['d', 'payout.paid', 'brand'],
      ],
    )
    await webhooks.close()
  })

  it('are in documents of webhooks, in written clients and in explanations', async () => {
    await app.ready()
    const namesIn = (version: string) => Object.keys(app.openapi({ version }).webhooks ?? {})
    assert.deepEqual(['3', '2', '1'].map(namesIn), [
      ['payout.paid', 'car.sold'],
      ['transfer.paid', 'car.sold'],
      ['bill.paid', 'car.sold'],
    ])
    const contract = internalsOf(app, 'test').contract('1')
    assert.ok(contract !== undefined)
    const types = contractTypes(contract)
    assert.match(types, /'bill\.paid':/)
    assert.match(types, /NamedEvent<'gone'/)
    assert.doesNotMatch(types, /payout|'sold'|transfer/)
    const internals = findHistoryInternals(history)
    assert.ok(internals !== undefined)
    const [first] = explain(internals, internalsOf(app, 'test').routes()).changes
    assert.deepEqual(
      first?.reaches.flatMap(({ route, positions }) => positions.map((position) => `${route} ${position}`)),
      ['car.watch events.sold', ' webhook payout.paid'],
    )
    assert.deepEqual(checkHistory(history), [])
  })

  it('are mistakes if they cannot be', async () => {
    const problems = async (...changes: readonly unknown[]): Promise<readonly string[]> => {
      const list = changes.map((part, index) =>
        Reflect.apply(defineVersionChange, undefined, [{ version: '2', title: `C${index}`, change: [part] }]),
      )
      const define = (): unknown =>
        Reflect.apply(defineVersions, undefined, [{ versions: ['2', '1'], models: {}, changes: list }])
      try {
        const versioning = { scheme: VersioningSchemes.URL, history: define() as typeof history }
        const docs = { webhooks: [PayoutPaid, Other] }
        await createApp(defineModule({ controllers: [cars] }), { logger: false, docs, versioning }).ready()
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return error.errors.map(({ message, fix }) => `${message}; ${fix}`)
      }
      return []
    }
    const was = (name: string) => ({ name: { was: name } })
    const named = (webhook: string, name: object) =>
      Reflect.apply(operation, undefined, [{ webhook, ...name }])
    assert.deepEqual(await problems(named('payout.payd', was('transfer.paid'))), [
      'operation of the webhook payout.payd: docs.webhooks does not list it; did you mean "payout.paid"? (webhooks have their newest names)',
    ])
    assert.deepEqual(await problems(named('payout.paid', was('payout.paid'))), [
      'operation of the webhook payout.paid says that its name was what it is; write what it was before the change, or remove it',
    ])
    assert.match(
      (await problems(named('payout.paid', was('a')), named('payout.paid', was('b')))).join(),
      /twice/,
    )
    assert.deepEqual(await problems(named('payout.paid', {})), [
      'operation.name is missing; give the name that the webhook had, as { was }',
    ])
    assert.match((await problems(named('payout.paid', was('a b')))).join(), /a name of words and full stops/)
    const events = (route: string, given: object) =>
      Reflect.apply(operation, undefined, [{ route, events: given }])
    assert.deepEqual(await problems(events('car.watch', { solt: { was: 'bought' } })), [
      'operation.events names solt, which car.watch does not declare; did you mean "sold"? (events have their newest names)',
    ])
    assert.deepEqual(await problems(events('car.watch', { sold: { was: 'note' } })), [
      'operation.events.sold was called note, as another event; give the name that it had',
    ])
    assert.match((await problems(events('car.watch', { sold: { was: 'sold' } }))).join(), /was what it is/)
  })
})
