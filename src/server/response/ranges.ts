/** A part of a content: offsets of its first byte and of the one behind its last. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/**
 * Returns the part of a content of `size` bytes that a `Range` header requests (RFC 9110 section 14.1.2). Returns `null` if the part is
 * outside of the content, and `undefined` if the header does not count: for other units than bytes, malformed ranges, and several parts
 * that do not touch. A server may answer these with everything (sections 14.2 and 15.3.7.2).
 *
 * @example
 * parseRange('bytes=-5', 20) // → { start: 15, end: 20 }
 * parseRange('bytes=30-', 20) // → null
 */
export function parseRange(header: string, size: number): ByteSpan | null | undefined {
  const [unit = '', set, ...more] = header.split('=')
  if (unit.trim().toLowerCase() !== 'bytes' || set === undefined || more.length > 0) return undefined
  const spans: ByteSpan[] = []
  for (const text of set.split(',')) {
    const span = parseSpan(text.trim(), size)
    if (span === undefined) return undefined
    if (span !== null) spans.push(span)
  }
  return joinedSpans(spans)
}

/** One range: `null` when it lies behind the end, `undefined` when it is malformed. */
function parseSpan(text: string, size: number): ByteSpan | null | undefined {
  const [, first = '', last = ''] = /^(\d*)-(\d*)$/.exec(text) ?? []
  if (first === '' && last === '') return undefined
  // no Content-Range can name a part of nothing
  if (first === '' && size === 0 && Number(last) > 0) return undefined
  if (first === '') return Number(last) === 0 ? null : { start: Math.max(0, size - Number(last)), end: size }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return null
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** Parts that touch or overlap as the one that they are. */
function joinedSpans(spans: readonly ByteSpan[]): ByteSpan | null | undefined {
  const [first, ...rest] = spans.toSorted((a, b) => a.start - b.start)
  if (first === undefined) return null
  let { end } = first
  for (const span of rest) {
    if (span.start > end) return undefined
    end = Math.max(end, span.end)
  }
  return { start: first.start, end }
}
