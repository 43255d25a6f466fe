import { createApp, defineModule, defineRouter, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'

import { cars } from './cars.controller.ts'
import { history } from './history.ts'
import { garage } from './upstream.ts'

/** The versions of the accounts, and their usage: Redis or a database in the real world. */
const store = createMemoryStore()
await store.set('pin:acme', '1')

/** Creates the application in front of the garage. */
export function createGateway(options: Partial<AppOptions> = {}): App {
  const versions = pinned({
    store,
    onFirstUse: 'latest',
    otherwise: '3',
  })
  const module = defineModule({ controllers: [cars], routers: [defineRouter({ mount: garage })] })
  return createApp(module, {
    client: (request) => request.header('x-account'),
    store,
    usage: {},
    docs: { path: '/docs', info: { title: 'Garage' } },
    health: { ready: '/readyz', checks: { garage: garage.check } },
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-version',
      history,
      defaultVersion: versions,
      vary: ['x-account'],
    },
    ...options,
  })
}
