import type { Readable } from 'node:stream'

/** The part of a stream that was read. `'whole'` if it came to its end, `'part'` if its reader left before. */
export interface RecordedStream {
  readonly bytes: Uint8Array
  readonly streamed: 'whole' | 'part'
}

/** Records the data that a test reads from a stream. Returns the function that returns the record so far. */
export function recordStream(stream: Readable): () => RecordedStream {
  const chunks: Uint8Array[] = []
  let streamed: RecordedStream['streamed'] = 'part'
  const emit = stream.emit.bind(stream)
  // a listener would have the stream flow, and reading it would take its chunks from the test
  stream.emit = (event: string | symbol, ...args: readonly unknown[]) => {
    const [chunk] = args
    if (event === 'data' && (typeof chunk === 'string' || chunk instanceof Uint8Array))
      chunks.push(Buffer.from(chunk))
    if (event === 'end') streamed = 'whole'
    return emit(event, ...args)
  }
  return () => ({ bytes: Buffer.concat(chunks), streamed })
}

/** Reads a stream as it was read when it was recorded: to its end, or as many bytes. */
export async function readAgain(
  stream: Readable,
  streamed: RecordedStream['streamed'] | undefined,
  length: number,
): Promise<RecordedStream> {
  const chunks: Uint8Array[] = []
  let read = 0
  // what goes on after more than was recorded differs already
  const most = streamed === 'part' ? length : length + 1
  if (most > 0)
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk))
      read += chunk.length
      if (read >= most) break
    }
  stream.destroy()
  const bytes = Buffer.concat(chunks)
  if (read < most) return { bytes, streamed: 'whole' }
  return streamed === 'part' ? { bytes: bytes.subarray(0, length), streamed } : { bytes, streamed: 'part' }
}
