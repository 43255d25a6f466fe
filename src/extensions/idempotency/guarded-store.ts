import { andThen, ignoreFailure, type Awaitable } from '../../base/values.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { createStoreGuard } from '../../server/stores/guard.ts'
import type { Full, MemoryStore } from './memory-store.ts'
import type { IdempotencyEntry, IdempotencyStore } from './store.ts'

/** A store whose failures are logged and turned into results. Synchronous stores stay synchronous. */
export interface GuardedStore extends Pick<IdempotencyStore, 'finish' | 'fail'> {
  readonly begin: (
    ...args: [...Parameters<IdempotencyStore['begin']>, client: string]
  ) => Awaitable<IdempotencyEntry | Full | undefined>
  /** `undefined` if the store renews no leases. Returns `false` if the run does not hold its key any more. */
  readonly renew:
    | ((key: string, token: string, lease: number, context: ExecutionContext) => Awaitable<unknown>)
    | undefined
}

export function guardStore(store: IdempotencyStore | MemoryStore, time: number): GuardedStore {
  const guard = createStoreGuard('idempotency keys', time)
  const call = <T>(
    operation: 'begin' | 'renew' | 'finish' | 'fail',
    { log }: ExecutionContext,
    work: () => Awaitable<T>,
  ): Awaitable<T | undefined> => guard({ operation, work, log }, () => undefined)

  return {
    begin: (key, start, context, client) => {
      let begun: Awaitable<unknown>
      let isAsked = false
      const entry = call('begin', context, () => {
        isAsked = true
        const made = store.begin(key, start, context, client)
        begun = made
        return made
      })
      return andThen(entry, (known) => {
        if (known === undefined && isAsked)
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
        call('renew', context, () => store.renew?.(key, token, lease, context))),
    finish: (key, token, result, context) => {
      const kept = call('finish', context, () => store.finish(key, token, result, context))
      return andThen(kept, (isKept) => {
        if (isKept === false)
          ignoreFailure(() =>
            context.log.warn(
              {},
              'A handler ran longer than the lease of its idempotency key: give a longer lease',
            ),
          )
      })
    },
    fail: (key, token, context) => call('fail', context, () => store.fail(key, token, context)),
  }
}
