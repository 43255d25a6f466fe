/*
 * One API of cars in three versions, inside the framework that you name: the routes and handlers are those of the framework.
 *
 *   npm run inside -- hono       or express, fastify, nest
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const FRAMEWORKS = {
  hono: () => import('./hono.ts'),
  express: () => import('./express.ts'),
  fastify: () => import('./fastify.ts'),
  nest: () => import('./nest.ts'),
}
const isFramework = (name: string): name is keyof typeof FRAMEWORKS => Object.hasOwn(FRAMEWORKS, name)

const name = process.argv[2] ?? 'hono'
if (!isFramework(name)) throw new Error(`Use one of ${Object.keys(FRAMEWORKS).join(', ')}`)
const { createHandler } = await FRAMEWORKS[name]()
const server = createServer(await createHandler()).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
await once(server, 'listening')
// a server that listens on a port has an address
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

console.log(`The cars listen on ${url}, inside ${name}

Try:
  curl ${url}/cars
  curl -H 'X-API-Version: 2' ${url}/autos?max=1
  curl -H 'X-API-Version: 1' ${url}/cars/7
  curl -H 'X-API-Version: 1' --json '{"title":"Duck","price":12.5}' ${url}/cars
  curl -H 'X-API-Version: 1' --json '{"price":"12"}' ${url}/cars    (422 in the names of version 1)
  curl -H 'X-API-Version: 1' ${url}/events

Ctrl+C stops.`)
