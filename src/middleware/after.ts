import { isPromise } from '../http.ts'
import type { Awaitable, FinishedResponse } from '../http.ts'

/** Does something with the response that comes back, in the same turn where it is there already. */
export function after<T>(
  response: Awaitable<FinishedResponse>,
  change: (response: FinishedResponse) => T,
): T | PromiseLike<T> {
  return isPromise(response) ? response.then(change) : change(response)
}
