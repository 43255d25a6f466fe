import { createApp, VersioningSchemes } from 'octavo'
import { direct } from 'octavo/engine'

import { VersionedModule } from '../apps/octavo.ts'
import type { Serve } from '../contestants.ts'

/** As `octavo`, on the direct engine. */
export const serve: Serve = async ({ logs }) => {
  const app = createApp(VersionedModule, logs ? {} : { logger: false })
  app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-api-version' })
  const url = await app.listen({ port: 0, host: '127.0.0.1', engine: direct() })
  return Number(new URL(url).port)
}
