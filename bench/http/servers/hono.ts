import { serve as listen } from '@hono/node-server'

import { app } from '../apps/hono.ts'
import type { Serve } from '../contestants.ts'

/** Documented at https://hono.dev/docs/getting-started/nodejs. */
export const serve: Serve = () =>
  new Promise((resolve) => {
    listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
  })
