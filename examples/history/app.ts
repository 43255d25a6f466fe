import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { AppOptions } from 'octavo'

import { history } from './changes.ts'
import { userController } from './controller.ts'
import { Users } from './users.ts'

export const HistoryModule = defineModule({
  name: 'HistoryModule',
  providers: [Users],
  controllers: [userController],
})

/** The users with the version in a header. Requests without one get the first release. */
export function createHeaderApp(options: AppOptions = {}) {
  return createApp(HistoryModule, {
    ...options,
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-api-version',
      defaultVersion: '1',
      history,
    },
  })
}

/** The same users with the version in the path. */
export function createUrlApp(options: AppOptions = {}) {
  return createApp(HistoryModule, { ...options, versioning: { scheme: VersioningSchemes.URL, history } })
}
