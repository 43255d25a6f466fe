import { describeValue, flatCopy, isNonEmptyString, type Awaitable } from '../../base/values.ts'
import { createStoreGuard } from '../../server/stores/guard.ts'
import type { DefaultVersionContext, VersionChoice } from '../../versioning/options.ts'

/** The store failed: it threw, did not answer in time or returned something else than a version. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** Where pins are stored. Each method rejects with a `StoreError` if the store fails. */
export interface PinStore {
  readonly get: (client: string, context: DefaultVersionContext) => Promise<string | undefined>
  /** Stores the version of a first call. Returns the version that counts. */
  readonly add: (
    client: string,
    version: string,
    choice: VersionChoice,
    context: DefaultVersionContext,
  ) => Promise<string>
  readonly upgrade: (client: string, version: string) => Promise<void>
}

interface StoreOptions {
  readonly get: (client: string) => Awaitable<string | null | undefined>
  readonly set: (client: string, version: string, reason: 'firstUse' | 'upgrade') => unknown
  readonly storeTimeout?: number
}

/** Guards the functions of the user. */
export function createPinStore({ get, set, storeTimeout = 1000 }: StoreOptions): PinStore {
  const guard = createStoreGuard('pins', storeTimeout)

  async function call(
    operation: 'get' | 'set',
    work: () => unknown,
    check: (result: unknown) => void,
    context?: DefaultVersionContext,
  ): Promise<unknown> {
    const checked = async (): Promise<unknown> => {
      const result = await work()
      check(result)
      return result
    }
    // an upgrade has no request, and whoever asks for it gets the error
    return guard({ operation, work: checked, log: context?.log }, (cause) => {
      throw new StoreError('The store of pins fails', { cause })
    })
  }

  return {
    get: async (client, context) => {
      const version = await call('get', () => get(client), checkVersion, context)
      return isNonEmptyString(version) ? version : undefined
    },
    add: async (client, version, choice, context) => {
      const result = await call(
        'set',
        () => set(flatCopy(client), flatCopy(version), 'firstUse'),
        checkStored,
        context,
      )
      // some stores return words such as OK
      return isNonEmptyString(result) ? (choice.find(result) ?? version) : version
    },
    upgrade: async (client, version) => {
      await call('set', () => set(flatCopy(client), flatCopy(version), 'upgrade'), checkStored)
    },
  }
}

function checkVersion(version: unknown): void {
  if (version === undefined || version === null || isNonEmptyString(version)) return
  throw new TypeError(`get of pinned gave ${describeValue(version)}, not a version`)
}

function checkStored(result: unknown): void {
  if (result === false) throw new Error('The store did not store')
}
