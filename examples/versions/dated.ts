import { subscribe, unsubscribe } from 'node:diagnostics_channel'

import {
  Channels,
  createApp,
  defineController,
  defineModule,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, VersionResolved } from 'octavo'

import { createRatesModule } from './controller.ts'

const [FIRST, SECOND, THIRD] = ['2025-01-01', '2025-06-01', '2026-03-01'] as const

/**
 * The same API with versions that are days. A client names the day it was written; what was current then answers. The first release
 * is gone, the second is deprecated.
 */
export function createDatedApp({
  clock = Date.now,
  ...options
}: AppOptions & { readonly clock?: () => number } = {}): App {
  /** How often each old version was used, by version and route. */
  const usage = new Map<string, number>()
  const count = (message: unknown): void => {
    const { version, status, route } = message as VersionResolved
    if (status === 'active') return
    const key = `${version} ${route} (${status})`
    usage.set(key, (usage.get(key) ?? 0) + 1)
  }
  const aboutController = defineController({
    name: 'AboutController',
    prefix: '/',
    version: VERSION_NEUTRAL,
    routes: [
      { method: 'GET', path: '/versions', name: 'versions', handler: () => app.versions() },
      { method: 'GET', path: '/usage', name: 'usage', handler: () => Object.fromEntries(usage) },
    ],
  })
  const DatedModule = defineModule({
    name: 'DatedModule',
    imports: [createRatesModule({ first: FIRST, second: SECOND, third: THIRD })],
    controllers: [aboutController],
    onStart: () => subscribe(Channels.version, count),
    onStop: () => unsubscribe(Channels.version, count),
  })
  const app: App = createApp(DatedModule, options)
  app.enableVersioning(VersioningSchemes.HEADER, {
    headerParameter: 'x-api-version',
    format: 'date',
    unknown: 'floor',
    required: true,
    versions: [
      { version: THIRD },
      {
        version: SECOND,
        deprecated: '2026-03-01',
        sunset: '2027-03-01',
        links: { deprecation: 'https://rates.example/changes/2026-03-01' },
      },
      { version: FIRST, deprecated: '2025-06-01', sunset: '2026-06-01', retired: 'gone' },
    ],
    clock,
  })
  return app
}
