import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, DocsOptions, Webhook } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { defineWebhook } from 'octavo/webhooks'
import { z } from 'zod'

/** The newest shape of an owner: two versions are behind it. */
export const Owner = model('Owner', { id: z.string().regex(/^\d+$/), first: z.string(), last: z.string() })
const Sale = model('Sale', { cents: z.int(), at: z.date() })

const SaleEvent = z.object({ owner: Owner, sale: Sale })

export const CarSold = defineWebhook({
  name: 'car.sold',
  schema: SaleEvent,
  summary: 'A car was sold',
  tags: ['cars'],
})
/** Its schema is that of a route, too. */
export const OwnerMoved = defineWebhook({ name: 'owner.moved', schema: Owner, version: '>=2' })

const textIds = defineVersionChange({
  version: '3',
  title: 'Ids are text',
  change: [
    reshape({ of: Owner, fields: { id: { was: z.int(), up: (id) => `${id}`, down: (id) => Number(id) } } }),
  ],
})
const cents = defineVersionChange({
  version: '3',
  title: 'Prices are in cents',
  change: [
    reshape({
      of: Sale,
      fields: { cents: { was: absent }, euros: { was: z.number() } },
      up: ({ euros }) => ({ cents: Math.round(euros * 100) }),
      down: ({ cents: amount }) => ({ euros: amount / 100 }),
    }),
  ],
})
const twoNames = defineVersionChange({
  version: '2',
  title: 'Names have two parts',
  change: [
    reshape({
      of: Owner,
      fields: { name: { was: z.string() }, first: { was: absent }, last: { was: absent } },
      up: ({ name }) => ({ first: name, last: '' }),
      down: ({ first, last }) => ({ name: `${first} ${last}` }),
    }),
  ],
})

export const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { Owner, Sale },
  changes: [textIds, cents, twoNames],
  messages: [CarSold.schema],
})

const owners = defineController({
  name: 'OwnerController',
  routes: [{ method: 'GET', response: Owner, handler: () => ({ id: '7', first: 'Ann', last: 'Lee' }) }],
})

/** An application that reports these webhooks. */
export function createSales(
  webhooks: readonly Webhook[] = [CarSold, OwnerMoved],
  docs: DocsOptions = {},
  scheme: 'URL' | 'HEADER' = 'URL',
): App {
  return createApp(defineModule({ name: 'SalesModule', controllers: [owners] }), {
    versioning: { scheme: VersioningSchemes[scheme], history },
    docs: { ...docs, webhooks },
  })
}

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  readonly stop: () => Promise<void>
}

const ACCEPT: RequestListener = (_request, response) => response.writeHead(204).end()

/** Starts a server on a free port that keeps what it gets, and answers 204 or what a function does. */
export async function startReceiver(answer?: RequestListener): Promise<Receiver> {
  const received: Received[] = []
  const keep = async (request: IncomingMessage): Promise<void> => {
    const bytes = await buffer(request)
    received.push({ headers: request.headers, body: bytes.toString() })
  }
  const server = createServer((request, response) => {
    void keep(request).then(() => (answer ?? ACCEPT)(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // it listens on a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
