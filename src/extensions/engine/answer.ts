import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { isPromise } from '../../base/values.ts'
import { httpError, type HttpError } from '../../http/errors.ts'
import type { FinishedResponse } from '../../http/http.ts'
import { endsBefore } from '../../server/adapters/node/write.ts'
import type { Dispatch } from '../../server/dispatch.ts'
import type { RefusalSettings } from '../../server/options/settings.ts'
import { createHeadCheck, serverClosing } from '../../server/pipeline/failure.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { codingRefusal } from '../../server/adapters/node/handler.ts'
import { NOT_HTTP_1 } from '../../server/adapters/node/http1.ts'
import type { Connection } from './connection.ts'
import { isWatched } from './node-objects.ts'
import type { EngineRequest } from './request.ts'

/**
 * Creates the function that answers a request. `isClosing` tells whether requests are refused, and `watchRequest` shows a request to
 * who watches.
 */
export function createAnswer(
  dispatch: Dispatch,
  settings: RefusalSettings,
  isClosing: () => boolean,
  watchRequest: (request: EngineRequest, socket: Socket) => ServerResponse | undefined,
): (request: EngineRequest, connection: Connection) => void {
  const findRefusal = createHeadCheck(settings.limits)
  const refusalOf = ({ head, framing }: EngineRequest): HttpError | undefined => {
    const { major, minor, target, lines } = head
    if (framing.expectsMore)
      return httpError('expectation_failed', 'No expectation but 100-continue can be met')
    // the parser takes 0.9 and 2.0 as well
    if (major !== 1) return httpError('malformed_request', NOT_HTTP_1)
    if (isClosing()) return serverClosing()
    return (
      findRefusal(target.length, framing.host, minor === 1, lines) ?? codingRefusal(framing.coding, minor)
    )
  }
  return (request, connection) => {
    if (isWatched()) request.response = watchRequest(request, connection.socket)
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      request.isFinal = true
      return connection.settle(request, settings.writeError(refusal), undefined)
    }
    const { context, response } = dispatch(request)
    if (isPromise(response)) settleLater(connection, request, context, response)
    else settle(connection, request, context, response)
  }
}

// in a function of its own: a closure would be made for every request, whether or not something takes time
function settleLater(
  connection: Connection,
  request: EngineRequest,
  context: RequestContext,
  response: PromiseLike<FinishedResponse>,
): void {
  void response.then((settled) => settle(connection, request, context, settled))
}

function settle(
  connection: Connection,
  request: EngineRequest,
  context: RequestContext,
  finished: FinishedResponse,
): void {
  if (endsBefore(context, finished) || request.isGone || request.isDone) void context.end()
  else request.onEnd = () => void context.end()
  connection.settle(request, finished, context)
}
