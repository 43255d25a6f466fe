import type { Socket } from 'node:net'

/** A response as a strict reader has it (RFC 9112 section 6). */
export interface Message {
  readonly status: number
  /** By lower-case name, one value for each line. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Buffer
  /** Whether the message ended where it says. */
  readonly isWhole: boolean
  /** Whether another message may follow. */
  readonly stays: boolean
}

/** What a request says that decides how its response is framed. */
export interface Asked {
  readonly method: string
  readonly minor: number
}

/** Reads responses from a connection, and believes nothing but the RFC. */
export class Reader {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  /** How the other side has ended: FIN, or anything else. */
  #end: 'fin' | 'reset' | undefined
  #wake: () => void = () => undefined

  constructor(socket: Socket) {
    this.#socket = socket
    const stop = (end: 'fin' | 'reset') => (): void => {
      this.#end ??= end
      this.#wake()
    }
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
      this.#wake()
    })
    // Node takes a reset that comes with data for an end, but a connection that was reset takes nothing any more
    socket.on('end', () => socket.write('\r\n', (error) => stop(error ? 'reset' : 'fin')()))
    socket.on('error', stop('reset')).on('close', stop('reset'))
  }

  /** The next response, `undefined` if the connection ended before its head did. @throws `Error` for what is not HTTP. */
  async read(asked: Asked): Promise<Message | undefined> {
    const head = await this.#until('\r\n\r\n')
    if (head === undefined) return undefined
    const [line = '', ...fields] = head.split('\r\n')
    const [, minor = '', code = ''] =
      /^HTTP\/1\.([01]) (\d{3}) [\t -~]*$/.exec(line) ?? fail(`status line ${line}`)
    const headers = toHeaders(fields)
    const status = Number(code)
    const { body, isWhole, isLast } = await this.#body(asked, status, headers)
    const connection = (headers.get('connection') ?? []).join(',').toLowerCase()
    const isKept =
      minor === '1' && asked.minor === 1 ? !/\bclose\b/.test(connection) : connection === 'keep-alive'
    return { status, headers, body, isWhole, stays: isKept && !isLast }
  }

  /** What comes behind the last message: the bytes, and how the connection ends. */
  async rest(): Promise<readonly [bytes: string, end: string | undefined]> {
    while (this.#end === undefined) await this.#more()
    return [this.#bytes.toString('latin1'), this.#end]
  }

  async #body(
    { method, minor }: Asked,
    status: number,
    headers: Message['headers'],
  ): Promise<{ body: Buffer; isWhole: boolean; isLast: boolean }> {
    const { length, isChunked } = readFraming(headers, minor)
    // RFC 9112 section 6.1, RFC 9110 section 8.6
    if (status === 204 && (isChunked || length !== undefined)) fail('framing of a 204')
    if (method === 'HEAD' || status === 204 || status === 304)
      return { body: Buffer.alloc(0), isWhole: true, isLast: false }
    if (isChunked) return { ...(await this.#chunks()), isLast: false }
    const most = length ?? Number.POSITIVE_INFINITY
    while (this.#bytes.length < most && this.#end === undefined) await this.#more()
    const body = this.#take(Math.min(most, this.#bytes.length))
    const isWhole = length === undefined ? this.#end === 'fin' : body.length === length
    return { body, isWhole, isLast: length === undefined }
  }

  async #chunks(): Promise<{ body: Buffer; isWhole: boolean }> {
    const chunks: Buffer[] = []
    for (;;) {
      const line = await this.#until('\r\n')
      if (line === undefined) return { body: Buffer.concat(chunks), isWhole: false }
      if (!/^[\da-f]+$/i.test(line)) fail(`chunk size ${line}`)
      const size = Number.parseInt(line, 16)
      while (this.#bytes.length < size + 2 && this.#end === undefined) await this.#more()
      if (this.#bytes.length < size + 2) return { body: Buffer.concat(chunks), isWhole: false }
      chunks.push(this.#take(size))
      if (this.#take(2).toString('latin1') !== '\r\n') fail('the end of a chunk')
      if (size === 0) return { body: Buffer.concat(chunks), isWhole: true }
    }
  }

  async #until(mark: string): Promise<string | undefined> {
    for (;;) {
      const at = this.#bytes.indexOf(mark)
      if (at !== -1)
        return this.#take(at + mark.length)
          .subarray(0, at)
          .toString('latin1')
      if (this.#end !== undefined) return undefined
      await this.#more()
    }
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Nothing more comes, and the connection stays')), 3_000)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (this.#socket.destroyed) this.#wake()
    })
  }
}

/** How the head says that the body ends. */
function readFraming(
  headers: Message['headers'],
  minor: number,
): { length: number | undefined; isChunked: boolean } {
  const lengths = headers.get('content-length')
  const coding = headers.get('transfer-encoding')?.join()
  if (lengths !== undefined && !/^\d+$/.test(lengths.join())) fail(`length ${lengths.join()}`)
  if (coding !== undefined && lengths !== undefined) fail('both a length and a coding')
  if (coding !== undefined && (coding !== 'chunked' || minor === 0)) fail(`coding ${coding}`)
  return { length: lengths && Number(lengths[0]), isChunked: coding !== undefined }
}

function toHeaders(fields: readonly string[]): Message['headers'] {
  const headers = new Map<string, string[]>()
  for (const field of fields) {
    const [, name = '', value = ''] =
      /^([!#$%&'*+.^_`|~\w-]+): ?([\t -~\u0080-\u00ff]*)$/.exec(field) ?? fail(`field ${field}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return headers
}

function fail(what: string): never {
  throw new Error(`The response is malformed: ${what}`)
}
