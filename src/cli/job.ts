import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Explanation } from '../changes/check/explain.ts'
import type { ChangelogSource } from '../gate/changelog/changelog.ts'
import type { History } from '../gate/snapshot/changes.ts'
import type { Serving } from '../gate/snapshot/serving.ts'
import type { CurrentVersion } from '../gate/snapshot/snapshot.ts'
import type { RouteEntry } from '../server/app/route-list.ts'
import type { VersionInfo } from '../server/routing/report/versions.ts'
import type { Setting } from './command.ts'
import { failure } from './failure.ts'
import type { AppModule } from './find-app.ts'
import type { Definitions } from './write/read-definitions.ts'
import type { Unfinished } from './write/unfinished.ts'

/** A task for a process that loads an application; a process of its own, for modules may print, end or never end. */
export type Job =
  | { readonly task: 'routes'; readonly module: AppModule }
  | { readonly task: 'explain' | 'changelog' | 'definitions'; readonly module: AppModule }
  | { readonly task: 'current'; readonly module: AppModule; readonly isChecked: boolean }
  | { readonly task: 'release'; readonly module: AppModule; readonly version: string }
  | { readonly task: 'openapi'; readonly module: AppModule; readonly wanted: Wanted }
  | {
      readonly task: 'client' | 'types'
      readonly module: AppModule
      readonly wanted: Wanted
      readonly host?: string
    }
  | {
      readonly task: 'dev'
      readonly module: AppModule
      readonly port?: number
      readonly host?: string
      readonly rest: readonly string[]
    }

/** Which documents are wanted: the one of all versions or of none, one of each version, or the one of a version. */
export type Wanted =
  | { readonly kind: 'combined' }
  | { readonly kind: 'each' }
  | { readonly kind: 'one'; readonly version: string }

/** Everything that is served. */
export interface Served {
  readonly kind: 'routes'
  readonly routes: readonly RouteEntry[]
  readonly versions: readonly VersionInfo[]
  readonly tree: string
}

/** Documents, route maps or `{ text }`, each with a name for its file without extension: that of its version, or `all`. */
export interface Documents {
  readonly kind: 'documents'
  readonly documents: readonly { readonly name: string; readonly document: object }[]
}

/** The changes of a history in a version that is to be released. */
export interface HistoryReport {
  readonly kind: 'history'
  /** The released versions, newest first. */
  readonly versions: readonly string[]
  /** The changes that are not released, with the places of their definitions. */
  readonly next: readonly { readonly id: string; readonly title: string; readonly at: string | undefined }[]
  /** The routes that are not released, with the places of what gives them their version. */
  readonly routes: readonly { readonly label: string; readonly at: string | undefined }[]
  /** The functions of these changes that are still to be filled in. */
  readonly unfinished: readonly Unfinished[]
  /** The place of its definition, as file and line. */
  readonly at: string | undefined
  /** Why the version cannot be released, and whether it is no version at all. */
  readonly problem: { readonly message: string; readonly isMalformed: boolean } | undefined
}

/** Where changes land, or `undefined` without a history. */
export interface ExplanationReport {
  readonly kind: 'explanation'
  readonly explanation: Explanation | undefined
}

/** The documents that a changelog is made from, oldest version first. */
export interface ChangelogReport {
  readonly kind: 'changelog'
  readonly versions: readonly ChangelogSource[]
}

/** The parts of an application that are kept. */
export interface CurrentReport {
  readonly kind: 'current'
  /** Oldest first. */
  readonly versions: readonly CurrentVersion[]
  readonly serving: {
    readonly schemes: Serving['schemes']
    readonly routes: readonly (readonly [operation: string, versions: readonly (readonly string[])[]])[]
  }
  /** Its changes, if they were checked; absent without a history. */
  readonly history?: History
  /** Definitions of the app, if its changes were checked. */
  readonly definitions?: Definitions
}

/** The result of a job that has one. */
export type Result =
  | Served
  | Documents
  | HistoryReport
  | ExplanationReport
  | ChangelogReport
  | Definitions
  | CurrentReport

/** A message of the process. */
export type Report =
  | Result
  /** The problem has been printed. */
  | { readonly kind: 'failed' }
  /** A file that the application is made of, or that it looked for. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'listening'; readonly url: string; readonly byItself: boolean }

/** The first argument of a process that does a job. Users never type it. */
export const JOB_MARK = '__octavo_job'

/** Starts a process that does a job. `isQuiet`: what it prints goes to standard error. */
export function startJob(job: Job, { main, cwd }: Setting, isQuiet: boolean): ChildProcess {
  const port = job.task === 'dev' && job.port !== undefined ? { PORT: String(job.port) } : {}
  return spawn(
    process.execPath,
    [...nodeArguments(job.module, cwd), main, JOB_MARK, JSON.stringify(job)],
    isQuiet
      ? { cwd, stdio: ['ignore', 2, 2, 'ipc'] }
      : // a group of its own: a key that ends this process leaves it to this process to end the other, once
        {
          cwd,
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
          detached: process.platform !== 'win32',
          env: { ...process.env, ...port },
        },
  )
}

/** Milliseconds for an application to close once its work is done, before its process is ended. */
const LONGEST_CLOSE = 6_000

/**
 * Does a job that has one result, in a process that has ended when this settles.
 *
 * @throws `CommandError` when the process ends without a result; `undefined` is given when it has printed why.
 */
export async function doJob(job: Job, setting: Setting): Promise<Result | undefined> {
  const child = startJob(job, setting, true)
  const end = new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? String(code)))
  })
  let result: Result | undefined
  let hasFailed = false
  child.on('message', (report: Report) => {
    if (report.kind === 'failed') hasFailed = true
    if (isResult(report)) {
      result = report
      setTimeout(() => child.kill('SIGKILL'), LONGEST_CLOSE).unref()
    }
  })
  const how = await end
  if (result !== undefined || hasFailed) return result
  throw failure(...explainEnd(job.module.label, how))
}

function isResult(report: Report): report is Result {
  return ['routes', 'documents', 'history', 'explanation', 'changelog', 'definitions', 'current'].includes(
    report.kind,
  )
}

function explainEnd(label: string, how: string): readonly [message: string, ...hints: string[]] {
  if (how === '13')
    return [
      `${label} never finished loading`,
      'a promise that it awaits at its top level, or its promise of an app, never settles',
    ]
  if (how.startsWith('SIG')) return [`${how} ended ${label} while it was loading`]
  return [
    `${label} ended the process with exit code ${how} while it was loading`,
    'pass the module that creates the app, not one that runs a task and exits',
  ]
}

/**
 * Returns the arguments of Node for the module of an application. JavaScript needs none. For TypeScript it is the loader of tsx if the project
 * has it, else none if Node removes types itself.
 *
 * @throws `CommandError` when nothing can run TypeScript.
 */
function nodeArguments({ file, label }: AppModule, cwd: string): readonly string[] {
  // a debugger of this process has its port
  const own = process.execArgv.filter((argument) => !argument.startsWith('--inspect'))
  if (file === undefined) return [...own, '--experimental-import-meta-resolve']
  if (!/\.[cm]?tsx?$/.test(file) || own.some(isTsx) || isTsx(process.env['NODE_OPTIONS'] ?? '')) return own
  const tsx = findTsx(file) ?? findTsx(join(cwd, 'package.json'))
  if (tsx !== undefined) return [...own, '--import', pathToFileURL(tsx).href, '--import', PLAIN_PACKAGES]
  const strips: unknown = Reflect.get(process.features, 'typescript')
  if (typeof strips === 'string') return own
  throw failure(
    `${label} is TypeScript, which Node ${process.versions.node} cannot run natively`,
    'install tsx: npm install --save-dev tsx',
    'or use Node 22.18 or later',
  )
}

/**
 * A module that has Node load the ES modules of installed packages by itself. The loader of tsx, which is registered before, would transform
 * each of their files, which takes as long as all the rest of a start. Node 20 runs it in the thread of its hooks, too.
 */
const PLAIN_PACKAGES = `data:text/javascript,${encodeURIComponent(`
import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { isMainThread } from 'node:worker_threads'
export const load = (url, context, next) =>
  context.format === 'module' && /^file:.*[/]node_modules[/].*[.]m?js$/.test(url)
    ? { format: 'module', source: readFileSync(new URL(url)), shortCircuit: true }
    : next(url, context)
if (isMainThread) module.registerHooks ? module.registerHooks({ load }) : module.register(import.meta.url)
`)}`

/** The loader of tsx as a file sees it. */
function findTsx(from: string): string | undefined {
  try {
    return createRequire(from).resolve('tsx')
  } catch {
    return undefined
  }
}

function isTsx(argument: string): boolean {
  return /(^|[/\\\s=])tsx($|[/\\\s])/.test(argument)
}
