// The public types of octavo/inside/hono. npm run api writes this file, and nothing imports it.

export interface HonoInsideOptions<E extends Env> extends InsideOptions<Context<E>> {
  readonly app?: {
    fetch(request: Request, env: unknown, execution: never): Response | Promise<Response>
  }
}

export { InsideApp } from 'octavo/inside/express'

export { InsideOptions } from 'octavo/inside/express'

export function inside<E extends Env = Env>(
  app: InsideApp,
  options?: HonoInsideOptions<E>,
): MiddlewareHandler<E>
