import { createApp, defineController, defineModule } from 'octavo'
import { cors } from 'octavo/middleware'
import { z } from 'zod'

const cars = defineController({
  name: 'cars',
  prefix: '/cars',
  routes: [
    {
      method: 'GET',
      name: 'one',
      path: '/{id:int}',
      response: z.object({ id: z.int() }),
      handler: ({ params }) => ({ id: params.id }),
    },
  ],
})

export const app = createApp(defineModule({ controllers: [cars] }), { logger: false, middleware: [cors()] })
export const url: string = app.urlFor('cars.one', { id: 7 })
// @ts-expect-error no such route, so the types are there
export const wrong = (): string => app.urlFor('cars.none')
