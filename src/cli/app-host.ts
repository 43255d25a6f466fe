import { pathToFileURL } from 'node:url'

import { failure } from './command.ts'
import type { App } from '../server/app/app.ts'
import { appOf } from './exported-app.ts'
import type { AppModule, HostRequest, HostReport } from './app-process.ts'
import { serveForDev } from './dev/serve-for-dev.ts'
import { endFailed, sayError, toProblems } from './print-error.ts'

/** Milliseconds for an application to close. */
const LONGEST_CLOSE = 5_000

/** Does the work of this process, which was started for it. Ends the process unless it serves. */
export async function runHost(text: string): Promise<void> {
  // written by `startHost`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const request = JSON.parse(text) as HostRequest
  if (process.send === undefined) throw failure('only octavo itself can start this process')
  const url = await findUrl(request.module)
  // the module is not the main one, so it must not run code that is meant for the main module alone
  process.argv =
    request.kind === 'dev'
      ? [process.execPath, request.module.file ?? url, ...request.rest]
      : process.argv.slice(0, 2)
  // the parent process has gone, so the result has no reader
  process.once('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LONGEST_CLOSE).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  process.channel?.unref()
  if (request.kind === 'dev') {
    await serveForDev(request, url, sendReport)
    return
  }
  try {
    if (request.kind === 'host') {
      const { readHost } = await import('./import/read-host.ts')
      await sendReport({ kind: 'result', result: await readHost(url, request.module.label) })
      process.exit(0)
    }
    const exported: object = await import(url)
    const app = await appOf(exported, request.module.label)
    // `octavo dev` needs none of it
    const { answerRequest } = await import('./app-request.ts')
    await sendReport({ kind: 'result', result: await answerRequest(app, request) })
    await closeApp(app)
    process.exit(0)
  } catch (error) {
    const isTried = request.kind === 'current' && request.isTried === true
    await sendReport({ kind: 'failed', problems: toProblems(error) })
    if (isTried) process.exit(1)
    endFailed(error)
  }
}

/** Sends a report to the parent process. Settles once it is sent. */
function sendReport(report: HostReport): Promise<void> {
  return new Promise((resolve) => {
    // `process.send` does not wait in line behind other work
    if (process.connected) process.send?.(report, undefined, {}, () => resolve())
    else resolve()
  })
}

/** @throws `CommandError` for a package that cannot be found, which is reported before. */
async function findUrl({ file, specifier = '' }: AppModule): Promise<string> {
  if (file !== undefined) return pathToFileURL(file).href
  try {
    return import.meta.resolve(specifier, pathToFileURL(`${process.cwd()}/`).href)
  } catch {
    const error = failure(`no file or package ${specifier} found`, `looked from ${process.cwd()}`)
    await sendReport({ kind: 'failed', problems: toProblems(error) })
    throw error
  }
}

/** Closes an application. Waits for `LONGEST_CLOSE` at most. */
async function closeApp(app: App): Promise<void> {
  const limit = new Promise<void>((resolve) => {
    setTimeout(resolve, LONGEST_CLOSE)
  })
  try {
    await Promise.race([app.close(), limit])
  } catch (error) {
    sayError(error)
  }
}
