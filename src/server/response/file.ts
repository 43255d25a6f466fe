import { checkOptionNames } from '../../base/definition-error.ts'
import { importInTurn, once } from '../../base/values.ts'
import { RAW_OPTIONS, replyTo, type RawReply } from '../../define/reply.ts'
import type { FileOptions } from './file-options.ts'

const OPTIONS: ReadonlySet<string> = new Set([
  ...RAW_OPTIONS,
  'type',
  'maxAge',
  'immutable',
  'cacheControl',
  'filename',
  'disposition',
  'root',
  'dotfiles',
  'followLinks',
  'etag',
  'lastModified',
])

/**
 * Returns a result that is a file, by its path or in memory. It handles conditions and ranges (RFC 9110 sections 13 and 14): 304, 206,
 * 412 and 416. `HEAD` is answered without the content. A path that leads nowhere, to a folder or out of `root` is a 404.
 *
 * @example
 * handler: ({ params }) => file(params.name, { root: 'invoices', filename: `invoice ${params.name}` })
 * handler: async () => file(await report.toPdf(), { filename: 'report.pdf' })
 *
 * @throws `TypeError` for options that do not exist or cannot be used.
 */
export function file(source: string | URL | Uint8Array | Blob, options: FileOptions = {}): RawReply {
  checkOptionNames('file', options, OPTIONS)
  const { etag } = options
  if (
    typeof source !== 'string' &&
    !(source instanceof URL || source instanceof Uint8Array || source instanceof Blob)
  )
    throw new TypeError('file: the source is not a path, a file URL, bytes or a Blob')
  if (typeof etag === 'string' && !/^(?:W\/)?"[\u0021\u0023-\u007e]*"$/.test(etag))
    throw new TypeError('file: etag is not an entity tag such as \'"7"\', in double quotes')
  if (options.lastModified !== undefined && Number.isNaN(options.lastModified.getTime()))
    throw new TypeError('file: lastModified is not a valid date')
  return replyTo(async (context) => {
    const { answerWithFile } = await loadFiles()
    return answerWithFile(source, options, context)
  })
}

/** Loads what answers with files, which is no part of a start: when the application is ready, or with the first file. */
export const loadFiles = /* @__PURE__ */ once(async () => {
  const loaded = await importInTurn(() => import('./answer-file.ts'))
  // platforms without disks have files in memory alone, and a file of a disk tells what is missing
  await loaded.prepareDisk().catch(() => undefined)
  return loaded
})
