import { instanceClass } from './accepts.ts'
import {
  defOf,
  schemasOf,
  unwrapSchema,
  childrenOf,
  planFields,
  type Schema,
  type FieldPlans,
} from './schema.ts'

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

/** How the files of one field become what its schema validates. */
export interface FileField {
  /** `'file'`: web files; `'stream'` and `'streams'`: read by the handler; `'none'`: its schema takes no file. */
  readonly kind: 'file' | 'stream' | 'streams' | 'none'
  /** Whether one file is handed over as a list too. */
  readonly isList: boolean
  /** Whether the schema asks for the type, which is told from the content then. */
  readonly sniffs: boolean
}

/** How the files of a request become what the schema of `files` validates. */
export type FilesPlan = FieldPlans<FileField>

const FILE: FileField = { kind: 'file', isList: false, sniffs: false }
const NONE: FileField = { kind: 'none', isList: false, sniffs: false }

/** Reads from a schema which files it takes. A schema that is no object is handed every file. */
export function toFilesPlan(schema: Schema): FilesPlan {
  return planFields(schema, FILE, (field) => toFileField(field), combineFilePlans)
}

/** Schema types that can take a file though they do not say so. */
const OPEN_TYPES = new Set(['any', 'unknown', 'transform'])
const MAX_DEPTH = 8

function toFileField(schema: Schema, depth = 0): FileField {
  const inner = unwrapSchema(schema)
  // what is transformed first may take anything
  if (inner === undefined) return FILE
  const def = defOf(inner)
  if (depth > MAX_DEPTH) return NONE
  const parts = (): FileField =>
    combineFilePlans(childrenOf(inner).map((child) => toFileField(child.schema, depth + 1)))
  switch (def.type) {
    case 'file':
      return { ...FILE, sniffs: asksForType(def['checks']) }
    case 'custom':
      return toCustomField(instanceClass(inner))
    case 'array':
    case 'tuple':
      return { ...parts(), isList: true }
    case 'union':
      return parts()
    default:
      return OPEN_TYPES.has(def.type) ? FILE : NONE
  }
}

function toCustomField(type: unknown): FileField {
  if (type === FileStream) return { ...FILE, kind: 'stream' }
  if (type === FileStreams) return { ...FILE, kind: 'streams' }
  return type === undefined || type === File || type === Blob ? FILE : NONE
}

/** Whether a file schema has `.mime(…)`. */
function asksForType(checks: unknown): boolean {
  return schemasOf(checks).some((check) => defOf(check)['check'] === 'mime_type')
}

function combineFilePlans(fields: readonly FileField[]): FileField {
  const taking = fields.filter(({ kind }) => kind !== 'none')
  return {
    kind: taking[0]?.kind ?? 'none',
    isList: taking.length > 0 && taking.every(({ isList }) => isList),
    sniffs: taking.some(({ sniffs }) => sniffs),
  }
}
