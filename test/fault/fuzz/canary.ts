import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** A request that is made again and again, and has to be answered rightly and in time whatever else happens. */
export interface Canary {
  readonly count: () => number
  /** Milliseconds that the slowest answer took. */
  readonly slowest: () => number
  readonly stop: () => Promise<void>
}

/** Milliseconds between two requests. */
const PAUSE = 20

/** Starts a canary, on one connection that is kept or on a new one each time. `patience` is in milliseconds. */
export function startCanary(
  port: number,
  isKept: boolean,
  patience: number,
  onFault: (text: string) => void,
): Canary {
  const agent = new Agent(isKept ? { keepAlive: true, maxSockets: 1 } : { keepAlive: false })
  const name = isKept ? 'The canary on its connection' : 'The canary on new connections'
  let count = 0
  let slowest = 0
  const stopped = new AbortController()
  const sing = async (): Promise<void> => {
    const start = performance.now()
    const { status, text } = await ask(agent, port, count, patience)
    slowest = Math.max(slowest, performance.now() - start)
    if (status !== 200 || text !== `{"canary":${count}}`)
      onFault(`${name}: was answered with ${status} ${text.slice(0, 200)}`)
  }
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await sing().catch((error: unknown) => onFault(`${name}: ${String(error)}`))
      count++
      await delay(PAUSE)
    }
    agent.destroy()
  })()
  return {
    count: () => count,
    slowest: () => slowest,
    stop: () => {
      stopped.abort()
      return running
    },
  }
}

async function ask(
  agent: Agent,
  port: number,
  n: number,
  patience: number,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const signal = AbortSignal.timeout(patience)
  const request = get({ agent, port, host: '127.0.0.1', path: `/canary/${n}`, signal })
  const [response] = await once(request, 'response', { signal })
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, text }
}
