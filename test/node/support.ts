import { EventEmitter, once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { Agent } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

import { createApp, defineModule } from 'octavo'
import type { App, AppOptions, Controller, ListenOptions } from 'octavo'
import { direct } from 'octavo/engine'

/** A response as it came over a socket. */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
}

export interface WireRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  readonly agent?: Agent
}

/** Sends one request with node:http and reads the whole response. */
export async function send(url: string, { method = 'GET', path, headers = {}, body, agent }: WireRequest) {
  const { hostname, port } = new URL(url)
  const request = httpRequest({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method,
    path,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    ),
    agent: agent ?? false,
  })
  request.end(body)
  const [response] = await once(request, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const wire: WireResponse = {
    status: response.statusCode,
    headers: response.headers,
    bytes: Buffer.concat(chunks),
  }
  return wire
}

/** Opens a bare connection. */
export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
  await once(socket, 'connect')
  return socket
}

/** Everything that a connection still sends until it ends. */
export async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1')
  for await (const chunk of socket) text += chunk
  return text
}

/** Reads until the text has the pattern. */
export async function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  socket.setEncoding('latin1')
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: string): void => {
      text += chunk
      if (!pattern.test(text)) return
      socket.off('data', onData)
      resolve(text)
    }
    socket.on('data', onData)
    socket.once('close', () => reject(new Error(`The connection ended after ${JSON.stringify(text)}`)))
  })
}

/** Writes bytes on a bare connection and reads to its end. */
export async function exchange(url: string, text: string): Promise<string> {
  const socket = await open(url)
  socket.write(text, 'latin1')
  return readAll(socket)
}

/** A whole response as text, in parts. */
export function parse(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  return { statusLine, headers, body: rest.join('\r\n\r\n') }
}

/** What a handler calls and waits for. */
export interface Gate {
  readonly entered: Promise<void>
  readonly enter: () => void
  readonly opened: Promise<void>
  readonly open: () => void
}

export function createGate(): Gate {
  const events = new EventEmitter()
  const wait = async (name: string): Promise<void> => void (await once(events, name))
  const [entered, opened] = [wait('enter'), wait('open')]
  return { entered, enter: () => void events.emit('enter'), opened, open: () => void events.emit('open') }
}

/** A handler that enters a gate and answers when it is open. */
export function behind<T>(gate: Gate, answer: () => T): () => Promise<T> {
  return async () => {
    gate.enter()
    await gate.opened
    return answer()
  }
}

/** Keeps the event loop from going on, without computing meanwhile. */
export function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** An application of one controller, without log. */
export function createTestApp(
  controller: Controller<unknown, unknown, unknown, unknown>,
  options: AppOptions = {},
): App {
  return createApp(defineModule({ controllers: [controller] }), { logger: false, ...options })
}

/** Options of `listen` that choose an engine, by its name. */
export const ENGINES = { node: {}, direct: { engine: direct() } } as const

/** The engine of the tests: `OCTAVO_TEST_ENGINE=direct npm test -- test/node` runs them on the other one. */
export const ENGINE: ListenOptions =
  ENGINES[process.env['OCTAVO_TEST_ENGINE'] === 'direct' ? 'direct' : 'node']

/** Any free port of this machine. */
export const PLACE = { port: 0, host: '127.0.0.1' } as const

/** Where every test listens. */
export const LOOPBACK = { ...PLACE, ...ENGINE }
