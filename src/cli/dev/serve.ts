import { subscribe } from 'node:diagnostics_channel'

import { failure } from '../command.ts'
import { appOf } from '../exports.ts'
import type { Report, DevJob } from '../job.ts'
import { definitionEntries, endFailed, sayError } from '../print-error.ts'
import { reportFiles } from './hooks.ts'

/** The channels by which applications of this process tell that they listen; `Channels` of Octavo has them. */
const CALLED = 'octavo.listen.start'
const LISTENING = 'octavo.listen.end'

/**
 * Loads a module and serves its application, unless the module does that by itself. Reports every file that is loaded. What goes
 * wrong is printed, and ends the process.
 */
export async function serveForDev(
  job: DevJob,
  url: string,
  tell: (report: Report) => Promise<void>,
): Promise<void> {
  const { module, port, host } = job
  const files = reportFiles((path) => void tell({ kind: 'file', path }))
  let isCalled = false
  let byItself = true
  subscribe(CALLED, () => {
    isCalled = true
  })
  subscribe(LISTENING, (message) => {
    files.flush()
    void tell({ kind: 'listening', url: String(Reflect.get(Object(message), 'url')), byItself })
  })
  process.on('uncaughtExceptionMonitor', (error) => {
    files.flush()
    if (definitionEntries(error) === undefined || process.listenerCount('uncaughtException') > 0) return
    sayError(error)
    process.exit(1)
  })
  try {
    const exported: object = await import(url)
    if (isCalled) return
    if (await isServing()) {
      files.flush()
      await tell({ kind: 'listening', url: '', byItself })
      return
    }
    byItself = false
    const app = await appOf(exported, module.label)
    // it may have been a function that does
    if (isCalled) return
    await app.listen({ port: port ?? portOf(process.env['PORT']), ...(host === undefined ? {} : { host }) })
  } catch (error) {
    files.flush()
    await tell({ kind: 'failed' })
    endFailed(isAddressError(error) ? failure(error.message) : error)
  }
}

/** Whether something in this process listens, such as a server of the user's own that has `app.handler`. */
async function isServing(): Promise<boolean> {
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  return process.getActiveResourcesInfo().includes('TCPServerWrap')
}

function portOf(text = ''): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 3000
}

/** Whether an address could not be taken: the message says all there is. */
function isAddressError(error: unknown): error is Error {
  const code: unknown = Reflect.get(Object(error), 'code')
  return error instanceof Error && ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].some((each) => each === code)
}
