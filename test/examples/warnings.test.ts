import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { CarModule, SCHEMES } from '../../examples/car/app.ts'
import { createJwtApp } from '../../examples/jwt/app.ts'
import { createShop } from '../../examples/shop/app.ts'
import { createRatesApp, WAYS } from '../../examples/versions/apps.ts'
import { createDatedApp } from '../../examples/versions/dated.ts'
import { createWarnings } from '../versioning/boot-support.ts'

const namesOf = <K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(record) as K[]

/** What an application warns of when it is compiled. Nothing is started. */
function warningsOf(
  create: (options: Pick<AppOptions, 'logger'>) => Pick<App, 'versions'>,
): readonly unknown[] {
  const { logger, seen } = createWarnings()
  create(logger === undefined ? {} : { logger }).versions()
  return seen
}

describe('the examples', () => {
  for (const name of namesOf(SCHEMES).filter((scheme) => scheme !== 'host')) {
    it(`warn of nothing: car under ${name}`, () => {
      const create = (options: AppOptions): App => {
        const app: App = createApp(CarModule, options)
        SCHEMES[name](app)
        return app
      }
      assert.deepEqual(warningsOf(create), [])
    })
  }
  it('car under host warns of labels, as it keeps to the options of the other schemes', () => {
    const create = (options: AppOptions): App => {
      const app: App = createApp(CarModule, options)
      SCHEMES.host(app)
      return app
    }
    assert.deepEqual(warningsOf(create), [
      {
        code: 'host_label_version',
        where: 'enableVersioning(HOST)',
        message: 'www.example.com asks for a version "www", api.example.com asks for a version "api"',
        fix: "ignoreLabels: ['www', 'api']",
      },
    ])
  })
  for (const name of namesOf(WAYS)) {
    it(`warn of nothing: versions under ${name}`, () =>
      assert.deepEqual(
        warningsOf((options) => createRatesApp(name, options)),
        [],
      ))
  }
  it('warn of nothing: versions by day', () => assert.deepEqual(warningsOf(createDatedApp), []))
  it('warn of nothing: jwt', () => assert.deepEqual(warningsOf(createJwtApp), []))
  it('warn of nothing: the shop', () => {
    const create = (options: AppOptions): Pick<App, 'versions'> =>
      createShop({ sessionSecret: 'a secret for tests, long enough for all' }, options)
    assert.deepEqual(warningsOf(create), [])
  })
})
