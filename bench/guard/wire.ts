/** Connections within the process: a server gets what comes from a socket, and the kernel has no part in when. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { get } from 'node:http'
import type { Server } from 'node:http'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

import type { App } from '../../src/index.ts'
import type { GuardRequest } from './scenarios.ts'

/** Makes a request a number of times, one after the other. */
export type Send = (times: number) => Promise<void>

/** A connection to a server. */
export interface Connection {
  readonly send: Send
  /** The text of the first answer, which the others are as long as. */
  readonly first: string
}

/** How many turns of the event loop the first answer is given. */
const PATIENCE = 100

/** The server of an application that listens; a request to it is how to get hold of it. */
export async function serverOf(app: App): Promise<Server> {
  // so that no import of what requests need falls into a measurement
  await app.ready()
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const found: Server[] = []
  const take = (message: unknown): void => {
    found.push((message as { readonly server: Server }).server)
  }
  subscribe('http.server.request.start', take)
  const [response] = await once(get(url, { agent: false }), 'response')
  await once(response.resume(), 'end')
  unsubscribe('http.server.request.start', take)
  const [server] = found
  if (server === undefined) throw new Error('The server of the application was not found')
  return server
}

/** Opens a connection to a server, and makes a request on it. */
export async function connect(server: Server, request: GuardRequest): Promise<Connection> {
  return open((socket) => void server.emit('connection', socket), request)
}

/** A connection without HTTP: to whatever comes, the answer is a text. What remains is what the connection costs by itself. */
export function connectEcho(answer: string, request: GuardRequest): Promise<Connection> {
  const bytes = Buffer.from(answer)
  return open((socket) => void socket.on('data', () => socket.write(bytes)), request)
}

async function open(accept: (socket: Duplex) => void, request: GuardRequest): Promise<Connection> {
  const bytes = toBytes(request)
  const client = createClient(() => socket.receive(bytes))
  const socket = new WireSocket(client.take)
  socket.once('close', () => {
    throw new Error('The server closed the connection')
  })
  accept(socket)
  socket.receive(bytes)
  for (let turns = 0; turns < PATIENCE; turns++) await turn()
  return { send: client.send, first: client.first() }
}

/** What servers know of a socket. */
class WireSocket extends Duplex {
  /** Counted like a socket of node:net does: servers tell by it whether a connection is idle. */
  bytesRead = 0
  readonly #take: (chunk: Buffer) => void

  constructor(take: (chunk: Buffer) => void) {
    super()
    this.#take = take
  }

  receive(bytes: Buffer): void {
    this.bytesRead += bytes.length
    this.push(bytes)
  }

  override _read(): void {
    // requests come when they like
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.#take(chunk)
    callback()
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: () => void): void {
    for (const { chunk } of chunks) this.#take(chunk)
    callback()
  }
}

/** The other end of a connection: knows by its length when an answer is complete. */
function createClient(ask: () => void): {
  readonly take: (chunk: Buffer) => void
  readonly first: () => string
  readonly send: Send
} {
  const start: Buffer[] = []
  let isFirst = true
  let length = 0
  let received = 0
  let left = 0
  let done = (): void => undefined
  return {
    take: (chunk) => {
      if (isFirst) return void start.push(chunk)
      received += chunk.length
      if (received < length) return
      received = 0
      left -= 1
      // in a later turn, when the server has done with the last answer
      setImmediate(left > 0 ? ask : done)
    },
    first: () => {
      const text = Buffer.concat(start)
      length = text.length
      isFirst = false
      return text.toString()
    },
    send: (times) =>
      new Promise((resolve) => {
        left = times
        done = resolve
        ask()
      }),
  }
}

function toBytes({ method, url, headers, body = '' }: GuardRequest): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}
