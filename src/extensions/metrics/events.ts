import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

import { HttpError } from '../../http/errors.ts'
import { subscribeChannel } from '../../base/platform.ts'
import { Channels, type RequestError } from '../../server/logging/channels.ts'
import { SESSION_CHANNEL, type SessionEvent } from '../../server/session/channel.ts'
import { STORE_CHANNEL, type StoreCallEnd } from '../../server/stores/guard.ts'
import { isObject } from '../../base/values.ts'

/** The most codes of errors that are counted by name, in case an application makes codes up. */
const MAX_CODES = 200

/** Counts connections, sessions, errors and refusals of rate limits in this process from now on. */
export function countEvents(registry: Registry): void {
  const registers = [registry]
  const connections = new Gauge({
    name: 'server_connections',
    help: 'Open connections to all servers of the process.',
    registers,
  })
  // of Node itself
  subscribeChannel('net.server.socket', (message) => {
    const socket = isObject(message) && 'socket' in message ? message.socket : undefined
    if (!isObject(socket) || !('once' in socket) || typeof socket.once !== 'function') return
    connections.inc()
    socket.once('close', () => connections.dec())
  })
  const sessions = new Counter({
    name: 'sessions_total',
    help: 'Sessions that were stored for the first time or destroyed.',
    labelNames: ['event'],
    registers,
  })
  subscribeChannel(SESSION_CHANNEL, (message) => {
    // the channel publishes nothing else
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    sessions.inc({ event: (message as SessionEvent).event })
  })
  countStores(registers)
  const refusals = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests that a rate limit refused.',
    labelNames: ['limit'],
    registers,
  })
  const errors = new Counter({
    name: 'request_errors_total',
    help: 'Errors that requests met, by the code of their problem.',
    labelNames: ['code'],
    registers,
  })
  const codes = new Set<string>()
  subscribeChannel(Channels.error, (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const { error } = message as RequestError
    const code = error instanceof HttpError ? error.code : 'internal_error'
    if (codes.size < MAX_CODES) codes.add(code)
    errors.inc({ code: codes.has(code) ? code : 'other' })
    if (!(error instanceof HttpError) || code !== 'rate_limited') return
    const limits = error.members['violated-policies']
    refusals.inc({ limit: Array.isArray(limits) ? String(limits[0]) : 'none' })
  })
}

/** Upper bounds in seconds: stores answer sooner than requests. */
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

function countStores(registers: Registry[]): void {
  const durations = new Histogram({
    name: 'store_duration_seconds',
    help: 'The time until a store answered, by what it stores.',
    labelNames: ['store', 'operation'],
    buckets: STORE_BUCKETS,
    registers,
  })
  const failures = new Counter({
    name: 'store_failures_total',
    help: 'Calls of stores that failed, or were skipped because the store gave no answer before.',
    labelNames: ['store', 'operation', 'outcome'],
    registers,
  })
  subscribeChannel(STORE_CHANNEL, (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const { store, operation, outcome, duration } = message as StoreCallEnd
    if (outcome !== 'ok') failures.inc({ store, operation, outcome })
    if (outcome !== 'skipped') durations.observe({ store, operation }, duration / 1000)
  })
}
