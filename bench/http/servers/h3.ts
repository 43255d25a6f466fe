import { serve as listen } from 'h3'

import { app } from '../apps/h3.ts'
import type { Serve } from '../contestants.ts'

/** Documented at https://h3.dev/guide/basics/lifecycle. */
export const serve: Serve = async () => {
  const server = await listen(app, { port: 0, hostname: '127.0.0.1', silent: true }).ready()
  return Number(new URL(server.url ?? '').port)
}
