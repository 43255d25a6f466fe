import { createApp, defineErrorHandler, defineModule, reply, VersioningSchemes } from 'octavo'
import { cors, requestId, securityHeaders, staticFiles } from 'octavo/middleware'
import type { App, AppOptions } from 'octavo'

import type { Alive } from './alive.ts'
import { answers, OwnError } from './answers.ts'
import { around, mounted, ROOT } from './around.ts'
import { bodies, uploads } from './bodies.ts'
import { cars } from './cars.ts'
import { createScoped } from './scoped.ts'
import { createSmallStore, sessions } from './sessions.ts'
import { createSources } from './sources.ts'

/** An application with a route of every kind, and the count of what lives in it. */
export function createFaultApp(options: AppOptions = {}): { readonly app: App; readonly alive: Alive } {
  const alive: Alive = { scopes: 0, sources: 0 }
  const app = createApp(
    defineModule({
      imports: [createScoped(alive)],
      controllers: [cars, createSources(alive), answers, bodies, uploads, around, sessions],
      routers: [mounted],
      errorHandlers: [
        defineErrorHandler({ match: OwnError, handle: () => reply(409, { detail: 'Told by a handler' }) }),
      ],
    }),
    {
      logger: false,
      middleware: [
        requestId({ trust: true }),
        securityHeaders(),
        cors({ origin: 'https://a.test' }),
        staticFiles({ root: ROOT, prefix: '/static' }),
      ],
      session: {
        secret: 'a secret of more than 32 characters',
        store: createSmallStore(),
        cookie: { secure: false },
      },
      ...options,
    },
  )
  app.enableVersioning(
    [
      [VersioningSchemes.URL],
      [VersioningSchemes.HEADER, { headerParameter: 'x-version' }],
      [VersioningSchemes.QUERY],
    ],
    { defaultVersion: '1' },
  )
  return { app, alive }
}
