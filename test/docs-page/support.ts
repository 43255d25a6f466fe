import { createApp, defineController, defineModule, VERSION_NEUTRAL } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { z } from 'zod'

const toModule = (second: string) => {
  const cars = defineController({
    name: 'CarController',
    version: ['1', second],
    routes: [
      {
        method: 'GET',
        path: '/{car_id:int}',
        name: 'getOne',
        response: z.object({ id: z.number(), version: z.string().nullable() }),
        handler: ({ params }, { version }) => ({ id: params.car_id, version }),
      },
      { method: 'GET', path: '/doors', name: 'doors', version: second, handler: () => 'doors' },
      { method: 'GET', path: '/status', name: 'status', version: VERSION_NEUTRAL, handler: () => 'open' },
    ],
  })

  return defineModule({ name: 'CarModule', controllers: [cars] })
}

/** An application of two versions with documents. */
export function createCars(options: AppOptions = {}, second = '2.0-beta'): App {
  return createApp(toModule(second), { logger: false, docs: {}, ...options })
}
