import { app } from './elysia.ts'
import type { Serve } from '../serve.ts'
export const serve: Serve = async () => {
  const { server } = app.listen({ port: 0, hostname: '127.0.0.1' })
  return server?.port ?? 0
}
