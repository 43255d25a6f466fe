import { createApp, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { createRatesModule } from './controller.ts'

const RatesModule = createRatesModule({ first: '1', second: '2', third: '3' })

/** What a client sends to ask for a version. */
export interface Ask {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A way for versions to travel. */
interface Way {
  readonly title: string
  readonly enable: (app: App) => void
  readonly ask: (path: string, version: string) => Ask
  /** The status for a version that does not exist. */
  readonly unknown: number
}

/** Clients that name no version are the oldest ones: what they get must not change. */
const COMMON = { defaultVersion: '1' } as const

/** The same module, each time with another scheme. */
export const WAYS = {
  url: {
    title: 'the first segment of the path',
    enable: (app) => app.enableVersioning(VersioningSchemes.URL, COMMON),
    ask: (path, version) => ({ path: `/v${version}${path}` }),
    unknown: 404,
  },
  accept: {
    title: 'a parameter of a media type in Accept',
    enable: (app) => app.enableVersioning(VersioningSchemes.HEADER, COMMON),
    ask: (path, version) => ({ path, headers: { Accept: `application/json; version=${version}` } }),
    unknown: 406,
  },
  vendor: {
    title: 'the name of a media type in Accept',
    enable: (app) =>
      app.enableVersioning(VersioningSchemes.HEADER, {
        mediaType: 'application/vnd.rates.v{version}+json',
        echo: 'contentType', // answers have that type too
        ...COMMON,
      }),
    ask: (path, version) => ({ path, headers: { Accept: `application/vnd.rates.v${version}+json` } }),
    unknown: 406,
  },
  header: {
    title: 'a header of its own',
    enable: (app) =>
      app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-api-version', ...COMMON }),
    ask: (path, version) => ({ path, headers: { 'X-API-Version': version } }),
    unknown: 406,
  },
  query: {
    title: 'a query parameter',
    enable: (app) =>
      app.enableVersioning(VersioningSchemes.QUERY, { versionParameter: 'api-version', ...COMMON }),
    ask: (path, version) => ({ path: `${path}?api-version=${version}` }),
    unknown: 404,
  },
  host: {
    title: 'the first label of the host name',
    enable: (app) =>
      app.enableVersioning(VersioningSchemes.HOST, {
        ignoreLabels: ['www', 'api'], // or www.rates.example asks for a version "www"
        ...COMMON,
      }),
    ask: (path, version) => ({ path, headers: { Host: `v${version}.rates.example` } }),
    unknown: 404,
  },
  both: {
    title: 'the path or a header: whichever a client likes',
    enable: (app) =>
      app.enableVersioning(
        [[VersioningSchemes.URL], [VersioningSchemes.HEADER, { headerParameter: 'x-api-version' }]],
        COMMON,
      ),
    ask: (path, version) => ({ path, headers: { 'X-API-Version': version } }),
    unknown: 406,
  },
} as const satisfies Readonly<Record<string, Way>>

export type WayName = keyof typeof WAYS

/** The rates under one scheme. */
export function createRatesApp(way: WayName, options: AppOptions = {}): App {
  const app = createApp(RatesModule, { docs: {}, ...options })
  WAYS[way].enable(app)
  return app
}
