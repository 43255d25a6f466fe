/** What a soak over sockets is answered. */

/** Larger than what a system buffers for a client that doesn't read. */
export const LARGE = 'large '.repeat(500_000)

export const LINES: readonly string[] = Array.from({ length: 64 }, (_, at) => `${'line '.repeat(50)}${at}\n`)

export function toItem(id: number): { readonly id: number; readonly name: string } {
  return { id, name: `Item ${id}` }
}
