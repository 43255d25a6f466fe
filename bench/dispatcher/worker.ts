import { createApp, defineController, defineModule } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import type { App } from 'octavo'
import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import { z } from 'zod'

import { serve } from '../measure/race.ts'
import { CALLS } from './calls.ts'

/** Calls of one measurement, one after the other. */
const COUNT = 100

const Car = z.object({ name: z.string(), year: z.number().int() })

const cars = defineController({
  prefix: '/cars',
  routes: [
    { method: 'GET', path: '/{id:int}', handler: ({ params }) => ({ id: params.id }) },
    {
      method: 'GET',
      handler: () => ({ cars: Array.from({ length: 50 }, (_, id) => ({ id, name: `Car ${id}` })) }),
    },
    { method: 'POST', input: { body: Car }, handler: ({ body }) => body },
  ],
})

/** How each contestant reaches the application. */
const CONTESTANTS: Readonly<
  Record<string, (app: App) => Promise<{ readonly origin: string; readonly dispatcher: Dispatcher }>>
> = {
  'app.dispatcher': async (app) => ({ origin: 'http://cars.test', dispatcher: createDispatcher(app) }),
  loopback: async (app) => ({
    origin: await app.listen({ port: 0, host: '127.0.0.1' }),
    dispatcher: new Agent(),
  }),
}

serve(async (contestant, name) => {
  const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
  const way = await CONTESTANTS[contestant]?.(app)
  const call = CALLS[name]
  if (way === undefined || call === undefined) throw new Error(`There is no ${contestant} for ${name}`)
  const { origin, dispatcher } = way
  const headers = call.body === undefined ? {} : { 'content-type': 'application/json' }
  const run = async (): Promise<unknown> => {
    const { statusCode, body } = await request(`${origin}${call.path}`, {
      method: call.body === undefined ? 'GET' : 'POST',
      headers,
      body: call.body ?? null,
      dispatcher,
    })
    return { status: statusCode, json: await body.json() }
  }
  return {
    answer: run,
    time: async () => {
      const start = performance.now()
      for (let count = 0; count < COUNT; count++) await run()
      return ((performance.now() - start) * 1000) / COUNT
    },
  }
})
