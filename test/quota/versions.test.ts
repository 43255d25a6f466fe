import assert from 'node:assert/strict'
import { afterEach, describe, it, mock } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { rateLimit } from 'octavo/middleware'
import type { App, AppOptions } from 'octavo'

const NOW = Date.UTC(2026, 5, 1)

/** Version 1 is retired, version 2 has a brown-out today, and version 3 answers. */
function serve(options: AppOptions): App {
  mock.timers.enable({ apis: ['Date'], now: NOW })
  const cars = defineController({
    prefix: '/car',
    version: '>=1',
    routes: [{ method: 'GET', handler: () => 'cars' }],
  })
  const app = createApp(defineModule({ controllers: [cars] }), { logger: false, ...options })
  app.enableVersioning(VersioningSchemes.URL, {
    versions: [
      '3',
      {
        version: '2',
        deprecated: '2026-01-01',
        sunset: '2027-01-01',
        brownouts: [{ from: '2026-06-01T00:00:00Z', to: '2026-06-01T01:00:00Z' }],
      },
      { version: '1', deprecated: '2025-01-01', sunset: '2026-01-01', retired: 'gone' },
    ],
  })
  return app
}

const limit = () => rateLimit({ limit: 3, window: 60, by: () => 'ann' })

/** The status of each request, and what is left. */
async function ask(app: App, ...urls: readonly string[]): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const url of urls) {
    const { statusCode, headers } = await app.inject(url)
    found.push([statusCode, /r=(\d+)/.exec(String(headers['ratelimit']))?.[1]])
  }
  return found
}

const URLS = ['/v1/car', '/v2/car', '/v9/car', '/v3/boat', '/v3/car'] as const

describe('rateLimit with versions', () => {
  afterEach(() => mock.timers.reset())

  it('counts only requests that reach their guards: no retired version, brown-out or unknown route', async () => {
    assert.deepEqual(await ask(serve({ guards: [limit()] }), ...URLS), [
      [410, undefined],
      [410, undefined],
      [404, undefined],
      [404, undefined],
      [200, '2'],
    ])
  })

  it('counts all of them as middleware, and tells clients so', async () => {
    assert.deepEqual(await ask(serve({ middleware: [limit()] }), ...URLS), [
      [410, '2'],
      [410, '1'],
      [404, '0'],
      [429, '0'],
      [429, '0'],
    ])
  })
})
