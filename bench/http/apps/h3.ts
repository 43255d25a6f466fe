import {
  defineHandler,
  getValidatedQuery,
  getValidatedRouterParams,
  H3,
  HTTPError,
  readValidatedBody,
} from 'h3'
import type { EventHandler, Middleware } from 'h3'

import { CATALOGUE, TOKEN } from '../scenarios.ts'
import { CarPath, CarQuery, NewCar } from '../schemas.ts'

const invalid = {
  onError: ({ issues }: { readonly issues: readonly unknown[] }) => ({
    status: 422,
    message: 'Invalid',
    data: { issues },
  }),
}

const hasToken: Middleware = ({ req }) => {
  if (req.headers.get('authorization') !== TOKEN) throw new HTTPError({ status: 401 })
}

const byVersion =
  (versions: Readonly<Record<string, EventHandler>>): EventHandler =>
  (event) => {
    const handler = versions[event.req.headers.get('x-api-version') ?? '']
    if (handler === undefined) throw new HTTPError({ status: 404 })
    return handler(event)
  }

/** Documented at https://h3.dev/guide/basics/routing and https://h3.dev/examples/validate-data. */
export const app = new H3()
app.get('/hello', () => ({ hello: 'world' }))
app.get('/cars/:id', async (event) => {
  const { id } = await getValidatedRouterParams(event, CarPath, invalid)
  return { id, name: `Car ${id}` }
})
app.get('/cars', (event) => getValidatedQuery(event, CarQuery, invalid))
app.post('/cars', async (event) => {
  const body = await readValidatedBody(event, NewCar, invalid)
  event.res.status = 201
  return { id: 1, ...body }
})
app.get(
  '/garage',
  byVersion({ 1: () => ({ version: 1 }), 2: () => ({ version: 2, doors: ['left', 'right'] }) }),
)
app.get('/catalogue', () => CATALOGUE)
app.get('/private', defineHandler({ middleware: [hasToken], handler: () => ({ user: 'Ann' }) }))
