import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { bind, Config, createApp } from 'octavo'
import type { App, AppOptions, DefinitionWarning } from 'octavo'

import { CarModule, SCHEMES } from '../../examples/car/app.ts'
import { createHeaderApp, createUrlApp } from '../../examples/history/app.ts'
import { createJwtApp } from '../../examples/jwt/app.ts'
import { createRealWorld } from '../../examples/realworld/app.ts'
import { Db as RealWorldDb } from '../../examples/realworld/database.ts'
import { createShop } from '../../examples/shop/app.ts'
import type { Database } from '../../examples/shop/database/database.ts'
import { Db } from '../../examples/shop/database/module.ts'
import { createRatesApp, WAYS } from '../../examples/versions/apps.ts'
import { createDatedApp } from '../../examples/versions/dated.ts'
import { placeless } from '../support/places.ts'
import { createWarnings } from '../versioning/boot-support.ts'

const namesOf = <K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(record) as K[]

/** What an application warns of when it starts. */
async function warningsOf(
  create: (options: Pick<AppOptions, 'logger'>) => Pick<App, 'ready' | 'close'>,
): Promise<readonly unknown[]> {
  const { logger, seen } = createWarnings()
  const app = create(logger === undefined ? {} : { logger })
  await app.ready()
  await app.close()
  return placeless(seen as readonly DefinitionWarning[])
}

describe('the examples', () => {
  for (const name of namesOf(SCHEMES).filter((scheme) => scheme !== 'host')) {
    it(`warn of nothing: car under ${name}`, async () => {
      const create = (options: AppOptions): App => {
        const app: App = createApp(CarModule, options)
        SCHEMES[name](app)
        return app
      }
      assert.deepEqual(await warningsOf(create), [])
    })
  }
  it('car under host warns of labels, as it keeps to the options of the other schemes', async () => {
    const create = (options: AppOptions): App => {
      const app: App = createApp(CarModule, options)
      SCHEMES.host(app)
      return app
    }
    assert.deepEqual(await warningsOf(create), [
      {
        code: 'host_label_version',
        where: 'enableVersioning(HOST)',
        message: 'www.example.com asks for a version "www", api.example.com asks for a version "api"',
        fix: "ignoreLabels: ['www', 'api']",
      },
    ])
  })
  for (const name of namesOf(WAYS)) {
    it(`warn of nothing: versions under ${name}`, async () =>
      assert.deepEqual(await warningsOf((options) => createRatesApp(name, options)), []))
  }
  it('warn of nothing: versions by day', async () => assert.deepEqual(await warningsOf(createDatedApp), []))
  it('warn of nothing: users in three releases', async () => {
    assert.deepEqual(await warningsOf(createHeaderApp), [])
    assert.deepEqual(await warningsOf(createUrlApp), [])
  })
  it('warn of nothing: jwt', async () => assert.deepEqual(await warningsOf(createJwtApp), []))
  it('warn of nothing: the shop', async () => {
    const sessionSecret = 'a secret for tests, long enough for all'
    const settings = { databaseUrl: 'memory://', sessionSecret, importKey: 'the key of our supplier' }
    // nothing here asks the database, which would take a second to start
    const database: Database = {
      query: () => Promise.reject(new Error('There is no database')),
      begin: () => Promise.reject(new Error('There is no database')),
      close: () => Promise.resolve(),
    }
    const overrides = [bind(Db, { value: database }), bind(Config, { value: settings })]
    const create = (options: AppOptions): Pick<App, 'ready' | 'close'> =>
      createShop({ sessionSecret }, { ...options, overrides })
    assert.deepEqual(await warningsOf(create), [])
  })
  it('warn of nothing: realworld', async () => {
    const database = {
      query: () => Promise.reject(new Error('There is no database')),
      close: () => Promise.resolve(),
    }
    const config = { secret: 'a secret for tests, long enough for all' }
    const overrides = [bind(RealWorldDb, { value: database })]
    const create = (options: AppOptions): Pick<App, 'ready' | 'close'> =>
      createRealWorld({ ...options, config, overrides })
    assert.deepEqual(await warningsOf(create), [])
  })
})
