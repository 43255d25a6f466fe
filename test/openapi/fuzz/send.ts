import { Agent, request as httpRequest } from 'node:http'
import { once } from 'node:events'

import type { App } from 'octavo'

import type { WireAnswer } from './check.ts'
import type { WireCall } from './wire.ts'

type AnyApp = Pick<App, 'fetch' | 'inject'>

/** Answers calls through `app.fetch`; those that the Fetch standard forbids through `app.inject`. */
export function throughFetch(app: AnyApp): (call: WireCall) => Promise<WireAnswer> {
  return async ({ method, url, headers, body }) => {
    if (method === 'TRACE' || (body !== undefined && ['GET', 'HEAD'].includes(method))) {
      const { host, pathname, search } = new URL(url)
      const answer = await app.inject({
        method,
        url: `${pathname}${search}`,
        host,
        headers: Object.fromEntries(headers),
        ...(body === undefined ? {} : { body }),
      })
      return {
        status: answer.statusCode,
        headers: toHeaders(answer.headers),
        bytes: Buffer.from(answer.bytes),
        isCut: false,
      }
    }
    const stop = new AbortController()
    const response = await app.fetch(
      new Request(url, { method, headers, signal: stop.signal, ...(body === undefined ? {} : { body }) }),
    )
    const { bytes, isCut } = await readSome(response.body)
    if (isCut) stop.abort()
    return { status: response.status, headers: response.headers, bytes, isCut }
  }
}

/** Milliseconds that a body may take: event streams do not end. */
const PATIENCE = 250

async function readSome(
  body: ReadableStream<Uint8Array> | null,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  if (body === null) return { bytes: Buffer.alloc(0), isCut: false }
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), PATIENCE)
  })
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late])
      if (read === 'late') return { bytes: Buffer.concat(chunks), isCut: true }
      if (read.done) return { bytes: Buffer.concat(chunks), isCut: false }
      chunks.push(read.value)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Answers calls over a socket: the host of a call is a name in its head, whatever the address. */
export function throughSocket(address: string): {
  readonly send: (call: WireCall) => Promise<WireAnswer>
  readonly close: () => void
} {
  const agent = new Agent({ keepAlive: false })
  const { hostname, port } = new URL(address)
  return {
    close: () => agent.destroy(),
    send: async ({ method, url, headers, body }) => {
      const { host, pathname, search } = new URL(url)
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const request = httpRequest({
        agent,
        hostname,
        port,
        method,
        path: `${pathname}${search}`,
        headers: { ...Object.fromEntries(headers), host, ...length },
      })
      request.end(body)
      const answered = once(request, 'response')
      // a server may end a connection after its answer: before it, waiting fails
      request.on('error', () => undefined)
      const [response] = await answered
      const chunks: Buffer[] = []
      let isCut = false
      const timer = setTimeout(() => {
        isCut = true
        request.destroy()
      }, PATIENCE)
      try {
        for await (const chunk of response) chunks.push(chunk)
      } catch (error) {
        if (!isCut) throw error
      } finally {
        clearTimeout(timer)
      }
      return {
        status: response.statusCode,
        headers: toHeaders(response.headers),
        bytes: Buffer.concat(chunks),
        isCut,
      }
    },
  }
}

function toHeaders(given: Readonly<Record<string, string | readonly string[]>>): Headers {
  return new Headers(
    Object.entries(given).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : value).map((line): [string, string] => [name, line]),
    ),
  )
}
