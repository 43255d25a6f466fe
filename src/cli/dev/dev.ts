import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'

import { failure, say, usageError, sayStyle, type Arguments, type Command, type Setting } from '../command.ts'
import { findApp, startHost, type AppModule, type HostReport, type DevRequest } from '../app-process.ts'
import { formatFirst } from '../../base/values.ts'
import { createWatcher, type Watcher } from './watcher.ts'

/** Milliseconds for an application to end before a restart. Open streams must not delay it. */
const LONGEST_RESTART = 1_500
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const dev: Command = {
  summary: 'serve an app and restart it when a file changes',
  usage: '[<app>] [options] [-- arguments]',
  about: [
    'Watches the files that the app loads, .env, and the paths of --watch. If the app fails, you see the error once, and',
    'the next change starts it again. If your module calls listen itself, it receives --port in the variable PORT and',
    'the arguments after --.',
  ],
  examples: ['octavo dev', 'octavo dev src/main.ts --port 8080', 'octavo dev --watch views'],
  positionals: 1,
  passesOn: true,
  options: {
    port: { value: '<number>', short: 'p', about: 'the port (PORT, else 3000)' },
    host: { value: '<address>', about: 'the address (all)' },
    watch: {
      value: '<path>',
      short: 'w',
      about: 'watch this file or folder too (repeatable)',
      multiple: true,
    },
  },
  run: async (given, setting) => {
    const module = findApp(given.positionals[0], setting.cwd)
    const job = toJob(given, module)
    return { exitCode: await serveAndWatch(job, extraFiles(given.values('watch'), setting.cwd), setting) }
  },
}

function toJob(given: Arguments, module: AppModule): DevRequest {
  const [port, host] = [given.value('port'), given.value('host')]
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw usageError(`--port has to be a number from 0 to 65535, not ${port}`)
  return {
    kind: 'dev',
    module,
    rest: given.rest,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(host === undefined ? {} : { host }),
  }
}

/** The files that are watched though no module of the application is loaded from them. */
function extraFiles(paths: readonly string[], cwd: string): readonly string[] {
  const named = paths.map((path) => resolve(cwd, path))
  const missing = named.find((path) => !existsSync(path))
  if (missing !== undefined) throw failure(`--watch: ${missing} doesn't exist`)
  const within = named
    .filter((path) => statSync(path).isDirectory())
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => !/(^|[/\\])(node_modules|\.git)([/\\]|$)/.test(name))
        .map((name) => join(folder, name)),
    )
  return [join(cwd, '.env'), ...named, ...within]
}

/** The sources of events while the application runs. */
interface Watch {
  readonly watcher: Watcher
  readonly extra: readonly string[]
  readonly changes: MessageQueue<readonly string[]>
  readonly signals: MessageQueue<NodeJS.Signals>
}

/** Serves until a signal arrives. Returns the exit code. */
async function serveAndWatch(job: DevRequest, extra: readonly string[], setting: Setting): Promise<number> {
  const changes = createMessageQueue<readonly string[]>()
  const signals = createMessageQueue<NodeJS.Signals>()
  const watcher = createWatcher(changes.put)
  for (const signal of SIGNALS) process.on(signal, signals.put)
  let current: Running | undefined
  const atExit = (): void => current?.kill()
  process.on('exit', atExit)
  const files = job.module.file === undefined ? [] : [job.module.file]
  for (const path of [...files, ...extra]) watcher.add(path)
  try {
    let verb = 'Started'
    for (;;) {
      const watch = { watcher, extra: [...files, ...extra], changes, signals }
      const running = startOne(job, watch, setting, verb)
      current = running
      const code = await untilChange(running, watch, setting.cwd)
      if (code !== undefined) return code
      verb = 'Restarted'
    }
  } finally {
    current?.kill()
    watcher.close()
    process.off('exit', atExit)
    for (const signal of SIGNALS) process.off(signal, signals.put)
  }
}

/** Starts the application once, and prints when it listens. */
function startOne(job: DevRequest, { watcher, extra }: Watch, setting: Setting, verb: string): Running {
  const style = sayStyle()
  const began = performance.now()
  const child = startHost(job, setting, false)
  const files = new Set(extra)
  child.on('message', (report: HostReport) => {
    if (report.kind === 'file') {
      files.add(report.path)
      watcher.add(report.path)
    }
    if (report.kind !== 'listening') return
    watcher.keep(files)
    const { url } = report
    const time = `in ${Math.round(performance.now() - began)} ms`
    const where = url === '' ? '' : `: ${style.bold(url)}`
    say(`${style.green(verb)} ${time}${where} ${style.dim(`(watching ${watcher.size()} files)`)}`)
  })
  return watchOver(child)
}

/** Waits until the application has to restart. Returns the exit code if a signal arrived instead. */
async function untilChange(
  running: Running,
  { changes, signals }: Watch,
  cwd: string,
): Promise<number | undefined> {
  const ended = await Promise.race([running.ended, changes.arrival(), signals.arrival()])
  if (ended !== undefined) {
    const end = ended.code === 0 ? 'has ended' : `failed (${ended.signal ?? `exit code ${ended.code}`})`
    say(sayStyle().yellow(`The app ${end}. Waiting for a change`))
    await Promise.race([changes.arrival(), signals.arrival()])
  }
  const [signal] = signals.take()
  if (signal !== undefined) return endWithSignal(signal, running, ended, signals)
  const changed = [...new Set(changes.take().flat())].map((path) => relative(cwd, path))
  say(`\n${sayStyle().cyan('Changed:')} ${formatFirst(changed, 3)}`)
  await Promise.race([running.stop('SIGTERM', LONGEST_RESTART), signals.arrival()])
  const [late] = signals.take()
  return late === undefined ? undefined : endWithSignal(late, running, ended, signals)
}

/** Forwards a signal and waits. A second signal ends everything at once. Returns the exit code. */
async function endWithSignal(
  signal: NodeJS.Signals,
  running: Running,
  ended: EndedApp | void,
  signals: MessageQueue<NodeJS.Signals>,
): Promise<number> {
  if (ended !== undefined) return exitCodeOf(signal)
  const end = running.stop(signal === 'SIGHUP' ? 'SIGTERM' : signal, 2 ** 31 - 1)
  const first = await Promise.race([end, signals.arrival()])
  if (first !== undefined) return first.code
  running.kill()
  return exitCodeOf(signals.take()[0] ?? signal)
}

/** Messages that arrive for one reader, which asks for them. */
export interface MessageQueue<T> {
  readonly put: (thing: T) => void
  /** Settles when something is there; what is there is taken by `take`. */
  readonly arrival: () => Promise<void>
  /** Everything that is there. */
  readonly take: () => readonly T[]
}

/** Creates a queue of messages for one reader. */
export function createMessageQueue<T>(): MessageQueue<T> {
  let things: T[] = []
  let wake: (() => void) | undefined
  return {
    put: (thing) => {
      things.push(thing)
      wake?.()
    },
    arrival: () =>
      things.length > 0
        ? Promise.resolve()
        : new Promise((settle) => {
            wake = settle
          }),
    take: () => {
      const taken = things
      things = []
      return taken
    },
  }
}

/** How a process ended. */
export interface EndedApp {
  readonly kind: 'ended'
  /** Its exit code; 128 and the number of the signal that ended it. */
  readonly code: number
  readonly signal: NodeJS.Signals | undefined
}

/** A process that serves, and what it started. */
export interface Running {
  readonly ended: Promise<EndedApp>
  /** Asks it to end; what has not ended after the time, in milliseconds, is ended. */
  readonly stop: (signal: NodeJS.Signals, longest: number) => Promise<EndedApp>
  /** Ends it, and what it started, at once. */
  readonly kill: () => void
}

/** Watches over a process that leads a group of its own. */
export function watchOver(child: ChildProcess): Running {
  const kill = (): void => {
    if (child.pid === undefined) return
    try {
      if (process.platform === 'win32') child.kill('SIGKILL')
      else process.kill(-child.pid, 'SIGKILL')
    } catch {
      // the group is gone already
    }
  }
  const ended = new Promise<EndedApp>((settle, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      // what it started and left behind
      kill()
      settle({ kind: 'ended', code: code ?? exitCodeOf(signal), signal: signal ?? undefined })
    })
  })
  const stop = async (signal: NodeJS.Signals, longest: number): Promise<EndedApp> => {
    const timer = setTimeout(kill, longest)
    child.kill(signal)
    try {
      return await ended
    } finally {
      clearTimeout(timer)
    }
  }
  return { ended, stop, kill }
}

/** The exit code that shells give to what a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal]
}
