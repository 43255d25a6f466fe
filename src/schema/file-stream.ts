/**
 * A file of a `multipart/form-data` body that is read while it arrives, at the pace of its reader, and stored nowhere. Declare it as
 * `files: { video: z.instanceof(FileStream) }`. The handler is called as soon as the file begins, so clients have to send the other declared
 * fields and files before it. It is a class, so that a schema can recognise it.
 *
 * Reading it rejects with an `HttpError` when the client disconnects (400), when the body is malformed (400) or too large (413), and
 * when a declared part follows that belongs before it (422). Unread data is dropped when the handler has finished.
 *
 * @example
 * handler: async ({ files }) => {
 *   await pipeline(files.video, createWriteStream('video.bin'))
 *   return { name: files.video.name, size: files.video.bytesRead }
 * }
 */
export class FileStream implements AsyncIterable<Uint8Array> {
  /** The base name that the client gave: no folders, no control characters. Empty when it gave none. */
  readonly name: string
  /** The type that the client declared, without parameters. It is not verified. */
  readonly type: string
  #source: AsyncIterable<Uint8Array> | undefined
  #bytesRead = 0

  /** A file of your own, for tests. */
  constructor(name: string, type: string, source: AsyncIterable<Uint8Array>) {
    this.name = name
    this.type = type
    this.#source = source
  }

  /** How many bytes were read so far. */
  get bytesRead(): number {
    return this.#bytesRead
  }

  /** Its bytes, once. @throws `TypeError` when they are read again. */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const source = this.#source
    if (source === undefined) throw new TypeError('A FileStream is read once')
    this.#source = undefined
    return this.#counted(source)
  }

  async *#counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      this.#bytesRead += chunk.length
      yield chunk
    }
  }
}

/**
 * Several files of one name, one after the other, each read while it arrives: `files: { videos: z.instanceof(FileStreams) }`. What is
 * not read of a file when the next one is asked for is dropped. Otherwise as {@link FileStream}.
 *
 * @example
 * handler: async ({ files }) => {
 *   for await (const video of files.videos) await pipeline(video, createWriteStream(randomUUID()))
 * }
 */
export class FileStreams implements AsyncIterable<FileStream> {
  #source: AsyncIterable<FileStream> | undefined

  /** Files of your own, for tests. */
  constructor(source: AsyncIterable<FileStream>) {
    this.#source = source
  }

  /** The files, once. @throws `TypeError` when they are asked for again. */
  [Symbol.asyncIterator](): AsyncIterator<FileStream> {
    const source = this.#source
    if (source === undefined) throw new TypeError('FileStreams are read once')
    this.#source = undefined
    return source[Symbol.asyncIterator]()
  }
}
