import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { createEventParser } from '../inside/parts.ts'
import type { ReceivedEvent } from '../inside/parts.ts'
import { countSplit } from '../support/walked.ts'

/** Reads a stream that arrives in pieces. */
function read(...pieces: readonly string[]): {
  readonly events: readonly ReceivedEvent[]
  readonly id: string
  readonly retry: number
} {
  const kept = { id: 'before', retry: 7 }
  const parse = createEventParser(kept)
  return { events: pieces.flatMap((piece) => [...parse(piece)]), ...kept }
}

const message = (data: string, id = 'before', event = 'message'): ReceivedEvent => ({ event, data, id })

describe('a long event', () => {
  it('is looked at once, however it is cut', async () => {
    const pieces = `data: ${'x'.repeat(200_000)}\n${'data: y\n'.repeat(20_000)}\n`.match(/[^]{1,64}/g) ?? []
    const count = await countSplit(() => Promise.resolve(read(...pieces)))
    assert.ok(count < 1_000_000, `${count} characters`)
  })
})

/** What a stream says, by the rules of the HTML standard, section 9.2.6. */
const CASES: readonly (readonly [title: string, text: string, events: readonly ReceivedEvent[]])[] = [
  ['data', 'data: a\n\n', [message('a')]],
  ['the example of stocks', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
  [
    'the example of four blocks',
    ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
    [message('first event', '1'), message('second event', ''), message(' third event', '')],
  ],
  ['the example of empty data', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')]],
  ['the example of one space', 'data:test\n\ndata: test\n\n', [message('test'), message('test')]],
  ['names', 'event: add\ndata: 1\n\ndata: 2\n\n', [message('1', 'before', 'add'), message('2')]],
  ['an event without data, which is none', 'event: add\nid: 4\n\ndata: 1\n\n', [message('1', '4')]],
  ['an event that has not ended, which is none', 'data: a\nid: 9\n', []],
  ['ids that stay', 'id: 1\ndata: a\n\ndata: b\n\n', [message('a', '1'), message('b', '1')]],
  ['an id with NUL, which is left out', 'id: 1\n\nid: a\0b\ndata: a\n\n', [message('a', '1')]],
  ['an id with a colon and spaces', 'id:  a:b \ndata: a\n\n', [message('a', ' a:b ')]],
  ['every end of line', 'data: a\r\rdata: b\r\n\r\ndata: c\n\n', [message('a'), message('b'), message('c')]],
  ['ends of lines that differ', 'data: a\r\ndata: b\rdata: c\n\r', [message('a\nb\nc')]],
  [
    'fields that are unknown or written in capitals',
    'Data: a\nother: b\n data: c\ndata: d\n\n',
    [message('d')],
  ],
  [
    'names of Object, which are no fields',
    'constructor: a\n__proto__: b\ntoString\ndata: d\n\n',
    [message('d')],
  ],
]

describe('a stream of events', () => {
  for (const [title, text, events] of CASES) {
    it(`has ${title}`, () => assert.deepEqual(read(text).events, events))

    it(`has ${title}, in pieces of every size`, () => {
      fc.assert(
        fc.property(fc.array(fc.nat(text.length)), (cuts) => {
          const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
          const pieces = places.slice(1).map((place, index) => text.slice(places[index], place))
          assert.deepEqual(read(...pieces).events, events)
        }),
      )
    })
  }

  it('gives an event with its last return, before what may be a line feed', () => {
    const parse = createEventParser({ id: '', retry: 0 })
    assert.deepEqual(parse('data: a\r\r'), [message('a', '')])
    assert.deepEqual(parse('\ndata: b\r'), [])
    assert.deepEqual(parse(''), [])
    assert.deepEqual(parse('\n\n'), [message('b', '')])
  })

  it('says which id to come back with once its event has ended', () => {
    assert.equal(read('id: 1\ndata: a\n\nid: 2\n').id, '1')
    assert.equal(read('id: 1\n\n').id, '1')
    assert.equal(read('id: 1\n\nid:\n\n').id, '')
    assert.equal(read('data: a\n\n').id, 'before')
  })

  it('says when to come back, in digits', () => {
    assert.equal(read('retry: 300\n').retry, 300)
    for (const wrong of ['3s', '-1', '1.5', '', ' 5', '0x1']) assert.equal(read(`retry: ${wrong}\n`).retry, 7)
  })

  it('is read in time that grows with its length alone', () => {
    const parse = createEventParser({ id: '', retry: 0 })
    const piece = 'a'.repeat(1000)
    parse('data: ')
    const begun = performance.now()
    for (let index = 0; index < 20_000; index++) parse(piece)
    const [event] = parse('\n\n')
    assert.equal(event?.data.length, 20_000_000)
    // in the square of the length it would be minutes
    assert.ok(performance.now() - begun < 60_000, `${performance.now() - begun} ms`)
  })
})
