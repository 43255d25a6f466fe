import express from 'express'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

import { report } from './report.ts'
import { ROUTES } from './routes.ts'
import type { AppRoute } from './routes.ts'

const app = express()
app.use(express.json())
for (const route of ROUTES) add(route)
const server = app.listen(0, '127.0.0.1', () => {
  void report((server.address() as AddressInfo).port)
})

function add({ kind, prefix }: AppRoute): void {
  const path = `${prefix}/:id`
  if (kind === 'query') {
    const schema = z.object({ limit: z.coerce.number().int(), offset: z.coerce.number().int() })
    app.get(path, ({ params, query }, response) => {
      response.json({ id: params['id'], ...schema.parse(query) })
    })
  } else if (kind === 'body') {
    const schema = z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()) })
    app.post(path, ({ params, body }, response) => {
      response.json({ id: params['id'], ...schema.parse(body) })
    })
  } else {
    app.get(path, ({ params }, response) => {
      response.json({ id: params['id'] })
    })
  }
}
