import Dicer from '@fastify/busboy/deps/dicer/lib/Dicer.js'

import { httpError } from '../../http/errors.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { malformedMultipart, type PartHeader } from './part-head.ts'

/** A part of a multipart body, as it arrives. */
export interface MultipartPart {
  readonly header: PartHeader
  /** Its bytes, once; what is not read is dropped when the next part is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** A part that the parser has found. */
interface Slot {
  readonly stream: Dicer.PartStream
  readonly chunks: Uint8Array[]
  header: PartHeader | undefined
}

/** Bytes of the header of one part, and its lines. */
const MAX_HEADER = 16_384
const MAX_LINES = 32

/** The boundary of a multipart body (RFC 2046 section 5.1.1). @throws `HttpError` 400 when there is none that can be used. */
export function boundaryOf(contentType: string): string {
  const parameters = contentTypeOf(contentType)?.parameters
  const named = parameters?.find(([name]) => name === 'boundary')?.[1]
  // some clients leave the quotes out where the grammar wants them
  const boundary = named ?? /;[ \t]*boundary=([^\s";,]+)[ \t]*$/i.exec(contentType)?.[1]
  if (boundary === undefined || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw malformedMultipart('The content type has no boundary')
  return boundary
}

/**
 * The parts of a multipart body, one after the other. The source is read only when nothing of what was read before is left to hand out.
 * A class because it holds what was read and not yet handed out.
 */
export class Multipart {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #dicer: Dicer
  /** The part that is read at present, and those behind it that have begun. */
  readonly #slots: Slot[] = []
  #failure: Error | undefined
  #isComplete = false
  #isEnded = false

  constructor(source: AsyncIterable<Uint8Array>, boundary: string, maxParts: number) {
    this.#source = withoutPadding(source, `--${boundary}`)
    const config = {
      boundary,
      maxHeaderPairs: MAX_LINES,
      maxHeaderSize: MAX_HEADER,
      // the parser takes each chunk whole: it is given the next one only when this one is used up
      partHwm: Number.MAX_SAFE_INTEGER,
    }
    this.#dicer = new Dicer(config)
    let count = 0
    const begin = (stream: Dicer.PartStream): void => {
      count++
      if (count > maxParts) {
        this.#failure ??= httpError('too_many_parts', `The body has more than ${maxParts} parts`)
        this.#dicer.removeListener('part', begin)
      }
      this.#begin(stream)
    }
    this.#dicer
      .on('part', begin)
      .on(
        'error',
        () => (this.#failure ??= malformedMultipart('The body ended early, or its boundary is missing')),
      )
      .on('finish', () => (this.#isComplete = true))
  }

  /** The next part, or `undefined` if there is none. @throws `HttpError` as the source does, and when the body is malformed. */
  async next(): Promise<MultipartPart | undefined> {
    const present = this.#slots[0]
    if (present !== undefined) {
      while ((await this.#read(present)) !== undefined);
      this.#slots.shift()
    }
    while (this.#slots.length === 0) if (!(await this.#feed())) return undefined
    const [slot] = this.#slots
    if (slot === undefined) return undefined
    while (slot.header === undefined)
      if (this.#isOver(slot) || !(await this.#feed())) throw malformedMultipart('A part has no header')
    return { header: slot.header, chunks: this.#chunks(slot) }
  }

  /** Reads no more of the source. */
  stop(): void {
    this.#failure ??= new Error('The request is answered: its body cannot be read any more')
    // while a chunk is waited for, the source ends with it, or with the connection
    this.#source.return?.().then(undefined, () => undefined)
  }

  #begin(stream: Dicer.PartStream): void {
    const slot: Slot = { stream, chunks: [], header: undefined }
    this.#slots.push(slot)
    stream
      .on('header', (header) => {
        const lines: PartHeader = { ...header }
        if (isCut(lines)) this.#failure ??= malformedMultipart('The header of a part is too long')
        slot.header = lines
      })
      .on('error', () => undefined)
  }

  async *#chunks(slot: Slot): AsyncGenerator<Uint8Array> {
    for (let chunk = await this.#read(slot); chunk !== undefined; chunk = await this.#read(slot)) yield chunk
  }

  async #read(slot: Slot): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = slot.chunks.shift()
      if (chunk !== undefined) return chunk
      if (slot !== this.#slots[0])
        throw new Error('The next file was asked for: the rest of this one is dropped')
      if (this.#isOver(slot) || !(await this.#feed())) return undefined
    }
  }

  /** Whether all of a part has arrived: another one has begun. */
  #isOver(slot: Slot): boolean {
    return this.#slots.at(-1) !== slot
  }

  /** Hands the next chunk of the source to the parser; says whether there was one. */
  async #feed(): Promise<boolean> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#isEnded) return false
    const { done, value } = await this.#source.next()
    const last = this.#slots.length - 1
    if (done === true) {
      this.#isEnded = true
      this.#dicer.end()
      // the parser tells of the end in ticks of its own
      await new Promise((resolve) => setImmediate(resolve))
      if (!this.#isComplete) this.#failure ??= malformedMultipart('The body ended early')
    } else this.#dicer.write(value)
    for (const { stream, chunks } of this.#slots.slice(Math.max(0, last))) {
      for (let chunk: unknown = stream.read(); chunk instanceof Uint8Array; chunk = stream.read())
        chunks.push(chunk)
    }
    if (this.#failure !== undefined) throw this.#failure
    return done !== true
  }
}

/** Whether the parser may have left out some of a header: it does so without a word. */
function isCut(header: PartHeader): boolean {
  let size = 0
  let count = 0
  for (const [name, lines = []] of Object.entries(header)) {
    for (const line of lines) size += name.length + line.length + 4
    count += lines.length
  }
  return count >= MAX_LINES || size >= MAX_HEADER - 4
}

const LINE_END = '\r\n'

/**
 * The chunks of a multipart body without the spaces and tabs that may follow a boundary (transport padding, RFC 2046 section 5.1.1), which the
 * parser takes for the header of a part.
 *
 * @yields the chunks, and the end of one that may begin a boundary with the next
 */
async function* withoutPadding(source: AsyncIterable<Uint8Array>, mark: string): AsyncGenerator<Uint8Array> {
  const delimiter = Buffer.from(LINE_END + mark, 'latin1')
  // the first boundary may begin the body, so that a line ends before it that is not handed on
  let rest: Buffer = Buffer.from(LINE_END)
  let added = LINE_END.length
  let isBehind = false
  for await (const { buffer, byteOffset, length } of source) {
    const chunk = Buffer.from(buffer, byteOffset, length)
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start: number = isBehind ? behindPadding(data, added) : added
    for (let at = data.indexOf(delimiter); at !== -1; at = data.indexOf(delimiter, start)) {
      const end = at + delimiter.length
      yield data.subarray(start, end)
      start = behindPadding(data, end)
      isBehind = true
      added = 0
    }
    isBehind &&= start === data.length
    const end = data.length - overlap(data, delimiter)
    if (end > start) {
      yield data.subarray(start, end)
      added = 0
    }
    rest = data.subarray(added > 0 ? 0 : Math.max(start, end))
  }
  if (rest.length > added) yield rest.subarray(added)
}

function behindPadding(data: Buffer, from: number): number {
  let at = from
  while (data[at] === 0x20 || data[at] === 0x09) at++
  return at
}

/** How many bytes at the end of data may begin a delimiter. */
function overlap(data: Buffer, delimiter: Buffer): number {
  for (let count = Math.min(data.length, delimiter.length - 1); count > 0; count--)
    if (delimiter.subarray(0, count).equals(data.subarray(data.length - count))) return count
  return 0
}
