import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { bookController } from './books.ts'

export const AppModule = defineModule({ name: 'BooksModule', controllers: [bookController] })

/** Makes the app. Tests make their own. */
export function createBooksApp(options: Pick<AppOptions, 'logger'> = {}): App<typeof AppModule> {
  const app = createApp(AppModule, { docs: { info: { title: 'Books' } }, ...options })
  app.enableVersioning(VersioningSchemes.URL, { versionParameter: 'v', defaultVersion: null })
  return app
}

export const app = createBooksApp()
