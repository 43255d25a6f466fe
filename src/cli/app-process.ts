import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { CommandError, failure, type Setting } from './command.ts'
import type { Explanation } from '../changes/check/explain.ts'
import type { ChangelogSource } from '../gate/changelog/create-changelog.ts'
import type { CheckedHistory } from '../gate/snapshot/changes.ts'
import type { VersionServing } from '../gate/snapshot/version-serving.ts'
import type { CurrentVersion } from '../gate/snapshot/snapshot-index.ts'
import type { RouteEntry } from '../server/app/route-list.ts'
import type { VersionInfo } from '../server/routing/report/versions.ts'
import type { HostDescription } from './import/host-document.ts'
import type { DefinedParts } from './write/defined-parts.ts'

/** The answers of the process that has loaded an application, by the kinds of requests. */
interface AppResults {
  readonly routes: ServedRoutes
  readonly explain: Explanation
  readonly changelog: readonly ChangelogSource[]
  readonly definitions: DefinedParts
  readonly current: CurrentReport
  readonly release: HistoryReport
  readonly openapi: NamedDocuments
  readonly client: NamedDocuments
  readonly types: NamedDocuments
  readonly host: HostDescription
}

/** Why an application cannot be loaded. */
export interface LoadProblem {
  /** The code of a `DefinitionError`. */
  readonly code?: string
  /** The definition, such as `change "users-have-a-name" (src/changes/users.ts:3)`, or the place in a file. */
  readonly where?: string
  readonly message: string
  readonly fix?: string
  readonly stack?: string
}

/** The error of an application that cannot be loaded. The process that tried it has printed it. */
export class LoadError extends CommandError {
  readonly problems: readonly LoadProblem[]

  constructor(problems: readonly LoadProblem[]) {
    super(1, 'the app cannot be loaded')
    this.name = 'LoadError'
    this.problems = problems
  }
}

/** A request of a command to the process that has loaded an application. */
export type AppRequest =
  | { readonly kind: 'routes' | 'explain' | 'changelog' | 'definitions' }
  /** `isTried`: problems are not printed, and definitions are not needed. */
  | {
      readonly kind: 'current'
      readonly isChecked: boolean
      readonly isTried?: boolean
      /** The module of an application of a framework that has this one inside. */
      readonly inside?: AppModule
    }
  | { readonly kind: 'release'; readonly version?: string }
  | { readonly kind: 'openapi'; readonly wanted: Wanted }
  | { readonly kind: 'client' | 'types'; readonly wanted: Wanted; readonly host?: string }
  /** The module is that of an app of a framework. */
  | { readonly kind: 'host' }

/** The answer to any request. */
export type AppResult = AppResults[keyof AppResults]

/** Serving an application until its process ends. */
export interface DevRequest {
  readonly kind: 'dev'
  readonly module: AppModule
  readonly port?: number
  readonly host?: string
  readonly rest: readonly string[]
}

/** The work of a process that loads an application. It is a process of its own, because modules may print, end or never end. */
export type HostRequest = (AppRequest & { readonly module: AppModule }) | DevRequest

/** Which documents are wanted: the one of all versions or of none, one of each version, or the one of a version. */
export type Wanted =
  | { readonly kind: 'combined' }
  | { readonly kind: 'each' }
  | { readonly kind: 'one'; readonly version: string }

/** Everything that is served. */
export interface ServedRoutes {
  readonly routes: readonly RouteEntry[]
  readonly versions: readonly VersionInfo[]
}

/** Documents, route maps or `{ text }`, each with a name for its file without extension: that of its version, or `all`. */
export type NamedDocuments = readonly { readonly name: string; readonly document: object }[]

/** The history of an application, as `octavo release` needs it. */
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
    readonly schemes: VersionServing['schemes']
    readonly routes: readonly (readonly [operation: string, versions: readonly (readonly string[])[]])[]
  }
  /** Its changes, if they were checked; absent without a history. */
  readonly history?: CheckedHistory
  /** Definitions of the app, if its changes were checked. */
  readonly definitions?: DefinedParts
  /** Routes of the application around it that it does not describe, if there is one. */
  readonly undescribed?: readonly string[]
  /** Where it mounts an API of which no route describes anything. */
  readonly uncontracted: readonly string[]
}

/** A message of the process. */
export type HostReport =
  | { readonly kind: 'result'; readonly result: AppResult }
  | { readonly kind: 'failed'; readonly problems: readonly LoadProblem[] }
  /** A file that the application is made of, or that it looked for. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'listening'; readonly url: string }

/** The first argument of a process that loads an application. Users never type it. */
export const HOST_MARK = '__octavo_host'

/** Starts a process that loads an application. `isQuiet`: what it prints goes to standard error. */
export function startHost(request: HostRequest, { main, cwd }: Setting, isQuiet: boolean): ChildProcess {
  const port = request.kind === 'dev' && request.port !== undefined ? { PORT: String(request.port) } : {}
  return spawn(
    process.execPath,
    [...nodeArguments(request.module, cwd), main, HOST_MARK, JSON.stringify(request)],
    isQuiet
      ? { cwd, stdio: ['ignore', 2, 2, 'ipc'] }
      : // a group of its own, so that Ctrl-C reaches this process alone, which then ends the child once
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
 * Asks a process that has loaded an application, and has ended when this settles.
 *
 * @throws `LoadError` for an application that cannot be loaded, and another `CommandError` for one that cannot be found, and when the
 * process ends without a result.
 */
export async function askApp<T extends AppRequest>(
  app: string | undefined,
  request: T,
  setting: Setting,
): Promise<AppResults[T['kind']]> {
  const module = findApp(app, setting.cwd)
  const child = startHost({ ...request, module }, setting, true)
  const end = new Promise<string>((settle, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => settle(signal ?? String(code)))
  })
  let result: AppResult | undefined
  let problems: readonly LoadProblem[] | undefined
  child.on('message', (report: HostReport) => {
    if (report.kind === 'failed') ({ problems } = report)
    if (report.kind !== 'result') return
    result = report.result
    setTimeout(() => child.kill('SIGKILL'), LONGEST_CLOSE).unref()
  })
  const how = await end
  if (problems !== undefined) throw new LoadError(problems)
  if (result === undefined) throw failure(...explainEnd(module.label, how))
  // `answerRequest` returns the result that the request asks for
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return result as AppResults[T['kind']]
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
  if (given === undefined) return findAppIn(cwd, cwd)
  const path = resolve(cwd, given)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return findAppIn(path, cwd)
  const file = ['', ...EXTENSIONS].map((extension) => path + extension).find(isExistingFile)
  if (file !== undefined) return toModule(file, cwd)
  if (/^\.{0,2}[/\\]|\.[cm]?[jt]sx?$|^[A-Za-z]:/.test(given))
    throw failure(`file ${given} not found`, `looked for ${path}`)
  return { label: given, specifier: given }
}

function findAppIn(folder: string, cwd: string): AppModule {
  const named = appNamedIn(folder)
  if (named !== undefined) {
    const file = resolve(folder, named)
    if (isExistingFile(file)) return toModule(file, cwd)
    throw failure(`octavo.app of package.json is ${named}, but this file doesn't exist`)
  }
  const place = PLACES.find((each) => isExistingFile(join(folder, each)))
  if (place !== undefined) return toModule(join(folder, place), cwd)
  throw failure(
    `no application found ${folder === cwd ? 'here' : `in ${relative(cwd, folder)}`}`,
    `looked for octavo.app in package.json, ${PLACES.join(', ')}`,
    'pass the module that exports your application, for example octavo routes src/app.ts',
  )
}

/** Returns `octavo.app` of the `package.json` in a folder. */
function appNamedIn(folder: string): string | undefined {
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

function isExistingFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
