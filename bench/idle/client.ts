/** Opens connections, makes one request on each, and keeps them: `node client.js <port> <count>`. */
import { connect } from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
/** Connections that are opened at once. */
const AT_ONCE = 100
const REQUEST = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'

const open = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: port ?? 0, host: '127.0.0.1' })
    let text = ''
    socket.once('connect', () => socket.write(REQUEST))
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (text.endsWith('"}')) resolve()
    })
    socket.once('error', reject)
  })

let opened = 0
const work = async (): Promise<void> => {
  while (opened < (count ?? 0)) {
    opened++
    await open()
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
process.send?.(opened)
process.on('disconnect', () => process.exit())
