import type { RawBody } from '../../http/http.ts'
import { bodyEndedEarly, bodyTooLarge, joinChunks } from '../../server/request/body.ts'

/** Bytes of a body that wait for whoever reads it, before the connection is no longer read. */
const HIGH_WATER = 65_536

/** The request of a body, as far as its body concerns it. */
export interface BodyOwner {
  /** Whether the rest of the body can never come. */
  readonly isGone: boolean
  /** Whether the body is not read to its end: then the connection ends with the answer. */
  refused: boolean
  /** Whether the connection ends with the answer, whatever becomes of the body. */
  isFinal: boolean
  /** The body is read from now on. A client that asked whether to send it is told. */
  onRead(): void
  /** The body waits for less, or for more, than before. */
  onRoom(): void
}

/** Who reads a body whole. */
interface Collector {
  readonly limit: number
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** A body as the parser reports it. A class because one is made for every request that has one. */
export class EngineBody implements RawBody {
  readonly length: number | undefined
  readonly #owner: BodyOwner
  #chunks: Uint8Array[] = []
  /** Bytes in `#chunks`. */
  #waiting = 0
  #collector: Collector | undefined
  /** Wakes who reads chunks. */
  #wake: (() => void) | undefined
  #isDropped = false
  isComplete = false
  isRead = false

  constructor(owner: BodyOwner, length: number | undefined) {
    this.#owner = owner
    this.length = length
  }

  /** Whether so much waits that the connection should not be read. */
  get isFull(): boolean {
    return this.#waiting >= HIGH_WATER && this.#collector === undefined
  }

  read(limit: number): Promise<Uint8Array> {
    const refusal = this.#open(limit)
    if (refusal !== undefined) return Promise.reject(refusal)
    if (this.#waiting > limit) return Promise.reject(this.#tooLarge(limit))
    if (this.isComplete) return Promise.resolve(this.#take())
    return new Promise((resolve, reject) => {
      this.#collector = { limit, resolve, reject }
      this.#owner.onRoom()
    })
  }

  /** All of the body, if it has arrived, is not longer than `limit` and was not read before. */
  takeArrived(limit: number): Uint8Array | undefined {
    if (!this.isComplete || this.#waiting > limit || this.#open(limit) !== undefined) return undefined
    return this.#take()
  }

  async *chunks(limit: number): AsyncGenerator<Uint8Array> {
    const refusal = this.#open(limit)
    if (refusal !== undefined) throw refusal
    const owner = this.#owner
    let size = 0
    // until all of it is read, no other request can follow on this connection
    const before = owner.refused
    owner.refused = true
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
      size += chunk.length
      if (size > limit) throw this.#tooLarge(limit)
      yield chunk
    }
    owner.refused = before
  }

  /** Called with what the parser found. */
  add(chunk: Uint8Array): void {
    if (this.#isDropped) return
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    const collector = this.#collector
    if (collector === undefined) return this.#awake()
    if (this.#waiting <= collector.limit) return
    this.#collector = undefined
    collector.reject(this.#tooLarge(collector.limit))
  }

  /** Called when the parser found the end. */
  complete(): void {
    this.isComplete = true
    const collector = this.#collector
    if (collector === undefined) return this.#awake()
    this.#collector = undefined
    collector.resolve(this.#take())
  }

  /** Drops further bytes and fails readers: the request is over, or the rest of the body can never come. */
  drop(): void {
    this.#isDropped = true
    // what has arrived completely stays readable
    if (this.isComplete && !this.#owner.isFinal) return
    this.#clear()
    this.#collector?.reject(bodyEndedEarly())
    this.#collector = undefined
    this.#awake()
  }

  /** Begins to read. Returns why that is not possible. */
  #open(limit: number): Error | undefined {
    if (this.length !== undefined && this.length > limit) return this.#tooLarge(limit)
    if (this.#isOver() || this.isRead) return bodyEndedEarly()
    this.isRead = true
    this.#owner.onRead()
    return undefined
  }

  /** The next chunk, `undefined` at the end. Rejects if it can never come. */
  async #next(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0) {
      if (this.isComplete) return undefined
      if (this.#isOver()) throw bodyEndedEarly()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const chunk = this.#chunks.shift()
    this.#waiting -= chunk?.length ?? 0
    this.#owner.onRoom()
    return chunk
  }

  #isOver(): boolean {
    return (this.#isDropped || this.#owner.isGone) && !this.isComplete
  }

  #take(): Uint8Array {
    const bytes = joinChunks(this.#chunks)
    this.#clear()
    return bytes
  }

  #clear(): void {
    this.#chunks = []
    this.#waiting = 0
  }

  #awake(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  #tooLarge(limit: number): Error {
    // the connection of a body that nobody waits for any more stays
    if (!this.#isDropped) this.#owner.isFinal = true
    this.#isDropped = true
    this.#clear()
    this.#owner.onRoom()
    return bodyTooLarge(limit)
  }
}
