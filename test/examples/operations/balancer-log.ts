import { closeSync, openSync, readSync } from 'node:fs'

import { z } from 'zod'

const Line = z.object({
  id: z.string(),
  method: z.string(),
  uri: z.string(),
  status: z.int(),
  upstream: z.string(),
  upstreamStatus: z.string(),
})

/** An instance that got a request. A request has several if the balancer sent it again. */
export interface Attempt {
  readonly id: string
  readonly method: string
  readonly uri: string
  readonly port: number
  /** The status that the instance answered, or that of the balancer if it did not. */
  readonly status: number
}

/** The log of the balancer while it grows. */
export interface BalancerLog {
  readonly attempts: () => readonly Attempt[]
  readonly close: () => void
}

const CHUNK = 65_536

export function openBalancerLog(path: string): BalancerLog {
  const file = openSync(path, 'a+')
  const buffer = Buffer.alloc(CHUNK)
  const found: Attempt[] = []
  let rest = ''
  return {
    attempts: () => {
      for (let size = CHUNK; size === CHUNK;) {
        size = readSync(file, buffer, 0, CHUNK, null)
        const lines = (rest + buffer.toString('utf8', 0, size)).split('\n')
        rest = lines.pop() ?? ''
        found.push(...lines.flatMap(toAttempts))
      }
      return found
    },
    close: () => closeSync(file),
  }
}

function toAttempts(line: string): readonly Attempt[] {
  const { id, method, uri, upstream, upstreamStatus } = Line.parse(JSON.parse(line))
  const statuses = upstreamStatus.split(', ')
  const addresses = upstream.split(', ').filter((address) => address.includes(':'))
  return addresses.map((address, place) => {
    const port = Number(address.split(':')[1])
    return { id, method, uri, port, status: Number(statuses[place]) }
  })
}
