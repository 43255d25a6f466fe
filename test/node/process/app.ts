import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import { createApp, defineController, defineModule, upgrade, VersioningSchemes } from 'octavo'
import type { App, AppOptions, ListenOptions, Logger } from 'octavo'
import { z } from 'zod'

import { createFileStore } from '../../support/usage.ts'
import { ENGINE } from '../support.ts'

/** What a test says to the program below. */
export interface ProgramOptions {
  readonly listen?: ListenOptions
  readonly timeouts?: AppOptions['timeouts']
  readonly session?: AppOptions['session']
  /** Counts usage in files of a folder. */
  readonly usage?: { readonly folder: string; readonly interval: number }
  /** Whether it serves a history of two versions, instead of its other routes, to clients that the query names. */
  readonly hasHistory?: boolean
  /** Whether there are two applications. */
  readonly twice?: boolean
  /** Milliseconds that starting takes. */
  readonly startTakes?: number
  readonly onStop?: 'fails' | 'hangs'
  /** A listener of SIGTERM of the program itself: one that works on after everything of Octavo has ended, or does nothing. */
  readonly onSignal?: 'works' | 'returns'
  /** A file that is read at the start: its text is in every answer, and `broken` in it is an error. */
  readonly file?: string
}

/** The program that the tests of processes run. It tells what happens in JSON lines on standard output. */
const given = process.env['OCTAVO_TEST'] ?? '{}'
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test wrote it from this type
const options = JSON.parse(given) as ProgramOptions
const tell = (level: string, details: object, msg?: string): void => {
  if (msg !== 'Request')
    process.stdout.write(`${JSON.stringify({ level, msg, by: process.pid, ...details })}\n`)
}
const log =
  (level: string) =>
  (details: object, msg?: string): void => {
    const { err } = { err: undefined, ...details }
    tell(level, err === undefined ? details : { ...details, err: String(err) }, msg)
  }
const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }

const text = options.file === undefined ? '' : readFileSync(options.file, 'utf8')
if (text.includes('broken')) throw new Error('The file is broken')

let stop: (() => void) | undefined
const stopped = new Promise<void>((resolve) => (stop = resolve))
let go: (() => void) | undefined
const allowed = new Promise<void>((resolve) => (go = resolve))
process.stdin.once('data', () => go?.())

if (options.onSignal !== undefined)
  process.once('SIGTERM', async () => {
    if (options.onSignal === 'returns') return
    await stopped
    await delay(200)
    tell('test', {}, 'sent')
  })

const controller = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', handler: () => ({ pid: process.pid, text }) },
    {
      method: 'GET',
      path: '/wait',
      input: { query: { ms: z.number() } },
      handler: async ({ query }) => {
        tell('test', {}, 'entered')
        await delay(query.ms)
        return { pid: process.pid, text }
      },
    },
    {
      method: 'GET',
      path: '/echo',
      upgrade: 'websocket',
      handler: () =>
        upgrade(({ socket, head, signal }) => {
          signal.addEventListener('abort', () => socket.end())
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
          )
          socket.write(`${process.pid}:`)
          socket.write(head)
          socket.pipe(socket)
        }),
    },
    {
      method: 'GET',
      path: '/slow',
      handler: async () => {
        tell('test', {}, 'entered')
        await allowed
        return 'slow'
      },
    },
  ],
})

/** What differs with a history: a change that alters responses with a town. */
async function loadHistory() {
  const { defineVersionChange, defineVersions, model, reshape } = await import('octavo/changes')
  const Answer = model('Answer', { pid: z.number(), text: z.string(), town: z.string().optional() })
  const towns = defineVersionChange({
    version: '2',
    id: 'towns',
    title: 'Cities are called towns',
    change: [reshape({ of: Answer, fields: { town: { was: 'city' } } })],
  })
  const answers = defineController({
    prefix: '/answer',
    name: 'answer',
    routes: [
      {
        method: 'GET',
        name: 'get',
        input: { query: { town: z.string().optional(), client: z.string().optional() } },
        response: Answer,
        handler: ({ query: { town } }) => ({ pid: process.pid, text, ...(town !== undefined && { town }) }),
      },
    ],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { Answer }, changes: [towns] })
  const app: AppOptions = {
    versioning: { scheme: VersioningSchemes.URL, history },
    client: (request) => {
      const { client } = request.query
      return typeof client === 'string' ? client : undefined
    },
  }
  return { controllers: [answers], app }
}

const { controllers, app } = options.hasHistory ? await loadHistory() : { controllers: [controller], app: {} }

const create = (): App =>
  createApp(
    defineModule({
      controllers,
      onStart: async () => {
        if (options.startTakes === undefined) return
        tell('test', {}, 'starting')
        await delay(options.startTakes)
      },
      onStop: async () => {
        tell('test', {}, 'onStop')
        stop?.()
        if (options.onStop === 'fails') throw new Error('onStop of the test')
        if (options.onStop === 'hangs') await new Promise(() => undefined)
      },
    }),
    {
      ...app,
      logger,
      health: { live: '/livez', ready: '/readyz' },
      ...(options.timeouts && { timeouts: options.timeouts }),
      ...(options.session && { session: options.session }),
      ...(options.usage && {
        usage: { store: createFileStore(options.usage.folder), interval: options.usage.interval },
      }),
    },
  )
const place = options.listen?.path === undefined ? { port: 0, host: '127.0.0.1' } : {}
const url = await create().listen({ ...place, ...ENGINE, ...options.listen })
if (options.twice === true) await create().listen({ port: 0 })
tell('test', { url }, 'url')
