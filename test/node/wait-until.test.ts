import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, defineProvider, text } from 'octavo'
import type { AppOptions, ExecutionContext } from 'octavo'

import { ROOT } from '../support/octavo.ts'
import { startProgram } from '../support/recipes.ts'
import { serve } from '../support/serve.ts'
import { LOOPBACK } from './support.ts'
import { programArguments } from '../support/program.ts'

/** An application whose route goes on after its response with the work that a test gives. */
function create(work: (context: ExecutionContext) => PromiseLike<unknown>, options: AppOptions = {}) {
  const lines: { readonly details: object; readonly message: string | undefined }[] = []
  const note = (): void => undefined
  const logger = {
    debug: note,
    info: note,
    warn: note,
    error: (details: object, message?: string) => void lines.push({ details, message }),
  }
  const controller = defineController({
    prefix: '/work',
    routes: [
      {
        method: 'GET',
        handler: (_input, context) => {
          const { waitUntil } = context
          waitUntil(work(context))
          return text('begun')
        },
      },
    ],
  })
  return { app: serve(controller, { logger, ...options }), lines }
}

/** Work that ends when a test says so. */
function createWork() {
  const gate = new EventEmitter()
  let isDone = false
  const promise = once(gate, 'end').finally(() => {
    isDone = true
  })
  return { promise, end: () => gate.emit('end'), isDone: () => isDone }
}

describe('context.waitUntil', () => {
  it('does not hold the response up, and close() waits for the work', async () => {
    const work = createWork()
    const { app } = create(() => work.promise)
    const { body } = await app.inject('/work')
    assert.deepEqual([body, work.isDone()], ['begun', false])
    let isClosed = false
    const closed = app.close().finally(() => {
      isClosed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isClosed, false)
    work.end()
    await closed
    assert.equal(work.isDone(), true)
  })

  it('waits no longer than the grace time', async () => {
    const work = createWork()
    const { app } = create(() => work.promise, { timeouts: { grace: 20 } })
    await app.inject('/work')
    await app.close()
    assert.equal(work.isDone(), false)
    work.end()
  })

  it('logs what rejects with the id of the request, and harms nothing', async () => {
    const failure = new Error('of the test')
    const { app, lines } = create(() => Promise.reject(failure))
    const { statusCode } = await app.inject('/work')
    await app.close()
    assert.equal(statusCode, 200)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]?.message, 'Work after the response failed')
    assert.equal(Reflect.get(lines[0]?.details ?? {}, 'err'), failure)
    assert.equal(typeof Reflect.get(lines[0]?.details ?? {}, 'requestId'), 'string')
  })

  it('goes on when the client has gone, and close() still waits for it', async () => {
    const work = createWork()
    const { app } = create(() => work.promise)
    const { port } = new URL(await app.listen(LOOPBACK))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('GET /work HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    const closed = app.close()
    await new Promise((resolve) => setImmediate(resolve))
    work.end()
    await closed
    assert.equal(work.isDone(), true)
  })

  it('has the providers of the application before they are disposed', async () => {
    const events: string[] = []
    const Mails = defineProvider({
      name: 'Mails',
      create: () => ({ send: () => void events.push('sent') }),
      dispose: () => void events.push('disposed'),
    })
    const work = createWork()
    const controller = defineController({
      prefix: '/work',
      inject: { mails: Mails },
      routes: [
        {
          method: 'GET',
          handler: ({ inject }, context) => context.waitUntil(work.promise.then(() => inject.mails.send())),
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller], providers: [Mails] }), { logger: false })
    await app.inject('/work')
    const closed = app.close()
    work.end()
    await closed
    assert.deepEqual(events, ['sent', 'disposed'])
  })

  it('has the platform wait, by the third argument of fetch or else by the second', async () => {
    const request = () => new Request('http://cars.test/work')
    const { app } = create(() => Promise.reject(new Error('of the test')))
    const given: Promise<unknown>[] = []
    const execution = {
      given,
      waitUntil(work: Promise<unknown>) {
        // platforms refuse a function that is taken from its object
        this.given.push(work)
      },
    }
    const third = await app.fetch(request(), { DATABASE: 'of the environment' }, execution)
    assert.equal(await third.text(), 'begun')
    assert.equal(given.length, 1)
    const second = await app.fetch(request(), execution)
    assert.equal(await second.text(), 'begun')
    assert.equal(given.length, 2)
    const none = await app.fetch(request())
    assert.equal(await none.text(), 'begun')
    // a platform would log what rejects again
    assert.deepEqual(await Promise.all(given), [undefined, undefined])
  })

  it('is over before SIGTERM ends the process with 0', { skip: process.platform === 'win32' }, async () => {
    const program = programArguments('test/node/process/wait-until.ts')
    const { url, child, exited, log } = await startProgram(program, { cwd: ROOT })
    try {
      const response = await fetch(url)
      assert.equal(await response.text(), 'begun')
      child.kill('SIGTERM')
      assert.deepEqual(await exited, [0, null])
      assert.match(log(), /work is done/)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
