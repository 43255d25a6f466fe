import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import * as zlib from 'node:zlib'

import { HttpRequest } from 'octavo'
import type { AppOptions, InjectOptions } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

type Encode = (bytes: Uint8Array) => Uint8Array

/** zstd where this Node can be trusted with it; its types are those of newer ones. */
const zstd = new Map(Object.entries(zlib)).get('zstdCompressSync') as Encode | undefined
const unzstd = new Map(Object.entries(zlib)).get('zstdDecompressSync') as Encode | undefined
const hasZstd = zstd !== undefined && unzstd !== undefined && tellsTheEnd(zstd, unzstd)

function tellsTheEnd(encode: Encode, decode: Encode): boolean {
  try {
    decode(encode(Buffer.from('a')).subarray(0, -1))
    return false
  } catch {
    return true
  }
}

const CODINGS: readonly (readonly [coding: string, encode: Encode])[] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['br', zlib.brotliCompressSync],
  ...(zstd !== undefined && hasZstd ? [['zstd', zstd] as const] : []),
]
const ACCEPTED = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br'

function create(options: AppOptions = {}) {
  return serve(
    [
      {
        method: 'POST',
        path: '/json',
        input: { body: z.object({ a: z.string() }) },
        handler: ({ body }) => body,
      },
      { method: 'POST', path: '/form', input: { form: ['a'] }, handler: ({ form }) => form },
      {
        method: 'POST',
        path: '/size',
        input: { body: z.instanceof(Uint8Array) },
        handler: ({ body }) => body.length,
      },
      {
        method: 'POST',
        path: '/request',
        input: { inject: { request: HttpRequest } },
        handler: async ({ inject: { request } }) => [
          await request.text(),
          await request.json(),
          (await request.bytes()).length,
        ],
      },
      {
        method: 'POST',
        path: '/web',
        input: { inject: { request: HttpRequest } },
        handler: async ({ inject: { request } }) => [
          await request.web.text(),
          request.web.headers.get('content-encoding'),
          request.web.headers.get('content-length'),
          request.header('content-encoding'),
        ],
      },
      {
        method: 'POST',
        path: '/files',
        input: { form: ['name'], files: { file: z.file() } },
        handler: async ({ form, files }) => [form.name, files.file.name, await files.file.text()],
      },
      {
        method: 'POST',
        path: '/maybe',
        input: { body: z.unknown() },
        handler: ({ body }) => typeof body,
      },
    ],
    options,
  )
}

const app = create()

async function send(
  path: string,
  coding: string,
  body: Uint8Array | string,
  more: Partial<InjectOptions> = {},
) {
  const headers = { 'content-encoding': coding, ...more.headers }
  return app.inject({ method: 'POST', url: path, body, ...more, headers })
}

async function codeOf(path: string, coding: string, body: Uint8Array): Promise<string> {
  const { statusCode, json } = await send(path, coding, body)
  return statusCode === 200 ? '200' : `${statusCode} ${String(Object(json()).code)}`
}

describe('a body in a content coding', () => {
  for (const [coding, encode] of CODINGS) {
    it(`is JSON in ${coding}`, async () => {
      const text = JSON.stringify({ a: 'déjà vu '.repeat(10_000) })
      assert.equal((await send('/json', coding, encode(Buffer.from(text)))).body, text)
    })

    it(`is a form in ${coding}`, async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await send('/form', coding, encode(Buffer.from('a=1%202')), { headers })
      assert.deepEqual(response.json(), { a: '1 2' })
    })

    it(`has fields and files in ${coding}`, async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const part = (head: string, text: string) =>
        `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
      const text = 'déjà vu '.repeat(10_000)
      const body = Buffer.from(
        `${part('name="name"', 'n')}${part('name="file"; filename="a.txt"', text)}--b--\r\n`,
      )
      assert.deepEqual((await send('/files', coding, encode(body), { headers })).json(), ['n', 'a.txt', text])
      const cut = await send('/files', coding, encode(body).subarray(0, -3), { headers })
      assert.equal(cut.statusCode, 400)
      const long = Buffer.concat([body.subarray(0, -7), Buffer.alloc(1_048_576), body.subarray(-7)])
      assert.equal((await send('/files', coding, encode(long), { headers })).statusCode, 413)
    })

    it(`is cut off in ${coding}`, async () => {
      const whole = encode(Buffer.from('abc'.repeat(1000)))
      for (const end of [-1, -3, Math.ceil(whole.length / 2), 1])
        assert.equal(await codeOf('/size', coding, whole.subarray(0, end)), '400 malformed_body', String(end))
    })

    it(`has something behind it in ${coding}`, async () => {
      const whole = encode(Buffer.from('abc'.repeat(1000)))
      for (const more of ['\0', '\0\0\0\0', 'xyz'.repeat(100)])
        assert.equal(
          await codeOf('/size', coding, Buffer.concat([whole, Buffer.from(more)])),
          '400 malformed_body',
        )
    })

    it(`is not in ${coding} at all`, async () => {
      assert.equal(await codeOf('/size', coding, Buffer.from('{"a":"plain"}')), '400 malformed_body')
    })

    it(`may be empty in ${coding}, inside and outside`, async () => {
      assert.equal((await send('/maybe', coding, encode(Buffer.alloc(0)))).json(), 'undefined')
      assert.equal((await send('/maybe', coding, '')).json(), 'undefined')
    })

    it(`counts after ${coding} is undone`, async () => {
      assert.equal(await codeOf('/size', coding, encode(Buffer.alloc(1_048_576))), '200')
      assert.equal(await codeOf('/size', coding, encode(Buffer.alloc(1_048_577))), '413 body_too_large')
    })
  }

  it('is given up after little work and in little memory when it is a bomb', async (test) => {
    const roomy = create({ bodyLimit: 2_000_000 })
    // 1 MiB that would be 1 GiB
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => MEMBER))
    await roomy.ready()
    const before = process.memoryUsage()
    const push = test.mock.method(Readable.prototype, 'push')
    const request = { method: 'POST', url: '/size', headers: { 'content-encoding': 'gzip' }, body: bomb }
    const { statusCode } = await roomy.inject(request)
    const grown = process.memoryUsage().arrayBuffers - before.arrayBuffers
    assert.equal(statusCode, 413)
    assert.ok(grown < 32 * 1_048_576, `took ${grown} bytes`)
    const undone = push.mock.calls.reduce((sum, { arguments: [piece] }) => sum + (piece?.length ?? 0), 0)
    assert.ok(undone > 2_000_000 && undone < 16 * 1_048_576, `${undone} bytes were undone`)
  })

  it('counts before its coding is undone, too', async () => {
    const tight = create({ bodyLimit: 10 })
    const body = zlib.gzipSync('abc')
    const headers = { 'content-encoding': 'gzip' }
    const { statusCode } = await tight.inject({ method: 'POST', url: '/size', headers, body })
    assert.equal(statusCode, 413)
  })

  it('in several members of gzip is all of them', async () => {
    const body = Buffer.concat([zlib.gzipSync('abc'), zlib.gzipSync('def')])
    assert.equal((await send('/size', 'gzip', body)).json(), 6)
  })

  it('is read as text, JSON and bytes without it', async () => {
    const response = await send('/request', 'gzip', zlib.gzipSync('{"a":1}'))
    assert.deepEqual(response.json(), ['{"a":1}', { a: 1 }, 7])
  })

  it('is without it in a web request, whose headers say so', async () => {
    const response = await send('/web', 'gzip', zlib.gzipSync('abc'))
    assert.deepEqual(response.json(), ['abc', null, null, 'gzip'])
  })

  for (const coding of ['identity', 'Identity', '', 'identity, identity']) {
    it(`may say that there is none: "${coding}"`, async () => {
      assert.equal((await send('/size', coding, 'abc')).json(), 3)
    })
  }

  for (const coding of ['GZIP', 'identity, gzip', ' gzip ,']) {
    it(`may be written "${coding}"`, async () => {
      assert.equal((await send('/size', coding, zlib.gzipSync('abc'))).json(), 3)
    })
  }

  for (const coding of ['compress', 'gzip, gzip', 'gzip, br', '*', 'constructor', '__proto__', 'lzma; q=1']) {
    it(`is refused with what is accepted: "${coding}"`, async () => {
      const response = await send('/size', coding, zlib.gzipSync('abc'))
      assert.equal(response.statusCode, 415)
      assert.equal(Object(response.json()).code, 'unsupported_content_encoding')
      assert.equal(response.headers['accept-encoding'], ACCEPTED)
    })
  }

  it('does not matter where there is no body', async () => {
    assert.equal((await send('/maybe', 'lzma', '')).json(), 'undefined')
  })

  it('is not undone where nobody reads it', async () => {
    const { statusCode } = await send('/nowhere', 'lzma', 'abc')
    assert.equal(statusCode, 404)
  })
})

const MEMBER = zlib.gzipSync(Buffer.alloc(67_108_864))
