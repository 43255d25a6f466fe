import { open, realpath, type FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'
import { Readable } from 'node:stream'

import { ignoreRejection, importInTurn, once } from '../../base/values.ts'
import { toSeconds, toTag, type BodyPart, type FileContent } from './answer.ts'
import type { ByteSpan } from './ranges.ts'

/** How a path is looked up. */
export interface DiskLookup {
  /** The only folder that files are read from. Without it, any path is allowed. */
  readonly root: string | undefined
  readonly dotfiles: 'allow' | 'ignore'
  /** Whether links may lead out of the root. */
  readonly followLinks: boolean
}

/** The file or folder at a path. */
export type DiskEntry =
  | { readonly kind: 'file'; readonly content: FileContent }
  | { readonly kind: 'directory' }
  | { readonly kind: 'nothing' }

const NOTHING: DiskEntry = { kind: 'nothing' }

/** All that `send` reads of a request: what this one asks for is the head of a file, without conditions. */
const ASK_HEAD = Object.assign(new Readable(), { method: 'HEAD', headers: {} })

/** Bytes that are read at once; what is longer is streamed. */
const SMALL = 65_536

/**
 * Finds and opens the file at a path. `@fastify/send` decides about access and the content type. Its own answers to conditions and ranges
 * are not used, because they compare weakly although RFC 9110 section 13 requires more, and a file that cannot be opened fails after the
 * head.
 *
 * @throws what the file system reports, unless it is that there is no such file.
 */
export async function openFile(
  path: string,
  { root, dotfiles, followLinks }: DiskLookup,
): Promise<DiskEntry> {
  // no file can have such a path
  if (/\p{Surrogate}|\0/u.test(path)) return NOTHING
  // `send` decodes it
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const { default: send } = await loadSend()
  const found = await send(ASK_HEAD, encoded, {
    ...(root === undefined ? {} : { root }),
    dotfiles,
    index: false,
    cacheControl: false,
    etag: false,
    lastModified: false,
  })
  if (found.type === 'directory') return { kind: 'directory' }
  if (found.type === 'error') {
    // 400 and 403 are for paths that lead out of the root
    if (found.statusCode < 500) return NOTHING
    throw found.metadata.error
  }
  const { metadata, headers } = found
  // to open a pipe would wait for somebody to write into it
  if (!metadata.stat.isFile()) return NOTHING
  if (root !== undefined && !followLinks && !(await isBelowRoot(root, metadata.path))) return NOTHING
  const handle = await openThere(metadata.path)
  return handle === undefined
    ? NOTHING
    : {
        kind: 'file',
        content: await toFileContent(handle, metadata.path, toCurrent(headers['Content-Type'])),
      }
}

const loadSend = /* @__PURE__ */ once(() => importInTurn(() => import('@fastify/send')))

/** Loads what finds files. */
export async function prepareDisk(): Promise<void> {
  await loadSend()
}

/** Whether a file is below a folder once all links are followed, of which each may be changed at any time. */
async function isBelowRoot(root: string, path: string): Promise<boolean> {
  try {
    const [folder, file] = await Promise.all([realpath(root), realpath(path)])
    return file.startsWith(folder.endsWith(sep) ? folder : folder + sep)
  } catch {
    // it has gone since it was seen
    return false
  }
}

export async function contentTypeOfFile(name: string): Promise<string | undefined> {
  const { mime, isUtf8MimeType } = (await loadSend()).default
  const type = mime.getType(name)
  if (type === null) return undefined
  return toCurrent(isUtf8MimeType(type) ? `${type}; charset=utf-8` : type)
}

/** The type under its present name: scripts are text (RFC 9239 section 6). */
function toCurrent(type: string | undefined): string | undefined {
  return type?.replace(/^application\/javascript\b/, 'text/javascript')
}

/** Opens a file, or `undefined` if it has gone since it was seen. */
async function openThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function toFileContent(
  handle: FileHandle,
  path: string,
  type: string | undefined,
): Promise<FileContent> {
  try {
    const { size, mtimeNs, mtimeMs } = await handle.stat({ bigint: true })
    return {
      size: Number(size),
      type,
      // with the path: other versions of a resource may be other files of the same size and time
      etag: toTag(`${size} ${mtimeNs} ${path}`),
      modified: toSeconds(Number(mtimeMs)),
      read: (span) => readSpan(handle, span),
      close: () => closeFile(handle),
    }
  } catch (error) {
    closeFile(handle)
    throw error
  }
}

async function readSpan(handle: FileHandle, { start, end }: ByteSpan): Promise<BodyPart> {
  const length = end - start
  // to its last byte and no further: the file may grow meanwhile
  if (length > SMALL) return handle.createReadStream({ start, end: end - 1 })
  try {
    const bytes = Buffer.alloc(length)
    for (let at = 0; at < length;) {
      const { bytesRead } = await handle.read(bytes, at, length - at, start + at)
      if (bytesRead === 0) throw new Error('A file became shorter while it was read')
      at += bytesRead
    }
    return bytes
  } finally {
    closeFile(handle)
  }
}

/** Closes a file; one that cannot be closed has no one left to tell. */
function closeFile(handle: FileHandle): void {
  ignoreRejection(handle.close())
}
