import { createEdgeApp } from 'octavo/edge'

import { AppModule, OPTIONS } from '../app.ts'
import { createTelemetry } from '../telemetry.ts'
import { withClosing } from './with-closing.ts'

/** The `fetch` of an application that has no server. */
export function createHandler(addressHeader?: string): ReturnType<typeof createEdgeApp>['fetch'] {
  const place = addressHeader === undefined ? {} : { addressHeader }
  const create = (options: object) => createEdgeApp(AppModule, { ...OPTIONS, ...place, ...options })
  return createEdgeApp(
    withClosing(AppModule, () => create({ logger: false })),
    { ...OPTIONS, ...place, telemetry: createTelemetry() },
  ).fetch
}
