import { STATUS_CODES } from 'node:http'

/** What a server sent on one connection. */
export interface Answers {
  readonly statuses: readonly number[]
  /** What is not HTTP, if anything. */
  readonly fault: string | undefined
  /** Whether the last answer is not there to its end. */
  readonly isCut: boolean
}

/** The statuses that the application under test answers with. */
const EXPECTED = new Set([
  100, 200, 201, 204, 206, 302, 304, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 414, 415,
  416, 417, 422, 429, 431, 500, 503,
])
const FIELD = /^[!#$%&'*+\-.^_`|~\w]+: ?[\t\u0020-\u007e\u0080-\u00ff]*$/

/** How an answer ended: where the next begins, or what is wrong with it. */
type End = { readonly next: number } | { readonly fault: string } | 'cut'

/**
 * Reads answers strictly (RFC 9112). `mayBeHead` says that an answer may lack the body that its headers promise, for the request was a
 * HEAD.
 */
export function readAnswers(bytes: Buffer, mayBeHead: boolean): Answers {
  const data = bytes.toString('latin1')
  const statuses: number[] = []
  let at = 0
  while (at < data.length) {
    const headEnd = data.indexOf('\r\n\r\n', at)
    const lines = data.slice(at, headEnd === -1 ? undefined : headEnd).split('\r\n')
    const [status, fault] = readStatus(lines[0] ?? '', headEnd !== -1)
    if (fault !== undefined) return { statuses, fault, isCut: false }
    if (headEnd === -1) return { statuses, fault: undefined, isCut: true }
    statuses.push(status)
    const wrong = lines.slice(1).find((line) => !FIELD.test(line))
    if (wrong !== undefined)
      return { statuses, fault: `The field line ${JSON.stringify(wrong)}`, isCut: false }
    const end = readBody(data, headEnd + 4, status, lines, mayBeHead)
    if (end === 'cut') return { statuses, fault: undefined, isCut: true }
    if ('fault' in end) return { statuses, fault: end.fault, isCut: false }
    at = end.next
  }
  return { statuses, fault: undefined, isCut: false }
}

function readStatus(line: string, isWhole: boolean): readonly [status: number, fault?: string] {
  const [, digits] = /^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(line) ?? []
  const status = Number(digits)
  if (digits === undefined) {
    const isStart = !isWhole && 'HTTP/1.1 '.startsWith(line.slice(0, 9))
    return isStart ? [0] : [0, `The status line ${JSON.stringify(line.slice(0, 80))}`]
  }
  return EXPECTED.has(status) ? [status] : [status, `The status ${status} ${STATUS_CODES[status] ?? ''}`]
}

function readBody(
  data: string,
  start: number,
  status: number,
  lines: readonly string[],
  mayBeHead: boolean,
): End {
  const valuesOf = (name: string): readonly string[] =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
  const [lengths, codings] = [valuesOf('content-length'), valuesOf('transfer-encoding')]
  if (lengths.length + codings.length > 1) return { fault: 'Two lengths' }
  if (status < 200 || status === 204 || status === 304) return { next: start }
  if (mayBeHead && (data.length === start || data.startsWith('HTTP/1.1 ', start))) return { next: start }
  const [length] = lengths
  if (length !== undefined) {
    if (!/^\d+$/.test(length)) return { fault: `The length ${length}` }
    return start + Number(length) > data.length ? 'cut' : { next: start + Number(length) }
  }
  if (codings.length > 0) return codings[0] === 'chunked' ? readChunks(data, start) : { fault: 'The coding' }
  // until the end of the connection
  return valuesOf('connection').includes('close') ? { next: data.length } : { fault: 'No length' }
}

function readChunks(data: string, start: number): End {
  let at = start
  for (;;) {
    const lineEnd = data.indexOf('\r\n', at)
    if (lineEnd === -1) return 'cut'
    const size = data.slice(at, lineEnd)
    if (!/^[\da-f]+$/i.test(size)) return { fault: `The chunk size ${JSON.stringify(size.slice(0, 80))}` }
    at = lineEnd + 2 + Number.parseInt(size, 16)
    if (at + 2 > data.length) return 'cut'
    if (data.slice(at, at + 2) !== '\r\n') return { fault: 'A chunk is longer than its size' }
    at += 2
    if (size === '0') return { next: at }
  }
}
