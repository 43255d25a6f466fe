import { bind, Config } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { createCarApp, SCHEMES } from '../../examples/car/app.ts'
import { createStationApp } from '../../examples/downloads/app.ts'
import { createStation } from '../../examples/downloads/station.ts'
import { app as hello } from '../../examples/hello/main.ts'
import { createHeaderApp, createUrlApp } from '../../examples/history/app.ts'
import { createJwtApp } from '../../examples/jwt/app.ts'
import { createRealWorld } from '../../examples/realworld/app.ts'
import { Db as RealWorldDb } from '../../examples/realworld/database.ts'
import { createShop } from '../../examples/shop/app.ts'
import { Db as ShopDb } from '../../examples/shop/database/module.ts'
import { createGalleryApp } from '../../examples/upload/app.ts'
import { createRatesApp, WAYS } from '../../examples/versions/apps.ts'
import { createDatedApp } from '../../examples/versions/dated.ts'

/** An example under one of its schemes. */
export interface Example {
  readonly name: string
  /** Makes an application of its own; `folder` is where it may write. */
  readonly create: (folder: string, options?: AppOptions) => App
  /** What stands in for a database, which takes seconds to start and has no part in documents. */
  readonly withoutDatabase?: AppOptions
}

const SHOP_SECRET = 'a secret for tests, long enough for all'
/** What the shop is told: its administrator and its supplier have these secrets. */
export const SHOP_SETTINGS = {
  databaseUrl: 'memory://',
  sessionSecret: SHOP_SECRET,
  adminPassword: 'the password of the administrator',
  importKey: 'the key of our supplier',
} as const
/** A day when the first release is gone and the second is deprecated. */
const DATED_DAY = Date.parse('2026-06-02')
export const QUIET = { logger: false } as const

/** Takes the place of a database that nothing asks. */
const refuse = (): Promise<never> => Promise.reject(new Error('There is no database'))
const NO_DATABASE = { query: refuse, begin: refuse, close: () => Promise.resolve() }
// without a password, the shop adds no administrator when it starts
const { adminPassword: _, ...NO_ADMINISTRATOR } = SHOP_SETTINGS

/** The key set of an object of functions. */
function keysOf<T extends object>(record: T): readonly (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[]
}

/** The examples that are applications, each under every scheme that it knows. */
export const EXAMPLES: readonly Example[] = [
  { name: 'hello', create: () => hello },
  ...keysOf(SCHEMES).map((scheme): Example => ({
    name: `car-${scheme}`,
    create: (_folder, options) => createCarApp(scheme, { ...QUIET, ...options }),
  })),
  ...keysOf(WAYS).map((way): Example => ({
    name: `rates-${way}`,
    create: (_folder, options) => createRatesApp(way, { ...QUIET, ...options }),
  })),
  {
    name: 'rates-dated',
    create: (_folder, options) => createDatedApp({ ...QUIET, clock: () => DATED_DAY, ...options }),
  },
  {
    name: 'history-header',
    create: (_folder, options) => createHeaderApp({ ...QUIET, ...options }),
  },
  {
    name: 'history-url',
    create: (_folder, options) => createUrlApp({ ...QUIET, ...options }),
  },
  { name: 'jwt', create: (_folder, options) => createJwtApp({ ...QUIET, ...options }) },
  {
    name: 'shop',
    create: (_folder, options) =>
      createShop(
        { sessionSecret: SHOP_SECRET },
        { ...QUIET, overrides: [bind(Config, { value: SHOP_SETTINGS })], ...options },
      ),
    withoutDatabase: {
      overrides: [bind(Config, { value: NO_ADMINISTRATOR }), bind(ShopDb, { value: NO_DATABASE })],
    },
  },
  {
    name: 'realworld',
    create: (_folder, options) => createRealWorld({ ...QUIET, config: { secret: SHOP_SECRET }, ...options }),
    withoutDatabase: { overrides: [bind(RealWorldDb, { value: NO_DATABASE })] },
  },
  {
    name: 'downloads',
    create: (_folder, options) => {
      const station = createStation()
      for (const temperature of [18.5, 19, 19.5]) station.measure(temperature)
      return createStationApp(station, { ...QUIET, ...options })
    },
  },
  { name: 'upload', create: (folder, options) => createGalleryApp(folder, { ...QUIET, ...options }) },
]

/** A document of an application, by its version; `all` for the combined one. */
export interface NamedDocument {
  readonly version: string
  readonly document: unknown
}

/** Makes an application that is only asked for its documents. */
export function createForDocuments(
  { create, withoutDatabase }: Example,
  folder: string,
  options?: AppOptions,
): App {
  return create(folder, { ...withoutDatabase, ...options })
}

/** Every document of an application, as JSON. */
export async function documentsOf(app: App): Promise<readonly NamedDocument[]> {
  await app.ready()
  const versions = ['all', ...app.versions().map(({ version }) => version)]
  return versions.map((version) => ({
    version,
    document: JSON.parse(JSON.stringify(app.openapi({ version }))) as unknown,
  }))
}
