import { replyTo } from '../../define/reply.ts'
import type { RawReply } from '../../define/reply.ts'
import type { FileOptions } from './file-options.ts'

/** Returns a result that is a file, without checks of the options. */
export function fileReply(source: string | URL | Uint8Array | Blob, options: FileOptions): RawReply {
  return replyTo(async (context) => {
    // reading files is no part of a start
    const { answerFile } = await import('./answer-file.ts')
    return answerFile(source, options, context)
  })
}
