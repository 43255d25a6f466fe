import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { defineController, FileStream, FileStreams, stream } from 'octavo'
import { z } from 'zod'

import { createFolder, fieldPart, filePart, MULTIPART, toBytes } from '../app/uploads-support.ts'
import { programArguments } from '../support/program.ts'
import { createGate, createTestApp, LOOPBACK, open, parse, readUntil, send } from './support.ts'

const MiB = 1_048_576
const folder = createFolder()
after(folder.remove)

/** What readers of files met, in order. */
const seen: string[] = []
/** Opened by tests that let a handler go on. */
const gates = new Map<string, ReturnType<typeof createGate>>()

async function count(file: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const chunk of file) size += chunk.length
  return size
}

const video = { video: z.instanceof(FileStream) }
const controller = defineController({
  prefix: '/up',
  routes: [
    {
      method: 'POST',
      path: '/read',
      input: {
        form: { title: z.string(), last: z.string().optional() },
        files: { ...video, cover: z.file().optional() },
      },
      handler: async ({ form, files }) => ({
        title: form.title,
        name: files.video.name,
        type: files.video.type,
        size: await count(files.video),
        cover: files.cover?.size,
      }),
    },
    {
      method: 'POST',
      path: '/optional',
      input: { files: { video: z.instanceof(FileStream).optional() } },
      handler: async ({ files }) => (files.video === undefined ? 'none' : count(files.video)),
    },
    { method: 'POST', path: '/never', input: { files: video }, handler: () => 'not read' },
    {
      method: 'POST',
      path: '/half',
      input: { files: video },
      handler: async ({ files }) => {
        for await (const chunk of files.video) if (chunk.length > 0) return 'half read'
        return 'nothing'
      },
    },
    {
      method: 'POST',
      path: '/throw',
      input: { files: video },
      handler: async ({ files }) => {
        for await (const chunk of files.video) throw new Error(`as asked, after ${chunk.length}`)
      },
    },
    {
      method: 'POST',
      path: '/wait/{gate}',
      input: { files: video },
      handler: async ({ params, files }) => {
        const gate = gates.get(params.gate)
        gate?.enter()
        await gate?.opened
        try {
          return await count(files.video)
        } catch (error) {
          seen.push(`${params.gate}: ${String(error)}`)
          throw error
        }
      },
    },
    { method: 'POST', path: '/echo', input: { files: video }, handler: ({ files }) => stream(files.video) },
    {
      method: 'POST',
      path: '/background',
      input: { files: video },
      handler: ({ files }) => {
        void sleep(20)
          .then(() => count(files.video))
          .catch((error: unknown) => seen.push(`background: ${String(error)}`))
        return 'answered'
      },
    },
    {
      method: 'POST',
      path: '/several',
      input: {
        form: { title: z.string().optional() },
        files: { videos: z.instanceof(FileStreams), cover: z.file().optional() },
      },
      handler: async ({ files }) => {
        const sizes: (readonly [string, number])[] = []
        for await (const file of files.videos) {
          if (file.name.startsWith('skip')) for await (const _ of file) break
          else sizes.push([file.name, await count(file)])
        }
        return sizes
      },
    },
    {
      method: 'POST',
      path: '/kept',
      input: { files: { a: z.array(z.file()) } },
      handler: async ({ files }) => files.a.map(({ size }) => size),
    },
    {
      method: 'POST',
      path: '/slow',
      timeout: 30,
      input: { files: { a: z.file(), b: z.file() } },
      handler: async ({ files }) => files.a.size + files.b.size,
    },
    {
      method: 'POST',
      path: '/small',
      bodyLimit: MiB,
      input: { files: video },
      handler: ({ files }) => count(files.video),
    },
    { method: 'GET', path: '/canary', handler: () => 'alive' },
  ],
})
const app = createTestApp(controller, {
  bodyLimit: 512 * MiB,
  uploads: { memory: MiB, directory: folder.path },
  timeouts: { grace: 200 },
})
const url = await app.listen(LOOPBACK)
after(() => app.close())

const HEAD = toBytes([fieldPart('title', 'x')], '')
const fileHead = (name = 'video', filename = 'v.mp4'): Buffer =>
  Buffer.from(
    `--bound\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: video/mp4\r\n\r\n`,
  )
const END = Buffer.from('\r\n--bound--\r\n')
const CHUNK = Buffer.alloc(65_536, 'v')

/** Connections that end when the server says so. */
const staying = new Agent({ keepAlive: true })
after(() => staying.destroy())

/** Starts a request whose body the test writes. */
function start(path: string, agent: Agent = staying, base = url): ClientRequest {
  const { hostname, port } = new URL(base)
  const request = httpRequest({
    hostname,
    port,
    method: 'POST',
    path: `/up${path}`,
    headers: MULTIPART,
    agent,
  })
  request.on('error', () => undefined)
  return request
}

async function read(
  response: IncomingMessage,
): Promise<{ status: number | undefined; body: string; connection: string | undefined }> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk)
  return {
    status: response.statusCode,
    body: Buffer.concat(chunks).toString(),
    connection: response.headers.connection,
  }
}

async function responseOf(request: ClientRequest) {
  const [response]: IncomingMessage[] = await once(request, 'response')
  assert.ok(response !== undefined, 'there is a response')
  return read(response)
}

/** Writes chunks until the body has so many bytes, no faster than they are taken, or until the connection is gone. */
async function pump(request: ClientRequest, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && !request.destroyed; sent += CHUNK.length)
    await new Promise((resolve) => request.write(CHUNK, resolve))
}

async function post(path: string, ...parts: readonly Uint8Array[]) {
  const request = start(path)
  const response = responseOf(request)
  request.end(Buffer.concat(parts))
  return response
}

/** Waits until the condition holds. */
async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 12_000; tries++) {
    if (condition()) return
    await sleep(10)
  }
  assert.fail(what)
}

describe('a file that is read as it arrives', () => {
  it('is handed over with the fields and files before it', async () => {
    const cover = toBytes([filePart('cover', 'c.png', 'png')], '')
    const response = await post('/read', HEAD, cover, fileHead(), CHUNK, CHUNK, END)
    assert.deepEqual(JSON.parse(response.body), {
      title: 'x',
      name: 'v.mp4',
      type: 'video/mp4',
      size: 131_072,
      cover: 3,
    })
    assert.notEqual(response.connection, 'close')
  })

  it('reaches the handler as soon as it begins, and waits for it', async () => {
    const gate = createGate()
    gates.set('begin', gate)
    const request = start('/wait/begin')
    const response = responseOf(request)
    request.write(Buffer.concat([fileHead(), CHUNK]))
    await gate.entered
    const pumped = pump(request, 31 * MiB)
    await sleep(100)
    assert.ok(
      (request.socket?.bytesWritten ?? 0) < 16 * MiB,
      'what nobody reads is not taken from the socket',
    )
    gate.open()
    await pumped
    request.end(END)
    assert.equal((await response).body, String(31 * MiB + CHUNK.length))
  })

  it('lets the connection be used again when it was read', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (let round = 0; round < 3; round++) {
      const request = start('/read', agent)
      request.on('socket', (socket) => socket.once('connect', () => ports.add(socket.localPort)))
      const response = responseOf(request)
      request.end(Buffer.concat([HEAD, fileHead(), CHUNK, END]))
      assert.equal((await response).status, 200)
    }
    agent.destroy()
    assert.equal(ports.size, 1)
  })

  it('is undefined when it may be missing, and is', async () => {
    assert.equal((await post('/optional', toBytes([fieldPart('a', 'b')]))).body, '"none"')
    assert.equal((await post('/optional', toBytes([filePart('video', '', '')]))).body, '"none"')
    assert.equal((await post('/optional', toBytes([filePart('video', '', 'abc')]))).body, '3')
  })

  it('makes what is required and comes after it missing: 422 with its name', async () => {
    const response = await post(
      '/read',
      fileHead(),
      CHUNK,
      Buffer.from('\r\n'),
      toBytes([fieldPart('title', 'x')]),
    )
    assert.equal(response.status, 422)
    assert.deepEqual(
      JSON.parse(response.body).errors.map((entry: { path: unknown }) => entry.path),
      [['title']],
    )
  })

  const late = [
    ['a field', toBytes([fieldPart('last', 'x')]), { in: 'form', path: ['last'] }],
    ['a file', toBytes([filePart('cover', 'c', 'x')]), { in: 'files', path: ['cover'] }],
    ['a second file of its name', toBytes([filePart('video', 'c', 'x')]), { in: 'files', path: ['video'] }],
  ] as const
  for (const [what, rest, expected] of late) {
    it(`fails at its end when ${what} that is declared comes too late: 422`, async () => {
      const response = await post('/read', HEAD, fileHead(), CHUNK, Buffer.from('\r\n'), rest)
      assert.equal(response.status, 422)
      const [{ code, in: source, path }] = JSON.parse(response.body).errors
      assert.deepEqual({ code, in: source, path }, { code: 'out_of_order', ...expected })
    })
  }

  it('goes past what follows and is not declared', async () => {
    const rest = toBytes([fieldPart('other', 'x'), filePart('more', 'f', 'x'), filePart('cover', '', '')])
    assert.equal((await post('/read', HEAD, fileHead(), CHUNK, Buffer.from('\r\n'), rest)).status, 200)
  })

  it('fails at its end when the body is cut off: 400', async () => {
    const response = await post('/read', HEAD, fileHead(), CHUNK)
    assert.equal(JSON.parse(response.body).code, 'malformed_multipart')
  })

  it('can be sent back as it comes', async () => {
    const response = await post('/echo', fileHead(), CHUNK, END)
    assert.equal(response.body, CHUNK.toString())
    assert.equal((await send(url, { path: '/up/canary' })).status, 200)
  })
})

describe('a handler that leaves a file unread', () => {
  for (const [path, status] of [
    ['/never', 200],
    ['/half', 200],
    ['/throw', 500],
    ['/background', 200],
  ] as const) {
    it(`answers a client that is still sending, and ends the connection: ${path}`, async () => {
      const request = start(path)
      const response = responseOf(request)
      request.write(fileHead())
      const pumped = pump(request, 8 * MiB)
      const { status: actual, connection } = await response
      assert.deepEqual([actual, connection], [status, 'close'])
      request.destroy()
      await pumped
    })

    it(`answers a client that has sent everything: ${path}`, async () => {
      assert.equal((await post(path, fileHead(), CHUNK, CHUNK, END)).status, status)
    })
  }

  it('cannot read it later', async () => {
    await until(() => seen.some((text) => text.startsWith('background')), 'the reader was not told')
    assert.match(seen.find((text) => text.startsWith('background')) ?? '', /is answered/)
  })
})

describe('a client that goes away', () => {
  it('makes the reader of a file reject', async () => {
    const gate = createGate()
    gates.set('gone', gate)
    const request = start('/wait/gone')
    request.write(Buffer.concat([fileHead(), CHUNK]))
    await gate.entered
    gate.open()
    await sleep(20)
    request.destroy()
    await until(() => seen.some((text) => text.startsWith('gone')), 'the reader was not told')
    assert.match(seen.find((text) => text.startsWith('gone')) ?? '', /ended early/)
  })

  it('leaves no temporary file', async () => {
    const request = start('/kept')
    request.write(fileHead('a'))
    await pump(request, 4 * MiB)
    await until(() => folder.list().length === 1, 'no temporary file was made')
    request.destroy()
    await until(() => folder.list().length === 0, 'a temporary file was left')
  })
})

describe('limits over a socket', () => {
  it('refuse a body that was announced too long at once', async () => {
    const socket = await open(url)
    const head = `POST /up/small HTTP/1.1\r\nHost: h\r\nContent-Type: ${MULTIPART['content-type']}\r\nContent-Length: ${2 * MiB}\r\n\r\n`
    socket.write(head)
    const { statusLine, headers } = parse(await readUntil(socket, /}$/))
    assert.match(statusLine, / 413 /)
    assert.equal(headers['connection'], 'close')
    socket.destroy()
  })

  it('refuse what turns out too long, while it is sent', async () => {
    const request = start('/small')
    const response = responseOf(request)
    request.write(fileHead())
    const pumped = pump(request, 4 * MiB)
    const { status, body, connection } = await response
    assert.deepEqual([status, JSON.parse(body).code, connection], [413, 'body_too_large', 'close'])
    request.destroy()
    await pumped
  })

  it('of time for a route do not count while an upload arrives', async () => {
    const request = start('/slow')
    const response = responseOf(request)
    request.write(fileHead('a'))
    await pump(request, 2 * MiB)
    await sleep(90)
    request.end(Buffer.concat([Buffer.from('\r\n'), fileHead('b'), END]))
    const { status, body } = await response
    assert.deepEqual([status, body], [200, String(2 * MiB)])
    await until(() => folder.list().length === 0, 'a temporary file was left')
  })

  it('of time for a request end an upload and remove what it left', async () => {
    const impatient = createTestApp(controller, {
      uploads: { memory: MiB, directory: folder.path },
      timeouts: { headers: 200, request: 300 },
      bodyLimit: 512 * MiB,
    })
    const request = start('/slow', staying, await impatient.listen(LOOPBACK))
    const response = responseOf(request)
    request.write(fileHead('a'))
    await pump(request, 2 * MiB)
    assert.equal((await response).status, 408)
    request.destroy()
    await until(() => folder.list().length === 0, 'a temporary file was left')
    await impatient.close()
  })
})

describe('files that are read as they arrive', () => {
  const file = (name: string, size: number): Buffer =>
    toBytes([filePart('videos', name, 'v'.repeat(size))], '')

  it('come one after the other, without what is not read of them', async () => {
    const response = await post(
      '/several',
      toBytes([fieldPart('title', 'x')], ''),
      file('1', 10),
      file('skip', 200_000),
      file('', 0),
      file('2', 100_000),
      toBytes([fieldPart('z', 'x')]),
    )
    assert.deepEqual(JSON.parse(response.body), [
      ['1', 10],
      ['2', 100_000],
    ])
    assert.notEqual(response.connection, 'close')
  })

  it('are missing when there are none', async () => {
    assert.equal((await post('/several', toBytes([fieldPart('title', 'x')]))).status, 422)
  })

  it('fail when a declared part comes between them', async () => {
    const response = await post(
      '/several',
      file('1', 10),
      toBytes([fieldPart('title', 'x')], ''),
      file('2', 10),
      Buffer.from('--bound--'),
    )
    assert.equal(response.status, 422)
  })

  it('count for the limit of files', async () => {
    const files = Array.from({ length: 11 }, (_, at) => file(`${at}`, 10))
    const response = await post('/several', ...files, Buffer.from('--bound--'))
    assert.equal(JSON.parse(response.body).code, 'too_many_parts')
  })
})

describe('closing an application', () => {
  it('ends uploads that are under way and removes what they left', async () => {
    const other = createTestApp(controller, {
      bodyLimit: 64 * MiB,
      uploads: { memory: 0, directory: folder.path },
      timeouts: { grace: 50 },
    })
    const address = new URL(await other.listen(LOOPBACK))
    const request = httpRequest({
      hostname: address.hostname,
      port: address.port,
      method: 'POST',
      path: '/up/kept',
      headers: MULTIPART,
      agent: false,
    })
    request.on('error', () => undefined)
    request.write(Buffer.concat([fileHead('a'), CHUNK]))
    await until(() => folder.list().length === 1, 'no temporary file was made')
    await other.close()
    await until(() => folder.list().length === 0, 'a temporary file was left')
  })
})

describe('a process that ends', () => {
  it('removes the temporary files of requests that it did not finish', async () => {
    const args = [...programArguments('test/node/process/end-with-file.ts'), folder.path]
    const child = spawn(process.execPath, args)
    const [code] = await once(child, 'close')
    assert.equal(code, 1, 'there was one temporary file when the process ended')
    assert.deepEqual(folder.list(), [])
  })
})
