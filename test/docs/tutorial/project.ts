import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { z } from 'zod'

import { findPackage } from '../../support/package.ts'
import { findPort } from '../../support/ports.ts'
import { applyDiff, assertShown, hasShown, isShown } from './page.ts'
import type { Output, Step } from './page.ts'

export const ROOT = join(import.meta.dirname, '../../..')
const TEMPORARY = join(ROOT, 'test/docs/.tmp')
const SHOWN = 'localhost:3000'
const SERVER = /^(?:\w+=\S+ )*npm (?:start|run dev)\n$/
const SCRIPT = /^((?:\w+=\S+ )*)npm (?:run )?(dev|start|test|types)$/gm
const Manifest = z.object({ scripts: z.record(z.string(), z.string()) })
/** Milliseconds until a server has to listen or to print what a page shows. */
const PATIENCE = 60_000

/** A project in which the steps of pages are taken, as a reader would. */
export interface Project {
  readonly path: string
  take(step: Step): Promise<void>
  /** Runs a command to its end. Returns what it printed. */
  run(command: string): Promise<Printed>
  /** Ends the server and the variables of the terminal. */
  leave(): Promise<void>
  remove(): Promise<void>
}

interface Printed {
  readonly code: number | null
  readonly stdout: string
  /** Standard output and standard error. */
  readonly all: string
}

/** Creates an empty project. It sees Octavo as it is packed, and the packages of this repository. */
export async function createProject(): Promise<Project> {
  mkdirSync(TEMPORARY, { recursive: true })
  const folder = mkdtempSync(join(TEMPORARY, 'tutorial-'))
  const path = join(folder, 'footpath')
  await install(path)
  const env = toEnvironment(folder, path)
  let server = { ...createServerProcess(path, env, ''), command: '' }
  let isStale = false
  const variables = join(folder, 'variables')

  /** Runs what npm would run: it takes half a second itself, each time. */
  const withoutNpm = (command: string): string =>
    command
      .replaceAll(SCRIPT, (_, settings: string, name: string) => {
        const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
        const script = scripts[name]
        assert.ok(script !== undefined, `package.json has no script ${name}`)
        return settings + script
      })
      .replaceAll(/^npx /gm, '')

  async function run(command: string): Promise<Printed> {
    const script = `[ -f '${variables}' ] && . '${variables}'\nset -a\n${withoutNpm(command)}\ncode=$?\nexport -p > '${variables}'\nexit $code`
    return collect(spawn('bash', ['-c', script.replaceAll(SHOWN, server.address)], { cwd: path, env }))
  }
  async function restart(command: string): Promise<void> {
    await server.stop()
    isStale = false
    server = { ...createServerProcess(path, env, withoutNpm(command), await findPort()), command }
  }
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
    isStale = true
  }
  async function takeCommand(command: string, output: Output | undefined): Promise<void> {
    if (SERVER.test(command)) {
      // whoever calls it waits until it listens
      await restart(command)
      return output === undefined ? undefined : server.prints(output.text)
    }
    const isCall = command.includes(SHOWN)
    if (isCall && isStale) await restart(server.command)
    if (isCall) await server.listens()
    const printed = await run(command)
    const { code, stdout, all } = printed
    const shown = (text: string): string => text.replaceAll(server.address, SHOWN)
    if (output === undefined) assert.equal(code, 0, all)
    else if (output.language === 'json') assertShown(JSON.parse(output.text), parseJson(shown(stdout), all))
    else assert.ok(isShown(output.text, shown(all)), `shown:\n${output.text}\nprinted:\n${shown(all)}`)
  }
  return {
    path,
    run,
    take: async (step) => {
      // it would start again after each file, and is started again when it is called
      if (step.kind === 'file' || step.kind === 'edit') await server.stop()
      if (step.kind === 'file') write(step.path, step.text)
      else if (step.kind === 'edit')
        write(step.path, applyDiff(readFileSync(join(path, step.path), 'utf8'), step.diff))
      else if (step.kind === 'command') await takeCommand(step.command, step.output)
      else {
        if (isStale) await restart(server.command)
        await server.prints(step.output.text)
      }
    },
    leave: async () => {
      await server.stop()
      rmSync(variables, { force: true })
    },
    remove: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function parseJson(text: string, all: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`not JSON: ${all}`, { cause: error })
  }
}

/** Does what `npm install` of the packed package does. */
async function install(path: string): Promise<void> {
  const octavo = join(path, 'node_modules/octavo')
  cpSync(await findPackage(), octavo, { recursive: true })
  mkdirSync(join(path, 'node_modules/.bin'), { recursive: true })
  writeFileSync(
    join(path, 'node_modules/.bin/octavo'),
    `#!/bin/sh\nexec node '${join(octavo, 'dist/cli/main.js')}' "$@"\n`,
    { mode: 0o755 },
  )
}

/** The variables of a terminal: no colours, no configuration of this machine, and no address that is not of this machine. */
function toEnvironment(folder: string, project: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _test, NODE_OPTIONS: _options, DATABASE_URL: _url, ...env } = process.env
  writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\nnoproxy = "*"\n')
  writeFileSync(
    join(folder, '.gitconfig'),
    '[user]\nname = Ann\nemail = ann@example.com\n[init]\ndefaultBranch = main\n[advice]\ndefaultBranchName = false\n',
  )
  const programs = [project, ROOT].map((each) => join(each, 'node_modules/.bin'))
  // optimizing the code of PGlite takes longer than all that the pages do with it
  writeFileSync(
    join(folder, 'quick.mjs'),
    "import v8 from 'node:v8'\nv8.setFlagsFromString('--liftoff-only')\n",
  )
  return {
    ...env,
    PATH: [...programs, env['PATH']].join(delimiter),
    NODE_OPTIONS: `--import=${join(folder, 'quick.mjs')}`,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    CURL_HOME: folder,
    GIT_CONFIG_GLOBAL: join(folder, '.gitconfig'),
    npm_config_loglevel: 'silent',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
}

async function collect(child: ChildProcess): Promise<Printed> {
  const printed = { stdout: '', all: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
    printed.all += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed.all += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...printed }))
  })
}

interface ServerProcess {
  readonly address: string
  /** Waits until it answers. */
  listens(): Promise<void>
  /** Waits until it has printed a text. */
  prints(text: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a server in a terminal of its own. An empty command starts none. */
function createServerProcess(cwd: string, env: NodeJS.ProcessEnv, command: string, port = 0): ServerProcess {
  const address = `localhost:${port}`
  // a process group, because npm starts Octavo, which starts the application
  const child =
    command === ''
      ? undefined
      : spawn('bash', ['-c', command], { cwd, env: { ...env, PORT: String(port) }, detached: true })
  const printed = { all: '' }
  for (const stream of [child?.stdout, child?.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (printed.all += text))
  let hasEnded = child === undefined
  const closed = new Promise<void>((resolve) => {
    if (child === undefined) resolve()
    else
      child.once('close', () => {
        hasEnded = true
        resolve()
      })
  })
  async function until(isTrue: () => boolean | Promise<boolean>, goal: string): Promise<void> {
    assert.ok(child !== undefined, 'no server has been started')
    const end = Date.now() + PATIENCE
    while (!(await isTrue())) {
      assert.ok(Date.now() < end, `${goal}, but printed:\n${printed.all}`)
      await setTimeout(50)
    }
  }
  return {
    address,
    listens: () => until(() => isOpen(port), 'the server has to listen'),
    prints: (text) =>
      until(
        () => hasShown(text, printed.all.replaceAll(address, SHOWN)),
        `the server has to print:\n${text}`,
      ),
    stop: async () => {
      if (hasEnded || child?.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGTERM')
      } catch {
        // it has ended
      }
      await closed
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The compilers of the repository; the older one takes three times as long. */
export const COMPILERS = ['typescript', 'typescript-5.9'] as const

/** Checks the types of a project with some of these compilers. */
export function checkTypes(path: string, compilers: readonly (typeof COMPILERS)[number][]): void {
  for (const name of compilers) {
    const tsc = join(ROOT, 'node_modules', name, 'bin/tsc')
    assert.ok(existsSync(tsc), tsc)
    try {
      // the older one has one checker
      const checkers = name === 'typescript' ? ['--checkers', '1'] : []
      execFileSync(process.execPath, [tsc, ...checkers, '-p', path], { encoding: 'utf8' })
    } catch (error) {
      assert.fail(`${name}: ${String(Reflect.get(Object(error), 'stdout'))}`)
    }
  }
}
