import { ignoreRejection, type Awaitable } from '../../../base/values.ts'
import { httpError } from '../../../http/errors.ts'
import type { FinishedResponse, RawRequest } from '../../../http/http.ts'
import type { Settings } from '../../options/settings.ts'
import { refuseClosing, refuseRequest, type NodeHandler } from './handler.ts'
import { write } from './write-response.ts'

/** An application as far as requests see it that come before it is ready or after it begins to close. */
interface Unavailable {
  readonly settings: Pick<Settings, 'log' | 'writeError'>
  readonly lifecycle: { readonly isClosing: () => boolean }
  readonly open: () => Promise<NodeHandler>
  /** Answers a request for a health path, or `undefined` for any other. */
  readonly answerHealth: (
    request: Pick<RawRequest, 'method' | 'target'>,
  ) => Awaitable<FinishedResponse | undefined>
}

/** Answers a request that came before the application was ready, or after it began to close. */
export async function answerUnavailable(
  { settings, lifecycle, open, answerHealth }: Unavailable,
  ...[request, response, next]: Parameters<NodeHandler>
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const isClosing = lifecycle.isClosing()
  // started in this turn, so that closing waits for it
  const opening = isClosing ? undefined : open()
  // a rejection is answered below
  ignoreRejection(opening)
  let isAnswered = false
  try {
    const health = await answerHealth({ method, target: url })
    if (health !== undefined) write(response, health, isClosing, undefined)
    isAnswered = health !== undefined
    if (opening === undefined) return isAnswered ? undefined : refuseClosing(response, settings)
    const handler = await opening
    if (!isAnswered) handler(request, response, next)
  } catch (error) {
    settings.log.error({ err: error }, 'The application cannot start')
    if (isAnswered) return
    const refusal = httpError('internal_error', 'The application cannot start; the log has the reason')
    refuseRequest(response, refusal, settings)
  }
}
