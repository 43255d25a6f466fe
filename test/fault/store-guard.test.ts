import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createStoreGuard } from '../inside/server.ts'
import type { StoreGuard } from '../inside/server.ts'

const LIMIT = 100

interface Call {
  readonly resolve: (value: string) => void
  readonly reject: (error: Error) => void
}

/** Lets time pass. */
let pass: (time: number) => void

/** A store whose calls are answered by the test. */
function createFixture() {
  const lines: unknown[] = []
  const log = {
    error: (_details: object, message?: string) => void lines.push(message),
    info: (_details: object, message?: string) => void lines.push(message),
  }
  const guard: StoreGuard = createStoreGuard('cars', LIMIT)
  const calls: Call[] = []
  const ask = async (operation = 'get') => {
    const work = async () => new Promise<string>((resolve, reject) => void calls.push({ resolve, reject }))
    return guard({ operation, work, log }, (cause) => String(cause))
  }
  /** Lets calls pass their time limit. */
  const hang = async (count: number) => {
    const asked = Array.from({ length: count }, () => ask())
    pass(LIMIT)
    for (const answer of asked) assert.match(await answer, /no answer within 100 ms/)
  }
  return { ask, calls, hang, lines }
}

describe('the guard of a store', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    let now = 0
    mock.method(performance, 'now', () => now)
    pass = (time) => {
      now += time
      mock.timers.tick(time)
    }
  })
  afterEach(() => {
    mock.timers.reset()
    mock.restoreAll()
  })

  it('fails calls at once after three time limits without an answer, and has one request try again at a time', async () => {
    const { ask, calls, hang, lines } = createFixture()
    await hang(3)
    assert.match(await ask(), /tried again later/)
    assert.equal(calls.length, 3)
    pass(10 * LIMIT)
    const tries = [ask(), ask()]
    assert.match((await tries[1]) ?? '', /tried again later/)
    assert.equal(calls.length, 4)
    pass(LIMIT)
    assert.match((await tries[0]) ?? '', /no answer within/)
    assert.match(await ask(), /tried again later/)
    pass(10 * LIMIT)
    const last = ask()
    calls.at(-1)?.resolve('well')
    assert.equal(await last, 'well')
    const both = [ask(), ask()]
    for (const call of calls.slice(-2)) call.resolve('well')
    assert.deepEqual(await Promise.all(both), ['well', 'well'])
    assert.deepEqual(lines, ['The store of cars fails', 'The store of cars works again'])
  })

  it('asks again as soon as an answer comes late', async () => {
    const { ask, calls, hang } = createFixture()
    await hang(3)
    calls[0]?.resolve('late')
    await turn()
    const again = ask()
    calls.at(-1)?.resolve('well')
    assert.equal(await again, 'well')
  })

  it('lets one request try again as soon as a call fails late', async () => {
    const { ask, calls, hang } = createFixture()
    await hang(3)
    calls[0]?.reject(new Error('The connection is lost'))
    await turn()
    const tries = [ask(), ask()]
    assert.match((await tries[1]) ?? '', /tried again later/)
    calls.at(-1)?.resolve('well')
    assert.equal((await tries[0]) ?? '', 'well')
  })

  it('passes errors on, however many, because they cost no time', async () => {
    const { ask, calls } = createFixture()
    for (let times = 0; times < 10; times++) {
      const asked = ask()
      calls.at(-1)?.reject(new Error('down'))
      assert.equal(await asked, 'Error: down')
    }
    assert.equal(calls.length, 10)
  })

  it('keeps operations apart, and does not count calls that began before the last answer', async () => {
    const { ask, calls, hang } = createFixture()
    await hang(3)
    const set = ask('set')
    calls.at(-1)?.resolve('well')
    assert.equal(await set, 'well')
    const old = ['set', 'set', 'set'].map((operation) => ask(operation))
    const answered = ask('set')
    calls.at(-1)?.resolve('well')
    assert.equal(await answered, 'well')
    pass(LIMIT)
    await Promise.all(old)
    const after = ask('set')
    calls.at(-1)?.resolve('well')
    assert.equal(await after, 'well')
  })
})
