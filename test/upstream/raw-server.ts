import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** Answers what has arrived of a request on its connection. `nth` counts the requests of a connection. */
export type Script = (socket: Socket, head: string, nth: number) => void

/** An API behind that speaks bytes. */
export interface RawServer {
  readonly url: string
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** How many connections there were. */
  readonly count: () => number
  readonly close: () => void
}

/** Starts a server that answers each head with a script. */
export async function startRaw(script: Script): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // resets are what is tested
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    let text = ''
    let nth = 0
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += String(chunk)
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = text.slice(0, end)
      text = ''
      nth++
      script(socket, head, nth)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // a server of TCP
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    count: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
