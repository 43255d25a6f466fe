import { SNIFFED_BYTES, sniffType } from './sniff.ts'
import type { TemporaryFile, TemporaryFiles } from './temporary.ts'

/** How many bytes of files a request may still keep in memory. */
export interface Room {
  bytes: number
}

/** Takes the bytes of one file: those that find no room in memory go to a temporary file. A class because it grows as they arrive. */
export class Spool {
  readonly #room: Room
  readonly #temporary: TemporaryFiles
  #chunks: Uint8Array[] = []
  #held = 0
  #start: Uint8Array = new Uint8Array(0)
  #file: TemporaryFile | undefined
  size = 0

  constructor(room: Room, temporary: TemporaryFiles) {
    this.#room = room
    this.#temporary = temporary
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.size += chunk.length
    if (this.#start.length < SNIFFED_BYTES)
      this.#start = Buffer.concat([this.#start, chunk.subarray(0, SNIFFED_BYTES)])
    if (this.#file === undefined && chunk.length <= this.#room.bytes) {
      this.#room.bytes -= chunk.length
      this.#held += chunk.length
      this.#chunks.push(chunk)
      return
    }
    const file = (this.#file ??= await this.#spill())
    await file.write(chunk)
  }

  /** Moves what is in memory to the disk. */
  async #spill(): Promise<TemporaryFile> {
    const file = await this.#temporary.create()
    for (const chunk of this.#chunks) await file.write(chunk)
    this.#chunks = []
    this.#room.bytes += this.#held
    return file
  }

  /** The file, when all of it was added. `sniffs` says whether its type is what the content shows, or what the client said. */
  async toFile(name: string, type: string, sniffs: boolean): Promise<File> {
    const content = this.#file === undefined ? Buffer.concat(this.#chunks) : await this.#file.finish()
    return new File([content], name, { type: sniffs ? sniffType(this.#start, type) : type })
  }
}
