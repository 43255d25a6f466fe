import type { Serve } from '../serve.ts'
import { app } from './elysia.ts'

/** Documented at https://elysiajs.com/at-glance. */
export const serve: Serve = () => app.listen({ port: 0, hostname: '127.0.0.1' }).server?.port ?? 0
