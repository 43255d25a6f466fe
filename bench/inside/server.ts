/** Serves an app of a framework and its versions: `node server.js hono inside`. */
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createAdaptorServer, getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, ForwardTarget } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { host } from 'octavo/inside'
import { inside as insideExpress } from 'octavo/inside/express'
import { inside as insideFastify } from 'octavo/inside/fastify'
import { inside as insideHono } from 'octavo/inside/hono'
import { defineUpstream } from 'octavo/upstream'
import { z } from 'zod'

import { tellUsage } from '../measure/server.ts'
import { convertExpress, convertFastify, convertHono } from './by-hand.ts'

/** How versions come to an app. */
type Way = 'alone' | 'by hand' | 'inside' | 'behind'

const [framework, way] = process.argv.slice(2) as [string, Way]

const toCar = (id: string): object => ({ id, label: 'Bee', town: 'x'.repeat(970) })

function createVersions(forward: ForwardTarget): App {
  const Car = model('Car', { id: z.string(), label: z.string(), town: z.string() })
  const cars = defineController({
    prefix: '/cars',
    routes: [{ method: 'GET', path: '/{id}', name: 'getOne', response: Car, forward }],
  })
  const labels = defineVersionChange({
    version: '2',
    title: 'Names are labels',
    change: [reshape({ of: Car, fields: { label: { was: 'name' } } })],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [labels] })
  return createApp(defineModule({ controllers: [cars] }), {
    logger: false,
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-api-version',
      history,
      defaultVersion: '2',
    },
  })
}

async function openBehind(app: RequestListener | { fetch: Hono['fetch'] }): Promise<number> {
  const url = await createVersions(defineUpstream({ name: 'Garage', app })).listen({
    port: 0,
    host: '127.0.0.1',
  })
  return Number(new URL(url).port)
}

function open(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

async function openHono(): Promise<number> {
  const app = new Hono()
  if (way === 'by hand') app.use(convertHono)
  if (way === 'inside') app.use(insideHono(createVersions(host), { app }))
  app.get('/cars/:id', (c) => c.json(toCar(c.req.param('id'))))
  if (way !== 'behind') return open(createAdaptorServer(app) as Server)
  // as the guide of upstreams says: replaces the slow Response of Node
  getRequestListener(app.fetch)
  return openBehind(app)
}

async function openExpress(): Promise<number> {
  const app = express()
  if (way === 'by hand') app.use(convertExpress)
  if (way === 'inside') app.use(insideExpress(createVersions(host)))
  app.get('/cars/:id', (request, response) => void response.json(toCar(request.params.id)))
  return way === 'behind' ? openBehind(app) : open(createServer(app))
}

async function openFastify(): Promise<number> {
  const app: FastifyInstance = fastify()
  if (way === 'by hand') convertFastify(app)
  if (way === 'inside') await app.register(insideFastify, { versions: createVersions(host) })
  app.get<{ Params: { id: string } }>('/cars/:id', async ({ params }) => toCar(params.id))
  await app.ready()
  if (way === 'behind') return openBehind((request, response) => app.routing(request, response))
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

const OPENED: Readonly<Record<string, () => Promise<number>>> = {
  hono: openHono,
  express: openExpress,
  fastify: openFastify,
}
tellUsage(await OPENED[framework]?.())
