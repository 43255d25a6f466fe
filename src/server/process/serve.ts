import { channel } from 'node:diagnostics_channel'

import type { Application } from '../app/application.ts'
import type { Abandonable } from '../app/lifecycle.ts'
import { checkListenOptions, type ListenOptions } from '../adapters/node/listen-options.ts'
import { Channels, type ListenEnd, type ListenStart } from '../logging/channels.ts'
import { endOnSignals, isProcessEnding, type ShutdownMode } from './signals.ts'
import type { Service } from './workers/service.ts'
import { settlesWithin, ignoreRejection, importInTurn } from '../../base/values.ts'

const CALLED = channel(Channels.listen)
const LISTENING = channel(Channels.listening)

/**
 * Serves an application in this process or in workers. Returns the URL. While the process is ending it never settles, so that a server that
 * was stopped causes no error.
 */
export async function serve(application: Application, options: ListenOptions): Promise<string> {
  const { lifecycle, settings } = application
  checkListenOptions(options)
  CALLED.publish({ workers: options.workers } satisfies ListenStart)
  const service =
    options.workers === undefined
      ? createService(application, options)
      : await (
          await importInTurn(() => import('./workers/service.ts'))
        ).createWorkersService(application, options, createService, longestEnd)
  const release = endOnSignals(service)
  try {
    const server = await service.open()
    lifecycle.add({ close: (...times) => server.close(...times).finally(release) })
    const { url, engine } = server
    if (service.details !== undefined)
      settings.log.info({ url, ...(engine && { engine }), ...service.details }, 'Listening')
    LISTENING.publish({ url, engine } satisfies ListenEnd)
    return url
  } catch (error) {
    release()
    if (!isProcessEnding()) throw error
    if (!lifecycle.isClosing()) settings.log.error({ err: error }, 'The application cannot start')
    return new Promise<never>(() => undefined)
  }
}

/** Listening in this process. */
function createService(application: Application, options: ListenOptions, isShared = false): Service {
  const { lifecycle, settings } = application
  return {
    open: async () => {
      // started in this turn, so that closing waits for it and versioning is settled
      const [{ dispatch }, { listen }] = await Promise.all([
        application.open(),
        // loaded here, after everything that has to happen in the turn in which `listen` is called
        importInTurn(() => import('../adapters/node/listen.ts')),
      ])
      if (lifecycle.isClosing()) throw new Error('The application is closed')
      // without delaying the start, and what fails here is reported by the request that needs it
      ignoreRejection(application.preload())
      const upgrades = application.routes().some(({ upgrade }) => upgrade !== undefined)
      return listen({ dispatch, isEnding: lifecycle.isEnding, upgrades }, settings, options, isShared)
    },
    details: {},
    end: (mode) => endApp(application, mode),
  }
}

/** Milliseconds for hooks and providers to end, at least. */
const SHORTEST_END = 1_000

/** The longest that an application takes to end in a mode, in milliseconds. */
function longestEnd({ drain, idle, grace }: Application['settings']['timeouts'], mode: ShutdownMode): number {
  const before = { close: 0, drain, closeIdle: idle }[mode]
  return before + grace + Math.max(grace, SHORTEST_END)
}

/** The requests that the log names of those that were broken off. */
const MAX_NAMED = 10

/** A request as the log names it: nothing that a client keeps secret. */
function toLoggedRequest({ requestId, request, originalPath, version, route, client }: Abandonable): object {
  return { requestId, method: request.method, path: originalPath, version, route: route?.name, client }
}

/** Ends an application for good: what hangs is waited for no longer than requests are. Logs the parts that failed to end. */
async function endApp({ lifecycle, settings }: Application, mode: ShutdownMode): Promise<boolean> {
  const { timeouts, log } = settings
  const { drain, idle, grace } = timeouts
  const ended = lifecycle.end({
    drain: mode === 'drain' ? drain : 0,
    closeIdle: mode === 'closeIdle' ? idle : 0,
    grace,
  })
  try {
    if (!(await settlesWithin(ended, longestEnd(timeouts, mode)))) {
      log.error({}, 'The application did not stop in time: a hook or a provider hangs')
      return false
    }
    const { isClean, broken } = await ended
    const requests = broken.slice(0, MAX_NAMED).map(toLoggedRequest)
    if (!isClean)
      log.warn({ grace, count: broken.length, requests }, 'Requests were broken off: the grace time was over')
    return isClean
  } catch (error) {
    log.error({ err: error }, 'The application did not stop cleanly')
    return false
  }
}
