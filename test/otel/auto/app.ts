import { setTimeout as delay } from 'node:timers/promises'

import { trace } from '@opentelemetry/api'
import { defineController, VersioningSchemes } from 'octavo'
import { direct } from 'octavo/engine'
import { openTelemetry } from 'octavo/otel'

import { serve } from '../../support/serve.ts'

const cars = defineController({
  prefix: '/car',
  version: '1',
  routes: [
    {
      method: 'GET',
      path: '/{car_id:int}',
      handler: async () => {
        await Promise.resolve()
        return { id: trace.getActiveSpan()?.spanContext().spanId, pid: process.pid }
      },
    },
    {
      method: 'GET',
      path: '/parts',
      handler: async function* parts() {
        yield 'wheel'
        await delay(1)
        yield 'door'
      },
    },
    {
      method: 'GET',
      path: '/breaks',
      handler: async function* breaks() {
        yield 'wheel'
        await delay(1)
        throw new Error('halfway')
      },
    },
    {
      method: 'GET',
      path: '/endless',
      handler: async function* endless(_input, { signal }) {
        yield 'wheel'
        await delay(60_000, undefined, { signal })
      },
    },
    {
      method: 'GET',
      path: '/wait',
      handler: async (_input, { signal }) => {
        console.log(JSON.stringify({ waits: true }))
        await delay(60_000, undefined, { signal })
      },
    },
  ],
})
const app = serve(cars, {
  telemetry: openTelemetry(),
  versioning: { scheme: VersioningSchemes.URL },
})
const workers = Number(process.env['WORKERS'])
const engine = process.env['ENGINE'] === 'direct' && { engine: direct() }
const url = await app.listen({ port: 0, host: '127.0.0.1', ...engine, ...(workers > 0 && { workers }) })
if (process.env['OCTAVO_WORKER'] === undefined) console.log(JSON.stringify({ url }))
