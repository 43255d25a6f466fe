import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, defineGuard, defineModule, VersioningSchemes } from 'octavo'
import type { DocsOptions } from 'octavo'
import { createEdgeApp } from 'octavo/edge'

import { createCars } from './support.ts'
import { createChangelog } from '../inside/server.ts'

const create = (docs: DocsOptions = {}) => {
  const app = createCars({ docs })
  app.enableVersioning(VersioningSchemes.URL, { defaultVersion: '1' })
  return app
}

describe('the changelog beside the documents', () => {
  const types = [
    ['html', 'text/html; charset=utf-8'],
    ['md', 'text/markdown; charset=utf-8'],
    ['json', 'application/json'],
    ['atom', 'application/atom+xml; charset=utf-8'],
  ] as const
  for (const [format, type] of types)
    it(`is there as ${format}, with an entity tag`, async () => {
      const app = create()
      const url = `/docs/changelog.${format}`
      const { statusCode, headers, body } = await app.inject(url)
      assert.deepEqual([statusCode, headers['content-type']], [200, type])
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.match(body, /GET \/v2\.0-beta\/car\/doors/)
      const again = await app.inject({ url, headers: { 'if-none-match': String(headers['etag']) } })
      assert.equal(again.statusCode, 304)
    })

  it('is a page with a strict policy, whose links lead somewhere', async () => {
    for (const path of ['/docs', '/']) {
      const app = create({ path })
      const url = path === '/' ? '/changelog.html' : '/docs/changelog.html'
      const { body, headers } = await app.inject(url)
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self'/)
      assert.doesNotMatch(body, /<style|\sstyle=|<script/)
      const links = [...body.matchAll(/href="(\.[^"]*)"/g)].map(([, link = '']) => link)
      assert.ok(links.length > 5)
      for (const link of links) {
        const { pathname } = new URL(link, `http://localhost${url}`)
        assert.equal((await app.inject(pathname)).statusCode, 200, pathname)
      }
      const anchors = [...body.matchAll(/href="#([^"]*)"/g)].map(([, id]) => `id="${id}"`)
      assert.equal(anchors.filter((id) => id.includes('version-')).length, 2)
      for (const id of anchors) assert.ok(body.includes(id), id)
    }
  })

  it('is linked on the page of the documents', async () => {
    assert.match((await create().inject('/docs')).body, /<a href="\.\/docs\/changelog\.html">Changelog<\/a>/)
  })

  it('is no page where a function makes the page, or nothing does', async () => {
    for (const ui of [() => '<p>mine</p>', false] as const) {
      const app = create({ ui })
      assert.equal((await app.inject('/docs/changelog.json')).statusCode, 200)
      assert.equal((await app.inject('/docs/changelog.html')).statusCode, 404)
    }
  })

  it('is not there for other formats, and with fewer than two versions', async () => {
    for (const format of ['xml', 'toString', '__proto__'])
      assert.equal((await create().inject(`/docs/changelog.${format}`)).statusCode, 404, format)
    const app = createCars()
    assert.equal((await app.inject('/docs/changelog.json')).statusCode, 404)
    assert.doesNotMatch((await app.inject('/docs')).body, /Changelog/)
  })

  it('marks versions that do not answer any more', async () => {
    const app = createCars({ docs: {} })
    app.enableVersioning(VersioningSchemes.URL, {
      defaultVersion: null,
      clock: () => Date.parse('2026-02-01'),
      versions: { 1: { sunset: '2026-01-01', retired: 'gone' } },
    })
    const { body } = await app.inject('/docs/changelog.html')
    const mark = '<small class="mark">retired</small>'
    assert.equal(body.split(mark).length, 3)
    assert.ok(body.includes(`<h2 id="version-1">1 ${mark}</h2>\n<p>Retirement on 2026-01-01.</p>`), body)
  })

  it('is not served by octavo/edge, whose list of documents does not link to it', async () => {
    const cars = defineController({
      prefix: '/cars',
      routes: ['1', '2'].map((version) => ({ method: 'GET' as const, version, handler: () => version })),
    })
    const app = createEdgeApp(defineModule({ controllers: [cars] }), {
      logger: false,
      docs: {},
      versioning: { scheme: VersioningSchemes.URL },
    })
    assert.equal((await app.inject('/docs/changelog.json')).statusCode, 404)
    const { statusCode, body } = await app.inject('/docs')
    assert.equal(statusCode, 200)
    assert.doesNotMatch(body, /Changelog/)
  })

  it('is guarded as the documents are', async () => {
    const app = create({ guards: [defineGuard({ name: 'Nobody', canActivate: () => false })] })
    assert.equal((await app.inject('/docs/changelog.json')).statusCode, 403)
  })

  it('compares documents once, and again when one of them is another', async () => {
    let count = 0
    let second: object = { openapi: '3.1.0', info: { title: 'Cars', version: '2' }, paths: {} }
    const first = { ...second }
    const { serve } = createChangelog(
      {
        load: () => Promise.resolve(),
        versions: () => ['1', '2'],
        document: (version) => (version === '1' ? first : second) as never,
        changes: () => {
          count++
          return []
        },
        life: () => ({ status: 'active', links: {} }),
        retires: () => false,
        title: () => 'Cars',
      },
      undefined,
    )
    await Promise.all([serve('json'), serve('json'), serve('html')])
    await serve('md')
    assert.equal(count, 1)
    second = { ...second }
    await serve('json')
    assert.equal(count, 2)
  })
})
