import type { Content } from '../../send/content.ts'
import { openFile, typeOf } from '../../send/disk.ts'
import type { Found } from '../../send/disk.ts'
import { negotiate } from '../compression/negotiate.ts'

/** What is served. */
export interface StaticRoot {
  readonly root: string
  readonly index: string | false
  readonly dotfiles: 'allow' | 'ignore'
  readonly precompressed: boolean
}

/** A file to be sent, and the headers that belong to it. */
export interface StaticFile {
  readonly content: Content
  readonly headers: Readonly<Record<string, string>>
}

/** Content codings, and how the names of files in them end. */
const CODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

/**
 * The file at a path, open; `'folder'` where one with an index file is asked for without its slash, `undefined` where there is
 * nothing to send.
 */
export async function findFile(
  segments: readonly string[],
  place: StaticRoot,
  accepted: string | undefined,
): Promise<StaticFile | 'folder' | undefined> {
  const last = segments.at(-1)
  const isFolder = last === undefined || last === ''
  if (isFolder && place.index === false) return undefined
  const path = (isFolder ? [...segments.slice(0, -1), String(place.index)] : segments).join('/')
  const found = await openFile(path, place)
  // the root without its slash may be asked for too, where there is a prefix
  if (last === undefined) return closed(found)
  if (found.kind === 'directory' && place.index !== false)
    return closed(await openFile(`${path}/${place.index}`, place))
  if (found.kind !== 'file') return undefined
  return place.precompressed
    ? coded(path, found.content, place, accepted)
    : { content: found.content, headers: {} }
}

function closed(found: Found): 'folder' | undefined {
  if (found.kind !== 'file') return undefined
  found.content.close()
  return 'folder'
}

/** The same file in the coding that the client likes best, of those that there are. */
async function coded(
  path: string,
  plain: Content,
  place: StaticRoot,
  accepted: string | undefined,
): Promise<StaticFile> {
  const headers = { vary: 'accept-encoding' }
  try {
    let codings: readonly (typeof CODINGS)[number][] = CODINGS
    for (;;) {
      const { coding } = negotiate(accepted, codings)
      if (coding === undefined) return { content: plain, headers }
      const found = await openFile(path + coding.ending, place)
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
