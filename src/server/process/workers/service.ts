import { freeAddress } from '../../adapters/node/listen-address.ts'
import type { Listening } from '../../adapters/node/listen.ts'
import type { ListenOptions } from '../../adapters/node/listen-options.ts'
import type { Application } from '../../app/application.ts'
import type { Endable, ShutdownMode } from '../signals.ts'
import { createPool } from './pool.ts'
import { joinPool } from './worker.ts'
import { findPort, roleOf, workerCount } from './workers.ts'

/** An application that signals end, and how it listens in this process. */
export interface Service extends Endable {
  readonly open: () => Promise<Listening>
  /** Details for the log besides the URL. Absent if another process logs them. */
  readonly details: object | undefined
}

/**
 * Serving with workers: this process keeps them running, or is one of them. `createAlone` creates what serves in this process, and
 * `longestEnd` says how many milliseconds an application may take to end.
 */
export async function createWorkersService(
  application: Application,
  options: ListenOptions,
  createAlone: (application: Application, options: ListenOptions, isShared?: boolean) => Service,
  longestEnd: (timeouts: Application['settings']['timeouts'], mode: ShutdownMode) => number,
): Promise<Service> {
  const { lifecycle, settings } = application
  const role = roleOf()
  if (role === 'alone') return createAlone(application, options)
  if (role === 'worker') {
    const { sharedPort, reportListening } = joinPool()
    const port = options.port === 0 ? { port: sharedPort } : {}
    const service = createAlone(application, { ...options, ...port }, true)
    return {
      ...service,
      details: undefined,
      open: async () => {
        const server = await service.open()
        reportListening(server.url)
        return server
      },
    }
  }
  const { session, store, timeouts, log: logger } = settings
  if (session !== undefined && session.store === undefined && store === undefined)
    logger.warn({}, 'Each worker keeps its own sessions in memory: give createApp a store')
  const count = workerCount(options.workers)
  const port = options.port === 0 ? await findPort(options.host) : 0
  const pool = createPool({ count, port, logger, longestEnd: (mode) => longestEnd(timeouts, mode) })
  return {
    open: async () => {
      await freeAddress(options)
      const url = await pool.start()
      return { url, close: () => pool.end('close') }
    },
    details: { workers: count },
    end: async (mode) => {
      const isClean = await pool.end(mode)
      await lifecycle.close(timeouts.grace)
      return isClean
    },
  }
}
