import { once } from '../../base/values.ts'
import type { Transform } from 'node:stream'
import type * as NodeZlib from 'node:zlib'

import { httpError, type HttpError } from '../../http/errors.ts'
import { bodyTooLarge } from './body.ts'

/**
 * Decodes a body as it arrives. It reads a chunk only after the output of earlier chunks was consumed, so a body that becomes too long is
 * abandoned without pending work.
 *
 * @yields what comes out
 * @throws `HttpError` while it is read, as `readContent` does
 */
export async function* decodeContent(
  source: AsyncIterable<Uint8Array>,
  coding: string,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const createDecoder = await decoderOf(coding)
  yield* inflate(source, createDecoder(), limit)
}

type Zlib = typeof NodeZlib

/** A stream of node:zlib. */
interface Decoder extends Transform {
  /** The bytes that it has used of those it was given. */
  readonly bytesWritten: number
}

type CreateDecoder = () => Decoder

/** Loaded when the first encoded body arrives. */
const loadDecoders = /* @__PURE__ */ once(() => import('node:zlib').then(toDecoders))

/** Returns the decoder of a content coding. @throws `HttpError` 415 that says which codings there are (RFC 9110 section 15.5.16) */
async function decoderOf(coding: string): Promise<CreateDecoder> {
  const known = await loadDecoders()
  const found = known.get(coding === 'x-gzip' ? 'gzip' : coding)
  if (found !== undefined) return found
  const accepted = [...known.keys()].join(', ')
  throw httpError(
    'unsupported_content_encoding',
    `Send the body in one of the codings ${accepted}, or in none`,
    { headers: { 'accept-encoding': accepted } },
  )
}

/** The codings of RFC 9110 section 8.4.1, RFC 7932 and RFC 8878. */
function toDecoders(zlib: Zlib): ReadonlyMap<string, CreateDecoder> {
  const createZstd = zstdOf(zlib)
  return new Map<string, CreateDecoder>([
    ['gzip', () => zlib.createGunzip()],
    ['deflate', () => zlib.createInflate()],
    ['br', () => zlib.createBrotliDecompress()],
    ...(createZstd === undefined ? [] : [['zstd', createZstd] as const]),
  ])
}

/** No decoder needs a window of more than 8 MiB for content of HTTP, and none should lend more (RFC 9659 section 3). */
const ZSTD_WINDOW_LOG = 23
/** The start of a frame that never ends. */
const CUT_OFF = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58)

/** Returns the decoder of zstd, where Node has it and tells when it is cut off: Node 22 takes that for the end. */
function zstdOf(zlib: Zlib): CreateDecoder | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress')
  const decodeSync: unknown = Reflect.get(zlib, 'zstdDecompressSync')
  const key: unknown = Reflect.get(zlib.constants, 'ZSTD_d_windowLogMax')
  if (!isFunction(create) || !isFunction(decodeSync) || typeof key !== 'number') return undefined
  try {
    decodeSync(CUT_OFF)
    return undefined
  } catch {
    // the types of Node 20 do not know it
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return () => create({ params: { [key]: ZSTD_WINDOW_LOG } }) as Decoder
  }
}

function isFunction(value: unknown): value is (argument: unknown) => unknown {
  return typeof value === 'function'
}

/**
 * Decodes a body as it arrives. A chunk is asked for only when what the ones before it hold has been taken, so that a body that
 * becomes too long is given up with nothing under way.
 *
 * @yields what comes out
 * @throws `HttpError` while it is read: 413 when what comes out is longer than `limit` bytes, 400 when it is cut off, broken or
 * followed by something else.
 */
async function* inflate(
  source: AsyncIterable<Uint8Array>,
  decoder: Decoder,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const output = createOutput(decoder)
  let given = 0
  let size = 0
  const count = (chunk: Uint8Array): Uint8Array => {
    size += chunk.length
    if (size > limit) throw bodyTooLarge(limit)
    return chunk
  }
  try {
    for await (const chunk of source) {
      given += chunk.length
      for await (const decoded of output(chunk)) yield count(decoded)
    }
    // an empty body has no coding
    if (given === 0) return
    for await (const decoded of output(undefined)) yield count(decoded)
    if (decoder.bytesWritten !== given) throw malformedContent()
  } finally {
    decoder.destroy()
  }
}

/** Creates the function that gives a decoder a chunk, or `undefined` for the end, and gives what comes out of it. */
function createOutput(decoder: Decoder): (chunk: Uint8Array | undefined) => AsyncGenerator<Uint8Array> {
  let state: 'open' | 'ended' | 'failed' = 'open'
  let wake = ignoreDecoderError
  decoder.on('readable', () => wake())
  decoder.on('end', () => {
    state = 'ended'
    wake()
  })
  decoder.on('error', () => {
    state = 'failed'
    wake()
  })
  return async function* output(chunk) {
    let isTaken = false
    // something behind the end
    if (chunk !== undefined && state === 'ended') throw malformedContent()
    if (chunk === undefined) decoder.end()
    else {
      decoder.write(chunk, () => {
        isTaken = true
        wake()
      })
    }
    for (;;) {
      // before looking, so that nothing is missed
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      for (let decoded = read(decoder); decoded !== null; decoded = read(decoder)) yield decoded
      if (isFailed()) throw malformedContent()
      if (isTaken || isOver()) return
      await changed
    }
  }

  function isFailed(): boolean {
    return state === 'failed'
  }

  function isOver(): boolean {
    return state === 'ended'
  }
}

/** Has no effect. */
function ignoreDecoderError(): void {}

function read(decoder: Decoder): Uint8Array | null {
  const chunk: unknown = decoder.read()
  return chunk instanceof Uint8Array ? chunk : null
}

function malformedContent(): HttpError {
  return httpError('malformed_body', 'The body is not in its content coding')
}
