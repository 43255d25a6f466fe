import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { carController, garageController } from './controller.ts'

export const CarModule = defineModule({ name: 'CarModule', controllers: [carController, garageController] })

/** The schemes the example can be started with, each with the options of the source document. */
export const SCHEMES = {
  url: (app: App) =>
    app.enableVersioning(VersioningSchemes.URL, { versionParameter: 'v', defaultVersion: null }),
  accept: (app: App) =>
    app.enableVersioning(VersioningSchemes.HEADER, {
      headerParameter: 'accept',
      versionParameter: 'version',
      defaultVersion: null,
    }),
  header: (app: App) =>
    app.enableVersioning(VersioningSchemes.HEADER, {
      headerParameter: 'x-custom-header',
      versionParameter: 'version_header',
      defaultVersion: null,
    }),
  query: (app: App) =>
    app.enableVersioning(VersioningSchemes.QUERY, { versionParameter: 'version', defaultVersion: null }),
  host: (app: App) =>
    app.enableVersioning(VersioningSchemes.HOST, { versionParameter: 'v', defaultVersion: null }),
} as const

export type SchemeName = keyof typeof SCHEMES

/** The car application under one versioning scheme. */
export function createCarApp(
  scheme: SchemeName,
  options: Pick<AppOptions, 'docs' | 'logger'> = {},
): App<typeof CarModule> {
  const app = createApp(CarModule, { docs: {}, ...options }) // documents and a page of them at /docs
  SCHEMES[scheme](app)
  return app
}
