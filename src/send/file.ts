import { fileURLToPath } from 'node:url'

import { replyTo } from '../define/reply.ts'
import type { RawReply, ReplyContext } from '../define/reply.ts'
import { httpError } from '../errors.ts'
import { toBaseName } from '../file-name.ts'
import { answerWith } from './answer.ts'
import type { Presented } from './answer.ts'
import { toContent, toSeconds } from './content.ts'
import type { Content } from './content.ts'
import { openFile, typeOf } from './disk.ts'

/** What `file` takes besides the file. */
export interface FileOptions extends Presented {
  /** The name under which browsers save the file; of a path, its last part counts. @default the address of the page */
  readonly filename?: string
  /** Whether browsers show the file or save it. @default 'attachment' with a `filename`, else it is not said */
  readonly disposition?: Disposition
  /**
   * The folder that a relative path starts in and nothing is read outside of, links excepted. To be given whenever a part of the
   * path comes from a request.
   */
  readonly root?: string | URL
  /** Whether names below `root` that begin with a dot are found. @default 'ignore' */
  readonly dotfiles?: 'allow' | 'ignore'
  /** The entity tag, with its quotes; `false` for none. @default made of size, time and path, or of the bytes; blobs have none */
  readonly etag?: string | false
  /** When the content changed last. @default as the file system or the `File` says */
  readonly lastModified?: Date
}

/**
 * A result that is a file: by its path, or what is in memory. Answers conditions and ranges (RFC 9110 sections 13 and 14): 304, 206,
 * 412 and 416; `HEAD` is answered without the content. A path that leads nowhere, to a folder or out of `root` is 404.
 *
 * @example
 * handler: ({ params }) => file(params.name, { root: 'invoices', filename: `invoice ${params.name}` })
 * handler: async () => file(await report.toPdf(), { filename: 'report.pdf' })
 */
export function file(source: string | URL | Uint8Array | Blob, options: FileOptions = {}): RawReply {
  const { etag } = options
  if (!isSource(source)) throw new TypeError('file: the source is not a path, a file URL, bytes or a Blob')
  if (typeof etag === 'string' && !/^(?:W\/)?"[\u0021\u0023-\u007e]*"$/.test(etag))
    throw new TypeError('file: etag is not an entity tag such as \'"7"\', in double quotes')
  if (options.lastModified !== undefined && Number.isNaN(options.lastModified.getTime()))
    throw new TypeError('file: lastModified is not a valid date')
  return replyTo((context) => answerFile(source, options, context))
}

function isSource(source: unknown): boolean {
  return (
    typeof source === 'string' ||
    source instanceof URL ||
    source instanceof Uint8Array ||
    source instanceof Blob
  )
}

async function answerFile(
  source: string | URL | Uint8Array | Blob,
  options: FileOptions,
  context: ReplyContext,
): Promise<RawReply> {
  const { filename = '', type } = options
  const validators = toOwnValidators(options)
  const disposition = toDispositionHeader(source, options)
  const byName = filename === '' ? undefined : await typeOf(filename)
  const found = await toFound(source, options)
  return answerWith({ ...found, ...validators, type: type ?? found.type ?? byName }, context, {
    ...options,
    headers: { ...disposition, ...options.headers },
  })
}

async function toFound(source: string | URL | Uint8Array | Blob, options: FileOptions): Promise<Content> {
  if (source instanceof Uint8Array || source instanceof Blob)
    return toContent(source, options.etag === undefined)
  const root = options.root === undefined ? undefined : toPath(options.root)
  // without a root the path is the program's own
  const dotfiles = options.dotfiles ?? (root === undefined ? 'allow' : 'ignore')
  const found = await openFile(toPath(source), { root, dotfiles })
  if (found.kind === 'file') return found.content
  throw httpError('file_not_found', 'There is no such file')
}

function toOwnValidators({ etag, lastModified }: FileOptions): Partial<Content> {
  return {
    ...(etag === undefined ? {} : { etag: etag === false ? undefined : etag }),
    ...(lastModified === undefined ? {} : { modified: toSeconds(lastModified.getTime()) }),
  }
}

function toDispositionHeader(
  source: unknown,
  { filename, disposition }: FileOptions,
): Readonly<Record<string, string>> {
  if (filename === undefined && disposition === undefined) return {}
  if (filename === undefined && disposition === 'inline') return { 'content-disposition': 'inline' }
  const named = typeof source === 'string' || source instanceof URL ? toPath(source) : ''
  return { 'content-disposition': toDisposition(disposition ?? 'attachment', filename ?? named) }
}

function toPath(source: string | URL): string {
  return source instanceof URL ? fileURLToPath(source) : source
}

/** How a browser takes a file: shown in its window, or saved. */
type Disposition = 'inline' | 'attachment'

/**
 * The value of `Content-Disposition` (RFC 6266). The name keeps nothing of a path and nothing that cannot be seen; one that is not
 * plain ASCII is sent twice, percent-encoded for those who read RFC 8187, and with `_` in the place of all else.
 *
 * @example
 * toDisposition('attachment', 'naïve.pdf') // → `attachment; filename="na_ve.pdf"; filename*=UTF-8''na%C3%AFve.pdf`
 */
function toDisposition(disposition: Disposition, filename: string): string {
  const name = toBaseName(filename).replaceAll(/\p{Surrogate}/gu, '\ufffd') || 'download'
  // a quote, a backslash or a percent sign is read in different ways (RFC 6266 appendix D)
  const plain = name.replaceAll(/[^\u0020-\u007e]|["\\%]/gu, '_')
  const full = plain === name ? '' : `; filename*=UTF-8''${toExtended(name)}`
  return `${disposition}; filename="${plain}"${full}`
}

/** Percent-encodes what RFC 8187 does not let stand. */
function toExtended(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
