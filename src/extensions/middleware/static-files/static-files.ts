import { fileURLToPath } from 'node:url'

import {
  checkOptions,
  invalidOption,
  type DefinitionProblem,
  type Rules,
} from '../../../base/definition-error.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import type { Middleware } from '../../../define/layers.ts'
import { redirect, replyTo, type RawReply } from '../../../define/reply.ts'
import { answerWith, type CacheOptions } from '../../../server/response/answer.ts'
import { findFile, toSegments, withoutPrefix, type StaticRoot } from './find.ts'
import { isWorkerd } from '../../../base/platform.ts'
import { isBoolean, isCount, isObject, isNonEmptyString } from '../../../base/values.ts'

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
  /** Whether `app.js.br` and `app.js.gz` beside `app.js` are sent to those who take Brotli or gzip. @default false */
  readonly precompressed?: boolean
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

const isFileUrl = (value: unknown): boolean => value instanceof URL && value.protocol === 'file:'

const OPTIONS: Rules = {
  root: [(value) => isNonEmptyString(value) || isFileUrl(value), 'the path of a folder, or a file URL'],
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
  precompressed: [isBoolean, 'true or false'],
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
  checkOptions(WHERE, options, OPTIONS, isWorkerd() ? [NO_FILES] : contradictions(options))
  const { root, prefix = '/', index = 'index.html', dotfiles = 'ignore' } = options
  const { followLinks = false, precompressed = false } = options
  const base = prefix.replace(/\/$/, '')
  const folder: StaticRoot = {
    root: root instanceof URL ? fileURLToPath(root) : root,
    index,
    dotfiles,
    followLinks,
    precompressed,
  }
  const serve = async (
    segments: readonly string[],
    context: ExecutionContext,
    next: Parameters<Middleware>[1],
  ): Promise<unknown> => (await answer(segments, folder, context, options)) ?? next()
  return (context, next) => {
    const { method, path } = context.request
    if (method !== 'GET' && method !== 'HEAD') return next()
    const segments = toSegments(withoutPrefix(path, base))
    return segments === undefined ? next() : serve(segments, context, next)
  }
}

function contradictions(options: Partial<StaticFilesOptions> | undefined): readonly DefinitionProblem[] {
  const isKept = options?.immutable !== true || options.maxAge !== undefined
  return [...(options?.root === undefined ? [MISSING] : []), ...(isKept ? [] : [NOT_KEPT])]
}

/** The answer to a path below the root, or `undefined` if there is no file. */
async function answer(
  segments: readonly string[],
  folder: StaticRoot,
  { request }: ExecutionContext,
  options: StaticFilesOptions,
): Promise<RawReply | undefined> {
  const found = await findFile(segments, folder, request.header('accept-encoding'))
  if (found === undefined) return undefined
  // the path has no empty segment, so that it cannot be taken for a host
  if (found === 'folder') return redirect(request.path + '/' + request.url.slice(request.path.length), 308)
  const headers = { ...found.headers, ...options.headers }
  return replyTo((context) => answerWith(found.content, context, { ...options, headers }))
}
