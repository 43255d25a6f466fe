import { replyTo, type RawReply } from '../../define/reply.ts'
import { answerWith, toContent, type Presented } from './answer.ts'

/** The head of a response with bytes. */
interface BytesOptions extends Presented {
  /** @default made of the bytes */
  readonly etag?: string
}

/** Returns a result that is bytes, with conditions and ranges as files have them. No file system is needed. */
export function bytesReply(bytes: Uint8Array, { etag, ...options }: BytesOptions): RawReply {
  const content = toContent(bytes, etag === undefined)
  return replyTo((context) =>
    answerWith(etag === undefined ? content : { ...content, etag }, context, options),
  )
}
