import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'

/** A request that got no good answer. */
export interface Failure {
  readonly error: string
  /** Who answered before on the same connection; `undefined` when nobody had. */
  readonly pid: number | undefined
}

/** Clients that ask again and again, each on a connection that it keeps as long as it may. */
export interface Load {
  /** How many answers came from each process. */
  readonly answers: ReadonlyMap<number, number>
  readonly failures: readonly Failure[]
  /** Lets the requests under way end. */
  readonly stop: () => Promise<void>
}

export function startLoad(url: string, clients: number): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const answers = new Map<number, number>()
  const failures: Failure[] = []
  const owners = new WeakMap<Socket, number>()
  const over = new AbortController()
  const ask = async (): Promise<void> => {
    const asked = request(url, { agent, timeout: 60_000 })
    asked.on('timeout', () => asked.destroy(new Error('timeout')))
    let socket: Socket | undefined
    asked.once('socket', (given) => (socket = given))
    asked.end()
    try {
      const [response] = await once(asked, 'response')
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
      const { pid } = JSON.parse(text)
      answers.set(pid, (answers.get(pid) ?? 0) + 1)
      if (socket !== undefined) owners.set(socket, pid)
    } catch (error) {
      failures.push({ error: String(error), pid: socket && owners.get(socket) })
    }
  }
  const loop = async (): Promise<void> => {
    while (!over.signal.aborted) await ask()
  }
  const loops = Array.from({ length: clients }, loop)
  return {
    answers,
    failures,
    stop: async () => {
      over.abort()
      await Promise.all(loops)
      agent.destroy()
    },
  }
}

/** Waits until a condition holds, for two minutes at most, because processes start slowly on a busy machine. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 120_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
