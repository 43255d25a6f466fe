import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { createApp, defineController, DefinitionError, defineModule } from 'octavo'
import { staticFiles } from 'octavo/middleware'
import type { InjectResponse } from 'octavo'
import type { StaticFilesOptions } from 'octavo/middleware'

const FOLDER = mkdtempSync(join(tmpdir(), 'octavo-static-'))
const ROOT = join(FOLDER, 'public')
const SCRIPT = 'console.log(1)'
mkdirSync(join(ROOT, 'docs'), { recursive: true })
mkdirSync(join(ROOT, 'bare'))
mkdirSync(join(ROOT, '.git'))
for (const [name, content] of [
  ['index.html', '<p>home</p>'],
  ['app.js', SCRIPT],
  ['only.css', 'p{}'],
  ['a b.txt', 'blank'],
  ['50%.txt', 'percent'],
  ['docs/index.html', '<p>docs</p>'],
  ['docs/home.html', '<p>other</p>'],
  ['bare/x.txt', 'x'],
  ['.env', 'secret'],
  ['.git/config', 'secret'],
  ['../outside.txt', 'outside'],
] as const)
  writeFileSync(join(ROOT, name), content)
symlinkSync(join(ROOT, 'app.js'), join(ROOT, 'linked.js'))
after(() => rmSync(FOLDER, { recursive: true }))

const codeOf = (response: InjectResponse): unknown => Reflect.get(Object(response.json()), 'code')

const routes = [
  { method: 'GET', path: '/car', handler: () => 'car' },
  { method: ['POST', 'DELETE'], path: '/app.js', handler: () => 'route' },
] as const

function serve(options: Partial<StaticFilesOptions> = {}) {
  return createApp(defineModule({ controllers: [defineController({ prefix: '/', routes })] }), {
    logger: false,
    middleware: [staticFiles({ root: ROOT, ...options })],
  })
}

const app = serve()
const assets = serve({ prefix: '/assets' })

describe('staticFiles', () => {
  for (const [path, body, type] of [
    ['/app.js', SCRIPT, 'text/javascript; charset=utf-8'],
    ['/', '<p>home</p>', 'text/html; charset=utf-8'],
    ['/docs/', '<p>docs</p>', 'text/html; charset=utf-8'],
    ['/docs/home.html?x=1', '<p>other</p>', 'text/html; charset=utf-8'],
    ['/a%20b.txt', 'blank', 'text/plain; charset=utf-8'],
    ['/50%25.txt', 'percent', 'text/plain; charset=utf-8'],
    ['/%61pp.js', SCRIPT, 'text/javascript; charset=utf-8'],
    ['/linked.js', SCRIPT, 'text/javascript; charset=utf-8'],
  ] as const) {
    it(`answers ${path} with a file`, async () => {
      const response = await app.inject(path)
      assert.deepEqual(
        [response.statusCode, response.body, response.headers['content-type']],
        [200, body, type],
      )
    })
  }

  it('answers HEAD, conditions and ranges as file() does', async () => {
    const head = await app.inject({ method: 'HEAD', url: '/app.js' })
    assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, '14', ''])
    const headers = { 'if-none-match': String(head.headers['etag']) }
    assert.equal((await app.inject({ url: '/app.js', headers })).statusCode, 304)
    const part = await app.inject({ url: '/app.js', headers: { range: 'bytes=0-6' } })
    assert.deepEqual([part.statusCode, part.body], [206, 'console'])
    const beyond = await app.inject({ url: '/app.js', headers: { range: 'bytes=99-' } })
    assert.deepEqual([beyond.statusCode, codeOf(beyond)], [416, 'range_not_satisfiable'])
    const changed = await app.inject({ url: '/app.js', headers: { 'if-match': '"x"' } })
    assert.deepEqual([changed.statusCode, codeOf(changed)], [412, 'precondition_failed'])
  })

  it('leaves the rest to the application', async () => {
    assert.equal((await app.inject('/car')).json(), 'car')
    assert.equal((await app.inject({ method: 'POST', url: '/app.js' })).json(), 'route')
    assert.equal((await app.inject({ method: 'PUT', url: '/app.js' })).statusCode, 405)
    assert.equal(codeOf(await app.inject('/%zz')), 'malformed_path')
  })

  for (const path of [
    '/missing.js',
    '/bare/',
    '/bare',
    '/only.css/',
    '/app.js/x',
    '/../outside.txt',
    '/docs/../app.js',
    '/docs/./home.html',
    '/..%2foutside.txt',
    '/..%2Foutside.txt',
    '/docs%2fhome.html',
    '/%2e%2e/outside.txt',
    '/%2e%2e%2foutside.txt',
    '/.%2e/outside.txt',
    '/%252e%252e/outside.txt',
    '/..%252foutside.txt',
    '/..\\outside.txt',
    '/..%5coutside.txt',
    '/docs/..%5c..%5coutside.txt',
    '/app.js%00',
    '/app.js%00.html',
    '//app.js',
    '//docs',
    '//evil.example/..',
    '/docs//home.html',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/.env',
    '/.git/config',
    '/%2eenv',
    `/${'a'.repeat(300)}`,
  ]) {
    it(`does not find ${JSON.stringify(path.slice(0, 40))}`, async () => {
      const response = await app.inject(path)
      assert.deepEqual([response.statusCode, codeOf(response)], [404, 'route_not_found'])
    })
  }

  it('redirects a folder with an index to its slash, with the query', async () => {
    const { statusCode, headers } = await app.inject('/docs?x=//evil.example')
    assert.deepEqual([statusCode, headers['location']], [308, '/docs/?x=//evil.example'])
  })

  for (const path of ['//docs', '/\\docs', '/%5cdocs', '/%2fdocs', '//evil.example/%2e%2e/docs']) {
    it(`redirects ${path} nowhere`, async () => {
      const { statusCode, headers } = await app.inject(path)
      assert.deepEqual([statusCode, headers['location']], [404, undefined])
    })
  }
})

describe('staticFiles below a prefix', () => {
  for (const [path, status, location] of [
    ['/assets/app.js', 200, undefined],
    ['/assets/', 200, undefined],
    ['/assets', 308, '/assets/'],
    ['/assets/docs', 308, '/assets/docs/'],
    ['/assetsapp.js', 404, undefined],
    ['/app.js', 405, undefined],
    ['/assets/../outside.txt', 404, undefined],
    ['/assets//app.js', 404, undefined],
    ['/Assets/app.js', 404, undefined],
  ] as const) {
    it(`answers ${path} with ${status}`, async () => {
      for (const one of [assets, serve({ prefix: '/assets/' })]) {
        const response = await one.inject(path)
        assert.deepEqual([response.statusCode, response.headers['location']], [status, location])
      }
    })
  }

  it('works as middleware of a route, too', async () => {
    const middleware = [staticFiles({ root: ROOT, prefix: '/files' })]
    const route = { method: 'GET', path: '/files/{rest:path}', middleware, handler: () => 'none' } as const
    const single = createApp(
      defineModule({ controllers: [defineController({ prefix: '/', routes: [route] })] }),
      { logger: false },
    )
    assert.equal((await single.inject('/files/app.js')).body, SCRIPT)
    assert.equal((await single.inject('/files/missing')).json(), 'none')
  })
})

describe('the options of staticFiles', () => {
  it('index: another file, or none', async () => {
    assert.equal((await serve({ index: 'home.html' }).inject('/docs/')).body, '<p>other</p>')
    for (const path of ['/docs/', '/docs', '/'])
      assert.equal((await serve({ index: false }).inject(path)).statusCode, 404)
  })

  it('dotfiles: allow', async () => {
    assert.equal((await serve({ dotfiles: 'allow' }).inject('/.git/config')).body, 'secret')
    assert.equal((await serve({ dotfiles: 'allow' }).inject('/../outside.txt')).statusCode, 404)
  })

  it('root: a file URL', async () => {
    assert.equal((await serve({ root: pathToFileURL(ROOT) }).inject('/app.js')).body, SCRIPT)
  })

  it('maxAge, immutable, cacheControl and headers', async () => {
    for (const [options, expected] of [
      [{}, 'no-cache'],
      [{ maxAge: 60, immutable: true }, 'max-age=60, immutable'],
      [{ cacheControl: 'public' }, 'public'],
      [{ headers: { 'cache-control': 'private' } }, 'private'],
    ] as const)
      assert.equal((await serve(options).inject('/app.js')).headers['cache-control'], expected)
  })

  for (const [title, options, codes] of [
    ['no root', {}, ['invalid_option']],
    ['an empty root', { root: '' }, ['invalid_option']],
    ['a root elsewhere', { root: new URL('https://a.example/') }, ['invalid_option']],
    ['a prefix without slash', { root: '.', prefix: 'assets' }, ['invalid_option']],
    ['a prefix with an escape', { root: '.', prefix: '/a%20b' }, ['invalid_option']],
    ['an index in a folder', { root: '.', index: 'a/b.html' }, ['invalid_option']],
    ['a word for dotfiles', { root: '.', dotfiles: 'deny' }, ['invalid_option']],
    ['half a second', { root: '.', maxAge: 0.5 }, ['invalid_option']],
    ['immutable for no time', { root: '.', immutable: true }, ['invalid_option']],
    ['an unknown option', { root: '.', indexes: true }, ['unknown_option']],
    ['several mistakes', { immutable: 1, followLinks: 'yes' }, Array(3).fill('invalid_option')],
    ['no options', undefined, ['invalid_option']],
  ] as const) {
    it(`are a definition error with ${title}`, () => {
      assert.throws(
        () => Reflect.apply(staticFiles, undefined, [options]),
        (error) => {
          assert.ok(error instanceof DefinitionError, String(error))
          assert.deepEqual(
            error.errors.map(({ code }) => code),
            codes,
          )
          return true
        },
      )
    })
  }
})
