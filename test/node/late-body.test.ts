import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController, FileStream } from 'octavo'
import type { Middleware } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { LOOPBACK, open, readAll } from './support.ts'

const handler = (): string => 'read'
const bodies = defineController({
  prefix: '/',
  routes: [
    { method: 'POST', path: '/json', input: { body: z.unknown() }, handler },
    { method: 'POST', path: '/text', handler: async (_input, { request }) => request.text() },
    { method: 'POST', path: '/file', input: { files: { file: z.file() } }, handler },
    { method: 'POST', path: '/video', input: { files: { video: z.instanceof(FileStream) } }, handler },
    { method: 'POST', path: '/packed', input: { body: z.unknown() }, handler },
  ],
})

const HEADERS: Readonly<Record<string, string>> = {
  '/file': 'Content-Type: multipart/form-data; boundary=b\r\n',
  '/video': 'Content-Type: multipart/form-data; boundary=b\r\n',
  '/packed': 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n',
}

function withResolvers() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** What a client sends behind the head, and whether it leaves of itself. */
const ENDS: readonly (readonly [title: string, framing: string, sent: string, leaves: boolean])[] = [
  ['the client left', 'Content-Length: 100', '{"a', true],
  ['a chunk was malformed', 'Transfer-Encoding: chunked', '3\r\n{"a\r\nzz\r\n\r\n', false],
  ['the first chunk was malformed', 'Transfer-Encoding: chunked', 'zz\r\n\r\n', false],
]

describe('a body that is read after its connection has ended', () => {
  for (const path of ['/json', '/text', '/file', '/video', '/packed']) {
    for (const [title, framing, sent, leaves] of ENDS) {
      it(`ends the request: ${path}, ${title}`, async () => {
        const entered = withResolvers()
        const gone = withResolvers()
        const late: Middleware = async (_context, next) => {
          entered.resolve()
          await gone.promise
          return next()
        }
        const app = serve(bodies, { middleware: [late] })
        const socket = await open(await app.listen(LOOPBACK))
        const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${HEADERS[path] ?? ''}${framing}\r\n\r\n`
        socket.write(head + sent)
        await entered.promise
        if (leaves) socket.destroy()
        else assert.match(await readAll(socket), /^HTTP\/1\.1 400 /)
        await sleep(20)
        gone.resolve()
        const end = await Promise.race([app.close().then(() => 'closed'), sleep(2000, 'still under way')])
        assert.equal(end, 'closed')
      })
    }
  }
})

describe('a body that breaks off while it is read', () => {
  it('leaves to the request what is known of its connection', async () => {
    const seen: string[] = []
    const entered = withResolvers()
    const after: Middleware = async ({ request }, next) => {
      const response = await next()
      seen.push(request.protocol)
      return response
    }
    const app = serve(
      [
        {
          method: 'POST',
          input: { files: { video: z.instanceof(FileStream) } },
          handler: async ({ files }) => {
            entered.resolve()
            let size = 0
            for await (const chunk of files.video) size += chunk.length
            return size
          },
        },
      ],
      { middleware: [after] },
    )
    const socket = await open(await app.listen(LOOPBACK))
    const part = '--b\r\nContent-Disposition: form-data; name="video"; filename="a"\r\n\r\nabc'
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\n${HEADERS['/video'] ?? ''}Transfer-Encoding: chunked\r\n\r\n` +
        `${part.length.toString(16)}\r\n${part}\r\n`,
    )
    await entered.promise
    socket.write('zz\r\n\r\n')
    assert.match(await readAll(socket), /^HTTP\/1\.1 400 /)
    await app.close()
    assert.deepEqual(seen, ['http'])
  })
})
