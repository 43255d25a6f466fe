import { httpError } from '../../../errors.ts'
import type { Core } from '../../boot/core.ts'
import { refuseClosing, refuseRequest } from './handler.ts'
import type { NodeHandler } from './handler.ts'
import { write } from './write.ts'

/** Answers a request that came before the application was ready, or after it began to close. */
export async function answerEarlyOrLate(
  core: Core,
  ...[request, response]: Parameters<NodeHandler>
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const isClosing = core.lifecycle.isClosing()
  const health = core.health?.answer({ method, target: url })
  if (health !== undefined) write(response, await health, isClosing, undefined)
  if (isClosing) return health === undefined ? refuseClosing(response) : undefined
  try {
    const { handler } = await core.open()
    if (health === undefined) handler(request, response)
  } catch (error) {
    core.settings.logger.error({ err: error }, 'The application cannot start')
    if (health !== undefined) return
    refuseRequest(
      response,
      httpError('internal_error', 'The application cannot start; the log has the reason'),
    )
  }
}
