import { fileURLToPath } from 'node:url'

import type { RawReply, ReplyContext } from '../../define/reply.ts'
import { httpError } from '../../http/errors.ts'
import { toBaseName } from '../../http/file-name.ts'
import { answerWith, toContent, toSeconds, type FileContent } from './answer.ts'
import { openFile, contentTypeOfFile } from './disk.ts'

export { prepareDisk } from './disk.ts'
import type { Disposition, FileOptions } from './file-options.ts'

export async function answerWithFile(
  source: string | URL | Uint8Array | Blob,
  options: FileOptions,
  context: ReplyContext,
): Promise<RawReply> {
  const { filename = '', type } = options
  const validators = {
    ...(options.etag === undefined ? {} : { etag: options.etag === false ? undefined : options.etag }),
    ...(options.lastModified === undefined ? {} : { modified: toSeconds(options.lastModified.getTime()) }),
  }
  const disposition = toDispositionHeader(source, options)
  const byName = filename === '' ? undefined : await contentTypeOfFile(filename)
  const found = await toFound(source, options)
  return answerWith({ ...found, ...validators, type: type ?? found.type ?? byName }, context, {
    ...options,
    headers: { ...disposition, ...options.headers },
  })
}

async function toFound(source: string | URL | Uint8Array | Blob, options: FileOptions): Promise<FileContent> {
  if (source instanceof Uint8Array || source instanceof Blob)
    return toContent(source, options.etag === undefined)
  const root = options.root === undefined ? undefined : toFilePath(options.root)
  // without a root the path is the program's own
  const dotfiles = options.dotfiles ?? (root === undefined ? 'allow' : 'ignore')
  const found = await openFile(toFilePath(source), {
    root,
    dotfiles,
    followLinks: options.followLinks === true,
  })
  if (found.kind === 'file') return found.content
  throw httpError('file_not_found', 'There is no such file')
}

function toDispositionHeader(
  source: unknown,
  { filename, disposition }: FileOptions,
): Readonly<Record<string, string>> {
  if (filename === undefined && disposition === undefined) return {}
  if (filename === undefined && disposition === 'inline') return { 'content-disposition': 'inline' }
  const named = typeof source === 'string' || source instanceof URL ? toFilePath(source) : ''
  return { 'content-disposition': toDisposition(disposition ?? 'attachment', filename ?? named) }
}

function toFilePath(source: string | URL): string {
  return source instanceof URL ? fileURLToPath(source) : source
}

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
