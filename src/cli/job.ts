import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { failure, type CommandError, type Setting } from './command.ts'
import type { Explanation } from '../changes/check/explain.ts'
import type { ChangelogSource } from '../gate/changelog/changelog.ts'
import type { History } from '../gate/snapshot/changes.ts'
import type { Serving } from '../gate/snapshot/serving.ts'
import type { CurrentVersion } from '../gate/snapshot/snapshot.ts'
import type { RouteEntry } from '../server/app/route-list.ts'
import type { VersionInfo } from '../server/routing/report/versions.ts'
import type { Definitions } from './write/read-definitions.ts'

/** The results of the tasks for a process that loads an application. */
interface Results {
  readonly routes: Served
  readonly explain: Explanation
  readonly changelog: readonly ChangelogSource[]
  readonly definitions: Definitions
  readonly current: CurrentReport
  readonly release: HistoryReport
  readonly openapi: Documents
  readonly client: Documents
  readonly types: Documents
}

/** A task with a result, and what it needs to know. */
export type Task =
  | { readonly task: 'routes' | 'explain' | 'changelog' | 'definitions' }
  | { readonly task: 'current'; readonly isChecked: boolean }
  | { readonly task: 'release'; readonly version?: string }
  | { readonly task: 'openapi'; readonly wanted: Wanted }
  | { readonly task: 'client' | 'types'; readonly wanted: Wanted; readonly host?: string }

/** The result of any task. */
export type Result = Results[keyof Results]

/** Serving an application until its process ends. */
export interface DevJob {
  readonly task: 'dev'
  readonly module: AppModule
  readonly port?: number
  readonly host?: string
  readonly rest: readonly string[]
}

/** A task for a process that loads an application; a process of its own, for modules may print, end or never end. */
export type Job = (Task & { readonly module: AppModule }) | DevJob

/** Which documents are wanted: the one of all versions or of none, one of each version, or the one of a version. */
export type Wanted =
  | { readonly kind: 'combined' }
  | { readonly kind: 'each' }
  | { readonly kind: 'one'; readonly version: string }

/** Everything that is served. */
export interface Served {
  readonly routes: readonly RouteEntry[]
  readonly versions: readonly VersionInfo[]
}

/** Documents, route maps or `{ text }`, each with a name for its file without extension: that of its version, or `all`. */
export type Documents = readonly { readonly name: string; readonly document: object }[]

/** What a release of an application is about. */
export interface HistoryReport {
  /** The released versions, newest first. */
  readonly versions: readonly string[]
  /** The history, and the changes and routes that are not released. */
  readonly places: readonly {
    readonly kind: 'history' | 'change' | 'route'
    readonly title: string
    /** Where it is defined, or what gives a route its version, as file and line. */
    readonly at: string | undefined
  }[]
  /** The version that the history names as `next`, for changes and routes that are not released. */
  readonly trial: string | undefined
  /** Why the version to release is no version. */
  readonly malformed?: string
}

/** The parts of an application that are kept. */
export interface CurrentReport {
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

/** A message of the process. */
export type Report =
  | { readonly kind: 'result'; readonly result: Result }
  /** The problem has been printed. */
  | { readonly kind: 'failed' }
  /** A file that the application is made of, or that it looked for. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'listening'; readonly url: string }

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
 * Does a task in a process that has loaded an application, and has ended when this settles. Returns `undefined` if that process has printed
 * why there is no result.
 *
 * @throws `CommandError` for an application that cannot be found, and when the process ends without a result.
 */
export async function ask<T extends Task>(
  app: string | undefined,
  task: T,
  setting: Setting,
): Promise<Results[T['task']] | undefined> {
  const module = findApp(app, setting.cwd)
  const child = startJob({ ...task, module }, setting, true)
  const end = new Promise<string>((settle, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => settle(signal ?? String(code)))
  })
  let result: Result | undefined
  let hasFailed = false
  child.on('message', (report: Report) => {
    if (report.kind === 'failed') hasFailed = true
    if (report.kind !== 'result') return
    result = report.result
    setTimeout(() => child.kill('SIGKILL'), LONGEST_CLOSE).unref()
  })
  const how = await end
  if (result === undefined && !hasFailed) throw failure(...explainEnd(module.label, how))
  // `doTask` returns the result of its task
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return result as Results[T['task']] | undefined
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

/** The module of an application: a file, or the specifier of a package as the working directory sees it. */
export interface AppModule {
  /** Its name in messages. */
  readonly label: string
  readonly file?: string
  readonly specifier?: string
}

/** The files that are tried in this order if no application is named. */
const PLACES = ['src/app.ts', 'src/app.js', 'app.ts', 'app.js', 'dist/app.js']
const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs']

/**
 * Finds the module that `<app>` names: a file, with or without its extension, a folder in which it is looked for, or a package.
 * Without `<app>` it is what package.json names as `octavo.app`, else the usual place.
 *
 * @throws `CommandError` when there is none.
 */
export function findApp(given: string | undefined, cwd: string): AppModule {
  if (given === undefined) return findIn(cwd, cwd)
  const path = resolve(cwd, given)
  if (isFolder(path)) return findIn(path, cwd)
  const file = ['', ...EXTENSIONS].map((extension) => path + extension).find(isFile)
  if (file !== undefined) return toModule(file, cwd)
  if (/^\.{0,2}[/\\]|\.[cm]?[jt]sx?$|^[A-Za-z]:/.test(given))
    throw failure(`file ${given} not found`, `looked for ${path}`)
  return { label: given, specifier: given }
}

function findIn(folder: string, cwd: string): AppModule {
  const named = namedIn(folder)
  if (named !== undefined) {
    const file = resolve(folder, named)
    if (isFile(file)) return toModule(file, cwd)
    throw failure(`octavo.app of package.json is ${named}, but this file doesn't exist`)
  }
  const place = PLACES.find((each) => isFile(join(folder, each)))
  if (place !== undefined) return toModule(join(folder, place), cwd)
  throw notFound(folder, cwd)
}

function notFound(folder: string, cwd: string): CommandError {
  const where = folder === cwd ? 'here' : `in ${relative(cwd, folder)}`
  return failure(
    `no application found ${where}`,
    `looked for octavo.app in package.json, ${PLACES.join(', ')}`,
    'pass the module that exports your application, for example octavo routes src/app.ts',
  )
}

/** Returns `octavo.app` of the `package.json` in a folder. */
function namedIn(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const app: unknown = Reflect.get(Object(Reflect.get(Object(manifest), 'octavo')), 'app')
    if (app === undefined || typeof app === 'string') return app
  } catch {
    throw failure(`${file} is not valid JSON`)
  }
  throw failure(`octavo.app of ${file} has to be the path of a module`)
}

function toModule(file: string, cwd: string): AppModule {
  const path = relative(cwd, file)
  return { label: path.startsWith('..') ? file : path, file }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
