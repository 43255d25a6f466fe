import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { file } from 'octavo'
import type { FileOptions, InjectResponse, Method } from 'octavo'

import { serve } from '../support/serve.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'octavo-file-'))
const ROOT = join(FOLDER, 'root')
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const LARGE = Buffer.alloc(300_000, LETTERS)
const TIME = new Date('2026-03-01T12:00:00.750Z')
const MODIFIED = 'Sun, 01 Mar 2026 12:00:00 GMT'

mkdirSync(join(ROOT, 'folder'), { recursive: true })
mkdirSync(join(ROOT, '.hidden'))
for (const [name, content] of [
  ['letters.txt', LETTERS],
  ['large.bin', LARGE],
  ['empty.txt', ''],
  ['page.html', '<p>page</p>'],
  ['no-extension', 'plain'],
  ['100%.txt', 'percent'],
  ['naïve "q".txt', 'naive'],
  ['.env', 'secret'],
  ['.hidden/a.txt', 'secret'],
  ['folder/inner.json', '{}'],
  ['../outside.txt', 'outside'],
] as const) {
  writeFileSync(join(ROOT, name), content)
  utimesSync(join(ROOT, name), TIME, TIME)
}
symlinkSync(join(ROOT, 'letters.txt'), join(ROOT, 'link.txt'))

const app = serve([
  {
    method: ['GET', 'POST'],
    path: '/in/{rest:path}',
    handler: ({ params }) => file(params.rest, { root: ROOT }),
  },
  { method: 'GET', path: '/letters', handler: () => file(join(ROOT, 'letters.txt')) },
  { method: 'GET', path: '/large', handler: () => file(join(ROOT, 'large.bin')) },
  { method: 'GET', path: '/empty', handler: () => file(join(ROOT, 'empty.txt')) },
  { method: 'GET', path: '/upward', handler: () => file(`${ROOT}/../outside.txt`) },
  { method: 'GET', path: '/bytes', handler: () => file(Buffer.from(LETTERS)) },
  { method: 'GET', path: '/blob', handler: () => file(new Blob([LETTERS])) },
  {
    method: 'GET',
    path: '/teapot',
    status: 418,
    handler: () => file(join(ROOT, 'letters.txt'), { status: 418 }),
  },
])
after(async () => {
  await app.close()
  rmSync(FOLDER, { recursive: true })
})

const codeOf = (response: InjectResponse): unknown => Reflect.get(Object(response.json()), 'code')

/** Answers one request with one file. */
async function answer(
  source: Parameters<typeof file>[0],
  options: FileOptions,
  headers: Readonly<Record<string, string>> = {},
) {
  const route = { method: 'GET', handler: () => file(source, options) } as const
  const single = serve([route])
  return single.inject({ url: '/', headers })
}

const etag = String((await app.inject('/letters')).headers['etag'])

describe('file(path)', () => {
  it('sends the file with what is known of it', async () => {
    const response = await app.inject('/letters')
    const { etag: tag, ...headers } = response.headers
    assert.match(String(tag), /^"[\w-]{27}"$/)
    assert.deepEqual(
      [response.statusCode, response.body, headers],
      [
        200,
        LETTERS,
        {
          'content-type': 'text/plain; charset=utf-8',
          'cache-control': 'no-cache',
          'last-modified': MODIFIED,
          'accept-ranges': 'bytes',
          'content-length': '26',
        },
      ],
    )
  })

  it('streams a large one', async () => {
    const { bytes, headers } = await app.inject('/large')
    assert.equal(headers['content-length'], '300000')
    assert.ok(LARGE.equals(bytes), 'the bytes differ')
  })

  for (const [name, type] of [
    ['page.html', 'text/html; charset=utf-8'],
    ['folder/inner.json', 'application/json; charset=utf-8'],
    ['large.bin', 'application/octet-stream'],
    ['no-extension', 'application/octet-stream'],
    ['100%.txt', 'text/plain; charset=utf-8'],
    ['link.txt', 'text/plain; charset=utf-8'],
  ] as const) {
    it(`gives ${name} the type ${type}`, async () => {
      const { statusCode, headers } = await answer(name, { root: ROOT })
      assert.deepEqual([statusCode, headers['content-type']], [200, type])
    })
  }

  it('takes file URLs, for the path and for the root', async () => {
    assert.equal((await answer(pathToFileURL(join(ROOT, '100%.txt')), {})).body, 'percent')
    assert.equal((await answer('100%.txt', { root: pathToFileURL(ROOT) })).body, 'percent')
  })

  it('answers HEAD with the head of GET', async () => {
    for (const path of ['/letters', '/large', '/empty', '/in/folder', '/bytes', '/blob']) {
      const [get, head] = [await app.inject(path), await app.inject({ method: 'HEAD', url: path })]
      assert.deepEqual([head.statusCode, head.headers, head.body], [get.statusCode, get.headers, ''], path)
    }
  })

  it('answers other methods with the whole file, whatever they ask', async () => {
    const headers = { range: 'bytes=0-1', 'if-none-match': '*' }
    const response = await app.inject({ method: 'POST', url: '/in/letters.txt', headers })
    assert.deepEqual([response.statusCode, response.body], [200, LETTERS])
  })

  it('keeps a status of its own, which has neither conditions nor parts', async () => {
    const response = await app.inject({ url: '/teapot', headers: { range: 'bytes=0-1', 'if-match': '"x"' } })
    assert.deepEqual(
      [response.statusCode, response.body, response.headers['accept-ranges']],
      [418, LETTERS, undefined],
    )
  })

  it('gives files of one size and time different tags', async () => {
    for (const name of ['same-a', 'same-b']) {
      writeFileSync(join(ROOT, name), 'same')
      utimesSync(join(ROOT, name), TIME, TIME)
    }
    const tags = [await answer('same-a', { root: ROOT }), await answer('same-b', { root: ROOT })]
    assert.notEqual(tags[0]?.headers['etag'], tags[1]?.headers['etag'])
  })
})

describe('a path that leads nowhere', () => {
  for (const [title, path] of [
    ['a missing file', '/in/missing.txt'],
    ['a folder', '/in/folder'],
    ['a folder with a slash', '/in/folder/'],
    ['the root', '/in/'],
    ['a file with a slash', '/in/letters.txt/'],
    ['something below a file', '/in/letters.txt/x'],
    ['a path upwards', '/in/../outside.txt'],
    ['an encoded path upwards', '/in/..%2foutside.txt'],
    ['dots in escapes', '/in/%2e%2e/outside.txt'],
    ['dots in the middle', '/in/folder/..%2f..%2foutside.txt'],
    ['double encoding', '/in/%252e%252e%252foutside.txt'],
    ['a backslash', '/in/..%5coutside.txt'],
    ['NUL', '/in/letters.txt%00'],
    ['NUL before another ending', '/in/letters.txt%00.html'],
    ['an absolute path', '/in//etc/passwd'],
    ['an encoded absolute path', '/in/%2fetc%2fpasswd'],
    ['a name with a dot', '/in/.env'],
    ['a folder with a dot', '/in/.hidden/a.txt'],
    ['a name that is too long', `/in/${'a'.repeat(300)}`],
    ['dots without root', '/upward'],
  ] as const) {
    it(`is 404: ${title}`, async () => {
      const response = await app.inject(path)
      assert.deepEqual(response.json(), {
        type: 'urn:octavo:problem:file-not-found',
        title: 'Not Found',
        status: 404,
        detail: 'There is no such file',
        code: 'file_not_found',
      })
    })
  }

  it('finds names with a dot where dotfiles says so', async () => {
    assert.equal((await answer('.env', { root: ROOT, dotfiles: 'allow' })).body, 'secret')
  })

  it(
    'is 404 for a pipe, without waiting for what comes out of it',
    { skip: process.platform !== 'linux' },
    async () => {
      execFileSync('mkfifo', [join(ROOT, 'pipe')])
      assert.equal((await answer('pipe', { root: ROOT })).statusCode, 404)
    },
  )

  it('is 404 for half a surrogate pair', async () => {
    assert.equal((await answer('\ud800', { root: ROOT })).statusCode, 404)
  })
})

describe('ranges', () => {
  const cases = [
    ['bytes=0-4', 206, 'abcde', 'bytes 0-4/26'],
    ['bytes=24-', 206, 'yz', 'bytes 24-25/26'],
    ['bytes=-3', 206, 'xyz', 'bytes 23-25/26'],
    ['bytes=20-99', 206, 'uvwxyz', 'bytes 20-25/26'],
    // RFC 9110 section 14.1.2: a suffix longer than the content is all of it
    ['bytes=-99', 206, LETTERS, 'bytes 0-25/26'],
    ['Bytes=0-0', 206, 'a', 'bytes 0-0/26'],
    ['bytes= 0-1 , 2-3', 206, 'abcd', 'bytes 0-3/26'],
    ['bytes=5-9,0-6', 206, 'abcdefghij', 'bytes 0-9/26'],
    ['bytes=0-1,99-', 206, 'ab', 'bytes 0-1/26'],
    // several parts that do not touch may be answered with everything (section 15.3.7.2)
    ['bytes=0-1,5-6', 200, LETTERS, undefined],
    ['bytes=5-4', 200, LETTERS, undefined],
    ['bytes=a-b', 200, LETTERS, undefined],
    ['bytes=1x-2', 200, LETTERS, undefined],
    ['bytes=-', 200, LETTERS, undefined],
    ['bytes=', 200, LETTERS, undefined],
    ['bytes', 200, LETTERS, undefined],
    ['lines=0-1', 200, LETTERS, undefined],
    ['bytes=0-1=', 200, LETTERS, undefined],
  ] as const
  for (const [range, status, body, contentRange] of cases) {
    it(`answers ${range} with ${status}`, async () => {
      for (const url of ['/letters', '/bytes', '/blob']) {
        const response = await app.inject({ url, headers: { range } })
        assert.deepEqual(
          [response.statusCode, response.body, response.headers['content-range']],
          [status, body, contentRange],
          url,
        )
        assert.equal(response.headers['content-length'], String(body.length))
      }
    })
  }

  for (const range of ['bytes=26-', 'bytes=99-100', 'bytes=-0', 'bytes=99999999999999999999-']) {
    it(`answers ${range} with 416 and the length`, async () => {
      for (const url of ['/letters', '/bytes', '/blob']) {
        const response = await app.inject({ url, headers: { range } })
        assert.deepEqual(
          [response.statusCode, codeOf(response), response.headers['content-range']],
          [416, 'range_not_satisfiable', 'bytes */26'],
        )
      }
    })
  }

  it('count from the end of an empty file too', async () => {
    assert.equal((await app.inject({ url: '/empty', headers: { range: 'bytes=0-' } })).statusCode, 416)
    const response = await app.inject({ url: '/empty', headers: { range: 'bytes=-5' } })
    assert.deepEqual([response.statusCode, response.body], [200, ''])
  })

  it('reach into a large file', async () => {
    const { bytes, statusCode } = await app.inject({
      url: '/large',
      headers: { range: 'bytes=100000-299990' },
    })
    assert.equal(statusCode, 206)
    assert.ok(LARGE.subarray(100_000, 299_991).equals(bytes), 'the bytes differ')
  })

  it('do not count for HEAD', async () => {
    const response = await app.inject({ method: 'HEAD', url: '/letters', headers: { range: 'bytes=0-1' } })
    assert.deepEqual([response.statusCode, response.headers['content-length']], [200, '26'])
  })
})

const EARLIER = 'Sun, 01 Mar 2026 11:59:59 GMT'
const LATER = 'Sun, 01 Mar 2026 12:00:01 GMT'

describe('conditions', () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `W/${etag}` }, 304],
    [{ 'if-none-match': `"x", ${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-none-match': 'x' }, 200],
    [{ 'if-modified-since': MODIFIED }, 304],
    [{ 'if-modified-since': LATER }, 304],
    [{ 'if-modified-since': EARLIER }, 200],
    [{ 'if-modified-since': 'Sunday, 01-Mar-26 12:00:00 GMT' }, 304],
    [{ 'if-modified-since': 'Sun Mar  1 12:00:00 2026' }, 304],
    [{ 'if-modified-since': 'Sun Mar  1 11:00:00 2026' }, 200],
    [{ 'if-modified-since': '2027-01-01' }, 200],
    [{ 'if-modified-since': 'soon' }, 200],
    // If-None-Match counts for more (RFC 9110 section 13.1.3)
    [{ 'if-none-match': '"x"', 'if-modified-since': LATER }, 200],
    [{ 'if-none-match': etag, 'if-modified-since': EARLIER }, 304],
    // a cache that asks anew still may learn that nothing changed
    [{ 'if-none-match': etag, 'cache-control': 'no-cache' }, 304],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': `"x", ${etag}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"x"' }, 412],
    // compared strongly (section 13.1.1)
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-unmodified-since': EARLIER }, 412],
    [{ 'if-unmodified-since': MODIFIED }, 200],
    [{ 'if-unmodified-since': 'soon' }, 200],
    // If-Match counts for more (section 13.1.4)
    [{ 'if-match': etag, 'if-unmodified-since': EARLIER }, 200],
    [{ 'if-match': '"x"', 'if-none-match': etag }, 412],
    [{ range: 'bytes=0-1', 'if-range': etag }, 206],
    [{ range: 'bytes=0-1', 'if-range': MODIFIED }, 206],
    [{ range: 'bytes=0-1', 'if-range': '"x"' }, 200],
    [{ range: 'bytes=0-1', 'if-range': `W/${etag}` }, 200],
    [{ range: 'bytes=0-1', 'if-range': `"x${etag}"` }, 200],
    [{ range: 'bytes=0-1', 'if-range': LATER }, 200],
    [{ range: 'bytes=99-', 'if-range': '"x"' }, 200],
    [{ range: 'bytes=99-', 'if-none-match': etag }, 304],
    [{ range: 'bytes=0-1', 'if-match': '"x"' }, 412],
  ]
  for (const [headers, status] of cases) {
    const asked = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(etag, '<etag>')}`)
    it(`are ${status} for ${asked.join(', ')}`, async () => {
      const response = await app.inject({ url: '/letters', headers })
      assert.equal(response.statusCode, status)
      if (status === 412) assert.equal(codeOf(response), 'precondition_failed')
      if (status === 200) assert.equal(response.body, LETTERS)
      if (status !== 304) return
      assert.deepEqual(
        [response.body, response.headers],
        ['', { etag, 'last-modified': MODIFIED, 'cache-control': 'no-cache', 'accept-ranges': 'bytes' }],
      )
    })
  }

  it('see that a file changed', async () => {
    const path = join(ROOT, 'changing.txt')
    const ask = (headers = {}) => answer(path, {}, headers)
    writeFileSync(path, 'one')
    utimesSync(path, TIME, TIME)
    const { headers } = await ask()
    utimesSync(path, TIME, new Date(TIME.getTime() + 1))
    const changed = await ask({ 'if-none-match': String(headers['etag']) })
    assert.deepEqual([changed.statusCode, changed.body], [200, 'one'])
  })
})

describe('file(bytes)', () => {
  it('has the tag of its bytes, and no other bytes have it', async () => {
    const [one, same, other] = await Promise.all(['x', 'x', 'y'].map((text) => answer(Buffer.from(text), {})))
    assert.equal(one?.headers['etag'], same?.headers['etag'])
    assert.notEqual(one?.headers['etag'], other?.headers['etag'])
    assert.equal(one?.headers['last-modified'], undefined)
    const again = await answer(Buffer.from('x'), {}, { 'if-none-match': String(one?.headers['etag']) })
    assert.equal(again.statusCode, 304)
  })

  it('takes a tag and a date of the program', async () => {
    const options = { etag: '"7"', lastModified: TIME }
    const { headers } = await answer(Buffer.from('x'), options)
    assert.deepEqual([headers['etag'], headers['last-modified']], ['"7"', MODIFIED])
    assert.equal((await answer(Buffer.from('x'), options, { 'if-none-match': '"7"' })).statusCode, 304)
    assert.equal((await answer(Buffer.from('x'), { etag: false })).headers['etag'], undefined)
    assert.throws(() => file(Buffer.from('x'), { etag: '7' }), TypeError)
    assert.throws(() => void Reflect.apply(file, undefined, [7]), {
      message: 'file: the source is not a path, a file URL, bytes or a Blob',
    })
    assert.throws(() => file(Buffer.from('x'), { lastModified: new Date(Number.NaN) }), TypeError)
  })

  it('has its type by its name', async () => {
    const { headers } = await answer(Buffer.from('a,b'), { filename: 'cars.csv' })
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    const own = await answer(Buffer.from('a,b'), { filename: 'cars.csv', type: 'text/plain' })
    assert.equal(own.headers['content-type'], 'text/plain')
  })

  it('takes blobs and files', async () => {
    const blob = await answer(new Blob(['<p>'], { type: 'text/html' }), {})
    assert.deepEqual([blob.body, blob.headers['content-type']], ['<p>', 'text/html'])
    const given = await answer(new File(['x'], 'x.txt', { lastModified: TIME.getTime() }), {})
    assert.deepEqual([given.body, given.headers['last-modified']], ['x', MODIFIED])
  })

  it('has no date where none can be written, and is never taken for unchanged', async () => {
    for (const lastModified of [8.65e15, -1e14, 253_402_300_800_000]) {
      const condition = { 'if-modified-since': MODIFIED }
      const given = await answer(new File(['x'], 'x.txt', { lastModified }), {}, condition)
      assert.deepEqual([given.statusCode, given.headers['last-modified']], [200, undefined])
    }
  })
})

describe('the head of a file', () => {
  const names = [
    ['plain.pdf', 'attachment; filename="plain.pdf"'],
    ['two words.pdf', 'attachment; filename="two words.pdf"'],
    ['naïve.pdf', `attachment; filename="na_ve.pdf"; filename*=UTF-8''na%C3%AFve.pdf`],
    ['報告.pdf', `attachment; filename="__.pdf"; filename*=UTF-8''%E5%A0%B1%E5%91%8A.pdf`],
    ['🚗.png', `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%9A%97.png`],
    ['a"b\\c.pdf', 'attachment; filename="c.pdf"'],
    ['a"b.pdf', `attachment; filename="a_b.pdf"; filename*=UTF-8''a%22b.pdf`],
    ['100%41.pdf', `attachment; filename="100_41.pdf"; filename*=UTF-8''100%2541.pdf`],
    [`it's (1)*.pdf`, `attachment; filename="it's (1)*.pdf"`],
    [`ï'()*`, `attachment; filename="_'()*"; filename*=UTF-8''%C3%AF%27%28%29%2A`],
    ['a\r\nset-cookie: b', 'attachment; filename="aset-cookie: b"'],
    ['a\0b', 'attachment; filename="ab"'],
    ['../../etc/passwd', 'attachment; filename="passwd"'],
    ['C:\\Users\\me\\x.txt', 'attachment; filename="x.txt"'],
    ['exe.\u202egpj', 'attachment; filename="exe.gpj"'],
    ['\ud800.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
    ['..', 'attachment; filename="download"'],
    ['a/', 'attachment; filename="download"'],
  ] as const
  for (const [filename, expected] of names) {
    it(`writes the name ${JSON.stringify(filename)} so that all can read it`, async () => {
      const { headers } = await answer(Buffer.from('x'), { filename })
      assert.equal(headers['content-disposition'], expected)
    })
  }

  for (const [options, expected] of [
    [{}, undefined],
    [{ disposition: 'inline' }, 'inline'],
    [{ disposition: 'attachment' }, 'attachment; filename="letters.txt"'],
    [{ disposition: 'inline', filename: 'x.txt' }, 'inline; filename="x.txt"'],
  ] as const) {
    it(`says ${expected} for ${JSON.stringify(options)}`, async () => {
      const { headers } = await answer('letters.txt', { root: ROOT, ...options })
      assert.equal(headers['content-disposition'], expected)
    })
  }

  for (const [options, expected] of [
    [{ maxAge: 60 }, 'max-age=60'],
    [{ maxAge: 60, immutable: true }, 'max-age=60, immutable'],
    [{ cacheControl: 'private, no-store', maxAge: 60 }, 'private, no-store'],
    [{ headers: { 'Cache-Control': 'public' } }, 'public'],
  ] as const) {
    it(`says ${expected} of caches for ${JSON.stringify(options)}`, async () => {
      const { headers } = await answer('letters.txt', { root: ROOT, ...options })
      assert.equal(headers['cache-control'], expected)
    })
  }

  it('carries headers and cookies, on 304 too', async () => {
    const options = { root: ROOT, headers: { 'X-Own': 'yes' }, cookies: { seen: 'yes' } }
    for (const asked of [{}, { 'if-none-match': etag }]) {
      const { headers } = await answer('letters.txt', options, asked)
      assert.deepEqual([headers['x-own'], headers['set-cookie']], ['yes', ['seen=yes']])
    }
  })
})

const FDS = '/proc/self/fd'
const openFiles = (): number => readdirSync(FDS).length

/** Waits until no more files are open than before. */
async function settle(before: number): Promise<void> {
  for (let tries = 0; openFiles() > before && tries < 12_000; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5))
  assert.ok(openFiles() <= before, `${openFiles() - before} files more are open than before`)
}

describe('the file behind a result', { skip: process.platform !== 'linux' }, () => {
  const dropping = (change: 'status' | 'body' | 'stream' | 'throw') =>
    serve([{ method: 'GET', handler: () => file(join(ROOT, 'large.bin')) }], {
      middleware: [
        async (_context, next) => {
          const response = await next()
          if (change === 'throw') throw new Error('no')
          if (change === 'status') return { ...response, status: 204 }
          if (change === 'body') return { ...response, body: 'other' }
          return { ...response, headers: {}, body: new Blob(['other']).stream() }
        },
      ],
    })

  for (const [title, ask] of [
    ['sent', () => app.inject('/large')],
    ['sent in part', () => app.inject({ url: '/large', headers: { range: 'bytes=0-99999' } })],
    ['small', () => app.inject('/letters')],
    ['asked for by HEAD', () => app.inject({ method: 'HEAD' satisfies Method, url: '/large' })],
    ['not changed', () => app.inject({ url: '/large', headers: { 'if-none-match': '*' } })],
    [
      'not in the state that was asked for',
      () => app.inject({ url: '/large', headers: { 'if-match': '"x"' } }),
    ],
    ['too short', () => app.inject({ url: '/large', headers: { range: 'bytes=999999-' } })],
    ['given up by inject', abortInject],
    ['replaced by a middleware, with text', () => dropping('body').inject('/')],
    ['replaced by a middleware, with a stream', () => dropping('stream').inject('/')],
    ['dropped by a middleware', () => dropping('status').inject('/')],
    ['lost in a middleware', () => dropping('throw').inject('/')],
  ] as const) {
    it(`is closed when it is ${title}`, async () => {
      await ask()
      const before = openFiles()
      for (let times = 0; times < 10; times++) await ask()
      await settle(before)
    })
  }

  async function abortInject(): Promise<void> {
    const abort = new AbortController()
    const injected = app.inject({ url: '/large', signal: abort.signal })
    setImmediate(() => abort.abort())
    await injected.catch(() => undefined)
  }
})
