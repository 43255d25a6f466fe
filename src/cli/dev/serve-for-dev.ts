import { subscribe } from 'node:diagnostics_channel'

import { failure } from '../command.ts'
import { appOf } from '../exported-app.ts'
import type { HostReport, DevRequest } from '../app-process.ts'
import { reportFiles } from '../report-files.ts'
import { definitionEntries, endFailed, sayError } from '../print-error.ts'

/** The channels by which applications of this process tell that they listen; `Channels` of Octavo has them. */
const CALLED = 'octavo.listen.start'
const LISTENING = 'octavo.listen.end'

/**
 * Loads a module and serves its application, unless the module does that by itself. Reports every file that is loaded. What goes
 * wrong is printed, and ends the process.
 */
export async function serveForDev(
  job: DevRequest,
  url: string,
  tell: (report: HostReport) => Promise<void>,
): Promise<void> {
  const { module, port, host } = job
  const files = reportFiles((path) => void tell({ kind: 'file', path }))
  let isCalled = false
  subscribe(CALLED, () => {
    isCalled = true
  })
  subscribe(LISTENING, (message) => {
    files.flush()
    void tell({ kind: 'listening', url: String(Reflect.get(Object(message), 'url')) })
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
      await tell({ kind: 'listening', url: '' })
      return
    }
    const app = await appOf(exported, module.label)
    // it may have been a function that does
    if (isCalled) return
    const given = process.env['PORT'] ?? ''
    await app.listen({
      port: port ?? (/^\d{1,5}$/.test(given) ? Number(given) : 3000),
      ...(host === undefined ? {} : { host }),
    })
  } catch (error) {
    files.flush()
    await tell({ kind: 'failed', problems: [] })
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

/** Whether an address could not be taken: the message says all there is. */
function isAddressError(error: unknown): error is Error {
  const code: unknown = Reflect.get(Object(error), 'code')
  return error instanceof Error && ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].some((each) => each === code)
}
