import { pathToFileURL } from 'node:url'

import { failure } from './command.ts'
import type { App } from '../server/app/app.ts'
import { appOf } from './exports.ts'
import type { AppModule, Job, Report } from './job.ts'
import { serveForDev } from './dev/serve.ts'
import { endFailed, sayError } from './print-error.ts'

/** Milliseconds for an application to close. */
const LONGEST_CLOSE = 5_000

/** Does a job in this process, which was started for it. Ends the process unless the job is to serve. */
export async function runJob(text: string): Promise<void> {
  // written by `startJob`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const job = JSON.parse(text) as Job
  if (process.send === undefined) throw failure('only octavo itself can start this process')
  const url = toUrl(job.module)
  // the module is not the main one, so it must not run code that is meant for the main module alone
  process.argv =
    job.task === 'dev' ? [process.execPath, job.module.file ?? url, ...job.rest] : process.argv.slice(0, 2)
  // the parent process has gone, so the result has no reader
  process.once('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LONGEST_CLOSE).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  process.channel?.unref()
  if (job.task === 'dev') {
    await serveForDev(job, url, sendReport)
    return
  }
  try {
    const exported: object = await import(url)
    const app = await appOf(exported, job.module.label)
    // `octavo dev` needs none of it
    const { doTask } = await import('./task.ts')
    await sendReport({ kind: 'result', result: await doTask(app, job) })
    await close(app)
    process.exit(0)
  } catch (error) {
    await sendReport({ kind: 'failed' })
    endFailed(error)
  }
}

/** Sends a report to the parent process. Settles once it is sent. */
function sendReport(report: Report): Promise<void> {
  return new Promise((resolve) => {
    // `process.send` does not wait in line behind other work
    if (process.connected) process.send?.(report, undefined, {}, () => resolve())
    else resolve()
  })
}

/** @throws `CommandError` for a package that cannot be found. */
function toUrl({ file, specifier = '' }: AppModule): string {
  if (file !== undefined) return pathToFileURL(file).href
  try {
    return import.meta.resolve(specifier, pathToFileURL(`${process.cwd()}/`).href)
  } catch {
    throw failure(`no file or package ${specifier} found`, `looked from ${process.cwd()}`)
  }
}

/** Closes an application. Waits for `LONGEST_CLOSE` at most. */
async function close(app: App): Promise<void> {
  const limit = new Promise<void>((resolve) => {
    setTimeout(resolve, LONGEST_CLOSE)
  })
  try {
    await Promise.race([app.close(), limit])
  } catch (error) {
    sayError(error)
  }
}
