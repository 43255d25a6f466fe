import type { FinishedResponse } from '../../http/http.ts'
import { headerProblem } from '../../server/pipeline/response-head.ts'
import { isBodyless, statusLine } from '../../server/adapters/node/plain-head.ts'

/** The parts of a head besides the answer. */
export interface HeadParts {
  readonly method: string
  /** Whether the client speaks HTTP/1.0. */
  readonly isOld: boolean
  readonly stays: boolean
  /** Returns the lines with which the head of a connection that stays ends. */
  readonly ending: () => string
}

/** How the end of a body is told. */
type BodyEnd = 'none' | 'length' | 'chunked' | 'close'

/** The head of an answer, and what its body has to be. */
export interface AnswerHead {
  readonly text: string
  readonly end: BodyEnd
  /** Whether the connection ends with the answer. */
  readonly isLast: boolean
  /** The length that the head promises. */
  readonly length: number | undefined
}

/** The header of a connection that ends. */
export const SAYS_CLOSE = /(?:^|\W)close(?:$|\W)/i

/**
 * The head of any answer, with lines in the order that node:http has.
 *
 * @throws `TypeError` or `RangeError` for what cannot be sent
 */
export function toHead(
  { status, headers }: Pick<FinishedResponse, 'status' | 'headers'>,
  { method, isOld, stays, ending }: HeadParts,
): AnswerHead {
  if (!Number.isInteger(status) || status < 200 || status > 999)
    throw new RangeError(`The response cannot be sent: the status ${status} is no status of an answer`)
  const problem = headerProblem(headers)
  if (problem !== undefined) throw new TypeError(`The response cannot be sent: ${problem}`)
  const { 'transfer-encoding': _, ...own } = headers // how a body is framed is up to this side
  const end = bodyEnd(own, isOld, isBodyless(status, method))
  if (own['trailer'] !== undefined && end !== 'chunked')
    throw new TypeError('The response cannot be sent: trailers need a body in chunks')
  const length = end === 'length' ? Number(own['content-length']) : undefined
  if (length !== undefined) own['content-length'] = String(length)
  const connection = [own['connection'] ?? []].flat().join(', ')
  // a client of HTTP/1.0 may not know which answers have no body
  const isUnclear = isOld && own['content-length'] === undefined
  const isLast = !stays || isUnclear || SAYS_CLOSE.test(connection)
  const text = statusLine(status) + toLines(own) + tail(own, isLast, ending)
  return {
    text: `${text}${end === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : ''}\r\n`,
    end,
    isLast,
    length,
  }
}

function toLines(own: FinishedResponse['headers']): string {
  let text = ''
  for (const [name, value] of Object.entries(own))
    for (const line of [value ?? ''].flat()) text += `${name}: ${line}\r\n`
  return text
}

/** The lines that this side adds: the date, and whether the connection stays. */
function tail(own: FinishedResponse['headers'], isLast: boolean, ending: () => string): string {
  const [date = '', ...connection] = ending().split('\r\n')
  const dateLine = own['date'] === undefined ? `${date}\r\n` : ''
  if (own['connection'] !== undefined) return dateLine
  if (isLast) return `${dateLine}Connection: close\r\n`
  const kept = connection.filter(
    (line) => line !== '' && (own['keep-alive'] === undefined || !/^keep-alive/i.test(line)),
  )
  return dateLine + kept.map((line) => `${line}\r\n`).join('')
}

function bodyEnd(own: FinishedResponse['headers'], isOld: boolean, isWithout: boolean): BodyEnd {
  if (isWithout) return 'none'
  if (own['content-length'] !== undefined) return 'length'
  return isOld ? 'close' : 'chunked'
}
