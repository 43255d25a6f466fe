import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App, Interceptor, ModuleImport, VersionHistory } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { createMetrics } from 'octavo/metrics'
import { rateLimit } from 'octavo/middleware'
import { openTelemetry } from 'octavo/otel'
import { pinned } from 'octavo/pins'
import { createUsageReport } from 'octavo/usage'

import { createDeskModule, DeskSession, SignedIn } from './desk.ts'
import { history } from './history.ts'
import { createOrdersModule } from './orders.ts'
import { openStores } from './redis.ts'
import { Settings } from './settings.ts'

/** The parts that differ between two releases. */
interface Release {
  readonly createModule: (once: Interceptor) => ModuleImport
  readonly history: VersionHistory
}

/** The release that this folder is. */
export const release: Release = { createModule: createOrdersModule, history }

/** Creates one instance. Everything that instances share is in Redis and PostgreSQL. `onStop` is called when it has ended. */
export function createOrdersApp(
  config: object,
  parts: Release,
  onStop: () => Promise<void> = async () => undefined,
): App {
  const settings = Settings.parse(config)
  const stores = openStores(settings.redisUrl)
  const pins = pinned({
    store: stores.store,
    onFirstUse: settings.firstVersion,
    // a request without a key is refused by its guard, and not because it names no version
    otherwise: settings.firstVersion,
    ttl: 10_000,
  })
  const once = idempotency({
    client: ({ client }) => client,
    shape: parts.history.versions[0] ?? '1',
    // the table has each key once, so a second run does no harm if the first one was lost or has the shape of another release
    lease: 10,
    afterLease: 'run',
  })
  const metrics = createMetrics()
  const usage = { store: stores.store }
  const report = createUsageReport({ usage, guards: [SignedIn], path: '/desk/usage' })
  const module = defineModule({
    name: 'AppModule',
    imports: [parts.createModule(once), createDeskModule(pins)],
    controllers: [metrics.controller, report.controller],
    onStart: stores.connect,
    onStop,
  })
  return createApp(module, {
    config,
    configSchema: Settings,
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-api-version',
      history: parts.history,
      defaultVersion: pins,
      vary: ['x-api-key'],
      echo: true,
      versions: {
        '1': {
          deprecated: '2026-01-01',
          sunset: '2099-07-01',
          retired: 'gone',
          brownouts: settings.brownouts,
        },
      },
    },
    client: (request) => settings.clients.get(request.header('x-api-key') ?? ''),
    middleware: [
      rateLimit({
        limit: settings.rateLimit,
        window: 3600,
        by: ({ client }) => client,
      }),
    ],
    store: stores.store,
    session: {
      secret: settings.sessionSecret,
      schema: DeskSession,
      cookie: { secure: settings.secureCookies },
    },
    usage,
    telemetry: openTelemetry(),
    trustProxy: ['loopback', 'private'],
    health: { live: '/livez', ready: '/readyz' },
    // nginx keeps connections for 60 seconds, and must be the one that closes them
    timeouts: { idle: 75_000, drain: 5_000 },
  })
}
