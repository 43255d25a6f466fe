import { app } from '../../http/apps/hono.ts'
import { serveFetch } from '../serve.ts'
import type { Serve } from '../serve.ts'

/** Documented at https://hono.dev/docs/getting-started/bun and https://hono.dev/docs/getting-started/deno. */
export const serve: Serve = () => serveFetch(app.fetch)
