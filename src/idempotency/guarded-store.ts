import { ignoreFailure, isPromise, within } from '../async.ts'
import type { ExecutionContext } from '../define/context.ts'
import type { Awaitable } from '../http.ts'
import { createFailureLog } from '../stores/failure-log.ts'
import type { IdempotencyEntry, IdempotencyResult, IdempotencyStart, IdempotencyStore } from './store.ts'

/** A store whose failures are logged, and told from what it knows. */
export interface GuardedStore {
  /** Returns `undefined` if the store fails. */
  readonly begin: (
    key: string,
    start: IdempotencyStart,
    context: ExecutionContext,
  ) => Promise<IdempotencyEntry | undefined>
  /** Keeps a result. A failure is logged, because the handler has run. */
  readonly finish: (
    key: string,
    token: string,
    result: IdempotencyResult,
    context: ExecutionContext,
  ) => Promise<void>
  readonly fail: (key: string, token: string, context: ExecutionContext) => Promise<void>
}

/** Guards a store: calls end in time, and the log has the first failure of a series, and its end. */
export function guardStore(store: IdempotencyStore, time: number): GuardedStore {
  const failures = createFailureLog('store of idempotency keys')

  async function call<T>(
    operation: 'begin' | 'finish' | 'fail',
    work: () => Awaitable<T>,
    { log }: ExecutionContext,
  ): Promise<T | undefined> {
    try {
      const made = work()
      // the memory of this process needs no timer
      const result = isPromise(made) ? await within(time, Promise.resolve(made)) : made
      failures.worked(log, operation)
      return result
    } catch (err) {
      failures.failed(log, err, operation)
      return undefined
    }
  }

  const fail: GuardedStore['fail'] = async (key, token, context) => {
    await call('fail', () => store.fail(key, token, context), context)
  }
  return {
    begin: async (key, start, context) => {
      let begun: Awaitable<unknown>
      const entry = await call('begin', () => (begun = store.begin(key, start, context)), context)
      if (entry === undefined)
        // it may have started the key all the same, which would refuse the next request
        ignoreFailure(async () => {
          await Promise.resolve(begun).catch(() => undefined)
          await store.fail(key, start.token, context)
        })
      return entry
    },
    finish: async (key, token, result, context) => {
      const kept = await call('finish', () => store.finish(key, token, result, context), context)
      if (kept === false)
        ignoreFailure(() =>
          context.log.warn(
            {},
            'A handler ran longer than the lease of its idempotency key: give a longer lease',
          ),
        )
    },
    fail,
  }
}
