import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { AppOptions } from 'octavo'

import { bookController, Books } from './books.ts'
import { history } from './history.ts'

export const AppModule = defineModule({
  name: 'AppModule',
  controllers: [bookController],
  providers: [Books],
})

/** Creates the app. Each test creates its own. */
export function createBooksApp(options: Pick<AppOptions, 'logger'> = {}) {
  return createApp(AppModule, {
    docs: { info: { title: 'Books' } },
    versioning: { scheme: VersioningSchemes.URL, history },
    ...options,
  })
}

export const app = createBooksApp()
