import { randomUUID } from 'node:crypto'
import { openAsBlob, unlinkSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
    for (const handle of handles) await handle.close().catch(ignore)
    for (const path of this.#paths.splice(0)) {
      await unlink(path).catch(ignore)
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
function ignore(): void {}
