import { fileURLToPath } from 'node:url'

import { checkOptions, invalidOption, type Rules } from '../../base/definition-error.ts'
import type { ExecutionContext } from '../../define/context.ts'
import type { Middleware } from '../../define/layers.ts'
import { redirect, replyTo, type RawReply } from '../../define/reply.ts'
import { answerWith, type CacheOptions, type FileContent } from '../../server/response/answer.ts'
import { isWorkerd } from '../../base/platform.ts'
import { isBoolean, isCount, isObject, isNonEmptyString } from '../../base/values.ts'
import { openFile, type DiskEntry } from '../../server/response/disk.ts'

/** The options of `staticFiles`. */
export interface StaticFilesOptions extends CacheOptions {
  /** The folder of the files; a relative path starts in the working directory. */
  readonly root: string | URL
  /** The path below which the files are served. @default '/' */
  readonly prefix?: string
  /** The file that stands for a folder; `false` for none. @default 'index.html' */
  readonly index?: string | false
  /** Whether names that begin with a dot are found. @default 'ignore' */
  readonly dotfiles?: 'allow' | 'ignore'
  /** Whether links may lead out of `root`. @default false */
  readonly followLinks?: boolean
  /** Further response headers. */
  readonly headers?: Readonly<Record<string, string>>
}

const WHERE = 'staticFiles'
const MISSING = invalidOption(WHERE, 'root is missing', "give the path of a folder: { root: 'public' }")
const NOT_KEPT = invalidOption(WHERE, 'immutable has no effect without maxAge', 'give maxAge, too')

const NO_FILES = invalidOption(
  WHERE,
  'there are no files in Workers',
  "serve them as static assets of the platform, such as those of Wrangler's option assets",
)

const OPTIONS: Rules = {
  root: [
    (value) => isNonEmptyString(value) || (value instanceof URL && value.protocol === 'file:'),
    'the path of a folder, or a file URL',
  ],
  prefix: [
    (value) => typeof value === 'string' && /^(?:\/[^/?#%\\\s]+)*\/?$/.test(value) && value !== '',
    "a path such as '/assets'",
  ],
  index: [
    (value) => value === false || (isNonEmptyString(value) && !/[/\\\0]/.test(value)),
    'the name of a file, or false',
  ],
  dotfiles: [(value) => value === 'allow' || value === 'ignore', "'allow' or 'ignore'"],
  followLinks: [isBoolean, 'true or false'],
  maxAge: [isCount, 'a number of seconds'],
  immutable: [isBoolean, 'true or false'],
  cacheControl: [isNonEmptyString, 'the value of a Cache-Control header'],
  headers: [isObject, 'headers by name'],
}

/**
 * Middleware that answers GET and HEAD with the files of a folder, as `file` does: with conditions and ranges, 304, 206, 412 and
 * 416. Whatever is no file goes on: routes, other methods, 404. Middleware of the application runs before guards: files that not
 * everybody may read are for a route with `file(path, { root })`.
 *
 * @example
 * createApp(AppModule, { middleware: [staticFiles({ root: 'public', prefix: '/assets', maxAge: 3600 })] })
 *
 * @throws `DefinitionError` when an option is wrong, and in Workers, which have no files.
 */
export function staticFiles(options: StaticFilesOptions): Middleware {
  const { root: given, immutable, maxAge }: Partial<StaticFilesOptions> = Object(options)
  const problems = [
    ...(given === undefined ? [MISSING] : []),
    ...(immutable === true && maxAge === undefined ? [NOT_KEPT] : []),
  ]
  checkOptions(WHERE, options, OPTIONS, isWorkerd() ? [NO_FILES] : problems)
  const { root, prefix = '/', index = 'index.html', dotfiles = 'ignore', followLinks = false } = options
  const base = prefix.replace(/\/$/, '')
  const folder: StaticRoot = {
    root: root instanceof URL ? fileURLToPath(root) : root,
    index,
    dotfiles,
    followLinks,
  }
  const serve = async (
    segments: readonly string[],
    context: ExecutionContext,
    next: Parameters<Middleware>[1],
  ): Promise<unknown> => (await answerFile(segments, folder, context, options)) ?? next()
  return (context, next) => {
    const { method, path } = context.request
    if (method !== 'GET' && method !== 'HEAD') return next()
    const rest = path.startsWith(base) ? path.slice(base.length) : undefined
    const segments = rest === '' || rest?.startsWith('/') === true ? toSegments(rest) : undefined
    return segments === undefined ? next() : serve(segments, context, next)
  }
}

/** The answer to a path below the root, or `undefined` if there is no file. */
async function answerFile(
  segments: readonly string[],
  folder: StaticRoot,
  { request }: ExecutionContext,
  options: StaticFilesOptions,
): Promise<RawReply | undefined> {
  const found = await findServedFile(segments, folder)
  if (found === undefined) return undefined
  // the path has no empty segment, so that it cannot be taken for a host
  if (found === 'folder') return redirect(request.path + '/' + request.url.slice(request.path.length), 308)
  return replyTo((context) => answerWith(found, context, options))
}

/** A served folder. */
type StaticRoot = Required<Pick<StaticFilesOptions, 'index' | 'dotfiles' | 'followLinks'>> & {
  readonly root: string
}

/**
 * Opens the file at a path. Returns `'folder'` for a folder with an index file that is requested without its slash, and `undefined` if there
 * is no file.
 */
async function findServedFile(
  segments: readonly string[],
  folder: StaticRoot,
): Promise<FileContent | 'folder' | undefined> {
  const last = segments.at(-1)
  const isFolder = last === undefined || last === ''
  if (isFolder && folder.index === false) return undefined
  const path = (isFolder ? [...segments.slice(0, -1), String(folder.index)] : segments).join('/')
  const found = await openFile(path, folder)
  // the root without its slash may be asked for too, where there is a prefix
  if (last === undefined) return closed(found)
  if (found.kind === 'directory' && folder.index !== false)
    return closed(await openFile(`${path}/${folder.index}`, folder))
  return found.kind === 'file' ? found.content : undefined
}

function closed(found: DiskEntry): 'folder' | undefined {
  if (found.kind !== 'file') return undefined
  found.content.close()
  return 'folder'
}

/**
 * The segments of a path as names of files, the last one empty where the path ends with a slash, or `undefined` for a path that a file
 * system could take for another: with empty segments, dots that lead upwards, separators in escapes or NUL.
 *
 * @example
 * toSegments('/css/a%20b.css') // → ['css', 'a b.css']
 * toSegments('/..%2fsecret') // → undefined
 */
function toSegments(path: string): readonly string[] | undefined {
  const encoded = path.split('/').slice(1)
  const segments: string[] = []
  for (const [at, part] of encoded.entries()) {
    const segment = decodePath(part)
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
function decodePath(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
