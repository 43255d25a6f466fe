/** Serves one contestant in front of the API behind: `node server.js 'octavo' http://127.0.0.1:8000`. */
import fastifyProxy from '@fastify/http-proxy'
import fastify from 'fastify'
import { createApp, defineController, defineModule, defineRouter, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { direct } from 'octavo/engine'
import { defineUpstream } from 'octavo/upstream'
import { z } from 'zod'

import { tellUsage } from '../measure/server.ts'
import { serveByHand } from './by-hand.ts'

const [name = '', behind = ''] = process.argv.slice(2)

async function serveOctavo(isDirect: boolean): Promise<number> {
  const garage = defineUpstream({ name: 'Garage', url: behind })
  const Car = model('Car', { id: z.int(), label: z.string(), town: z.string() })
  const cars = defineController({
    prefix: '/cars',
    routes: [{ method: 'GET', path: '/{id:int}', name: 'getOne', response: Car, forward: garage }],
  })
  const labels = defineVersionChange({
    version: '2',
    title: 'Names are labels',
    change: [reshape({ of: Car, fields: { label: { was: 'name' } } })],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [labels] })
  const app = createApp(defineModule({ controllers: [cars], routers: [defineRouter({ mount: garage })] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1', ...(isDirect && { engine: direct() }) })
  return Number(new URL(url).port)
}

async function serveFastify(): Promise<number> {
  const app = fastify()
  await app.register(fastifyProxy, {
    upstream: behind,
    prefix: '/v2',
    rewritePrefix: '',
    undici: { connections: 128 },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const [address] = app.addresses()
  return typeof address === 'object' ? address.port : 0
}

const servers: Readonly<Record<string, () => Promise<number>>> = {
  octavo: () => serveOctavo(false),
  'octavo, direct engine': () => serveOctavo(true),
  'undici by hand': () => serveByHand(behind),
  '@fastify/http-proxy': serveFastify,
}

tellUsage(await servers[name]?.())
