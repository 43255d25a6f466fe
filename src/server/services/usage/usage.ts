import { ignoreRejection } from '../../../base/values.ts'
import type { Logger, RouteInfo } from '../../../define/context.ts'
import { isStream, type FinishedResponse } from '../../../http/http.ts'
import { isVersioned } from '../../../versioning/version.ts'
import type { UsageOptions } from '../../options/usage.ts'
import type { ObservedContext } from '../../../define/observer.ts'
import type { Table as RouteTable } from '../../routing/table/table.ts'
import { openStoredUsage } from './stored-usage.ts'
import { createPlaces, createTable, dayOf, type Tally, type Place, type Places, type Table } from './table.ts'

/** Counts who calls which route in which version. */
export interface Usage {
  /** Counts a request that has a response. */
  readonly count: (context: ObservedContext, response: FinishedResponse) => void
  /** Stores what has been counted. Rejects if that fails, and then it is stored later. */
  readonly flush: () => Promise<void>
  /** Stores for the last time, and then stops the modules and providers, which may close the store. */
  readonly close: (stop: () => Promise<void>) => Promise<void>
}

const INTERVAL = 10_000
const LIMIT = 10_000

/** Creates the counter of an application. It also counts the changes of a history that altered requests. */
export function createUsage(
  options: UsageOptions & Required<Pick<UsageOptions, 'store'>>,
  log: Logger,
  shapes: RouteTable['shapes'],
): Usage {
  const { store, keep, interval = INTERVAL, limit = LIMIT } = options
  const places = createPlaces()
  const days = createDays(limit, places)
  const { write } = openStoredUsage(store, keep)
  const storeDirty = async (): Promise<void> => {
    for (const table of days.dirty()) {
      // requests are counted meanwhile
      table.isDirty = false
      await write(table).catch((error: unknown) => {
        table.isDirty = true
        throw error
      })
    }
    days.dropStored()
  }
  let stored = Promise.resolve()
  /** One flush after the other, so that no older table replaces a newer one. */
  const flush = (): Promise<void> => {
    const stores = stored.then(storeDirty)
    stored = stores.catch((error: unknown) =>
      log.error({ err: error }, 'Usage could not be stored: it is kept and stored later'),
    )
    return stores
  }
  const timer = setInterval(() => ignoreRejection(flush()), interval)
  timer.unref?.()
  return {
    count: createCount(days, places, createBelongs(shapes)),
    flush,
    close: (stop) => {
      clearInterval(timer)
      return flush().finally(stop)
    },
  }
}

/** Whether a route is one of a version, and not one of every version. */
type Belongs = (route: RouteInfo, version: string | null) => boolean

/** Neutral routes belong to no version, nor do those of paths that were never versioned. */
function createBelongs(shapes: RouteTable['shapes']): Belongs {
  const claims = new Map(
    shapes.flatMap(({ routes }) => {
      const isDefault = isVersioned(routes)
      return routes.flatMap(({ spec, endpoints }) =>
        [...endpoints.values()].map(
          ({ info }) => [info, spec.unversioned && isDefault ? undefined : spec.claims] as const,
        ),
      )
    }),
  )
  return (route, version) => version !== null && (claims.get(route)?.has(version) ?? true)
}

/** Creates the function that counts a request, and with its response the changes that altered it. */
function createCount(days: Days, places: Places, belongs: Belongs): Usage['count'] {
  /** Counts changes that altered a request, without those that were counted before. Returns how many are counted. */
  const countChanges = (context: ObservedContext, place: Place, counted: number): number => {
    const { alteredBy } = context
    const size = alteredBy?.size ?? 0
    if (alteredBy !== undefined && size > counted) {
      const now = Date.now()
      const table = days.today(now)
      for (const change of [...alteredBy].slice(counted))
        table.add(places.changed(place, change), context.client, { count: 1, last: now })
    }
    return size
  }
  return (context, response) => {
    const { route, client, spelling } = context
    if (route === null) return
    // the default version of a request is no use of it by a route that answers without one
    const version = spelling !== undefined || belongs(route, context.version) ? context.version : null
    const now = Date.now()
    const place = places.of(route, version)
    days.today(now).add(place, client, {
      count: 1,
      last: now,
      ...outcomeOf(context, response),
      ...choiceOf(version, context),
    })
    if (version === null) return
    const counted = countChanges(context, place, 0)
    // its events are altered when they are sent
    if (isStream(response.body)) context.atEnd(() => void countChanges(context, place, counted))
  }
}

const SUCCEEDED: Partial<Tally> = {}
const CLIENT_ERROR: Partial<Tally> = { clientErrors: 1 }
const SERVER_ERROR: Partial<Tally> = { serverErrors: 1 }
const BROWNOUT: Partial<Tally> = { brownouts: 1 }
const PINNED: Partial<Tally> = { pinned: 1 }
const DEFAULTED: Partial<Tally> = { defaulted: 1 }

/** How a call ended. */
function outcomeOf({ isBrownedOut }: ObservedContext, { status }: FinishedResponse): Partial<Tally> {
  if (isBrownedOut === true) return BROWNOUT
  if (status >= 500) return SERVER_ERROR
  return status >= 400 ? CLIENT_ERROR : SUCCEEDED
}

/** How the version of a call was chosen, if the request did not name it. */
function choiceOf(version: string | null, { spelling, isPinned }: ObservedContext): Partial<Tally> {
  if (version === null || spelling !== undefined) return SUCCEEDED
  return isPinned === true ? PINNED : DEFAULTED
}

/** The tables of days: the table of today, and ended tables that are not stored yet. */
interface Days {
  readonly today: (now: number) => Table
  /** The tables with something that is not stored. */
  readonly dirty: () => readonly Table[]
  /** Drops the tables that have ended and are stored. */
  readonly dropStored: () => void
}

/** Creates the tables. */
function createDays(limit: number, places: Places): Days {
  const tables = new Map<string, Table>()
  const open = (moment: number): Table => {
    const day = dayOf(moment)
    const table = tables.get(day) ?? createTable(moment, limit, places)
    tables.set(day, table)
    return table
  }
  let current = open(Date.now())
  return {
    today: (now) => {
      if (now >= current.end) current = open(now)
      return current
    },
    dirty: () => [...tables.values()].filter(({ isDirty }) => isDirty),
    dropStored: () => {
      for (const [day, table] of tables) if (table !== current && !table.isDirty) tables.delete(day)
    },
  }
}
