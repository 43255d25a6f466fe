import type { Content } from '../../../server/response/answer.ts'
import { openFile, typeOf, type DiskEntry } from '../../../server/response/disk.ts'
import { negotiate } from '../compression/negotiate.ts'

/** A served folder. */
export interface StaticRoot {
  readonly root: string
  readonly index: string | false
  readonly dotfiles: 'allow' | 'ignore'
  readonly followLinks: boolean
  readonly precompressed: boolean
}

/** A file to be sent, and the headers that belong to it. */
interface StaticFile {
  readonly content: Content
  readonly headers: Readonly<Record<string, string>>
}

/** Content codings, and how the names of files in them end. */
const CODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

/**
 * Opens the file at a path. Returns `'folder'` for a folder with an index file that is requested without its slash, and `undefined` if there
 * is no file.
 */
export async function findFile(
  segments: readonly string[],
  folder: StaticRoot,
  accepted: string | undefined,
): Promise<StaticFile | 'folder' | undefined> {
  const last = segments.at(-1)
  const isFolder = last === undefined || last === ''
  if (isFolder && folder.index === false) return undefined
  const path = (isFolder ? [...segments.slice(0, -1), String(folder.index)] : segments).join('/')
  const found = await openFile(path, folder)
  // the root without its slash may be asked for too, where there is a prefix
  if (last === undefined) return closed(found)
  if (found.kind === 'directory' && folder.index !== false)
    return closed(await openFile(`${path}/${folder.index}`, folder))
  if (found.kind !== 'file') return undefined
  return folder.precompressed
    ? coded(path, found.content, folder, accepted)
    : { content: found.content, headers: {} }
}

function closed(found: DiskEntry): 'folder' | undefined {
  if (found.kind !== 'file') return undefined
  found.content.close()
  return 'folder'
}

/** The same file in the coding that the client likes best, of those that there are. */
async function coded(
  path: string,
  plain: Content,
  folder: StaticRoot,
  accepted: string | undefined,
): Promise<StaticFile> {
  const headers = { vary: 'accept-encoding' }
  try {
    let codings: readonly (typeof CODINGS)[number][] = CODINGS
    for (;;) {
      const { coding } = negotiate(accepted, codings)
      if (coding === undefined) return { content: plain, headers }
      const found = await openFile(path + coding.ending, folder)
      if (found.kind === 'file') {
        plain.close()
        const type = plain.type ?? (await typeOf(path)) ?? 'application/octet-stream'
        return {
          content: { ...found.content, type },
          headers: { ...headers, 'content-encoding': coding.name },
        }
      }
      codings = codings.filter((other) => other !== coding)
    }
  } catch (error) {
    plain.close()
    throw error
  }
}

/** Returns the part after a prefix without trailing slash, with its leading slash, or `undefined` if the path is elsewhere. */
export function withoutPrefix(path: string, prefix: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  return rest === '' || rest.startsWith('/') ? rest : undefined
}

/**
 * The segments of a path as names of files, the last one empty where the path ends with a slash, or `undefined` for a path that a file
 * system could take for another: with empty segments, dots that lead upwards, separators in escapes or NUL.
 *
 * @example
 * toSegments('/css/a%20b.css') // → ['css', 'a b.css']
 * toSegments('/..%2fsecret') // → undefined
 */
export function toSegments(path: string | undefined): readonly string[] | undefined {
  if (path === undefined) return undefined
  const encoded = path.split('/').slice(1)
  const segments: string[] = []
  for (const [at, part] of encoded.entries()) {
    const segment = decode(part)
    const isLast = at === encoded.length - 1
    if (segment === undefined || (segment === '' && !isLast)) return undefined
    // a colon would name a drive or a stream of a file on Windows
    if (segment === '.' || segment === '..' || UNSAFE.test(segment)) return undefined
    segments.push(segment)
  }
  return segments
}

const UNSAFE = process.platform === 'win32' ? /[/\\\0:]/ : /[/\\\0]/

/** A malformed escape is for the application to answer. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
