import type { Worker } from 'node:cluster'

import { toRecord } from './messages.ts'

/**
 * Closes the connections that a worker was given and had not taken when it died: node:cluster forgets them, and their clients would
 * wait for ever. It reads messages of node:cluster that are not documented; without them nothing is closed.
 */
export function closeUntaken({ process: child }: Worker): void {
  const untaken = new Map<unknown, () => unknown>()
  const send: unknown = Reflect.get(child, 'send')
  if (typeof send !== 'function') return
  Reflect.set(child, 'send', (...args: readonly unknown[]): unknown => {
    const [message, handle] = args
    const { act, seq } = toRecord(message)
    const close: unknown = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'close')
    if (act === 'newconn' && typeof close === 'function')
      untaken.set(seq, () => {
        Reflect.apply(close, handle, [])
      })
    return Reflect.apply(send, child, args)
  })
  child.on('internalMessage', (message: unknown) => untaken.delete(toRecord(message)['ack']))
  child.once('exit', () => {
    for (const close of untaken.values()) close()
  })
}
