import { defineController } from 'octavo'
import type { App, AppOptions, Layers, ExecutionContext, Logger } from 'octavo'

import { serve } from '../support/serve.ts'

/** A logger that keeps what was logged as an error. */
export function collectErrors(): { readonly logger: Logger; readonly errors: readonly object[] } {
  const errors: object[] = []
  const nothing = (): void => undefined
  const logger: Logger = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (details) => void errors.push(details),
  }
  return { logger, errors }
}

/** An application with one route, `GET /car`, and what is given around it. */
export function appOf(
  handler: (input: unknown, context: ExecutionContext) => unknown,
  { app = {}, route = {} }: { readonly app?: AppOptions; readonly route?: Layers } = {},
): App {
  const cars = defineController({
    prefix: '/car',
    routes: [{ method: 'GET', name: 'one', handler, ...route }],
  })
  return serve(cars, app)
}

/** Lets other requests go on. */
export async function pause(milliseconds = 0): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
