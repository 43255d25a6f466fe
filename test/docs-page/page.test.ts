import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { DefinitionError, VersioningSchemes } from 'octavo'
import type { DocsOptions, PageInfo } from 'octavo'

import { withoutPackage, withPackage } from '../support/without-package.ts'
import { createCars } from './support.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

async function get(url: string, docs: DocsOptions = {}, defaultVersion: string | null = null) {
  const app = createCars({ docs })
  app.enableVersioning(VersioningSchemes.URL, { defaultVersion })
  return app.inject(url)
}

/** What an attribute holds, wherever it stands. */
function valuesOf(html: string, attribute: string): readonly string[] {
  return [...html.matchAll(new RegExp(`\\b${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
}

describe('the page', () => {
  it('is HTML with a strict policy and nothing inline', async () => {
    const response = await get('/docs')
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(response.headers['content-security-policy'], POLICY)
    assert.equal(response.headers['x-content-type-options'], 'nosniff')
    assert.equal(response.headers['cache-control'], 'no-cache')
    assert.doesNotMatch(response.body, /<style|\sstyle=|\son[a-z]+=|<script(?! src="[^"]+" defer><\/script>)/)
    assert.doesNotMatch(response.body, /https?:|"\/\/|"\//)
  })

  it('answers conditions and HEAD', async () => {
    const app = createCars()
    const { headers, body } = await app.inject('/docs')
    const tag = String(headers['etag'])
    assert.equal((await app.inject({ url: '/docs', headers: { 'if-none-match': tag } })).statusCode, 304)
    const head = await app.inject({ method: 'HEAD', url: '/docs' })
    assert.deepEqual(
      [head.statusCode, head.body, head.headers['content-length']],
      [200, '', `${Buffer.byteLength(body)}`],
    )
  })

  const places = [
    ['/docs', '', {}],
    ['/docs/', '', {}],
    ['/api/help/me', '/api', { path: '/help/me' }],
    ['/api/help/me/', '/api', { path: '/help/me/' }],
    ['/', '', { path: '/' }],
    ['/api', '/api', { path: '/' }],
    ['/the%20docs', '', { path: '/the docs' }],
  ] as const

  for (const [url, prefix, docs] of places) {
    for (const trailingSlash of ['ignore', 'strict'] as const) {
      // the root of a prefix is spelled with a slash there
      if (url === '/api' && trailingSlash === 'strict') continue
      it(`at ${url} links to what is below it, where slashes are: ${trailingSlash}`, async () => {
        const app = createCars({ docs, prefix, trailingSlash })
        app.enableVersioning(VersioningSchemes.URL)
        const page = await app.inject(url)
        assert.equal(page.statusCode, 200, page.body)
        const links = ['href', 'src']
          .flatMap((name) => valuesOf(page.body, name))
          .filter((link) => link !== 'data:,')
        assert.ok(links.length > 7, String(links))
        for (const link of links) {
          assert.match(link, /^\.\//)
          const { pathname } = new URL(link, `http://localhost${url}`)
          assert.equal((await app.inject({ method: 'HEAD', url: pathname })).statusCode, 200, pathname)
        }
      })
    }
  }

  it('is redirected to its own spelling where slashes are redirected', async () => {
    const app = createCars({ trailingSlash: 'redirect' })
    const response = await app.inject('/docs/?version=1')
    assert.deepEqual([response.statusCode, response.headers['location']], [308, '/docs?version=1'])
  })

  it('offers all versions and each, newest first, and opens on the one that is asked for or else on the newest', async () => {
    const cases = [
      ['/docs', null, '2.0-beta'],
      ['/docs?version=1', null, '1'],
      ['/docs?version=2.0-beta', '1', '2.0-beta'],
      ['/docs', '1', '2.0-beta'],
      ['/docs?version=all', '1', 'all'],
      ['/docs?version=9', '1', '2.0-beta'],
      ['/docs?version=1&version=1', null, '2.0-beta'],
    ] as const
    for (const [url, defaultVersion, shown] of cases) {
      const { body } = await get(url, {}, defaultVersion)
      assert.deepEqual(valuesOf(body, 'value'), ['all', '2.0-beta', '1'], url)
      assert.equal(/<option value="([^"]*)"[^>]* selected>/.exec(body)?.[1], shown, url)
      assert.doesNotMatch(body, /version=|9"/)
    }
  })

  it('escapes its title', async () => {
    const { body } = await get('/docs', { info: { title: `<script>alert('1')</script> & "more"` } })
    assert.match(
      body,
      /<title>&#60;script&#62;alert\(&#39;1&#39;\)&#60;\/script&#62; &#38; &#34;more&#34;<\/title>/,
    )
    assert.doesNotMatch(body, /<script>/)
  })

  it('may send to the servers that are given, and nowhere else', async () => {
    const servers = [
      { url: '/api' },
      { url: 'https://api.example.com/v1' },
      { url: 'http://user:secret@localhost:3000' },
      { url: 'https://{region}.example.org', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } },
      { url: "https://a;script-src'self'/" },
      { url: 'https://{unknown}/' },
      { url: 'ftp://files.example.com' },
    ]
    const { headers } = await get('/docs', { servers })
    const policy = String(headers['content-security-policy'])
    assert.equal(
      /connect-src ([^;]*)/.exec(policy)?.[1],
      "'self' https://api.example.com http://localhost:3000 https://eu.example.org https://us.example.org",
    )
    assert.equal(policy.replace(/connect-src [^;]*/, "connect-src 'self'"), POLICY)
  })

  it('may send to the hosts of versions', async () => {
    const app = createCars({ docs: { servers: [{ url: 'https://api.example.com' }] } }, '2')
    app.enableVersioning(VersioningSchemes.HOST, { ignoreLabels: ['api'] })
    const { headers } = await app.inject('/docs')
    assert.match(
      String(headers['content-security-policy']),
      /connect-src 'self' https:\/\/api\.example\.com https:\/\/v1\.example\.com https:\/\/v2\.example\.com;/,
    )
  })
})

describe('the files of the page', () => {
  const cases = [
    ['page.js', 'text/javascript; charset=utf-8'],
    ['page.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['swagger-ui.css', 'text/css; charset=utf-8'],
  ] as const

  for (const [name, type] of cases) {
    it(`have ${name}`, async () => {
      const app = createCars()
      const response = await app.inject(`/docs/assets/${name}`)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], type)
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      const tag = String(response.headers['etag'])
      const again = await app.inject({ url: `/docs/assets/${name}`, headers: { 'if-none-match': tag } })
      assert.equal(again.statusCode, 304)
    })
  }

  it('have no other', async () => {
    const names = [
      'index.html',
      'package.json',
      '..%2Fpackage.json',
      'swagger-ui-bundle.js.map',
      '%2e%2e',
      'toString',
    ]
    const app = createCars()
    for (const name of names) {
      const response = await app.inject(`/docs/assets/${name}`)
      assert.equal(response.statusCode, 404, name)
      assert.doesNotMatch(response.body, new RegExp(name.replaceAll('.', '\\.')))
    }
  })
})

describe('the option ui', () => {
  it('as false serves documents and no page', async () => {
    for (const url of ['/docs', '/docs/', '/docs/assets/page.js'])
      assert.equal((await get(url, { ui: false })).statusCode, 404, url)
    assert.equal((await get('/docs/openapi.json', { ui: false })).statusCode, 200)
  })

  it('as a function gets the documents, and its page is sent as it stands, without a policy', async () => {
    const seen: PageInfo[] = []
    const ui = (page: PageInfo): string => {
      seen.push(page)
      return '<p>mine</p>'
    }
    const response = await get('/docs?version=1', { ui, info: { title: 'Cars' } })
    assert.equal(response.body, '<p>mine</p>')
    assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(response.headers['content-security-policy'], undefined)
    const active = { status: 'active', links: {} } as const
    const one = { version: '1', url: './docs/openapi/1.json', ...active }
    assert.deepEqual(seen, [
      {
        title: 'Cars',
        documents: [
          { version: null, url: './docs/openapi.json', ...active },
          { version: '2.0-beta', url: './docs/openapi/2.0-beta.json', ...active },
          one,
        ],
        shown: one,
      },
    ])
    assert.equal((await get('/docs/assets/page.js', { ui })).statusCode, 404)
  })

  it('left out, and without both packages, lists the documents and says how to get the page', async () => {
    const response = await withoutPackage('swagger-ui-dist', () => get('/docs'))
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-security-policy'], POLICY)
    assert.match(response.body, /npm install @scalar\/api-reference<.*npm install swagger-ui-dist</)
    assert.equal(response.body.match(/<main\b/g)?.length, 1)
    assert.deepEqual(
      valuesOf(response.body, 'href').filter((url) => url.includes('openapi')),
      ['', '/2.0-beta', '/1'].flatMap((name) =>
        ['json', 'yaml'].map((type) => `./docs/openapi${name}.${type}`),
      ),
    )
  })

  for (const [ui, name] of [
    ['swagger', 'swagger-ui-dist'],
    ['scalar', '@scalar/api-reference'],
  ] as const) {
    it(`as '${ui}' without ${name} stops the start with the command that mends it`, async () => {
      await withoutPackage(name, async () => {
        const app = createCars({ docs: { ui } })
        for (const start of [() => app.ready(), () => app.listen({ port: 0 }), () => app.inject('/docs')]) {
          await assert.rejects(start, (error) => {
            assert.ok(error instanceof DefinitionError, String(error))
            assert.deepEqual(
              error.errors.map(({ code, fix }) => [code, fix.includes(`npm install ${name}`)]),
              [['missing_package', true]],
            )
            return true
          })
        }
      })
    })
  }
})

describe('the page with Scalar', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-scalar-'))
  const bundle = 'globalThis.Scalar = {}'
  mkdirSync(join(folder, 'browser'))
  writeFileSync(join(folder, 'browser/standalone.js'), bundle)
  writeFileSync(join(folder, 'secret.js'), '')
  after(() => rmSync(folder, { recursive: true }))

  const getInstalled = (url: string, docs: DocsOptions = {}) =>
    withPackage('@scalar/api-reference', join(folder, 'index.js'), () => get(url, docs))

  it('is taken by default where it is installed, with the same version switch and a policy that allows its styles', async () => {
    for (const docs of [{}, { ui: 'scalar' }] as const) {
      const { body, headers } = await getInstalled('/docs?version=1', docs)
      assert.equal(
        headers['content-security-policy'],
        POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
      )
      assert.deepEqual(valuesOf(body, 'src'), ['./docs/assets/page.js', './docs/assets/scalar.js'])
      assert.deepEqual(valuesOf(body, 'value'), ['all', '2.0-beta', '1'])
      assert.match(body, /<option value="1"[^>]* selected>/)
      assert.doesNotMatch(body, /swagger/i)
      assert.doesNotMatch(body, /https?:|"\/\/|<style|\sstyle=|<script(?! src="[^"]+" defer><\/script>)/)
    }
    const { body } = await getInstalled('/docs', { ui: 'swagger' })
    assert.doesNotMatch(body, /scalar/i)
  })

  it('serves its bundle and no other file of the package', async () => {
    const response = await getInstalled('/docs/assets/scalar.js')
    assert.deepEqual([response.statusCode, response.body], [200, bundle])
    assert.equal(response.headers['content-type'], 'text/javascript; charset=utf-8')
    for (const name of ['page.js', 'page.css'])
      assert.equal((await getInstalled(`/docs/assets/${name}`)).statusCode, 200, name)
    for (const name of [
      'secret.js',
      'index.js',
      'standalone.js',
      'swagger-ui.css',
      'browser%2Fstandalone.js',
    ])
      assert.equal((await getInstalled(`/docs/assets/${name}`)).statusCode, 404, name)
  })

  it('switches off what Scalar has of other origins', async () => {
    const { body } = await getInstalled('/docs/assets/page.js')
    for (const setting of [
      'agent: { disabled: true }',
      'hideClientButton: true',
      'mcp: { disabled: true }',
      "showDeveloperTools: 'never'",
      'telemetry: false',
      'withDefaultFonts: false',
    ])
      assert.ok(body.includes(setting), setting)
    assert.doesNotMatch(body, /proxyUrl|https?:/)
  })
})
