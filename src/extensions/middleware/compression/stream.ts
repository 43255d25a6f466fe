import { drained, openStream, type BodyStream, type ChunkSource } from '../../../http/http.ts'
import type { Coding, Compressor } from './codings.ts'

/**
 * Compresses a streamed body. Data is flushed as soon as the source pauses. The source is read at the pace of the result, and cancelled with
 * it.
 */
export function compressStream(body: BodyStream, coding: Coding): BodyStream {
  const source = openStream(body)
  const compressor = coding.open()
  // also after the end, which is harmless
  compressor.once('close', source.cancel)
  // told to who reads; without a reader there is no one to tell
  compressor.on('error', () => undefined)
  void pump(source, compressor, coding)
  return compressor
}

async function pump(source: ChunkSource, compressor: Compressor, { flush }: Coding): Promise<void> {
  try {
    let coming = source.next()
    for (let chunk = await coming; chunk.done !== true; chunk = await coming) {
      if (compressor.destroyed) return
      if (!compressor.write(chunk.value)) await drained(compressor)
      if (compressor.destroyed) return
      coming = source.next()
      if (!(await isSoon(coming)) && !compressor.destroyed) flush(compressor)
    }
    compressor.end()
  } catch (error) {
    compressor.destroy(error instanceof Error ? error : new Error('A stream failed', { cause: error }))
  }
}

/** Whether a promise settles before the event loop has looked for what else there is to do. */
function isSoon(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    setImmediate(resolve, false)
    promise.then(() => resolve(true), reject)
  })
}
