import { after, ignoreFailure, isPromise, within } from '../async.ts'
import type { ExecutionContext } from '../define/context.ts'
import type { Awaitable } from '../http.ts'
import { createFailureLog } from '../stores/failure-log.ts'
import type { Full, MemoryStore } from './memory-store.ts'
import type { IdempotencyEntry, IdempotencyResult, IdempotencyStart, IdempotencyStore } from './store.ts'

/** A store whose failures are logged, and told from what it knows. What a store does at once is done at once here. */
export interface GuardedStore {
  /** Returns `undefined` if the store fails. */
  readonly begin: (
    key: string,
    start: IdempotencyStart,
    context: ExecutionContext,
    client: string,
  ) => Awaitable<IdempotencyEntry | Full | undefined>
  /** `undefined` if the store renews no leases. Returns `false` if the run does not hold its key any more. */
  readonly renew:
    | ((key: string, token: string, lease: number, context: ExecutionContext) => Awaitable<unknown>)
    | undefined
  /** Keeps a result. A failure is logged, because the handler has run. */
  readonly finish: (
    key: string,
    token: string,
    result: IdempotencyResult,
    context: ExecutionContext,
  ) => Awaitable<unknown>
  readonly fail: (key: string, token: string, context: ExecutionContext) => Awaitable<unknown>
}

/** Guards a store: calls end in time, and the log has the first failure of a series, and its end. */
export function guardStore(store: IdempotencyStore | MemoryStore, time: number): GuardedStore {
  const failures = createFailureLog('store of idempotency keys')

  function call<T>(
    operation: 'begin' | 'renew' | 'finish' | 'fail',
    work: () => Awaitable<T>,
    { log }: ExecutionContext,
  ): Awaitable<T | undefined> {
    const worked = (result: T): T => {
      failures.worked(log, operation)
      return result
    }
    const failed = (err: unknown): undefined => {
      failures.failed(log, err, operation)
    }
    try {
      const made = work()
      // the memory of this process needs neither a timer nor a promise
      return isPromise(made) ? within(time, Promise.resolve(made)).then(worked, failed) : worked(made)
    } catch (err) {
      return failed(err)
    }
  }

  return {
    begin: (key, start, context, client) => {
      let begun: Awaitable<unknown>
      const entry = call('begin', () => (begun = store.begin(key, start, context, client)), context)
      return after(entry, (known) => {
        if (known === undefined)
          // it may have started the key all the same, which would refuse the next request
          ignoreFailure(async () => {
            await Promise.resolve(begun).catch(() => undefined)
            await store.fail(key, start.token, context)
          })
        return known
      })
    },
    renew:
      store.renew &&
      ((key, token, lease, context) =>
        call('renew', () => store.renew?.(key, token, lease, context), context)),
    finish: (key, token, result, context) => {
      const kept = call('finish', () => store.finish(key, token, result, context), context)
      return after(kept, (isKept) => {
        if (isKept === false)
          ignoreFailure(() =>
            context.log.warn(
              {},
              'A handler ran longer than the lease of its idempotency key: give a longer lease',
            ),
          )
      })
    },
    fail: (key, token, context) => call('fail', () => store.fail(key, token, context), context),
  }
}
