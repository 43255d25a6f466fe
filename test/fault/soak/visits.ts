import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import type { Random } from '../fuzz/random.ts'
import { LARGE, LINES, toItem } from './expected.ts'
import { openWire } from './wire.ts'
import type { Wire } from './wire.ts'

/** A request, and what answers it. */
interface Ask {
  readonly method: string
  readonly bytes: string
  readonly status: number
  /** The body, or what it has to match. */
  readonly body: string | RegExp
}

const HOST = 'Host: a.test\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const BINARY = 'Content-Type: application/octet-stream\r\n'
const HANDSHAKE = `GET /echo HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`

const bare = (method: string, target: string, status: number, body: unknown): Ask => ({
  method,
  bytes: `${method} ${target} HTTP/1.1\r\n${HOST}\r\n`,
  status,
  body: body instanceof RegExp ? body : body === '' ? '' : JSON.stringify(body),
})

const sized = (target: string, type: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\n${HOST}${type}Content-Length: ${body.length}\r\n\r\n${body}`

const post = (target: string, body: string, status: number, answer: unknown): Ask => ({
  ...bare('POST', target, status, answer),
  bytes: sized(target, JSON_TYPE, body),
})

/** A body in chunks of random sizes, some with extensions and trailers. */
function inChunks(random: Random, body: string): string {
  let text = ''
  for (let at = 0; at < body.length;) {
    const chunk = body.slice(at, at + 1 + random.below(3_000))
    text += `${chunk.length.toString(16)}${random.chance(0.1) ? ';a=b' : ''}\r\n${chunk}\r\n`
    at += chunk.length
  }
  return `${text}0\r\n${random.chance(0.2) ? 'X-Trailer: 1\r\n' : ''}\r\n`
}

function bytesOf(random: Random): Ask {
  const body = String.fromCodePoint(97 + random.below(26)).repeat(1 + random.below(40_000))
  const answer = { size: body.length, sum: body.length * body.charCodeAt(0) }
  const isChunked = random.chance(0.6)
  const chunked = `POST /bytes HTTP/1.1\r\n${HOST}${BINARY}Transfer-Encoding: chunked\r\n\r\n`
  return {
    ...bare('POST', '/bytes', 200, answer),
    bytes: isChunked ? chunked + inChunks(random, body) : sized('/bytes', BINARY, body),
  }
}

/** One ordinary request. `mayTakeTime`: whether a client that ends its side behind it can lose its answer. */
function createAsk(random: Random, mayTakeTime = true): Ask {
  const id = random.below(1_000)
  const item = { name: `Item ${id}`, size: id }
  if (mayTakeTime && random.chance(0.15))
    return random.chance(0.5)
      ? bare('GET', '/later', 200, { later: true })
      : { ...bare('GET', '/lines', 200, ''), body: LINES.join('') }
  return random.pick<() => Ask>([
    () => bare('GET', '/hello', 200, { hello: 'world' }),
    () => bare('GET', `/items/${id}`, 200, toItem(id)),
    () => bare('GET', `/search?text=a%20${id}&page=${id}`, 200, { text: `a ${id}`, page: id }),
    () => bare('GET', `/search?text=a`, 422, /"invalid_query"|"validation|"errors"/),
    () => bare('GET', `/nowhere/${id}`, 404, /"not_found"|"route_not_found"/),
    () => bare('HEAD', '/hello', 200, ''),
    () => bare('HEAD', '/lines', 200, ''),
    () => bare('DELETE', `/items/${id}`, 204, ''),
    () => post('/items', JSON.stringify(item), 201, item),
    () => post('/items', JSON.stringify({ name: id }), 422, /"errors"/),
    () => post('/items', `{"name":"${id}"`, 400, /"malformed_json"/),
    () => post('/unread', 'x'.repeat(id * 20), 200, 'unread'),
    () => bytesOf(random),
  ])()
}

async function expect(wire: Wire, { method, status, body, bytes }: Ask): Promise<void> {
  const answer = await wire.next(method)
  const told = `${bytes.slice(0, 200)} was answered ${answer.head}${answer.body.slice(0, 300)}`
  assert.equal(answer.status, status, told)
  if (body instanceof RegExp) assert.match(answer.body, body, told)
  else assert.ok(answer.body === body, told)
}

/** Writes in pieces, with pauses between some of them. */
async function writeInPieces(wire: Wire, bytes: string, random: Random): Promise<void> {
  const pieces = random.pick([1, 1, 1, 2, 5])
  const size = Math.ceil(bytes.length / pieces)
  for (let at = 0; at < bytes.length && !wire.socket.destroyed; at += size) {
    if (at > 0 && random.chance(0.5)) await delay(random.below(4))
    wire.write(bytes.slice(at, at + size))
  }
}

/** What a client does on a connection. Returns how many answers came. */
type Visit = (wire: Wire, random: Random) => Promise<number>

const VISITS: Readonly<Record<string, Visit>> = {
  'one request after the other': async (wire, random) => {
    const count = 1 + random.below(12)
    for (let at = 0; at < count; at++) {
      const ask = createAsk(random)
      await writeInPieces(wire, ask.bytes, random)
      await expect(wire, ask)
    }
    return count
  },
  'a pipeline': async (wire, random) => {
    const asks = Array.from({ length: 2 + random.below(random.pick([6, 6, 150])) }, () => createAsk(random))
    const writing = writeInPieces(wire, asks.map(({ bytes }) => bytes).join(''), random)
    for (const ask of asks) await expect(wire, ask)
    await writing
    return asks.length
  },
  'a pipeline and an end': async (wire, random) => {
    const asks = Array.from({ length: 2 + random.below(random.pick([6, 200])) }, () =>
      createAsk(random, false),
    )
    wire.socket.end(asks.map(({ bytes }) => bytes).join(''), 'latin1')
    for (const ask of asks) await expect(wire, ask)
    return asks.length
  },
  'a client that asks first': async (wire, random) => {
    const ask = bytesOf(random)
    const [head = '', ...rest] = ask.bytes.split('\r\n\r\n')
    wire.write(`${head}\r\nExpect: 100-continue\r\n\r\n`)
    assert.equal((await wire.next()).status, 100)
    await writeInPieces(wire, rest.join('\r\n\r\n'), random)
    await expect(wire, ask)
    return 2
  },
  'a slow reader': async (wire, random) => {
    const large = { ...bare('GET', '/large', 200, ''), body: JSON.stringify(LARGE) }
    wire.write(large.bytes + bare('GET', '/hello', 200, '').bytes)
    for (let at = 0; at < 3; at++) {
      wire.socket.pause()
      await delay(random.below(40))
      wire.socket.resume()
      await delay(1)
    }
    await expect(wire, large)
    await expect(wire, bare('GET', '/hello', 200, { hello: 'world' }))
    return 2
  },
  events: async (wire, random) => {
    wire.write(`GET /events HTTP/1.1\r\n${HOST}\r\n`)
    // the length of one event in its chunk, times a few
    const text = await wire.take(320 + random.below(2_000))
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n[^]*data: 0\n/)
    wire.socket.resetAndDestroy()
    return 1
  },
  'an upgrade': async (wire, random) => {
    const before = random.chance(0.3) ? createAsk(random) : undefined
    const early = 'x'.repeat(random.below(100))
    await writeInPieces(wire, (before?.bytes ?? '') + HANDSHAKE + early, random)
    if (before !== undefined) await expect(wire, before)
    assert.equal((await wire.next()).status, 101)
    assert.equal(await wire.take(early.length), early)
    for (let at = 0; at < random.below(8); at++) {
      const text = String(at).repeat(1 + random.below(5_000))
      wire.write(text)
      assert.equal(await wire.take(text.length), text)
    }
    return 1
  },
  'a refused upgrade': async (wire) => {
    wire.write(HANDSHAKE.replace('/echo', '/hello'))
    const { status } = await wire.next()
    assert.ok(status === 200 || status === 426, String(status))
    return 1
  },
  garbage: async (wire, random) => {
    wire.write(bare('GET', '/hello', 200, '').bytes)
    await expect(wire, bare('GET', '/hello', 200, { hello: 'world' }))
    wire.write(Buffer.concat([Buffer.from('(ET / '), random.bytes(200)]))
    assert.equal((await wire.next()).status, 400)
    return 2
  },
  'an idle connection': async (wire, random) => {
    const ask = createAsk(random)
    wire.write(ask.bytes)
    await expect(wire, ask)
    // the server frees the parser of such a connection
    await delay(random.below(1_600))
    wire.write(ask.bytes)
    await expect(wire, ask)
    return 2
  },
}

/** How often a client does what, of the sum. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'one request after the other': 10,
  'a pipeline': 8,
  'a pipeline and an end': 3,
  'a client that asks first': 2,
  'a slow reader': 1,
  'an idle connection': 1,
  'an upgrade': 4,
}
const NAMES = Object.keys(VISITS).flatMap((name) => Array.from({ length: WEIGHTS[name] ?? 2 }, () => name))

/** What came of a visit. */
export interface Outcome {
  readonly answers: number
  readonly wasReset: boolean
}

/**
 * Visits a server on a connection of its own, and resets half of these at a random moment.
 *
 * @throws `Error` with the kind of visit if an answer is not what it must be
 */
export async function visit(port: number, random: Random): Promise<Outcome> {
  const name = NAMES[random.below(NAMES.length)] ?? ''
  const wire = await openWire(port)
  const timer = random.chance(0.5)
    ? setTimeout(() => wire.socket.resetAndDestroy(), random.below(random.pick([3, 15, 60])))
    : undefined
  let answers = 0
  try {
    answers = (await VISITS[name]?.(wire, random)) ?? 0
    if (timer === undefined) await leave(wire, random)
  } catch (error) {
    if (timer === undefined || !wire.socket.destroyed)
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
    wire.socket.destroy()
  }
  return { answers, wasReset: timer !== undefined }
}

/** Ends a connection as clients do: with an end, without a word, or with a last request. */
async function leave({ socket, write }: Wire, random: Random): Promise<void> {
  if (socket.destroyed || socket.writableEnded || random.chance(0.5)) return
  if (random.chance(0.5)) write(`GET /hello HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
  const closed = once(socket, 'close')
  socket.end()
  await Promise.race([closed, delay(7_000)])
}
