import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, sse, stream } from 'octavo'

import { MEANT } from './alive.ts'
import type { Alive } from './alive.ts'

// routes whose answer is a stream; what feeds it is counted while it is open
export function createSources(alive: Alive) {
  async function* rows(count: number, fails = false) {
    alive.sources++
    try {
      for (let row = 0; row < count; row++) {
        yield `row ${row} ${'x'.repeat(100)}\n`
        if (row % 10 === 0) await delay(1)
        if (fails && row === 20) throw new Error(MEANT)
      }
    } finally {
      alive.sources--
    }
  }
  async function* events() {
    for await (const data of rows(30)) yield { event: 'row', id: '7', data: [data] }
  }
  return defineController({
    prefix: '/stream',
    routes: [
      { method: 'GET', path: '/generator', handler: () => stream(rows(60), { type: 'text/plain' }) },
      { method: 'GET', path: '/node', handler: () => Readable.from(rows(60)) },
      {
        method: 'GET',
        path: '/web',
        handler: () => new Response(Readable.toWeb(Readable.from(rows(60))) as ReadableStream),
      },
      { method: 'GET', path: '/fail', handler: () => stream(rows(60, true)) },
      {
        method: 'GET',
        path: '/events',
        handler: () => sse(() => events(), { heartbeat: 5 }),
      },
      { method: 'GET', path: '/endless', handler: () => stream(rows(Infinity)) },
    ],
  })
}
