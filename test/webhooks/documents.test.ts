import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineModule, DefinitionError } from 'octavo'
import type { Webhook } from 'octavo'
import { compareDocuments } from 'octavo/testing'
import { defineWebhook } from 'octavo/webhooks'
import { z } from 'zod'

import { assertOpenApi } from '../support/openapi.ts'
import { serve } from '../support/serve.ts'
import { CarSold, createSales, OwnerMoved } from './support.ts'

// mistakes for those whom no compiler warned
const define = defineWebhook as unknown as (options: unknown) => Webhook

const app = createSales()
await app.ready()

/** The data of a webhook in a document. */
function dataOf(document: object, name: string): Record<string, unknown> {
  return Object(document).webhooks[name].post.requestBody.content['application/json'].schema.properties.data
}

describe('the webhooks of a document', () => {
  for (const version of ['1', '2', '3', 'all'])
    it(`are those of its version: ${version}`, async () => {
      const document = app.openapi({ version })
      assert.deepEqual(Object.keys(document.webhooks ?? {}), [
        'car.sold',
        ...(version === '1' ? [] : ['owner.moved']),
      ])
      await assertOpenApi(document)
    })

  it('have the shapes of their version', () => {
    const fields = (version: string) => {
      const { schemas = {} } = app.openapi({ version }).components
      return ['Owner', 'Sale'].map((name) => Object.keys(Object(schemas[name]).properties).toSorted())
    }
    assert.deepEqual(fields('3'), [
      ['first', 'id', 'last'],
      ['at', 'cents'],
    ])
    assert.deepEqual(fields('2'), [
      ['first', 'id', 'last'],
      ['at', 'euros'],
    ])
    assert.deepEqual(fields('1'), [
      ['id', 'name'],
      ['at', 'euros'],
    ])
    // the schema that a route has too is the same component
    assert.deepEqual(dataOf(app.openapi({ version: '2' }), 'owner.moved'), {
      $ref: '#/components/schemas/Owner',
    })
  })

  it('say what is sent, and what is expected', () => {
    const { post } = Object(app.openapi({ version: '3' }).webhooks)['car.sold']
    const { parameters, requestBody, responses, ...words } = post
    assert.deepEqual(words, {
      operationId: 'webhook.car.sold',
      tags: ['cars'],
      summary: 'A car was sold',
      security: [],
    })
    assert.deepEqual(
      parameters.map(({ name, required }: { name: string; required: boolean }) => [name, required]),
      [
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ],
    )
    const { schema } = requestBody.content['application/json']
    assert.deepEqual(schema.required, ['type', 'timestamp', 'data'])
    assert.equal(schema.properties.type.const, 'car.sold')
    assert.deepEqual(Object.keys(responses), ['410', '2XX', 'default'])
    assert.deepEqual(app.openapi({ version: '3' }).tags, [{ name: 'owner' }, { name: 'cars' }])
  })

  it('are merged in the document of all versions, each shape under a name of its own', () => {
    const document = app.openapi()
    const references = [...JSON.stringify(document.webhooks).matchAll(/schemas\/([\w.]+)/g)].map(
      ([, name]) => name ?? '',
    )
    assert.deepEqual([...new Set(references)].toSorted(), [
      'Owner.v1',
      'Owner.v2',
      'Owner.v3',
      'Sale.v1',
      'Sale.v3',
    ])
    for (const name of references) assert.ok(document.components.schemas?.[name], name)
  })

  it('have ids that no operation has', async () => {
    const { controllers } = await import('./clashing.ts')
    const clashing = serve(controllers, {
      docs: { webhooks: [defineWebhook({ name: 'stripe', schema: z.object({}) })] },
    })
    await clashing.ready()
    const { webhooks, paths } = clashing.openapi()
    assert.equal(paths['/webhook/stripe']?.['post']?.operationId, 'webhook.stripe')
    assert.equal(webhooks?.['stripe']?.['post']?.operationId, 'webhook.stripe.2')
  })

  it('are refused if two of one version have the same name', async () => {
    const named = (version: string) => defineWebhook({ name: 'moved', schema: z.object({}), version })
    const apart = createSales([named('1'), named('>=2')])
    await apart.ready()
    assert.ok(apart.openapi({ version: '1' }).webhooks?.['moved'])
    const both = createSales([named('<=2'), named('>=2')])
    await assert.rejects(
      async () => {
        await both.ready()
        both.openapi({ version: '2' })
      },
      (error) =>
        error instanceof DefinitionError &&
        error.message.includes('another webhook of the version is named "moved" too'),
    )
  })

  it('are shown without versions and routes', async () => {
    const plain = createApp(defineModule({}), {
      docs: { webhooks: [CarSold, defineWebhook({ name: 'ping', schema: z.undefined() })] },
    })
    await plain.ready()
    const document = plain.openapi()
    assert.deepEqual(Object.keys(document.webhooks ?? {}), ['car.sold', 'ping'])
    assert.deepEqual(Object.keys(document.components.schemas ?? {}), ['Owner', 'Sale'])
    await assertOpenApi(document)
  })

  it('are in documents of OpenAPI 3.2, and of a header that names versions', async () => {
    const next = createSales([CarSold], { openapi: '3.2' }, 'HEADER')
    await next.ready()
    const document = next.openapi({ version: '1' })
    assert.equal(document.openapi, '3.2.0')
    assert.deepEqual(Object.keys(document.webhooks ?? {}), ['car.sold'])
  })

  for (const name of ['__proto__', 'constructor', 'toString', 'a.__proto__', '1'])
    it(`can have the name of a member that objects have: ${name}`, async () => {
      const since = defineWebhook({ name, schema: z.object({ n: z.int() }), version: '>=2' })
      const named = createSales([since, CarSold])
      await named.ready()
      for (const version of ['2', '3', 'all']) {
        const document = JSON.parse(JSON.stringify(named.openapi({ version })))
        assert.deepEqual(Object.keys(document.webhooks).toSorted(), [name, 'car.sold'].toSorted())
        assert.equal(Object.getOwnPropertyDescriptor(document.webhooks, name)?.value.post.summary, name)
        await assertOpenApi(document)
      }
      assert.deepEqual(Object.keys(named.openapi({ version: '1' }).webhooks ?? {}), ['car.sold'])
      const { findings } = compareDocuments(named.openapi({ version: '1' }), named.openapi({ version: '2' }))
      assert.ok(findings.some(({ rule, operation }) => rule === 'webhook-added' && operation.endsWith(name)))
    })

  it('are left out where an application lists none', async () => {
    const silent = createSales([])
    await silent.ready()
    assert.ok(!('webhooks' in silent.openapi()))
  })
})

describe('the gate', () => {
  const compare = (older: string, newer: string) =>
    compareDocuments(app.openapi({ version: older }), app.openapi({ version: newer })).findings

  it('finds no difference between a document and itself', () => {
    assert.deepEqual(compare('2', '2'), [])
  })

  it('judges a payload as something that your API sends', () => {
    const found = compare('2', '3')
      .flatMap(({ rule, level, places }) => places.map(({ operation }) => `${level} ${operation} ${rule}`))
      .filter((finding) => finding.includes(' webhook '))
    assert.ok(
      found.some((finding) => finding.startsWith('breaking webhook car.sold response')),
      found.join('\n'),
    )
    const grown = defineWebhook({
      name: 'car.sold',
      schema: CarSold.schema.extend({ note: z.string() }),
    })
    return (async () => {
      const [old, now] = [createSales([CarSold]), createSales([grown])]
      await Promise.all([old.ready(), now.ready()])
      const { level } = compareDocuments(old.openapi({ version: '3' }), now.openapi({ version: '3' }))
      assert.equal(level, 'info')
      const back = compareDocuments(now.openapi({ version: '3' }), old.openapi({ version: '3' }))
      assert.equal(back.level, 'breaking')
    })()
  })

  it('tells of webhooks that are new', () => {
    const added = compare('1', '2').filter(({ rule }) => rule === 'webhook-added')
    assert.deepEqual(
      added.map(({ operation }) => operation),
      ['webhook owner.moved'],
    )
  })
})

describe('defineWebhook', () => {
  const cases: readonly (readonly [title: string, options: unknown, message: RegExp])[] = [
    ['options that are no object', undefined, /the options are undefined/],
    ['no name', { schema: z.string() }, /name is missing/],
    ['no schema', { name: 'car.sold' }, /schema is missing/],
    ['a name with blanks', { name: 'car sold', schema: z.string() }, /name is "car sold"/],
    ['a name that ends in a full stop', { name: 'car.', schema: z.string() }, /name is "car\."/],
    ['something else than a schema', { name: 'car', schema: {} }, /schema is an empty object/],
    ['no versions', { name: 'car', schema: z.string(), version: [] }, /version is an empty list/],
    ['an unknown option', { name: 'car', schema: z.string(), sumary: 'x' }, /there is no option "sumary"/],
  ]
  for (const [title, options, message] of cases)
    it(`refuses ${title}`, () => {
      assert.throws(
        () => define(options),
        (error) => error instanceof DefinitionError && message.test(error.message),
      )
    })

  it('is what docs.webhooks takes', () => {
    assert.throws(
      () => createApp(defineModule({}), { docs: { webhooks: [{ name: 'car.sold' } as unknown as Webhook] } }),
      /docs\.webhooks\[0\] is an object with name/,
    )
    assert.equal(OwnerMoved.kind, 'webhook')
  })
})
