import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** An answer as it came. */
export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** A connection that reads answers in order. */
export interface Wire {
  readonly socket: Socket
  readonly write: (bytes: string | Uint8Array) => void
  /** Reads the answer to a request of a method. @throws `Error` if the connection ends before it is whole. */
  readonly next: (method?: string) => Promise<Answer>
  /** Reads so many bytes of what is no HTTP. */
  readonly take: (length: number) => Promise<string>
}

const LONGEST_WAIT = 30_000
const INTERIM = 200

export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  let isOver = false
  let wake: (() => void) | undefined
  const stir = (): void => wake?.()
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    stir()
  })
  for (const event of ['end', 'close'] as const)
    socket.on(event, () => {
      isOver = true
      stir()
    })
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  // a connection that this side resets later
  socket.on('error', () => undefined)
  const more = async (): Promise<void> => {
    if (isOver) throw new Error(`The connection ended behind ${JSON.stringify(text.slice(0, 300))}`)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Nothing came behind ${JSON.stringify(text.slice(0, 300))}`)),
        LONGEST_WAIT,
      )
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  const take = async (length: number): Promise<string> => {
    while (text.length < length) await more()
    const taken = text.slice(0, length)
    text = text.slice(length)
    return taken
  }
  const takeUntil = async (end: string): Promise<string> => {
    let at = text.indexOf(end)
    while (at === -1) {
      await more()
      at = text.indexOf(end)
    }
    return take(at + end.length)
  }
  const takeChunks = async (): Promise<string> => {
    let body = ''
    for (;;) {
      const size = Number.parseInt(await takeUntil('\r\n'), 16)
      const chunk = await take(size + 2)
      if (!chunk.endsWith('\r\n')) throw new Error(`A chunk of another length: ${chunk.slice(0, 100)}`)
      if (size === 0) return body
      body += chunk.slice(0, -2)
    }
  }
  const next = async (method = 'GET'): Promise<Answer> => {
    const head = await takeUntil('\r\n\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(status)) throw new Error(`No answer: ${head.slice(0, 300)}`)
    if (status < INTERIM) return { status, head, body: '' }
    if (method === 'HEAD' || status === 204 || status === 304) return { status, head, body: '' }
    if (/^transfer-encoding: chunked\r$/im.test(head)) return { status, head, body: await takeChunks() }
    const length = /^content-length: (\d+)\r$/im.exec(head)?.[1]
    if (length === undefined) throw new Error(`No length: ${head}`)
    return { status, head, body: await take(Number(length)) }
  }
  return { socket, write: (bytes) => void socket.write(bytes), next, take }
}
