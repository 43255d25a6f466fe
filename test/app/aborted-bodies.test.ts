import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import type { App, Middleware } from 'octavo'
import { request } from 'undici'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const bodies = defineController({
  prefix: '/',
  routes: [
    { method: 'POST', path: '/json', input: { body: z.unknown() }, handler: () => 'read' },
    { method: 'POST', path: '/file', input: { files: { file: z.file() } }, handler: () => 'read' },
  ],
})

// one piece, and then nothing more
async function* stalled(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"a')
  await new Promise<never>(() => {})
}

function stalledOfTheWeb(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"a')) })
}

type Send = (app: App, path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<unknown>

const ADAPTERS: Readonly<Record<string, Send>> = {
  fetch: (app, path, headers, signal) =>
    app.fetch(
      new Request(`http://a${path}`, {
        method: 'POST',
        body: stalledOfTheWeb(),
        duplex: 'half',
        headers,
        signal,
      }),
    ),
  dispatcher: (app, path, headers, signal) =>
    request(`http://a${path}`, {
      method: 'POST',
      body: Readable.from(stalled()),
      headers,
      signal,
      dispatcher: createDispatcher(app),
    }),
  'inject with an iterable': (app, url, headers, signal) =>
    app.inject({ method: 'POST', url, body: stalled(), headers, signal }),
  'inject with a web stream': (app, url, headers, signal) =>
    app.inject({ method: 'POST', url, body: stalledOfTheWeb(), headers, signal }),
}

describe('a request that is aborted while its body stalls', () => {
  for (const [adapter, send] of Object.entries(ADAPTERS)) {
    for (const [path, type] of [
      ['/json', 'application/json'],
      ['/file', 'multipart/form-data; boundary=b'],
    ] as const) {
      for (const [title, delay] of [
        ['while the body is read', 0],
        ['before the body is read', 60],
      ] as const) {
        it(`ends: ${adapter}, ${path}, ${title}`, async () => {
          const late: Middleware = async (_context, next) => {
            await sleep(delay)
            return next()
          }
          const app = serve(bodies, { middleware: [late] })
          await app.ready()
          const abort = new AbortController()
          const sent = send(app, path, { 'content-type': type }, abort.signal).catch(() => {})
          await sleep(30)
          abort.abort()
          await sent
          const end = await Promise.race([app.close().then(() => 'closed'), sleep(2000, 'still under way')])
          assert.equal(end, 'closed')
        })
      }
    }
  }
})
