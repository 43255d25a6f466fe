import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, defineModule, createApp, defineProvider, ExecutionContext } from 'octavo'
import type { App } from 'octavo'
import { z } from 'zod'

import { createGate, LOOPBACK, open } from './support.ts'
import type { Gate } from './support.ts'

interface Lost {
  readonly app: App
  readonly gate: Gate
  readonly seen: { disposed: number }
}

/** An application with a handler that never ends, whatever becomes of its client. */
function createLost(handler = 0, directory?: string): Lost {
  const gate = createGate()
  const seen = { disposed: 0 }
  const Unit = defineProvider({
    name: 'Unit',
    scope: 'request',
    inject: { context: ExecutionContext },
    create: () => ({}),
    dispose: () => void seen.disposed++,
  })
  const never = async (): Promise<never> => {
    gate.enter()
    return new Promise(() => undefined)
  }
  const controller = defineController({
    prefix: '/',
    inject: { unit: Unit },
    routes: [
      { method: 'GET', path: '/never', handler: never },
      {
        method: 'POST',
        path: '/upload',
        name: 'upload',
        input: { files: { file: z.file() } },
        handler: never,
      },
      {
        method: 'GET',
        path: '/slow',
        handler: async () => {
          gate.enter()
          await delay(1_500)
          return 'slow'
        },
      },
    ],
  })
  const module = defineModule({ controllers: [controller], providers: [Unit] })
  const uploads = directory === undefined ? {} : { memory: 0, directory }
  return {
    app: createApp(module, { logger: false, timeouts: { grace: GRACE, handler }, uploads }),
    gate,
    seen,
  }
}

/** Milliseconds that closing takes. */
async function closingTime(app: App): Promise<number> {
  const started = performance.now()
  await app.close()
  return performance.now() - started
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`
/** Milliseconds. A slow machine, too, closes soon enough to tell it from the grace time. */
const GRACE = 300_000
const SOON = 60_000

// each waits a second and shares nothing with the others
describe('closing while a handler runs that has nobody to answer', { concurrency: 8 }, () => {
  it('waits a second for it, and ends what lives for it', async () => {
    const { app, gate, seen } = createLost()
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(get('/never'))
    await gate.entered
    socket.destroy()
    const time = await closingTime(app)
    assert.ok(time > 800 && time < SOON, `${time} ms`)
    assert.equal(seen.disposed, 1)
  })

  it('waits a second from the moment when the client leaves', async () => {
    const { app, gate, seen } = createLost()
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(get('/never'))
    await gate.entered
    const closed = closingTime(app)
    await delay(300)
    socket.destroy()
    const time = await closed
    assert.ok(time > 1_100 && time < SOON, `${time} ms`)
    assert.equal(seen.disposed, 1)
  })

  it('does so over HTTP/2', async () => {
    const { app, gate } = createLost()
    const session = connectHttp2(await app.listen({ ...LOOPBACK, http2: true }))
    session.on('error', () => undefined)
    session.request({ ':path': '/never' }).on('error', () => undefined)
    await gate.entered
    session.destroy()
    assert.ok((await closingTime(app)) < SOON)
  })

  it('does so for inject', async () => {
    const { app, gate } = createLost()
    const abort = new AbortController()
    const answer = app.inject({ url: '/never', signal: abort.signal })
    const rejected = assert.rejects(answer)
    await gate.entered
    abort.abort()
    await rejected
    assert.ok((await closingTime(app)) < SOON)
  })

  it('does so for a handler that was late, whose client was told', async () => {
    const { app, gate, seen } = createLost(50)
    const answer = app.inject('/never')
    await gate.entered
    assert.equal((await answer).statusCode, 503)
    assert.ok((await closingTime(app)) < SOON)
    assert.equal(seen.disposed, 1)
  })

  it('removes its temporary files', async (test) => {
    const directory = mkdtempSync(join(tmpdir(), 'octavo-close-'))
    test.after(() => rmSync(directory, { recursive: true }))
    const { app, gate } = createLost(0, directory)
    const socket = await open(await app.listen(LOOPBACK))
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--b--\r\n'
    const head = `POST /upload HTTP/1.1\r\nHost: a.test\r\nContent-Type: multipart/form-data; boundary=b`
    socket.write(`${head}\r\nContent-Length: ${part.length}\r\n\r\n${part}`)
    await gate.entered
    assert.equal(readdirSync(directory).length, 1)
    socket.destroy()
    assert.ok((await closingTime(app)) < SOON)
    assert.deepEqual(readdirSync(directory), [])
  })

  it('waits as long if the clock of the machine steps', async (test) => {
    const { app, gate, seen } = createLost()
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(get('/never'))
    await gate.entered
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const closed = closingTime(app)
    test.mock.timers.tick(2 * GRACE)
    socket.destroy()
    assert.ok((await closed) > 800)
    assert.equal(seen.disposed, 1)
  })

  it('waits as long as before for those that have somebody to answer', async () => {
    const { app, gate } = createLost()
    const answer = app.inject('/slow')
    await gate.entered
    const time = await closingTime(app)
    assert.equal((await answer).json(), 'slow')
    assert.ok(time > 1_200 && time < SOON, `${time} ms`)
  })
})
