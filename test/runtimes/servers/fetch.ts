import { createApp } from 'octavo/edge'

import { AppModule, OPTIONS } from '../app.ts'
import { withClosing } from './with-closing.ts'

/** The `fetch` of an application that has no server. */
export function createHandler(addressHeader?: string): ReturnType<typeof createApp>['fetch'] {
  const place = addressHeader === undefined ? {} : { addressHeader }
  const create = (options: object) => createApp(AppModule, { ...OPTIONS, ...place, ...options })
  return createApp(
    withClosing(AppModule, () => create({ logger: false })),
    { ...OPTIONS, ...place },
  ).fetch
}
