import cluster from 'node:cluster'

import { endProcess, leaveSignalsToOthers } from '../signals.ts'
import { readEnd, WORKER_VARIABLE } from './messages.ts'
import type { Listens } from './messages.ts'

/** What a worker has to do with the process that keeps it. */
export interface Membership {
  /** What to use for port 0. */
  readonly sharedPort: number
  readonly tellListening: (url: string) => void
}

let hasJoined = false

/** Makes this process a worker that ends when it is told, and when nobody is there to tell. */
export function joinPool(): Membership {
  const { worker } = cluster
  const membership: Membership = {
    sharedPort: Number(process.env[WORKER_VARIABLE]),
    tellListening: (url) => void process.send?.({ octavo: 'listens', url } satisfies Listens),
  }
  if (hasJoined) return membership
  hasJoined = true
  leaveSignalsToOthers()
  process.on('message', (message) => {
    const manner = readEnd(message)
    if (manner !== undefined) endProcess(manner)
  })
  worker?.once('disconnect', () => {
    // or node:cluster would end the process in the midst of its requests
    worker.exitedAfterDisconnect = true
    endProcess('close')
  })
  return membership
}
