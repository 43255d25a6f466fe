/**
 * Runs the checks on every runtime, from built files, and compares the table of docs/guide/runtimes.md with what they found. `--update`
 * writes the table.
 */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { build } from 'esbuild'

import { CHECKS } from './checks.ts'
import type { Call, Check } from './checks.ts'
import { checkLambda } from './lambda.ts'
import { checkRecipe } from './recipe.ts'
import { withTable } from './table.ts'
import type { Found } from './table.ts'
import { bundleWorker, PLATFORMS, startMiniflare } from './workerd.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGE = join(ROOT, 'docs/guide/runtimes.md')
/** Milliseconds. */
const LONGEST_START = 20_000
/** Characters. */
const LONGEST_ERROR = 500

/** A server that answers. */
interface Server {
  readonly call: Call
  /** What it has written when it began to listen. */
  readonly log: string
  /** Ends the server while it answers. @throws if the answer is lost, or the process does not end well. */
  readonly end: () => Promise<void>
}

/** A runtime, and how it serves. */
interface Runtime {
  readonly name: string
  /** The file below `test/runtimes/packages/node_modules` that runs programs; none for Workers. */
  readonly program?: string
  readonly args?: readonly string[]
  readonly server: 'listen' | 'direct' | 'bun' | 'deno' | 'worker'
}

const RUNTIMES: readonly Runtime[] = [
  ...[20, 22, 24, 26].map((version): Runtime => ({
    name: `Node ${version}`,
    program: `node${version}/bin/node`,
    server: 'listen',
  })),
  { name: 'Bun', program: '@oven/bun-linux-x64/bin/bun', server: 'listen' },
  { name: 'Bun.serve', program: '@oven/bun-linux-x64/bin/bun', server: 'bun' },
  { name: 'Deno', program: '@deno/linux-x64-glibc/deno', args: ['run', '-A'], server: 'listen' },
  {
    name: 'Deno.serve',
    program: '@deno/linux-x64-glibc/deno',
    // octavo/edge needs the network alone; the rest is for OpenTelemetry and for large uploads
    args: [
      'run',
      '--no-prompt',
      '--allow-net',
      '--allow-env=OTEL_*,TMPDIR,TMP,TEMP',
      `--allow-read=${tmpdir()}`,
      `--allow-write=${tmpdir()}`,
    ],
    server: 'deno',
  },
  { name: 'Workers', server: 'worker' },
]

/** Starts an API for the applications that stand in front of one. It ends with this process. */
async function startBehind(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/parts/reset') request.socket.destroy()
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
    })
    request.on('end', () => {
      const { url, method, headers } = request
      response.setHeader('content-type', 'application/json')
      response.setHeader('location', `http://${headers.host}${url}`)
      response.end(
        method === 'POST' ? JSON.stringify({ size, via: headers.via }) : '{"id": 7, "label": "Bolt"}',
      )
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** Bundles the servers with the built Octavo: for Node, Bun and Deno, and for Workers as Wrangler does. */
async function bundle(outdir: string): Promise<void> {
  const define = { BEHIND: JSON.stringify(await startBehind()) }
  await build({
    define,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    entryPoints: ['listen', 'direct', 'bun', 'deno'].map((name) => `test/runtimes/servers/${name}.ts`),
    platform: 'node',
    // packages of CommonJS find Node's modules by it
    banner: { js: "import { createRequire as $r } from 'node:module'; const require = $r(import.meta.url);" },
    outdir,
  })
  await bundleWorker({ define, entryPoints: ['test/runtimes/servers/worker.ts'] }, join(outdir, 'worker'))
}

const callAt =
  (url: string, headers: Readonly<Record<string, string>> = {}): Call =>
  (path, init = {}) =>
    fetch(url + path, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } })

/** The URL that a program writes in a line of its log, and all that it has written by then. */
function whereListens(child: ChildProcess): Promise<{ readonly url: string; readonly log: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(new Error(`It does not listen:\n${text}`)), LONGEST_START)
    const look = (chunk: Buffer): void => {
      text += String(chunk)
      const [, url] = /"msg":"Listening".*?"url":"([^"]+)"/.exec(text) ?? []
      if (url === undefined) return
      clearTimeout(timer)
      resolve({ url, log: text })
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${text}`)))
  })
}

async function startProgram({ program = '', args = [], server }: Runtime, folder: string): Promise<Server> {
  const file = join(PLATFORMS, 'node_modules', program)
  const child = spawn(file, [...args, join(folder, `${server}.mjs`)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const { url, log } = await whereListens(child)
  const call = callAt(url)
  const end = async (): Promise<void> => {
    if (server === 'bun' || server === 'deno') {
      child.kill('SIGKILL')
      await exit
      return
    }
    const slow = call('/slow').then((response) => response.text())
    await new Promise((resolve) => setTimeout(resolve, 200))
    child.kill('SIGTERM')
    const [text, code] = await Promise.all([slow, exit])
    if (text !== '"slow"' || code !== 0) throw new Error(`It answered ${text} and ended with ${code}`)
  }
  return { call, log, end }
}

async function startWorker(folder: string): Promise<Server> {
  const worker = startMiniflare(folder, 'worker.mjs', {
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
  })
  const url = await worker.ready
  // Cloudflare writes the header
  const call = callAt(url.origin, { 'cf-connecting-ip': '127.0.0.1' })
  return { call, log: '', end: () => worker.dispose() }
}

async function checkRuntime(runtime: Runtime, folder: string): Promise<readonly Found[]> {
  const server =
    runtime.program === undefined
      ? await startWorker(join(folder, 'worker'))
      : await startProgram(runtime, folder)
  const found: Found[] = []
  const note = async (check: Pick<Check, 'area' | 'title' | 'lackedBy'>, run: () => Promise<void>) => {
    const { area, title, lackedBy = {} } = check
    const lack = lackedBy[runtime.name]
    const error = await run().then(
      () => (lack === undefined ? undefined : 'it works by now: take it out of lackedBy'),
      (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
    )
    found.push({ runtime: runtime.name, area, title, error, lack })
  }
  for (const each of CHECKS) await note(each, () => each.run(server.call))
  // a signal ends what listens; the other servers are not Octavo's
  if (runtime.server === 'listen')
    await note({ area: 'operation', title: 'the end of the process' }, server.end)
  else await server.end()
  if (runtime.program !== undefined && runtime.server === 'listen') {
    await note({ area: 'operation', title: 'webhooks to public addresses alone' }, () =>
      sendWebhooks(runtime),
    )
    await note({ area: 'operation', title: 'the direct engine, or node:http and a warning' }, () =>
      checkDirect(runtime, folder),
    )
  }
  return found
}

/**
 * Runs the checks where an application asks for the direct engine. Runtimes other than Node have no parser for it, and have passed the
 * checks with node:http.
 */
async function checkDirect(runtime: Runtime, folder: string): Promise<void> {
  const server = await startProgram({ ...runtime, server: 'direct' }, folder)
  const engine = runtime.name.startsWith('Node ') ? 'direct' : 'node'
  if (!new RegExp(`"msg":"Listening".*"engine":"${engine}"`).test(server.log))
    throw new Error(`It does not serve with ${engine}: ${server.log}`)
  if (/node:http serves/.test(server.log) !== (engine === 'node'))
    throw new Error(`The warning is wrong: ${server.log}`)
  for (const { area, title, lackedBy = {}, run } of CHECKS)
    if (lackedBy[runtime.name] === undefined && (engine === 'direct' || area === 'routing'))
      await run(server.call).catch((error: unknown) => {
        throw new Error(`${title}: ${error instanceof Error ? error.message : String(error)}`)
      })
  await server.end()
}

/** Runs a program as it is, because bundles have packages in them that a runtime may replace. */
async function sendWebhooks({ program = '', args = [] }: Runtime): Promise<void> {
  const file = join(PLATFORMS, 'node_modules', program)
  await promisify(execFile)(file, [...args, join(import.meta.dirname, 'send-webhooks.mjs')], {
    timeout: LONGEST_START,
  })
}

/** Whether a check failed that the runtime is not known to lack. */
function isFailure({ error, lack }: Found): boolean {
  return error !== undefined && (lack === undefined || error.startsWith('it works by now'))
}

/** The runtimes that are named; all without names. */
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const started = Date.now()
const folder = mkdtempSync(join(tmpdir(), 'octavo-runtimes-'))
const found: Found[] = []
try {
  await bundle(folder)
  if (only.length === 0 || only.includes('Lambda')) console.log(`Lambda: ${(await checkLambda()).join(', ')}`)
  for (const runtime of RUNTIMES.filter(({ name }) => only.length === 0 || only.includes(name))) {
    if (runtime.program !== undefined && !existsSync(join(PLATFORMS, 'node_modules', runtime.program))) {
      console.log(`${runtime.name} is not installed, which it is on Linux on x64 alone`)
      continue
    }
    const results = await checkRuntime(runtime, folder)
    const failed = results.filter(isFailure)
    console.log(
      `${runtime.name}: ${results.filter(({ error }) => error === undefined).length} of ${results.length}`,
    )
    for (const { area, title, error } of failed)
      console.log(`  ${area}: ${title}: ${error?.slice(0, LONGEST_ERROR)}`)
    found.push(...results)
    if (runtime.server === 'worker') {
      await checkRecipe(join(folder, 'recipe'))
      console.log(`${runtime.name}: the recipe of the cookbook`)
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
// the table is of all of them
if (new Set(found.map(({ runtime }) => runtime)).size === RUNTIMES.length) {
  const page = readFileSync(PAGE, 'utf8')
  const written = withTable(page, found)
  if (process.argv.includes('--update')) writeFileSync(PAGE, written)
  else if (written !== page) {
    console.log('The table of docs/guide/runtimes.md is another: npm run check -- runtimes --update')
    process.exitCode = 1
  }
}
if (found.some(isFailure)) process.exitCode = 1
console.log(`${Math.round((Date.now() - started) / 1000)} s`)
process.exit()
