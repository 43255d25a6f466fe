import { RequestContext } from '../pipeline/context.ts'
import type { Lent } from '../pipeline/context.ts'
import type { Dispatch } from '../dispatch.ts'
import type { Health } from './health.ts'

/** Answers questions about health before anything else does: middleware and versions say nothing to them, and they are not logged. */
export function withHealth(dispatch: Dispatch, health: Health | undefined, lent: Lent): Dispatch {
  if (health === undefined) return dispatch
  return (raw) => {
    const response = health.answer(raw)
    return response === undefined ? dispatch(raw) : { context: new RequestContext(raw, lent), response }
  }
}
