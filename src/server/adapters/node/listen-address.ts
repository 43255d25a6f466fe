import { lstat, unlink } from 'node:fs/promises'
import { connect, type Server as TcpServer } from 'node:net'

import { errnoOf } from '../../../base/values.ts'
import type { ListenOptions } from './listen-options.ts'

/** Where a server listens. */
export type ListenAddress = Pick<ListenOptions, 'port' | 'host' | 'path'>

/** The port of applications that name none. */
const DEFAULT_PORT = 3000

/** Frees an address: removes a socket that a process left behind. @throws `Error` as `takeAddress` does. */
export async function freeAddress(address: ListenAddress): Promise<void> {
  const { path } = address
  try {
    // neither pipes of Windows nor the abstract sockets of Linux have a file
    const isFile = process.platform !== 'win32' && path?.startsWith('\0') === false
    if (isFile) await removeStale(path)
  } catch (error) {
    throw toListenError(error, address)
  }
}

/** Starts a server at an address that is free. @throws `Error` that says what to do, with the `code` of Node's own error, which is its cause. */
export async function takeAddress(server: TcpServer, address: ListenAddress): Promise<void> {
  const { port = DEFAULT_PORT, host, path } = address
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path === undefined ? { port, ...(host === undefined ? {} : { host }) } : { path }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    throw toListenError(error, address)
  }
}

/** The address as a URL: `http://localhost:3000`, or `unix:/run/cars.sock`. */
export function listenUrl(
  server: TcpServer,
  scheme: 'http' | 'https',
  { host, path }: ListenAddress,
): string {
  const address = server.address()
  if (typeof address !== 'object' || address === null) return `unix:${path}`
  const name = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${address.port}`
}

/** Removes a socket that a process left behind, which accepts no connection. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket())
    throw Object.assign(new Error('There is a file that is no socket'), { code: 'EEXIST' })
  if (await isAnswered(path)) throw Object.assign(new Error('Somebody answers'), { code: 'EADDRINUSE' })
  await unlink(path)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    const settle = (isAlive: boolean) => (): void => {
      socket.destroy()
      resolve(isAlive)
    }
    socket.once('connect', settle(true))
    socket.once('error', (error) => settle(errnoOf(error) !== 'ECONNREFUSED')())
  })
}

/** The edits for each failure. */
const REPAIRS: Readonly<Record<string, readonly [what: string, repair: string]>> = {
  EADDRINUSE: ['is in use', 'stop the program there, or choose another port (0 takes a free one)'],
  EACCES: ['may not be used by this user', 'choose a port from 1024 up, or a writable folder'],
  EADDRNOTAVAIL: ['is no address of this machine', "give host the address of an interface, or '0.0.0.0'"],
  EAFNOSUPPORT: [
    'is of a kind that this machine does not support',
    "give host an IPv4 address, or '0.0.0.0'",
  ],
  ENOTFOUND: ['is not known', "give host the address of an interface, such as '127.0.0.1'"],
  EAI_AGAIN: ['is not known', "give host the address of an interface, such as '127.0.0.1'"],
  ENOENT: ['has no folder', 'make the folder of the socket first'],
  EEXIST: ['is a file that is no socket', 'remove it or choose another path'],
}

function toListenError(error: unknown, { port = DEFAULT_PORT, host, path }: ListenAddress): Error {
  const code = errnoOf(error) ?? 'unknown'
  const where = path ?? (host === undefined ? `port ${port}` : `port ${port} of ${host}`)
  const [what, repair] = REPAIRS[code] ?? ['cannot be listened on', 'the cause says why']
  return Object.assign(new Error(`listen: ${where} ${what} (${code}); ${repair}`, { cause: error }), { code })
}
