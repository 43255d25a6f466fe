import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createApp, defineController, defineModule, defineRouter, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { defineVersionChange, defineVersions, derive, model, operation, reshape } from 'octavo/changes'
import { defineUpstream } from 'octavo/upstream'
import type { Upstream, UpstreamOptions } from 'octavo/upstream'
import { z } from 'zod'

export const Car = model('Car', { id: z.int(), label: z.string(), town: z.string().optional() })
export const NewCar = derive(Car, (car) => car.omit({ id: true }))

const renamed = defineVersionChange({
  version: '2',
  title: 'Labels',
  description: '`Car.name` was renamed to `label`, and `limit` to `size`.',
  change: [
    reshape({ of: Car, fields: { label: { was: 'name' } } }),
    operation({ route: 'cars.list', query: { size: { was: 'limit' } } }),
  ],
})

export const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [renamed] })

/** The routes of the API behind, in its newest version. */
export function carsOf(garage: Upstream) {
  return defineController({
    prefix: '/cars',
    routes: [
      {
        method: 'GET',
        name: 'list',
        input: { query: { size: z.int().optional() } },
        response: z.array(Car),
        forward: garage,
      },
      { method: 'GET', path: '/{id:int}', name: 'getOne', response: Car, forward: garage },
      { method: 'POST', name: 'create', input: { body: NewCar }, response: { 201: Car }, forward: garage },
      { method: 'GET', path: '/here', name: 'here', handler: () => ({ here: true }) },
    ],
  })
}

/** Defines an upstream with time limits for a busy machine. */
export function garageAt(
  url: NonNullable<UpstreamOptions<{}>['url']>,
  options: Partial<UpstreamOptions<{}>> = {},
): Upstream {
  return defineUpstream({
    name: 'Garage',
    url,
    timeouts: { connect: 20_000, headers: 20_000, body: 20_000 },
    ...options,
  })
}

/** The module in front of an upstream, which passes what it has no route for. */
export function moduleOf(garage: Upstream) {
  return defineModule({ controllers: [carsOf(garage)], routers: [defineRouter({ mount: garage })] })
}

/** An application in front of an upstream, with two versions and everything else passed. */
export function frontOf(garage: Upstream, options: Partial<AppOptions> = {}): App {
  return createApp(moduleOf(garage), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
    ...options,
  })
}

/** Starts an API behind. */
export async function startServer(
  listener: RequestListener,
): Promise<{ url: string; server: Server; readonly close: () => void }> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // a server of TCP
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
