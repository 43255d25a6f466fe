import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createCase } from './fuzz/cases.ts'
import { mutate, splice } from './fuzz/mutate.ts'
import { createRandom, toCaseSeed } from './fuzz/random.ts'
import { toBytes, toChunkedBytes } from './fuzz/requests.ts'
import { readAnswers } from './fuzz/wire.ts'

const CASES = Array.from({ length: 300 }, (_, index) => createCase(7, index))

describe('the cases of the fuzzer', () => {
  it('are the same for the same seed, each by itself', () => {
    for (const index of [299, 0, 17]) assert.deepEqual(createCase(7, index), CASES[index])
  })

  it('differ between seeds, and within a run', () => {
    assert.notDeepEqual(createCase(8, 0), createCase(7, 0))
    const sent = CASES.map(({ steps }) => Buffer.concat(steps.map(({ bytes }) => bytes)).toString('latin1'))
    assert.ok(new Set(sent).size > 280, `${new Set(sent).size} of 300 differ`)
  })

  it('are of all kinds, and end in all ways', () => {
    const kinds = new Set(CASES.map(({ kind }) => kind))
    assert.equal(kinds.size, 12)
    const endings = new Set(CASES.map(({ ending }) => ending))
    assert.deepEqual([...endings].toSorted(), ['cut', 'half-close', 'no-read', 'read'])
  })

  it('call whole what nothing was changed in, and that alone', () => {
    const intact = CASES.filter(({ isIntact }) => isIntact)
    assert.ok(intact.length > 10, `${intact.length} are intact`)
    for (const { kind, ending } of intact) {
      assert.ok(kind === 'real' || kind === 'pipeline', kind)
      assert.equal(ending, 'read')
    }
  })

  it('have numbers of their own', () => {
    const seeds = new Set(Array.from({ length: 10_000 }, (_, index) => toCaseSeed(1, index)))
    assert.equal(seeds.size, 10_000)
    const random = createRandom(3)
    const numbers = Array.from({ length: 1_000 }, () => random.below(10))
    for (let number = 0; number < 10; number++) assert.ok(numbers.includes(number), `no ${number}`)
  })
})

describe('mutations', () => {
  const request = toBytes({ method: 'GET', target: '/cars/1', headers: { host: 'a.test' } })

  it('leave what they change as it was, and change most of it', () => {
    const before = Buffer.from(request)
    const changed = Array.from({ length: 200 }, (_, seed) => mutate(request, createRandom(seed)))
    assert.deepEqual(request, before)
    const same = changed.filter((bytes) => bytes.equals(request)).length
    assert.ok(same < 20, `${same} of 200 are the same`)
  })

  it('take bytes that are none', () => {
    const none = Buffer.alloc(0)
    for (let seed = 0; seed < 100; seed++) assert.ok(mutate(none, createRandom(seed)).length >= 0, 'a length')
    assert.equal(splice(none, none, createRandom(1)).length, 0)
  })

  it('write chunks that add up, for the most part', () => {
    const body = Buffer.from('x'.repeat(100))
    const draft = { method: 'POST', target: '/', headers: { host: 'a.test' }, body }
    const texts = Array.from({ length: 50 }, (_, seed) => toChunkedBytes(draft, createRandom(seed)))
    const whole = texts.filter((text) => text.toString('latin1').replaceAll(/[^x]/g, '').length >= 100)
    assert.equal(whole.length, 50)
  })
})

describe('answers to the fuzzer', () => {
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  for (const [title, text, mayBeHead, expected] of [
    ['nothing', '', false, { statuses: [] }],
    ['an answer', OK, false, { statuses: [200] }],
    ['several', `${OK}HTTP/1.1 204 No Content\r\n\r\n${OK}`, false, { statuses: [200, 204, 200] }],
    ['one after an interim one', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, false, { statuses: [100, 200] }],
    ['chunks', `${CHUNKED}2\r\nok\r\n0\r\n\r\n${OK}`, false, { statuses: [200, 200] }],
    ['an answer to HEAD', `${OK.slice(0, -2)}${OK}`, true, { statuses: [200, 200] }],
    [
      'one that ends with the connection',
      'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabc',
      false,
      { statuses: [200] },
    ],
    ['a head that is not whole', OK.slice(0, 20), false, { statuses: [], isCut: true }],
    ['a status line that is not whole', 'HTT', false, { statuses: [], isCut: true }],
    ['a body that is not whole', OK.slice(0, -1), false, { statuses: [200], isCut: true }],
    ['chunks that are not whole', `${CHUNKED}5\r\nok`, false, { statuses: [200], isCut: true }],
    ['a body that is too long', `${OK}!`, false, { statuses: [200], fault: 'The status line "!"' }],
    [
      'a chunk that is too long',
      `${CHUNKED}1\r\nok\r\n0\r\n\r\n`,
      false,
      { statuses: [200], fault: 'A chunk is longer than its size' },
    ],
    ['a chunk of no size', `${CHUNKED}x\r\n`, false, { statuses: [200], fault: 'The chunk size "x"' }],
    [
      'two lengths',
      OK.replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\n'),
      false,
      { statuses: [200], fault: 'Two lengths' },
    ],
    [
      'a line without name',
      OK.replace('content', ': x\r\ncontent'),
      false,
      { statuses: [200], fault: 'The field line ": x"' },
    ],
    ['an unknown status', 'HTTP/1.1 599 Odd\r\n\r\n', false, { statuses: [], fault: 'The status 599 ' }],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nabc', false, { statuses: [200], fault: 'No length' }],
  ] as const) {
    it(`is read: ${title}`, () => {
      assert.deepEqual(readAnswers(Buffer.from(text, 'latin1'), mayBeHead), {
        fault: undefined,
        isCut: false,
        ...expected,
      })
    })
  }
})
