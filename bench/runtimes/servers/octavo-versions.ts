import { createEdgeApp, VersioningSchemes } from 'octavo/edge'

import { VersionedModule } from '../../http/apps/octavo.ts'
import { serveFetch } from '../serve.ts'
import type { Serve } from '../serve.ts'

/** The same with a version in a header, which every request is asked for. */
export const serve: Serve = () => {
  const app = createEdgeApp(VersionedModule, { logger: false })
  app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-api-version' })
  return serveFetch(app.fetch)
}
