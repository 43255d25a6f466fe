import { setImmediate } from 'node:timers/promises'

import {
  createApp,
  defineController,
  defineModule,
  defineProvider,
  ExecutionContext,
  HttpRequest,
} from 'octavo'
import type { App } from 'octavo'

/** What has happened in an application. */
export interface Happenings {
  /** Chunks that the source of a response has produced. */
  produced: number
  /** How often the source of a response has come to its end, or was told to stop. */
  stopped: number
  /** How often what lives for a request has ended. */
  ended: number
  /** Why the signal of a request was aborted. */
  reason: unknown
}

/** One of the chunks of a long response. */
export const CHUNK = new Uint8Array(16_384)
/** How many of them there are. */
export const CHUNKS = 64

/** An application whose answers take time, and what happens in it. */
export function createSlowApp(): { readonly app: App; readonly happenings: Happenings } {
  const happenings: Happenings = { produced: 0, stopped: 0, ended: 0, reason: undefined }
  const Scoped = defineProvider({
    name: 'Scoped',
    scope: 'request',
    inject: { context: ExecutionContext },
    create: ({ context }) => {
      const { signal } = context
      const note = (): void => {
        happenings.reason = signal.reason
      }
      if (signal.aborted) note()
      else signal.addEventListener('abort', note)
      return { name: 'scoped' }
    },
    dispose: () => {
      happenings.ended++
    },
  })
  async function* produce(fails: boolean) {
    try {
      for (let at = 0; at < CHUNKS; at++) {
        happenings.produced++
        yield CHUNK
        if (fails) throw new Error('halfway')
      }
    } finally {
      happenings.stopped++
    }
  }
  const controller = defineController({
    prefix: '/',
    inject: { scoped: Scoped, request: HttpRequest },
    routes: [
      { method: ['GET', 'POST'], path: '/long', handler: () => produce(false) },
      { method: 'GET', path: '/broken', handler: () => produce(true) },
      { method: 'GET', path: '/short', handler: () => ({ done: true }) },
      {
        method: 'GET',
        path: '/never',
        handler: (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            if (signal.aborted) reject(signal.reason)
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      },
      {
        method: 'GET',
        path: '/wrong-length',
        handler: () => new Response(new Blob(['abc']).stream(), { headers: { 'content-length': '5' } }),
      },
      {
        method: 'GET',
        path: '/numbers',
        handler: async function* numbers() {
          yield 'seven: '
          yield 7 as never
        },
      },
      { method: 'POST', path: '/ignored', handler: () => ({ ignored: true }) },
      {
        method: 'POST',
        path: '/size',
        handler: async (_input, { request }) => ({ size: (await request.bytes()).length }),
      },
      {
        method: 'GET',
        path: '/seen',
        handler: ({ inject: { request } }) => ({
          url: request.url,
          host: request.host,
          protocol: request.protocol,
          ip: request.ip,
        }),
      },
    ],
  })
  const module = defineModule({ controllers: [controller], providers: [Scoped] })
  return { app: createApp(module, { logger: false }), happenings }
}

/** A signal that is aborted soon; unlike that of `AbortSignal.timeout`, it is waited for. */
export function abortedSoon(reason: Error): AbortSignal {
  const abort = new AbortController()
  setTimeout(() => abort.abort(reason), 5)
  return abort.signal
}

/** An application that cannot start. */
export function createBrokenApp(): App {
  const Broken = defineProvider({ name: 'Broken', create: () => Promise.reject(new Error('no database')) })
  return createApp(defineModule({ providers: [Broken] }), { logger: false })
}

/** Resolves when it holds; rejects when it does not within a second. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  const start = Date.now()
  while (!holds()) {
    if (Date.now() - start > 1000) throw new Error(`It did not happen: ${what}`)
    await setImmediate()
  }
}

/** The source of a request body that tells how much was taken of it, and whether it was told to stop. */
export function createUpload(chunks: number, error?: Error) {
  const upload = { taken: 0, stopped: 0 }
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      if (upload.taken === chunks && error !== undefined) throw error
      if (upload.taken === chunks) return { done: true, value: undefined }
      upload.taken++
      return { value: CHUNK }
    },
    return: async () => {
      upload.stopped++
      return { done: true, value: undefined }
    },
  }
  return { upload, source: (): AsyncIterable<Uint8Array> => ({ [Symbol.asyncIterator]: () => iterator }) }
}
