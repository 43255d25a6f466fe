import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { asObject } from './fuzz/document.ts'
import { fuzzDocument } from './fuzz/run.ts'
import { throughFetch } from './fuzz/send.ts'

const things = defineController({
  prefix: '/things',
  name: 'things',
  routes: [
    {
      method: 'POST',
      path: '/{id:int}',
      name: 'change',
      input: {
        query: { limit: z.number().int().max(9).optional() },
        body: z.object({ size: z.number().min(1) }),
      },
      response: z.object({ id: z.number(), size: z.number() }),
      handler: ({ params, body }) => ({ id: params.id, size: body.size }),
    },
    { method: 'GET', path: '/broken', name: 'broken', handler: () => Promise.reject(new Error('broken')) },
  ],
})

type Change = (operation: Record<string, unknown>) => void

/** Sets what a path of members leads to. */
const set =
  (path: readonly string[], value: unknown): Change =>
  (operation) => {
    const last = path.at(-1) ?? ''
    const owner = path.slice(0, -1).reduce<unknown>((now, key) => Reflect.get(Object(now), key), operation)
    Reflect.set(Object(owner), last, value)
  }
const RESPONSE = ['responses', '200', 'content', 'application/json', 'schema', 'properties']
const BODY = ['requestBody', 'content', 'application/json', 'schema', 'properties']

const lies: readonly (readonly [string, Change, RegExp])[] = [
  ['another type of a member', set([...RESPONSE, 'size'], { type: 'string' }), /data\/size must be string/],
  [
    'another content type',
    set(['responses', '200', 'content'], { 'text/plain': {} }),
    /documented is text\/plain/,
  ],
  [
    'another status',
    set(['responses'], { 201: { description: '' }, '4XX': { description: '' } }),
    /200 is not documented/,
  ],
  ['no body in the answer', set(['responses', '200', 'content'], undefined), /none is documented/],
  [
    'a header that is not there',
    set(['responses', '200', 'headers'], { 'x-a': { required: true } }),
    /x-a is missing/,
  ],
  ['more than the body may be', set([...BODY, 'size'], { type: 'number' }), /refuses what is right: 422/],
  [
    'less than the body may be',
    set([...BODY, 'size'], { type: 'number', minimum: 500 }),
    /takes what is wrong/,
  ],
  ['a body that is not needed', set(['requestBody', 'required'], false), /refuses what is right/],
  [
    'another type of parameter',
    set(['parameters', '1', 'schema'], { type: 'string' }),
    /refuses what is right: 422/,
  ],
  [
    'more than a parameter may be',
    set(['parameters', '1', 'schema', 'maximum'], 99),
    /refuses what is right: 422/,
  ],
]

describe('the fuzzer finds out', () => {
  for (const [title, change, expected] of lies) {
    it(title, async () => {
      const app = serve(things)
      await app.ready()
      const document: unknown = JSON.parse(JSON.stringify(app.openapi()))
      const operation = asObject(asObject(asObject(asObject(document)['paths'])['/things/{id}']))['post']
      change(Object(operation))
      const subject = { name: title, document, send: throughFetch(app) }
      const { findings } = await fuzzDocument(subject, { seed: 1, calls: 30, only: /change/ })
      assert.match(findings.map(({ text }) => text).join('\n'), expected)
      await app.close()
    })
  }

  it('a handler that fails', async () => {
    const app = serve(things)
    await app.ready()
    const subject = { name: 'broken', document: app.openapi(), send: throughFetch(app) }
    const { findings, unreached } = await fuzzDocument(subject, { seed: 1, calls: 1, only: /broken/ })
    assert.match(findings[0]?.text ?? '', /answered 500/)
    assert.deepEqual(unreached, ['things.broken (500)'])
    await app.close()
  })

  it('nothing where there is nothing, and makes the same calls again', async () => {
    const app = serve(things)
    await app.ready()
    const calls: string[] = []
    const send = throughFetch(app)
    const subject = {
      name: 'true',
      document: app.openapi(),
      send: (call: Parameters<typeof send>[0]) => {
        calls.push(call.shown)
        return send(call)
      },
    }
    const settings = { seed: 1, calls: 12, only: /change/ }
    const { findings } = await fuzzDocument(subject, settings)
    assert.deepEqual(findings, [])
    await fuzzDocument(subject, settings)
    assert.deepEqual(calls.slice(12), calls.slice(0, 12))
    await app.close()
  })
})
