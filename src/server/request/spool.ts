import { randomUUID } from 'node:crypto'
import { openAsBlob, unlinkSync } from 'node:fs'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SNIFFED_BYTES, sniffType } from './sniff.ts'

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

  /** The file, when all of it was added. `sniffs` takes its type from the content instead of the client. */
  async toFile(name: string, type: string, sniffs: boolean): Promise<File> {
    const content = this.#file === undefined ? Buffer.concat(this.#chunks) : await this.#file.finish()
    return new File([content], name, { type: sniffs ? sniffType(this.#start, type) : type })
  }
}

/** Temporary files of all requests, for a process that ends before they do. */
const all = new Set<string>()
let isWatching = false

function removeAll(): void {
  for (const path of all) {
    try {
      unlinkSync(path)
    } catch {
      // there is nobody left to tell
    }
  }
}

/** The temporary files of one request. A class because they last as long as the request does. */
export class TemporaryFiles {
  readonly #directory: string
  readonly #paths: string[] = []
  readonly #handles = new Set<FileHandle>()
  #isRemoved = false

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Creates a file that only its owner can read. */
  async create(): Promise<TemporaryFile> {
    if (!isWatching) process.once('exit', removeAll)
    isWatching = true
    // asked for with the first file: a program on Deno may know it only if it is allowed to
    const directory = this.#directory === '' ? tmpdir() : this.#directory
    const path = join(directory, `octavo-${randomUUID()}`)
    const handle = await open(path, 'wx', 0o600)
    all.add(path)
    this.#paths.push(path)
    this.#handles.add(handle)
    if (this.#isRemoved) {
      await this.remove()
      throw new Error('The request is answered: its files are removed')
    }
    return {
      write: (chunk) => handle.appendFile(chunk),
      finish: async () => {
        await handle.close()
        this.#handles.delete(handle)
        return openAsBlob(path)
      },
    }
  }

  /** Removes them all; what is made from now on is removed at once. */
  async remove(): Promise<void> {
    this.#isRemoved = true
    const handles = [...this.#handles]
    this.#handles.clear()
    for (const handle of handles) await handle.close().catch(ignoreMissingFile)
    for (const path of this.#paths.splice(0)) {
      await unlink(path).catch(ignoreMissingFile)
      all.delete(path)
    }
  }
}

/** A file that is being written. */
export interface TemporaryFile {
  /** Appends to it. */
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Ends writing; its bytes are read from the disk whenever they are asked for. */
  readonly finish: () => Promise<Blob>
}

/** A file that is gone already needs no removing. */
function ignoreMissingFile(): void {}
