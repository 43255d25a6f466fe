import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { defineGuard } from 'octavo'
import type { Store, StoreSetOptions, UsageEntry, UsageOptions } from 'octavo'
import { createMemoryStore } from 'octavo/stores'
import { createUsageReport } from 'octavo/usage'

const guard = defineGuard({ name: 'IsOperator', canActivate: () => true })

/** The option `usage` with a store, in memory unless it has one, and what it counts. Only closing an application stores its counts. */
export function createCounts(options: UsageOptions = {}) {
  const usage = { store: createMemoryStore(), interval: 2 ** 30, ...options }
  const read = (): Promise<readonly UsageEntry[]> => createUsageReport({ usage, guards: [guard] }).read()
  return { usage, read }
}

/** Creates a store in files of a folder, which processes share. */
export function createFileStore(folder: string): Store {
  const lock = join(folder, 'lock')
  const get = (key: string): string | undefined => {
    const file = join(folder, key)
    return statSync(file, { throwIfNoEntry: false }) && readFileSync(file, 'utf8')
  }
  const alone = async <T>(work: () => T): Promise<T> => {
    for (let tries = 0; ; tries++) {
      try {
        mkdirSync(lock)
        break
      } catch (error) {
        if (tries === 1_000) throw error
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
    try {
      return work()
    } finally {
      rmdirSync(lock)
    }
  }
  return {
    get,
    set: (key, value, { ifAbsent = false, ifEqual }: StoreSetOptions = {}) =>
      alone(() => {
        const known = get(key)
        if ((ifAbsent && known !== undefined) || (ifEqual !== undefined && ifEqual !== known)) return false
        writeFileSync(join(folder, 'new'), value)
        renameSync(join(folder, 'new'), join(folder, key))
        return true
      }),
    delete: (key) =>
      alone(() => {
        const isKnown = get(key) !== undefined
        rmSync(join(folder, key), { force: true })
        return isKnown
      }),
  }
}
