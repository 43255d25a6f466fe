import { mock } from 'node:test'

/** Counts the characters of the texts that are split while the work is done: a figure that no clock has a part in. */
export async function countSplit(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const split: unknown = Reflect.get(String.prototype, 'split')
  const mocked = mock.method(String.prototype, 'split', function (this: string, ...args: [string]) {
    count += this.length
    return Reflect.apply(Object(split), this, args)
  })
  try {
    await work()
  } finally {
    mocked.mock.restore()
  }
  return count
}

/** A stream of a text in pieces. */
export function inPieces(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.slice(at, at + size))
      at += size
      if (at >= bytes.length) controller.close()
    },
  })
}
