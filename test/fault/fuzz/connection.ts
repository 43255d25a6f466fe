import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

import type { FuzzCase } from './cases.ts'
import { readAnswers } from './wire.ts'
import type { Answers } from './wire.ts'

/** What came back on a connection. */
export interface Outcome extends Answers {
  /** Whether the server ended the connection, rather than the fuzzer. */
  readonly endedByServer: boolean
  /** Whether the connection was refused or reset: then what was sent may be lost. */
  readonly wasReset: boolean
}

/** Milliseconds until nothing more is waited for: without any byte, after the last one, and in all. */
const SILENT = 150
const QUIET = 40
const LONGEST = 400

/** Sends one case on a connection of its own, and reads what comes. */
export async function play({ steps, ending }: FuzzCase, port: number): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  let lastByte = performance.now()
  let endedByServer = false
  let wasReset = false
  let isOpen = true
  socket.on('error', () => {
    wasReset = true
  })
  socket.on('close', () => {
    isOpen = false
  })
  socket.on('end', () => {
    endedByServer = true
  })
  if (ending !== 'no-read') {
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      lastByte = performance.now()
    })
  }
  for (const { bytes, wait } of steps) {
    if (wait > 0) await delay(wait)
    if (!isOpen) break
    socket.write(bytes)
  }
  if (ending === 'half-close') socket.end()
  const start = performance.now()
  lastByte = start
  const isDone = (now: number): boolean =>
    !isOpen || endedByServer || now - lastByte > (chunks.length > 0 ? QUIET : SILENT) || now - start > LONGEST
  // what is cut is cut at once, or a moment later, when the server is about to answer
  if (ending === 'cut') await delay(steps.length % 2 === 0 ? 0 : 3)
  else while (!isDone(performance.now())) await delay(5)
  socket.destroy()
  const sent = Buffer.concat(steps.map(({ bytes }) => bytes))
  const answers = readAnswers(Buffer.concat(chunks), /HEAD/i.test(sent.toString('latin1')))
  return { ...answers, endedByServer, wasReset }
}
