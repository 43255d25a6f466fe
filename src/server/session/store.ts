import type { Logger } from '../../define/context.ts'
import { httpError } from '../../http/errors.ts'
import { flatCopy, type Awaitable } from '../../base/values.ts'
import { createStoreGuard } from '../stores/guard.ts'
import { createMemoryStore } from '../stores/memory.ts'
import type { SessionSettings, SessionStore } from './options.ts'

/** A store that answers in time or fails with `session_unavailable`. */
export interface GuardedStore {
  read(id: string, deadline: number): Promise<unknown>
  write(id: string, text: string, ttlMs: number, deadline: number): Promise<void>
  remove(id: string, deadline: number): Promise<void>
}

/** The errors that a store told of. */
interface Watch {
  count: number
  last: unknown
}

/** By store, for several applications may share one, and a store is listened to once. */
const watches = new WeakMap<SessionStore, Watch>()

/** When a call that begins now has to be answered, on the clock of `performance.now()`. */
export function deadlineOf({ storeTimeout }: SessionSettings): number {
  return performance.now() + storeTimeout
}

export function openStore({ store: given, storeTimeout }: SessionSettings, log: Logger): GuardedStore {
  const guard = createStoreGuard('sessions', storeTimeout)
  const store = given ?? createMemoryStore()

  async function ask(operation: string, run: (asked: SessionStore) => Awaitable<unknown>): Promise<unknown> {
    const watch = watchOf(store)
    const before = watch.count
    const result = await run(store)
    // keyv tells of most errors only by an event, and goes on as if there were nothing
    const isAnswer = operation === 'get' && result !== undefined && result !== null
    if (watch.count !== before && !isAnswer) throw watch.last
    if (operation === 'set' && result === false) throw new Error('The store did not store')
    return result
  }

  async function call(
    operation: string,
    deadline: number,
    run: (asked: SessionStore) => Awaitable<unknown>,
  ): Promise<unknown> {
    const work = async (): Promise<unknown> => {
      if (performance.now() >= deadline) throw new Error('The store gave no answer in time')
      return ask(operation, run).catch((error: unknown) => {
        // a connection that breaks takes the commands under way with it, and a read has no effect that could happen twice
        if (operation !== 'get' || performance.now() >= deadline) throw error
        return ask(operation, run)
      })
    }
    return guard({ operation, work, log, time: Math.ceil(deadline - performance.now()) }, (cause) => {
      const detail = 'Sessions are not available at the moment; try again later'
      throw httpError('session_unavailable', detail, { cause })
    })
  }

  return {
    read: (id, deadline) => call('get', deadline, (asked) => asked.get(keyOf(id))),
    write: async (id, text, ttlMs, deadline) =>
      void (await call('set', deadline, (asked) => asked.set(flatCopy(keyOf(id)), text, ttlMs))),
    remove: async (id, deadline) => void (await call('delete', deadline, (asked) => asked.delete(keyOf(id)))),
  }
}

function keyOf(id: string): string {
  return `session:${id}`
}

function watchOf(store: SessionStore): Watch {
  const known = watches.get(store)
  if (known !== undefined) return known
  const watch: Watch = { count: 0, last: undefined }
  watches.set(store, watch)
  store.on?.('error', (error) => {
    watch.count++
    watch.last = error
  })
  throwErrors(store)
  return watch
}

/** Without this, keyv 5 and its adapters take what could not be read for what is not there, and can do so without a word. */
function throwErrors(store: SessionStore): void {
  const adapter: unknown = Reflect.get(store, 'store')
  for (const layer of [store, adapter]) {
    if (typeof layer === 'object' && layer !== null && 'throwOnErrors' in layer) layer.throwOnErrors = true
  }
}
