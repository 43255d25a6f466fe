import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { styleFor } from '../inside/parts.ts'
import { createTerminalText } from '../inside/server.ts'

const toText = createTerminalText(styleFor({}, {}))
const REQUEST = {
  requestId: 'one',
  method: 'GET',
  path: '/car/7',
  version: '2',
  status: 200,
  duration: 0.412,
  route: 'car.getOne',
}

/** A record without its time. */
function written(...record: Parameters<typeof toText>): string {
  const text = toText(...record) ?? ''
  assert.match(text, /^\d\d:\d\d:\d\d /)
  return text.slice('00:00:00 '.length)
}

describe('a log on a terminal', () => {
  const lines = [
    ['a request', REQUEST, 'GET    200 /car/7 v2 0.4 ms'],
    [
      'a request without version',
      { ...REQUEST, version: null, duration: 1234.5 },
      'GET    200 /car/7 1235 ms',
    ],
    ['a request of a known client', { ...REQUEST, client: 'acme' }, 'GET    200 /car/7 v2 0.4 ms acme'],
    [
      'what a client sends without effect on the terminal',
      { ...REQUEST, path: '/\u001B[2J\u202E' },
      'GET    200 /\\u{1b}[2J\\u{202e} v2 0.4 ms',
    ],
  ] as const
  for (const [title, details, line] of lines)
    it(`shows ${title}`, () => assert.equal(written('info', details, 'Request'), `${line}\n`))

  it('shows messages with their details', () => {
    assert.equal(
      written('info', { url: 'http://localhost:3000', workers: { count: 2 } }, 'Listening'),
      'Listening url=http://localhost:3000 workers={ count: 2 }\n',
    )
    assert.equal(written('warn', { count: 3, requestId: 'one' }, 'Slow'), 'WARN Slow count=3\n')
  })

  it('shows an error with its place, its members and its causes', () => {
    const error = Object.assign(new TypeError('no such car', { cause: new Error('refused') }), {
      code: 'P2025',
    })
    const place = `${join(import.meta.dirname, 'terminal-log.test.ts')}:2:8`
    error.stack = `TypeError: no such car
    at find (${place})
    at RequestContext.run (${join(import.meta.dirname, '../../src/server/pipeline/handle.ts')}:1:1)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`
    if (error.cause instanceof Error) error.cause.stack = 'Error: refused\n    at connect (node:net:1:1)'
    assert.equal(
      written(
        'error',
        { err: error, method: 'GET', route: 'car.getOne', requestId: 'one' },
        'A request failed',
      ),
      `ERROR A request failed method=GET route=car.getOne requestId=one

  TypeError: no such car
  code=P2025

    1 | import assert from 'node:assert/strict'
  > 2 | import { join } from 'node:path'
               ^
    3 | import { describe, it } from 'node:test'
    4 |${' '}

  at find (${place})
  Caused by: Error: refused
  at connect (node:net:1:1)

`,
    )
  })

  it('shows thrown values that are no errors, and ends with causes that lead back', () => {
    assert.equal(
      written('error', { err: 'text' }, 'A request failed'),
      "ERROR A request failed\n\n  'text'\n\n",
    )
    const circle = new Error('circle')
    circle.cause = circle
    circle.stack = ''
    assert.equal(written('error', circle, undefined).split('Error: circle').length, 11)
  })

  it('leaves a record that cannot be read to JSON', () => {
    const details = {
      get name(): string {
        throw new Error('no')
      },
    }
    assert.equal(toText('info', details, 'Message'), undefined)
  })
})
