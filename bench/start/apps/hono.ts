import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { z } from 'zod'

import { report } from './report.ts'
import { ROUTES } from './routes.ts'
import type { AppRoute } from './routes.ts'

const app = new Hono()
for (const route of ROUTES) add(route)
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  void report(port)
})

function add({ kind, prefix }: AppRoute): void {
  const path = `${prefix}/:id` as const
  if (kind === 'query') {
    const query = z.object({ limit: z.coerce.number().int(), offset: z.coerce.number().int() })
    app.get(path, zValidator('query', query), (c) =>
      c.json({ id: c.req.param('id'), ...c.req.valid('query') }),
    )
  } else if (kind === 'body') {
    const body = z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()) })
    app.post(path, zValidator('json', body), (c) => c.json({ id: c.req.param('id'), ...c.req.valid('json') }))
  } else app.get(path, (c) => c.json({ id: c.req.param('id') }))
}
