import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import { createTestApp, exchange, LOOPBACK, open, parse } from './support.ts'

describe('a kept connection', () => {
  const HOST = 'Host: a.test\r\n'
  let url = ''
  const kept = createTestApp(
    defineController({
      prefix: '/',
      routes: [
        {
          method: 'GET',
          path: '/slow',
          handler: async () => new Promise((resolve) => setImmediate(resolve, 'slow')),
        },
        { method: 'GET', path: '/fast', handler: () => 'fast' },
        { method: 'POST', path: '/body', input: { body: z.object({}) }, handler: () => 'body' },
      ],
    }),
  )
  before(async () => {
    url = await kept.listen(LOOPBACK)
  })
  after(() => kept.close())

  it('answers pipelined requests in order', async () => {
    const answers = await exchange(
      url,
      `GET /slow HTTP/1.1\r\n${HOST}\r\nGET /fast HTTP/1.1\r\n${HOST}\r\nGET /fast HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    )
    assert.deepEqual(
      answers.split(/(?=HTTP\/1\.1 )/).map((answer) => parse(answer).body),
      ['"slow"', '"fast"', '"fast"'],
    )
  })

  it('outlives 404, 405, 422, 400 and a body that nobody reads', async () => {
    const toText = (path: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`
    const answers = await exchange(
      url,
      toText('/nowhere', 'a'.repeat(100_000)) +
        toText('/fast', 'abc') +
        toText('/body', '[]') +
        toText('/body', '{') +
        `GET /fast HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    )
    assert.deepEqual(
      answers.split(/(?=HTTP\/1\.1 )/).map((answer) => parse(answer).statusLine.slice(9, 12)),
      ['404', '405', '422', '400', '200'],
    )
  })

  it('is ended for HTTP/1.0', async () => {
    assert.equal(parse(await exchange(url, 'GET /fast HTTP/1.0\r\n\r\n')).body, '"fast"')
  })
})

describe('hosts', () => {
  it('several Host lines are refused under HOST too', async () => {
    const hosts = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', version: ['1', '2'], handler: () => 'x' }] }),
    )
    hosts.enableVersioning(VersioningSchemes.HOST, { versionParameter: 'v', defaultVersion: null })
    const url = await hosts.listen(LOOPBACK)
    const answer = await exchange(
      url,
      'GET / HTTP/1.1\r\nHost: v1.a.test\r\nHost: v2.a.test\r\nConnection: close\r\n\r\n',
    )
    await hosts.close()
    const { statusLine, body } = parse(answer)
    const { code, detail } = JSON.parse(body)
    assert.deepEqual(
      { statusLine, code, detail },
      {
        statusLine: 'HTTP/1.1 400 Bad Request',
        code: 'malformed_request',
        detail: 'The request has several Host headers',
      },
    )
  })

  it('an IPv6 address stands in brackets', async (test) => {
    const six = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 6 }] }),
    )
    let url: string
    try {
      url = await six.listen({ ...LOOPBACK, host: '::1' })
    } catch {
      test.skip('no IPv6 here')
      return
    }
    assert.match(url, /^http:\/\/\[::1\]:\d+$/)
    const socket = await open(url)
    socket.destroy()
    assert.equal((await fetch(url)).status, 200)
    await six.close()
  })
})
