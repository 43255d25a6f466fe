import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cacheReadings } from '../inside/parts.ts'
import type { VersionValue } from '../inside/parts.ts'

/** More different texts than are ever remembered. */
const FLOOD = 30_000

/** A reading that remembers, and how often each text was really read. */
function counted(read: (text: string) => VersionValue = (text) => text) {
  const counts = new Map<string, number>()
  const remembered = cacheReadings((text) => {
    counts.set(text, (counts.get(text) ?? 0) + 1)
    return read(text)
  })
  // most texts are what is read of them, which needs no comparison of structures
  const ask = (text: string): void => {
    const value = remembered(text)
    if (value !== text) assert.deepEqual(value, read(text))
  }
  return { ask, countOf: (text: string): number => counts.get(text) ?? 0 }
}

function texts(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}`)
}

describe('headers whose readings are remembered', () => {
  for (const count of [1, 5, 256, 300, 4096]) {
    it(`${count} texts in turn are read once each`, () => {
      const { ask, countOf } = counted()
      const known = texts('v', count)
      for (let round = 0; round < 5; round++) for (const text of known) ask(text)
      assert.deepEqual(new Set(known.map(countOf)), new Set([1]))
    })
  }

  it('a version is none where a text names none', () => {
    const { ask, countOf } = counted(() => undefined)
    for (const text of ['*/*', 'a/b', '*/*', 'c/d', 'e/f', 'g/h', 'i/j', '*/*']) ask(text)
    assert.equal(countOf('*/*'), 1)
  })

  it('values without end drive no known text out', () => {
    const { ask, countOf } = counted()
    const known = texts('v', 1000)
    for (const text of [...known, ...known]) ask(text)
    for (const text of texts('x', FLOOD)) ask(text)
    for (const text of known) ask(text)
    assert.deepEqual(new Set(known.map(countOf)), new Set([1]))
  })

  it('values without end, each sent twice, drive out what nobody asks for meanwhile', () => {
    const { ask, countOf } = counted()
    for (const text of ['busy', 'idle', 'busy', 'idle']) ask(text)
    for (const [index, text] of texts('x', FLOOD).entries()) {
      ask(text)
      ask(text)
      if (index % 4000 === 0) ask('busy')
    }
    for (const text of ['busy', 'idle']) ask(text)
    assert.equal(countOf('busy'), 1)
    assert.equal(countOf('idle'), 2)
  })

  for (const times of [1, 2]) {
    it(`values without end are forgotten: each sent ${times} times`, () => {
      const { ask, countOf } = counted()
      const flood = texts('x', FLOOD)
      for (const text of flood) for (let time = 0; time < times; time++) ask(text)
      for (const text of flood) ask(text)
      const kept = flood.filter((text) => countOf(text) === 1)
      assert.ok(kept.length <= 4 * 4096, `${kept.length} are still known`)
    })
  }

  it('long texts, and values that are larger than their texts, are read each time', () => {
    const { ask, countOf } = counted((text) =>
      text.startsWith('1,') ? { ambiguous: [{ in: 'header', name: 'x-version', value: '1' }] } : text,
    )
    const long = 'x'.repeat(257)
    for (const text of ['1,2', long, '1,2', long, '1,2', long]) ask(text)
    assert.deepEqual([countOf('1,2'), countOf(long)], [3, 3])
  })
})
