import { FileStream, FileStreams, type FileField, type FilesPlan } from '../../schema/files.ts'
import type { SourcePlan } from '../../schema/coercion.ts'
import type { UploadLimits } from '../../schema/uploads.ts'
import { httpError, ValidationError } from '../../http/errors.ts'
import type { QueryRecord } from '../../http/http.ts'
import { decodeText } from './body.ts'
import type { Multipart, MultipartPart } from './multipart.ts'
import { malformedMultipart, toPartHead, type PartHead } from './part-head.ts'
import { Spool, TemporaryFiles } from './spool.ts'

/** The parts of a multipart body that a route takes. */
export interface UploadPlan {
  readonly form: SourcePlan | undefined
  readonly files: FilesPlan | undefined
}

/** The result for the files of one name. */
type Uploaded = File | FileStream | FileStreams | null

/**
 * One multipart body, read for a route. A class because it lasts as long as its request: streams of files are read while the handler
 * runs, and temporary files are there until the response has ended.
 */
export class Upload {
  readonly #plan: UploadPlan
  readonly #limits: Required<UploadLimits>
  readonly #parts: Multipart
  readonly #temporary: TemporaryFiles
  readonly #room: { bytes: number }
  readonly #fields: Record<string, string | string[]> = Object.create(null)
  readonly #files: Record<string, Uploaded[]> = Object.create(null)
  #fieldCount = 0
  #fileCount = 0

  constructor(plan: UploadPlan, limits: Required<UploadLimits>, parts: Multipart) {
    this.#plan = plan
    this.#limits = limits
    this.#parts = parts
    this.#temporary = new TemporaryFiles(limits.directory)
    this.#room = { bytes: limits.memory }
  }

  /** The texts of the fields; a repeated name has a list. */
  get fields(): QueryRecord {
    return this.#fields
  }

  /** The files by name. Those that are not declared are not there; for a strict schema their names are. */
  get files(): Readonly<Record<string, readonly unknown[]>> {
    return this.#files
  }

  /** Reads the body, or as far as a file begins that the handler reads. @throws `HttpError` for what is malformed or too much */
  async read(): Promise<void> {
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) {
      const { head, chunks } = part
      if (head.filename === undefined) await this.#addField(head.name, chunks)
      else if (await this.#addFile(head, chunks)) return
    }
  }

  /** Reads no more of the body; what was read stays until `close`. */
  stop(): void {
    this.#parts.stop()
  }

  /** Reads no more, and removes temporary files. */
  close(): Promise<void> {
    this.stop()
    return this.#temporary.remove()
  }

  /** The head of the next part and its bytes, no more than there may be. */
  async #next(): Promise<FilePart | undefined> {
    const { nameSize, files, fields, fileSize, fieldSize } = this.#limits
    const part = await this.#parts.next()
    if (part === undefined) return undefined
    const head = toPartHead(part.header, nameSize)
    if (head.filename === undefined) {
      if (++this.#fieldCount > fields) throw tooMany(fields, 'fields')
      return { head, chunks: limited(part, fieldSize, 'field') }
    }
    if (++this.#fileCount > files) throw tooMany(files, 'files')
    return { head, chunks: limited(part, fileSize, 'file') }
  }

  async #addField(name: string, chunks: Chunks): Promise<void> {
    const { form } = this.#plan
    const isWanted = form !== undefined && (form.fields.has(name) || form.others !== null)
    const kept: Uint8Array[] = []
    for await (const chunk of chunks) if (isWanted) kept.push(chunk)
    if (!isWanted) return
    let text: string
    try {
      text = decodeText(Buffer.concat(kept))
    } catch {
      throw malformedMultipart('A field is not UTF-8')
    }
    const before = this.#fields[name]
    this.#fields[name] = before === undefined ? text : [...[before].flat(), text]
  }

  /** Returns whether the handler reads the rest of the body. */
  async #addFile(head: PartHead, chunks: Chunks): Promise<boolean> {
    const field = this.#fieldOf(head.name)
    if (field === null || field.kind === 'none') {
      for await (const _ of chunks);
      if (field !== null) this.#put(head.name, null)
      return false
    }
    if (field.kind === 'file') {
      await this.#keep(head, field, chunks)
      return false
    }
    const present = await unlessEmpty(head, chunks)
    if (present === undefined) return false
    this.#put(
      head.name,
      field.kind === 'stream'
        ? new FileStream(head.filename ?? '', head.type, this.#streamed(present))
        : new FileStreams(this.#several({ head, chunks: present })),
    )
    return true
  }

  async #keep(head: PartHead, { sniffs }: FileField, chunks: Chunks): Promise<void> {
    const spool = new Spool(this.#room, this.#temporary)
    for await (const chunk of chunks) await spool.add(chunk)
    // browsers send this for an input that was left empty
    if (head.filename === '' && spool.size === 0) return
    this.#put(head.name, await spool.toFile(head.filename ?? '', head.type, sniffs))
  }

  #put(name: string, file: Uploaded): void {
    ;(this.#files[name] ??= []).push(file)
  }

  #fieldOf(name: string): FileField | null {
    const { files } = this.#plan
    return files?.fields.get(name) ?? files?.others ?? null
  }

  // the end of the only file that is streamed is told when all of the body is there, and right
  async *#streamed(chunks: Chunks): Chunks {
    yield* chunks
    for (let part = await this.#next(); part !== undefined; part = await this.#next()) await this.#drop(part)
  }

  async *#several(first: FilePart): AsyncGenerator<FileStream> {
    const { name } = first.head
    for (let part: FilePart | undefined = first; part !== undefined; part = await this.#next()) {
      const { head } = part
      const present =
        head.name === name && head.filename !== undefined ? await unlessEmpty(head, part.chunks) : undefined
      if (present !== undefined) yield new FileStream(head.filename ?? '', head.type, present)
      else if (head.name !== name || head.filename === undefined) await this.#drop(part)
    }
  }

  /** Goes past a part behind the file that the handler reads. @throws `HttpError` 422 when the route declares it */
  async #drop({ head, chunks }: FilePart): Promise<void> {
    const { form } = this.#plan
    const isFile = head.filename !== undefined
    const isDeclared = isFile ? this.#fieldOf(head.name) !== null : form?.fields.has(head.name) === true
    if (isDeclared && (!isFile || (await unlessEmpty(head, chunks)) !== undefined)) throw tooLate(head)
    for await (const _ of chunks);
  }
}

type Chunks = AsyncGenerator<Uint8Array, void, undefined>

interface FilePart {
  readonly head: PartHead
  readonly chunks: Chunks
}

async function* limited({ chunks }: MultipartPart, limit: number, what: string): Chunks {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw httpError('body_too_large', `A ${what} is longer than ${limit} bytes`)
    yield chunk
  }
}

/** The bytes of a file, or `undefined` if it has neither name nor bytes, as browsers send for an input that was left empty. */
async function unlessEmpty({ filename }: PartHead, chunks: Chunks): Promise<Chunks | undefined> {
  if (filename !== '') return chunks
  const first = await chunks.next()
  return first.done === true ? undefined : startingWith(first.value, chunks)
}

async function* startingWith(first: Uint8Array, rest: Chunks): Chunks {
  yield first
  yield* rest
}

function tooMany(limit: number, what: string): Error {
  return httpError('too_many_parts', `The body has more than ${limit} ${what}`)
}

function tooLate({ name, filename }: PartHead): Error {
  const path = [name.slice(0, 200)]
  const message = 'Send it before the file that is read as it arrives'
  const source = filename === undefined ? 'form' : 'files'
  return new ValidationError(
    [{ in: source, path, code: 'out_of_order', message }],
    'A part of the body comes too late',
  )
}
