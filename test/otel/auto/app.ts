import { trace } from '@opentelemetry/api'
import { createApp, defineController, defineModule } from 'octavo'
import { openTelemetry } from 'octavo/otel'

const cars = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      path: '/{car_id:int}',
      handler: async () => {
        await Promise.resolve()
        return { id: trace.getActiveSpan()?.spanContext().spanId, pid: process.pid }
      },
    },
  ],
})
const app = createApp(defineModule({ controllers: [cars] }), { logger: false, telemetry: openTelemetry() })
const workers = Number(process.env['WORKERS'])
const url = await app.listen({ port: 0, host: '127.0.0.1', ...(workers > 0 && { workers }) })
if (process.env['OCTAVO_WORKER'] === undefined) console.log(JSON.stringify({ url }))
