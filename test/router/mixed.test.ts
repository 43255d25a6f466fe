import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { parsePattern, toSplit } from '../inside/parts.ts'
import type { Split } from '../inside/parts.ts'

const SOURCES = {
  str: '.+',
  int: '[0-9]+',
  float: '[0-9]+(?:\\.[0-9]+)?',
  uuid: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
} as const

/** A segment as it is written: text and types in turn. */
interface Written {
  readonly first: string
  readonly params: readonly { readonly type: keyof typeof SOURCES; readonly after: string }[]
  readonly last: string
}

const TYPES = ['str', 'str', 'int', 'float'] as const
const literal = (least: number) =>
  fc.string({ unit: fc.constantFrom('a', '-', '.', '0', '1'), minLength: least, maxLength: 2 })

const written: fc.Arbitrary<Written> = fc
  .record({
    first: literal(0),
    params: fc.array(fc.record({ type: fc.constantFrom(...TYPES), after: literal(1) }), {
      minLength: 1,
      maxLength: 4,
    }),
    last: literal(0),
  })
  .filter(({ first, params, last }) => params.length > 1 || first + last !== '')
const value = fc.string({ unit: fc.constantFrom('a', '-', '.', '0', '1', '\n'), maxLength: 4 })
const values = fc.array(value, { minLength: 4, maxLength: 4 })
/** A segment and a text that it may match. */
const trial = fc
  .tuple(written, values, fc.boolean())
  .map(([segment, texts, related]) => [segment, related ? fill(segment, texts) : texts.join('')] as const)

function fill({ first, params, last }: Written, texts: readonly string[]): string {
  const inner = params.map(({ after }, index) => `${texts[index]}${index === params.length - 1 ? '' : after}`)
  return first + inner.join('') + last
}

describe('a mixed segment', () => {
  it('is taken apart as the greedy regular expression does', () => {
    let matched = 0
    fc.assert(
      fc.property(trial, ([segment, text]) => {
        const expected = greedy(segment).exec(text)?.slice(1)
        if (expected !== undefined) matched++
        assert.deepEqual(splitOf(segment)(text), expected)
      }),
      { numRuns: 1000, seed: 7 },
    )
    assert.ok(matched > 50, `only ${matched} texts matched`)
  })

  it('gives back the values it was made of, when nothing is ambiguous', () => {
    const made = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '"'), minLength: 1 }), {
      minLength: 2,
      maxLength: 4,
    })
    fc.assert(
      fc.property(made, (texts) => {
        const segment: Written = {
          first: '',
          params: texts.map(() => ({ type: 'str', after: '~' })),
          last: '',
        }
        assert.deepEqual(splitOf(segment)(texts.join('~')), texts)
      }),
      { numRuns: 100, seed: 7 },
    )
  })

  for (const [types, unit] of [
    [['str', 'str', 'str', 'str'], '-'],
    [['str', 'str', 'str', 'str'], 'a-'],
    [['int', 'int', 'str', 'int'], '1-'],
    [['int', 'str', 'int'], '1'],
    [['int', 'str', 'int'], '0'],
    [['float', 'float', 'float'], '1.1-'],
    [['float', 'str', 'float'], '1.'],
    [['uuid', 'str', 'uuid'], '0'],
    [['str', 'uuid', 'str'], '01234567-89ab-cdef-0123-456789abcdef-'],
  ] as const) {
    it(`of ${types.join(', ')} takes linear time for a segment that repeats ${JSON.stringify(unit)}`, () => {
      const segment: Written = { first: '', params: types.map((type) => ({ type, after: '-' })), last: '!' }
      const split = splitOf(segment)
      // the literal end is there, so that the parameters decide
      const work = (length: number): number =>
        countWork(() => void split(`${unit.repeat(length / unit.length)}!`))
      const [small, large] = [work(2000), work(8000)]
      assert.ok(small >= 1900 && large <= small * 4.5, `${small} steps, four times the length: ${large}`)
    })
  }
})

function splitOf({ first, params, last }: Written): Split {
  const inner = params.map(
    ({ type, after }, index) => `{p${index}:${type}}${index === params.length - 1 ? '' : after}`,
  )
  const pattern = parsePattern(`/${first}${inner.join('')}${last}`)
  const segment = 'segments' in pattern ? pattern.segments[0] : undefined
  if (segment?.kind !== 'mixed') throw new Error(`${first}${inner.join('')}${last} is no mixed segment`)
  return toSplit(segment.parts)
}

function greedy({ first, params, last }: Written): RegExp {
  const inner = params.map(
    ({ type, after }, index) => `(${SOURCES[type]})${index === params.length - 1 ? '' : escape(after)}`,
  )
  return new RegExp(`^${escape(first)}${inner.join('')}${escape(last)}$`, 's')
}

function escape(literalText: string): string {
  return literalText.replaceAll(/[.-]/g, '\\$&')
}

/** Characters that are looked at or copied while `run` runs. */
function countWork(run: () => void): number {
  // they are called with their own `this` below
  // oxlint-disable-next-line typescript/unbound-method
  const { charCodeAt, indexOf, slice } = String.prototype
  let work = 0
  const prototype = String.prototype as {
    charCodeAt: typeof charCodeAt
    indexOf: typeof indexOf
    slice: typeof slice
  }
  prototype.charCodeAt = function (this: string, at) {
    work++
    return charCodeAt.call(this, at)
  }
  prototype.indexOf = function (this: string, search, from = 0) {
    const found = indexOf.call(this, search, from)
    work += 1 + Math.max(0, (found === -1 ? this.length : found) - from)
    return found
  }
  prototype.slice = function (this: string, start, end) {
    const cut = slice.call(this, start, end)
    work += 1 + cut.length
    return cut
  }
  try {
    run()
  } finally {
    Object.assign(prototype, { charCodeAt, indexOf, slice })
  }
  return work
}
