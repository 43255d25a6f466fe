import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { createSchema, createYoga } from 'graphql-yoga'
import { createApp, defineModule, defineRouter } from 'octavo'
import type { ExecutionContext } from 'octavo'

const ended = new EventEmitter()

/** What resolvers see of the request, which is what the router has mounted. */
const yoga = createYoga<ExecutionContext>({
  graphqlEndpoint: '/graphql',
  logging: false,
  schema: createSchema<ExecutionContext>({
    typeDefs: `
      type Query { requestId: String, route: String, isAborted: Boolean }
      type Subscription { count: Int, ticks: Int }
    `,
    resolvers: {
      Query: {
        requestId: (_root, _arguments, context) => context.requestId,
        route: (_root, _arguments, context) => context.route?.name,
        isAborted: (_root, _arguments, context) => context.signal.aborted,
      },
      Subscription: {
        count: {
          subscribe: async function* count() {
            for (let at = 1; at <= 3; at++) yield { count: at }
          },
        },
        ticks: {
          subscribe: async function* ticks() {
            try {
              for (let at = 1; ; at++) {
                await delay(5)
                yield { ticks: at }
              }
            } finally {
              ended.emit('ended')
            }
          },
        },
      },
    },
  }),
})
const router = defineRouter({ prefix: '/graphql', mount: (request, context) => yoga.fetch(request, context) })
const app = createApp(defineModule({ routers: [router] }), { logger: false })
const ask = (query: string, headers = {}) =>
  app.inject({ method: 'POST', url: '/graphql', json: { query }, headers })

describe('graphql-yoga that is mounted', () => {
  it('answers queries, with our context', async () => {
    const response = await ask('{ requestId route isAborted }')
    assert.equal(response.statusCode, 200)
    const { data } = JSON.parse(response.body)
    assert.match(String(data.requestId), /^[\da-f-]{36}$/)
    assert.deepEqual([data.route, data.isAborted], ['graphql.mount', false])
  })

  it('sends subscriptions as events', async () => {
    const response = await ask('subscription { count }', { accept: 'text/event-stream' })
    assert.match(String(response.headers['content-type']), /^text\/event-stream/)
    const counts = [...response.body.matchAll(/^data: (\{.+\})$/gm)].map(([, text = '']) => JSON.parse(text))
    assert.deepEqual(
      counts.map(({ data }) => data.count),
      [1, 2, 3],
    )
  })

  it('ends subscriptions over a socket when the client leaves', async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const leaving = new AbortController()
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { ticks }' }),
      signal: leaving.signal,
    })
    const end = once(ended, 'ended')
    const reader = response.body?.getReader()
    let text = ''
    while (!text.includes('"ticks":3')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    leaving.abort()
    await end
    await app.close()
  })
})
