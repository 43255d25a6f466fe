import { createApp, defineController, defineModule } from 'octavo'
import { z } from 'zod'

import { Car, SORTS, WELCOME } from './requests.ts'
import type { Answer, Call } from './requests.ts'

/** Octavo, called through `inject`. */
export async function createOctavo(): Promise<(call: Call) => Promise<Answer>> {
  const query = { limit: z.number().int(), offset: z.number().int(), sort: z.enum(SORTS) }
  const cars = defineController({
    prefix: '/cars',
    routes: [
      { method: 'GET', path: '/welcome', handler: () => WELCOME },
      { method: 'GET', path: '/{id:int}', handler: ({ params }) => ({ id: params.id }) },
      { method: 'GET', input: { query }, handler: (input) => input.query },
      { method: 'POST', input: { body: Car }, handler: ({ body }) => body },
    ],
  })
  const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
  await app.ready()
  return async (call) => {
    const response = await app.inject(call)
    return { status: response.statusCode, json: response.json() }
  }
}
