/*
 * Starts Redis, PostgreSQL, nginx and instances of the application as processes of this machine, with their data in one folder.
 */
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const HERE = import.meta.dirname

/** A process that listens. */
export interface Service {
  readonly port: number
  readonly child: ChildProcess
  /** Ends the process and resolves to its exit code, or `null` if the signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Services that start in stages. Those of one stage don't need each other. */
export interface Stages {
  /** Starts a stage and waits for all of its services. Rejects if one of them does not start, or if `stop` was called. */
  start(create: () => readonly Promise<Service>[]): Promise<readonly Service[]>
  /** Ends the last stage first. Services that are starting end when they have started. */
  stop(): Promise<void>
}

export function createStages(): Stages {
  const stages: Promise<readonly PromiseSettledResult<Service>[]>[] = []
  let isOver = false
  return {
    start: async (create) => {
      if (isOver) throw new Error('stop() was called before')
      const stage = Promise.allSettled(create())
      stages.push(stage)
      const failed = (await stage).find(({ status }) => status === 'rejected')
      if (failed !== undefined && 'reason' in failed) throw failed.reason
      if (isOver) throw new Error('stop() ends the stage')
      return toStarted(await stage)
    },
    stop: async () => {
      isOver = true
      for (const stage of stages.splice(0).toReversed())
        await Promise.all(toStarted(await stage).map((service) => service.stop()))
    },
  }
}

const toStarted = (stage: readonly PromiseSettledResult<Service>[]): readonly Service[] =>
  stage.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))

/** Folders of programs that are rarely in the path: Debian has these. */
const POSTGRES = '/usr/lib/postgresql'
const postgresFolders = existsSync(POSTGRES)
  ? readdirSync(POSTGRES).map((version) => join(POSTGRES, version, 'bin'))
  : []
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...postgresFolders]

/** The path of a program, or `undefined` if it is not installed. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** The programs of `names` that are not installed. */
export const missingPrograms = (
  names: readonly string[] = ['nginx', 'redis-server', 'initdb', 'postgres', 'curl'],
): readonly string[] => names.filter((name) => findProgram(name) === undefined)

/** Redis, which writes each change to a file and reads it when it starts again. */
export function startRedis(folder: string, port: number): Promise<Service> {
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--appendonly', 'yes', '--save', '']
  return start('redis-server', [...options, '--dir', folder], port)
}

export async function startPostgres(folder: string, port: number): Promise<Service> {
  const data = join(folder, 'postgres')
  const owner = findOwner()
  if (!existsSync(data)) createDatabase(folder, data, owner)
  const options = ['-D', data, '-p', `${port}`, '-k', data, '-h', '127.0.0.1']
  const service = await start('postgres', options, port, { cwd: data, ...owner })
  // SIGTERM would wait until all clients are gone
  return { ...service, stop: (signal = 'SIGINT') => service.stop(signal) }
}

/** The user that PostgreSQL runs as. */
interface Owner {
  readonly uid: number
  readonly gid: number
}

function createDatabase(folder: string, data: string, owner: Owner | undefined): void {
  mkdirSync(data)
  if (owner !== undefined) {
    chmodSync(folder, 0o755)
    chownSync(data, owner.uid, owner.gid)
  }
  const flags = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync']
  execFileSync(findProgram('initdb') ?? 'initdb', flags, { cwd: data, stdio: 'ignore', ...owner })
}

/** PostgreSQL refuses to run as root, so the user of its package runs it. */
function findOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** What an instance is started with. */
export interface InstanceOptions {
  readonly port: number
  /** The settings. */
  readonly env: Readonly<Record<string, string>>
  /** The main module. @default that of the example */
  readonly program?: string
  /** The file that the log is written to. @default the output of this process */
  readonly log?: number
}

/** Starts an instance of the application. */
export function startInstance({
  port,
  env,
  program = join(HERE, 'main.ts'),
  log,
}: InstanceOptions): Promise<Service> {
  const flags = program.endsWith('.ts') ? ['--import', 'tsx', '--conditions', 'octavo-source'] : []
  const output = log ?? 'inherit'
  return start(process.execPath, [...flags, program], port, {
    env: { ...process.env, ...env, PORT: `${port}` },
    stdio: ['ignore', output, output],
  })
}

/** The addresses and files of nginx. */
export interface BalancerOptions {
  readonly folder: string
  readonly port: number
  /** The ports where instances may listen. */
  readonly instances: readonly number[]
  readonly accessLog: string
}

/** Starts nginx, and `watch.sh`, which tells it what instances are ready. */
export async function startBalancer({
  folder,
  port,
  instances,
  accessLog,
}: BalancerOptions): Promise<Service> {
  const nginx = findProgram('nginx') ?? 'nginx'
  const addresses = instances.map((instance) => `127.0.0.1:${instance}`)
  const servers = join(folder, 'servers.conf')
  const variables = { PORT: `127.0.0.1:${port}`, SERVERS: servers, ACCESS_LOG: accessLog }
  writeFileSync(servers, addresses.map((address) => `server ${address};\n`).join(''))
  writeFileSync(join(folder, 'orders.conf'), fill('nginx/orders.conf.template', variables))
  writeFileSync(join(folder, 'nginx.conf'), toMain(folder))
  const flags = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'nginx.log')]
  const service = await start(nginx, flags, port)
  const watching = spawn(join(HERE, 'nginx/watch.sh'), [nginx, ...flags, '-s', 'reload'], {
    env: { ...process.env, INSTANCES: addresses.join(' '), SERVERS: servers },
    stdio: 'ignore',
  })
  return {
    ...service,
    stop: (signal) => {
      watching.kill()
      return service.stop(signal)
    },
  }
}

/** The file around `orders.conf`, which the package and the image of nginx bring along. */
function toMain(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [
    'daemon off;',
    'worker_processes 2;',
    `pid ${join(folder, 'nginx.pid')};`,
    'events {}',
    'http {',
    ...temporary.map((name) => `${name}_temp_path ${join(folder, name)};`),
    'include orders.conf;',
    '}',
  ].join('\n')
}

/** The text of a template with its `${NAME}`. nginx has variables too, which stay. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(HERE, template), 'utf8')
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** Starts a program and waits until something listens on the port. */
async function start(
  program: string,
  parameters: readonly string[],
  port: number,
  options: SpawnOptions = {},
): Promise<Service> {
  if (await isListening(port)) throw new Error(`Port ${port} is in use by another program`)
  const child = spawn(findProgram(program) ?? program, parameters, {
    stdio: 'ignore',
    // Ctrl+C of a terminal would reach all processes at once, and instances still need their stores when they end
    detached: true,
    ...options,
  })
  const ended = once(child, 'exit')
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  while (!(await isListening(port))) {
    if (hasEnded) throw new Error(`${program} ended before it listened on port ${port}`)
    await setTimeout(50)
  }
  return {
    port,
    child,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}

/** Whether something listens on a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
