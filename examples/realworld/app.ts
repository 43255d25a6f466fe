import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { articleController, Articles, history, tagController } from './articles.ts'
import { Db } from './database.ts'
import { errorFormat } from './errors.ts'
import { Settings } from './settings.ts'
import { userController, Users } from './users.ts'

export const RealWorldModule = defineModule({
  name: 'RealWorldModule',
  controllers: [userController, tagController, articleController],
  providers: [Db, Users, Articles],
})

/** The API of RealWorld: users, articles with tags, favorites. Requests that name no version get version 1. */
export function createRealWorld(options: AppOptions = {}): App<typeof RealWorldModule> {
  return createApp(RealWorldModule, {
    prefix: '/api',
    configSchema: Settings,
    errorFormat,
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-api-version',
      defaultVersion: '1',
      history,
    },
    ...options,
  })
}
