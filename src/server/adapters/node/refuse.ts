import type { Socket } from 'node:net'

import { httpError, type CoreErrorCode, type HttpError } from '../../../http/errors.ts'
import type { Limits } from '../../options/app-options.ts'
import type { RefusalSettings, Settings } from '../../options/settings.ts'
import { headersTooLarge, urlTooLong } from '../../pipeline/check-head.ts'
import { closeInStages, isLingering, LINGER } from './lingering-close.ts'
import { refuseRequest, type NodeHandler } from './handler.ts'
import { toResponseText } from './write.ts'

type ServerResponse = Parameters<NodeHandler>[1]

/** An error that the parser reports. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Uint8Array
}

/**
 * Creates the function that answers what never became a request with an error, and ends the connection. `inFlight` gives
 * the responses under way on a connection, oldest first: theirs come before.
 */
export function createRefuser(
  inFlight: (socket: Socket) => readonly ServerResponse[],
  settings: RefusalSettings,
): (error: ParserError, socket: Socket) => void {
  const refused = new WeakMap<Socket, number>()
  return (error, socket) => {
    if (isLingering(socket)) return
    const start = refused.get(socket)
    if (start !== undefined) {
      // the parser reports everything that still arrives
      if (socket.readableEnded) socket.destroySoon()
      else if (socket.bytesRead - start > LINGER.bytes) socket.destroy()
      return
    }
    refused.set(socket, socket.bytesRead)
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const problem = toError(error, settings.limits)
    const latest = inFlight(socket).at(-1)
    if (isCutOff(error) && latest?.req.complete === false) latest.req.aborted = true
    if (latest === undefined) endSocket(socket, problem, settings)
    else if (latest.req.complete) latest.once('close', () => endSocket(socket, problem, settings))
    else if (latest.writableEnded) latest.once('close', () => closeInStages(socket))
    else if (!latest.headersSent) refuseRequest(latest, problem, settings)
    else if (latest.socket !== null) socket.end(() => socket.destroy())
    // nothing of it was sent: the error takes its turn
    else latest.assignSocket = () => endSocket(socket, problem, settings)
  }
}

/** Whether the parser reports that the client has ended its side within a request. */
export function isCutOff({ code }: ParserError): boolean {
  return code === 'HPE_INVALID_EOF_STATE'
}

/** Answers a connection outside of any request, and ends it. The client has some time to read the answer before the end. */
export function endSocket(
  socket: Socket,
  error: HttpError,
  { writeError }: Pick<Settings, 'writeError'>,
): void {
  // it may have ended with the answer before
  if (isLingering(socket)) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.write(toResponseText(writeError(error)))
  closeInStages(socket)
}

/** The refusals of the parser, by its code. */
const REFUSALS: Readonly<Record<string, readonly [code: CoreErrorCode, detail: string]>> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['malformed_request', 'The chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive'],
}

/** The error that answers what the parser refuses. */
export function toError(error: ParserError, limits: Required<Limits>): HttpError {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return isLongUrl(error, limits.url) ? urlTooLong(limits.url) : headersTooLarge(limits.headers)
  const [code, detail] = REFUSALS[error.code ?? ''] ?? ['malformed_request', 'The request is not valid HTTP']
  return httpError(code, detail)
}

/**
 * The parser counts the request line among the headers, and shows the latest packet only: one without any end of line is part of
 * a URL when it starts like a request, or has no blank.
 */
function isLongUrl({ rawPacket }: ParserError, limit: number): boolean {
  if (rawPacket === undefined) return false
  const text = Buffer.from(rawPacket).toString('latin1')
  const end = text.indexOf('\n')
  const line = end === -1 ? text : text.slice(0, end)
  return /^[A-Z]+ /.test(line) ? line.length > limit : end === -1 && !line.includes(' ')
}
