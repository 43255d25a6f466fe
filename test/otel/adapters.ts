import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:http2'

import type { App } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { fetch as fetchWith } from 'undici'

import { LOOPBACK } from '../node/support.ts'

/** A request of a test. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request to an application and reads the whole response. Returns its status. */
export type Ask = (app: App, asked: Asked) => Promise<number>

/** What an adapter knows of connections. */
interface Adapter {
  readonly ask: Ask
  /** The version of HTTP; `undefined` if there is none on the way. */
  readonly protocol: string | undefined
  /** Whether there is a socket, whose peer has a port. */
  readonly hasPort: boolean
  readonly client: string | undefined
}

async function overHttp(url: string, { path, headers, ...asked }: Asked): Promise<number> {
  // which fetch sets itself
  const { 'content-length': _, ...others } = headers
  const response = await fetch(url + path, { ...asked, headers: others })
  await response.arrayBuffer()
  return response.status
}

/** The ways in which requests reach an application. */
export const ADAPTERS: Readonly<Record<string, Adapter>> = {
  inject: {
    ask: async (app, { path, ...asked }) => (await app.inject({ ...asked, url: path })).statusCode,
    protocol: undefined,
    hasPort: false,
    client: '127.0.0.1',
  },
  fetch: {
    ask: async (app, { path, ...asked }) => {
      const response = await app.fetch(new Request(`http://cars.test${path}`, asked))
      await response.arrayBuffer()
      return response.status
    },
    protocol: undefined,
    hasPort: false,
    client: undefined,
  },
  undici: {
    ask: async (app, { path, ...asked }) => {
      const response = await fetchWith(`http://cars.test${path}`, {
        ...asked,
        dispatcher: createDispatcher(app),
      })
      await response.arrayBuffer()
      return response.status
    },
    protocol: undefined,
    hasPort: false,
    client: '127.0.0.1',
  },
  listen: {
    ask: async (app, asked) => overHttp(await app.listen(LOOPBACK), asked),
    protocol: '1.1',
    hasPort: true,
    client: '127.0.0.1',
  },
  'HTTP/2': {
    ask: async (app, { method, path, headers, body }) => {
      const session = connect(await app.listen({ ...LOOPBACK, http2: true }))
      const stream = session.request({ ':method': method, ':path': path, ...headers })
      stream.end(body)
      const [head] = await once(stream, 'response')
      for await (const _ of stream);
      session.close()
      return Number(head[':status'])
    },
    protocol: '2',
    hasPort: true,
    client: '127.0.0.1',
  },
  handler: {
    ask: async (app, asked) => {
      const server = createServer(app.handler).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      try {
        return await overHttp(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, asked)
      } finally {
        server.close()
      }
    },
    protocol: '1.1',
    hasPort: true,
    client: '127.0.0.1',
  },
}
