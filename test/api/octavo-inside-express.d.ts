// The public types of octavo/inside/express. npm run api writes this file, and nothing imports it.

export type ExpressMiddleware<R extends IncomingMessage = IncomingMessage> = (
  request: R,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

export type InsideApp = Pick<EdgeApp, 'fetch'>

export interface InsideOptions<C> {
  readonly version?: (context: C) => string | undefined
}

export function inside<R extends IncomingMessage = IncomingMessage>(
  app: InsideApp,
  options?: InsideOptions<R>,
): ExpressMiddleware<R>
