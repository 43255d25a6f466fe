import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { Keyv } from 'keyv'
import { createApp, defineGuard, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import type { DocsOptions, DocsUsage, PageInfo } from 'octavo'
import { createUsageReport } from 'octavo/usage'

import { createCars } from './support.ts'

const USAGE: DocsUsage = {
  since: '2026-02-01',
  versions: {
    '1': { requests: 1245, clients: 2, hasMoreClients: false, lastSeen: '2026-03-01T11:30:00.000Z' },
  },
}

const forTeam =
  (usage: DocsUsage): DocsOptions['usage'] =>
  ({ request }) =>
    request.header('x-team') === 'cars' ? usage : undefined

function createDocumented(
  usage: DocsOptions['usage'],
  lines: unknown[] = [],
  ui: DocsOptions['ui'] = 'swagger',
) {
  const note = (...line: readonly unknown[]) => void lines.push(line)
  const docs: DocsOptions = usage === undefined ? { ui } : { ui, usage }
  const app = createCars({ docs, logger: { debug() {}, info() {}, warn: note, error: note } }, '2')
  app.enableVersioning(VersioningSchemes.URL, { versions: { '1': { deprecated: '2026-01-01' } } })
  return app
}

const TEAM = { 'x-team': 'cars' }

/** The text of the note on the version that is shown. */
const noteOf = (html: string): string | undefined =>
  /<aside class="note[^>]*>(.*)<\/aside>/.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '')

describe('the page shows how each version is used', () => {
  it('behind its life', async () => {
    const app = createDocumented(forTeam(USAGE))
    const { body } = await app.inject({ url: '/docs?version=1', headers: TEAM })
    assert.equal(
      noteOf(body),
      'Version 1 is deprecated since 2026-01-01. Version 1 had 1,245 requests from 2 clients since 2026-02-01. ' +
        'The last one was on 2026-03-01 11:30 UTC.',
    )
    assert.match(body, /aria-label="Life and usage of this version"/)
    const second = await app.inject({ url: '/docs?version=2', headers: TEAM })
    assert.equal(noteOf(second.body), 'Version 2 had no requests since 2026-02-01.')
    assert.match(second.body, /<aside class="note quiet"/)
    assert.match(body, /<p class="hint">Version 2 had no requests since /)
  })

  it('with one request, without clients and with clients that were folded', async () => {
    const one = { requests: 1, clients: 0, hasMoreClients: false, lastSeen: '2026-03-01T00:00:00.000Z' }
    const many = { ...one, requests: 30, clients: 1, hasMoreClients: true }
    const app = createDocumented(() => ({ since: '2026-02-01', versions: { '1': one, '2': many } }))
    const notes = ['1', '2'].map(async (version) =>
      noteOf((await app.inject(`/docs?version=${version}`)).body),
    )
    assert.deepEqual(await Promise.all(notes), [
      'Version 1 is deprecated since 2026-01-01. Version 1 had 1 request since 2026-02-01. The last one was on 2026-03-01.',
      'Version 2 had 30 requests from at least 1 client since 2026-02-01. The last one was on 2026-03-01.',
    ])
  })

  it('to a page of your own', async () => {
    const pages: PageInfo[] = []
    const app = createDocumented(forTeam(USAGE), [], (page) => {
      pages.push(page)
      return ''
    })
    const response = await app.inject({ url: '/docs', headers: TEAM })
    await app.inject('/docs')
    assert.deepEqual(
      pages.map(({ usage }) => usage),
      [USAGE, undefined],
    )
    assert.equal(response.headers['cache-control'], 'no-store')
  })
})

describe('the usage on the page', () => {
  it('is not shown to other viewers, and no cache keeps either page', async () => {
    const app = createDocumented(forTeam(USAGE))
    const shown = await app.inject({ url: '/docs?version=1', headers: TEAM })
    const hidden = await app.inject('/docs?version=1')
    assert.match(shown.body, /1,245/)
    const without = await createDocumented(undefined).inject('/docs?version=1')
    assert.equal(hidden.body, without.body)
    for (const { headers } of [shown, hidden]) assert.equal(headers['cache-control'], 'no-store')
    assert.equal(without.headers['cache-control'] === 'no-store', false)
    // a tag of the page that a viewer may not see any more
    const tag = shown.headers['etag']
    const asked = await app.inject({ url: '/docs?version=1', headers: { 'if-none-match': String(tag) } })
    assert.equal(asked.statusCode, 200)
  })

  it('is left out if it cannot be read, which is logged', async () => {
    const wrong: readonly unknown[] = [
      null,
      [],
      'usage',
      {},
      { since: '2026-02-01', versions: { '1': null } },
      { since: '2026-02-01', versions: { '1': { ...USAGE.versions['1'], requests: '<b>' } } },
    ]
    const failing: readonly DocsOptions['usage'][] = [
      () => Promise.reject(new Error('The store is away')),
      () => {
        throw new Error('no')
      },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      ...wrong.map((value) => () => value as DocsUsage),
    ]
    for (const usage of failing) {
      const lines: unknown[] = []
      const response = await createDocumented(usage, lines).inject('/docs?version=1')
      assert.equal(response.statusCode, 200)
      assert.equal(noteOf(response.body), 'Version 1 is deprecated since 2026-01-01.')
      const logged = lines.filter((line) => String(Object(line)[1]).includes('without usage'))
      assert.equal(logged.length, 1, String(usage))
    }
  })

  it('is escaped', async () => {
    const evil = '<script>alert(1)</script>'
    const usage = { since: evil, versions: { '1': { ...USAGE.versions['1'], lastSeen: evil } } }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { body } = await createDocumented(() => usage as DocsUsage).inject('/docs?version=1')
    assert.equal(body.includes('<script>alert'), false)
  })

  it('knows versions whose names objects inherit', async () => {
    const app = createDocumented(() => ({ since: '2026-02-01', versions: Object.create({ '2': 1 }) }))
    const { body } = await app.inject('/docs?version=2')
    assert.equal(noteOf(body), 'Version 2 had no requests since 2026-02-01.')
  })

  it('has to be a function', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const docs = { usage: USAGE } as unknown as DocsOptions
    assert.throws(
      () => createApp(defineModule({}), { docs }),
      (error) => error instanceof DefinitionError && /docs\.usage/.test(error.message),
    )
  })
})

describe('byVersion of createUsageReport', () => {
  const isOpen = defineGuard({ name: 'IsOpen', canActivate: () => true })

  it('adds up what was counted, for the page', async () => {
    const store = new Keyv()
    const report = createUsageReport({ store, guards: [isOpen] })
    const counting = createCars({ usage: { store }, client: ({ query }) => String(query['client']) }, '2')
    counting.enableVersioning(VersioningSchemes.URL)
    for (const client of ['acme', 'acme', 'shop']) await counting.inject(`/v1/car/1?client=${client}`)
    await counting.close()
    const { since, versions } = await report.byVersion()
    assert.equal(since, new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10))
    const { lastSeen, ...first } = versions['1'] ?? { lastSeen: '' }
    assert.deepEqual(first, { requests: 3, clients: 2, hasMoreClients: false })
    assert.equal(lastSeen.slice(0, 10), new Date().toISOString().slice(0, 10))
    const app = createDocumented(() => report.byVersion())
    assert.match((await app.inject('/docs?version=1')).body, /Version 1 had 3 requests from 2 clients/)
    assert.deepEqual((await report.byVersion({ since: '2999-01-01' })).versions, {})
  })

  it('leaves out older days, and names neither requests without a client nor folded ones', async () => {
    const entry = { route: 'car.get', count: 2, lastSeen: '2026-03-01T00:00:00.000Z' }
    const entries = [
      { ...entry, day: '2026-03-01', version: '1', client: null },
      { ...entry, day: '2026-03-01', version: '1', client: '*' },
      { ...entry, day: '2026-03-02', version: '1', client: 'acme', lastSeen: '2026-03-02T00:00:00.000Z' },
      { ...entry, day: '2026-02-28', version: '1', client: 'old' },
      { ...entry, day: '2026-03-01', version: null, client: 'acme' },
    ]
    const store = {
      set: () => true,
      iterator: async function* () {
        yield ['usage:2026-03-01:writer', JSON.stringify(entries)] as const
      },
    }
    const report = createUsageReport({ store, guards: [isOpen] })
    assert.deepEqual(await report.byVersion({ since: '2026-03-01' }), {
      since: '2026-03-01',
      versions: {
        '1': { requests: 6, clients: 1, hasMoreClients: true, lastSeen: '2026-03-02T00:00:00.000Z' },
      },
    })
  })

  it('does not wait for a store that does not answer', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const store = {
      set: () => true,
      iterator: async function* () {
        await new Promise(() => undefined)
        yield ['', ''] as const
      },
    }
    const asked = createUsageReport({ store, guards: [isOpen] }).byVersion()
    t.mock.timers.tick(1000)
    await assert.rejects(asked, /no answer within 1000 ms/)
  })
})
