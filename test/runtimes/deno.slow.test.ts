import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')

/** What a program has asked the platform for. */
interface Asked {
  /** How often it has looked at `process`. */
  readonly process: number
  /** How often it has looked at `Buffer`. */
  readonly Buffer: number
  /** The environment variables that it has read. */
  readonly variables: readonly string[]
  /** What the program reports. */
  readonly result: unknown
}

/** Starts a program with the globals of Deno, as far as Octavo knows them. The variables that are `granted` may be read. */
const toStart = (granted: readonly string[]): string => `
const node = globalThis.process
const asked = { process: 0, Buffer: 0, variables: [] }
const granted = ${JSON.stringify(granted)}
globalThis.Deno = {
  env: {
    get: (name) => {
      asked.variables.push(name)
      return name === 'NODE_ENV' ? 'production' : undefined
    },
  },
  permissions: {
    querySync: ({ name, variable }) => ({ state: name === 'env' && granted.includes(variable) ? 'granted' : 'prompt' }),
  },
}
for (const name of ['process', 'Buffer']) {
  const value = globalThis[name]
  Object.defineProperty(globalThis, name, {
    get: () => {
      // the message, this function, its caller; Node's own code does not count
      if (!new Error().stack.split('\\n')[2].includes('node:internal')) asked[name]++
      return value
    },
  })
}
globalThis.report = (result) => node.stdout.write(JSON.stringify({ ...asked, result }))
await import('./program.mjs')
`

/** Runs a program in a process of its own that looks like Deno. */
async function runAsDeno(contents: string, granted: readonly string[] = []): Promise<Asked> {
  const outdir = mkdtempSync(join(tmpdir(), 'octavo-deno-'))
  try {
    await build({
      absWorkingDir: ROOT,
      stdin: { contents, resolveDir: ROOT },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      conditions: ['octavo-source'],
      outdir,
      entryNames: 'program',
      outExtension: { '.js': '.mjs' },
      logLevel: 'silent',
    })
    const start = join(outdir, 'start.mjs')
    writeFileSync(start, toStart(granted))
    return JSON.parse(execFileSync(process.execPath, [start], { encoding: 'utf8', stdio: 'pipe' })) as Asked
  } finally {
    rmSync(outdir, { recursive: true })
  }
}

/** A server, and requests to it: `ask` takes a path, and for a POST its body. */
const toServer = (requests: string): string => `
import { subscribe } from 'node:diagnostics_channel'
import { Channels, createEdgeApp, defineController, defineModule, VersioningSchemes } from './src/edge.ts'
import { z } from 'zod'

const cars = defineController({
  prefix: '/car',
  routes: [
    { method: 'GET', version: '1', path: '/{id:int}', handler: ({ params }, { requestId }) => ({ ...params, requestId }) },
    { method: 'POST', version: '1', input: { body: z.object({ name: z.string() }) }, handler: ({ body }) => body },
    { method: 'GET', version: '1', path: '/map', handler: () => ({ cars: new Map() }) },
  ],
})
const app = createEdgeApp(defineModule({ controllers: [cars] }))
app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-api-version', defaultVersion: '1' })
const events = []
for (const name of [Channels.start, Channels.version, Channels.end]) subscribe(name, () => events.push(name))
const post = (body) => body && { method: 'POST', body, headers: { 'content-type': 'application/json' } }
const ask = async (path, body) => (await app.fetch(new Request('http://localhost' + path, post(body)))).status
console.log = () => undefined
const statuses = [${requests}]
report({ statuses, events: events.slice(0, 3) })
`

const ALL = `
  await ask('/car/1'), await ask('/car', '{"name":"Ford"}'), await ask('/car', '{'), await ask('/bike'), await ask('/car/map')
`
const EVENTS = ['octavo.request.start', 'octavo.version.resolved', 'octavo.request.end']

/** On a host that leaves out what Octavo asks Deno. */
const BARE = `
globalThis.Deno = {}
const { createEdgeApp, defineController, defineModule } = await import('./src/edge.ts')
const cars = defineController({ prefix: '/car', routes: [{ method: 'GET', handler: () => [] }] })
const app = createEdgeApp(defineModule({ controllers: [cars] }), { logger: false })
report((await app.fetch(new Request('http://localhost/car'))).status)
`

const WITHOUT_CHANNELS = `
import { register } from 'node:module'
const hooks = \`
export const resolve = (name, context, next) => {
  if (name === 'node:diagnostics_channel') throw new Error('No such module')
  return next(name, context)
}\`
register('data:text/javascript,' + encodeURIComponent(hooks))
`

describe('an application on Deno', () => {
  it('answers without process, which takes long to load, and without variables that it may not read', async () => {
    const { Buffer: _counted, ...asked } = await runAsDeno(toServer(ALL))
    assert.deepEqual(asked, {
      process: 0,
      variables: [],
      // what JSON cannot hold is refused, as it is wherever nothing says that this is production
      result: { statuses: [200, 200, 400, 404, 500], events: EVENTS },
    })
  })

  it('reads the variables that it may read', async () => {
    const { Buffer: _counted, ...asked } = await runAsDeno(toServer(ALL), [
      'NODE_ENV',
      'FRAMEWORK_CONFIG_MODULE',
    ])
    assert.deepEqual(asked, {
      process: 0,
      variables: ['NODE_ENV', 'FRAMEWORK_CONFIG_MODULE'],
      result: { statuses: [200, 200, 400, 404, 200], events: EVENTS },
    })
  })

  it('answers requests without a body without Buffer, which takes some time to load', async () => {
    assert.deepEqual(await runAsDeno(toServer("await ask('/car/1'), await ask('/bike')")), {
      process: 0,
      Buffer: 0,
      variables: [],
      result: { statuses: [200, 404], events: EVENTS },
    })
  })

  it('answers where Deno has neither variables nor permissions', async () => {
    assert.deepEqual(await runAsDeno(BARE), { process: 0, Buffer: 0, variables: [], result: 200 })
  })

  it('answers on a host without channels of diagnostics', async () => {
    const { result } = await runAsDeno(`${WITHOUT_CHANNELS}${BARE}`)
    assert.equal(result, 200)
  })

  it('is noticed when it looks at process or Buffer', async () => {
    const asked = await runAsDeno("report(process.version + Buffer.from('a'))")
    assert.deepEqual(asked, { process: 1, Buffer: 1, variables: [], result: `${process.version}a` })
  })
})
