import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { VersioningSchemes } from 'octavo'

import { serve } from './support.ts'

/*
 * What Accept says is read here a second time, by recursive descent through the grammar of RFC 9110, one function for each rule
 * (sections 5.6.1 to 5.6.6 and 12.5.1):
 *
 *   Accept        = [ ( "," / member ) *( OWS "," [ OWS member ] ) ]
 *   member        = ( type "/" subtype ) parameters
 *   parameters    = *( OWS ";" OWS [ name "=" ( token / quoted-string / empty ) ] )
 *   quoted-string = DQUOTE *( qdtext / "\" any ) DQUOTE
 *
 * The weight is a parameter like any other (section 12.5.1), and an empty value is read as one. A member that the grammar
 * does not have is left out, up to the next comma that is not between quotes.
 */

interface Member {
  readonly type: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  accept(): readonly Member[] {
    const members: Member[] = []
    while (this.#at < this.#text.length) {
      const start = this.#at
      this.#ows()
      const member = this.#member()
      this.#ows()
      const ended = this.#at === this.#text.length || this.#peek() === ','
      if (member !== undefined && ended) members.push(member)
      else this.#recover(start)
      this.#take(',')
    }
    return members
  }

  #member(): Member | undefined {
    const type = this.#token()
    if (type === '' || !this.#take('/')) return undefined
    const subtype = this.#token()
    if (subtype === '') return undefined
    const parameters: (readonly [string, string])[] = []
    for (;;) {
      const before = this.#at
      this.#ows()
      if (!this.#take(';')) {
        this.#at = before
        return { type: `${type}/${subtype}`.toLowerCase(), parameters }
      }
      this.#ows()
      const name = this.#token()
      if (name === '') continue
      const value = this.#take('=') ? this.#value() : undefined
      if (value === undefined) return undefined
      parameters.push([name.toLowerCase(), value])
    }
  }

  #value(): string | undefined {
    return this.#peek() === '"' ? this.#quoted() : this.#token()
  }

  #quoted(): string | undefined {
    this.#take('"')
    let value = ''
    while (this.#at < this.#text.length) {
      if (this.#take('"')) return value
      const escaped = this.#take('\\')
      if (escaped && this.#at === this.#text.length) return undefined
      value += this.#peek()
      this.#at++
    }
    return undefined
  }

  #token(): string {
    const start = this.#at
    while (this.#at < this.#text.length && TCHAR.includes(this.#peek())) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #ows(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at++
  }

  /** Goes to the comma that ends a member, from its start. */
  #recover(start: number): void {
    this.#at = start
    while (this.#at < this.#text.length && this.#peek() !== ',') {
      if (this.#take('"'))
        while (this.#at < this.#text.length && !this.#take('"')) this.#at += this.#peek() === '\\' ? 2 : 1
      else this.#at++
    }
  }

  #peek(): string {
    return this.#text[this.#at] ?? ''
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false
    this.#at++
    return true
  }
}

const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const TCHAR = `!#$%&'*+-.^_\`|~${DIGITS}${LETTERS}${LETTERS.toUpperCase()}`

/** The versions of a header, most preferred first. */
function versionsOf(header: string): readonly string[] {
  const named = new Reader(header).accept().flatMap((member, place) => {
    const first = (name: string) => member.parameters.find(([each]) => each === name)?.[1]
    const weight = thousandths(first('q'))
    const version = first('version') ?? ''
    const counts = member.type !== 'application/signed-exchange' && version !== '' && weight > 0
    return counts ? [{ version, weight, place }] : []
  })
  named.sort((a, b) => (a.weight === b.weight ? a.place - b.place : b.weight - a.weight))
  const versions: string[] = []
  for (const { version } of named) if (!versions.includes(version)) versions.push(version)
  return versions.slice(0, 8)
}

/** A qvalue, in thousandths; 0 where it is none. */
function thousandths(text: string | undefined): number {
  if (text === undefined) return 1000
  const [whole, fraction = '', ...more] = text.split('.')
  const isNumber =
    more.length === 0 && fraction.length <= 3 && fraction.split('').every((char) => DIGITS.includes(char))
  if (!isNumber || (whole !== '0' && whole !== '1')) return 0
  const value = Number(whole) * 1000 + Number(fraction.padEnd(3, '0'))
  return value > 1000 ? 0 : value
}

/** A text of some of the parts. */
const some = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(parts, { maxLength }).map((texts) => texts.join(''))

const ows = fc.constantFrom('', '', '', ' ', '\t', ' \t ')
const version = fc.constantFrom('1', '2', '3', '9', 'x', '1.0', 'a+b')
const qdtext = fc.constantFrom('1', '2', ',', ';', '=', ' ', '/', '\\"', '\\\\', '\\1', '\u00e9', 'version=2')
const quoted = some(qdtext, 5).map((text) => `"${text}"`)
const weight = fc.constantFrom(
  '0',
  '0.5',
  '1',
  '1.000',
  '0.',
  '0.001',
  '0.000',
  '0.1234',
  '1.5',
  'x',
  '',
  '"0.5"',
  '-1',
)
const named = (names: readonly string[], value: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...names), value).map(([name, text]) => `${name}=${text}`)
const parameter = fc.oneof(
  {
    weight: 4,
    arbitrary: named(
      ['version', 'Version', 'VERSION'],
      fc.oneof(
        version,
        version.map((text) => `"${text}"`),
        quoted,
      ),
    ),
  },
  { weight: 3, arbitrary: named(['q', 'q', 'Q'], weight) },
  { weight: 2, arbitrary: named(['charset', 'profile', 'xversion'], fc.oneof(version, quoted)) },
  { weight: 1, arbitrary: fc.constant('') },
)
const type = fc.constantFrom(
  '*/*',
  'text/*',
  'application/json',
  'Text/HTML',
  'a/b',
  'application/signed-exchange',
)
const member = fc
  .tuple(type, fc.array(fc.tuple(ows, ows, parameter), { maxLength: 4 }))
  .map(([range, rest]) => range + rest.map(([before, after, text]) => `${before};${after}${text}`).join(''))
/** Every one of them is in the grammar, but for weights that are none. */
const valid = fc
  .array(fc.tuple(ows, fc.oneof({ weight: 9, arbitrary: member }, fc.constant('')), ows), { maxLength: 10 })
  .map((members) => members.map((texts) => texts.join('')).join(','))
/** Valid ones with a few characters changed. */
const nearly = fc
  .tuple(
    valid,
    fc.array(fc.tuple(fc.nat(400), fc.nat(2), fc.constantFrom(...',;="\\/ \tq1@()'.split(''))), {
      maxLength: 4,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, [place, removed, char]) => {
      const at = place % (edited.length + 1)
      return edited.slice(0, at) + char + edited.slice(at + removed)
    }, text),
  )
/** Anything that a header can hold, above all what means something in this one. */
const hostile = some(
  fc.oneof(
    fc.constantFrom(
      ...',;="\\/ \t*'.split(''),
      ',',
      ', ',
      'version=',
      ';version=2',
      ';q=0',
      'q=',
      '""',
      '\\"',
      '*/*',
    ),
    fc
      .tuple(fc.constantFrom('', ','), type, version)
      .map(([comma, range, text]) => `${comma}${range};version=${text}`),
    fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 3,
    }),
  ),
  12,
)

const RUNS = {
  numRuns: 80,
  seed: 9110,
  interruptAfterTimeLimit: 60_000,
  markInterruptAsFailure: false,
} as const
const KNOWN = ['1', '2', '3', '1.0', 'a+b']

describe('HEADER, Accept: read as the grammar says', () => {
  const app = serve(
    KNOWN.map((name) => ['GET', '/cars', name, 'cars'] as const),
    VersioningSchemes.HEADER,
  )
  /** What the framework makes of a header: the version that answers, or why none does. */
  const read = async (accept: string): Promise<unknown> => {
    const response = await app.inject({ url: '/cars', headers: { accept } })
    if (response.statusCode === 200) return response.json()
    const problem: { readonly requested?: string } = JSON.parse(response.body)
    return [response.statusCode, problem.requested]
  }
  const expected = (accept: string): unknown => {
    const versions = versionsOf(accept)
    const served = versions.find((name) => KNOWN.includes(name))
    if (served !== undefined) return `cars@${served}`
    return versions.length === 0 ? [400, undefined] : [406, versions.join(', ').slice(0, 64)]
  }

  it('the reference reads what the rules say', () => {
    assert.deepEqual(
      [
        versionsOf('application/json; version=2'),
        versionsOf('a/b;q=0.5;version=1 , , */* ; Version="2,\\"3"'),
        versionsOf('a/b;version="1, c/d;version=2'),
        versionsOf('a b/c;version=1, c/d;version=2;q=0, e/f;version=3;q=0.001;;'),
        versionsOf('application/signed-exchange;version=b3, a/b;version='),
        versionsOf('a/b;x="1\\",c/d;version=9";version=1'),
        versionsOf('a/b;version=1;q=1.1, a/b;version=2;q=00, a/b;version=3;q=0.12a'),
      ],
      [['2'], ['2,"3', '1'], [], ['3'], [], ['1'], []],
    )
  })

  const kinds = [
    ['valid', valid],
    ['nearly valid', nearly],
    ['hostile', hostile],
  ] as const
  for (const [name, headers] of kinds) {
    it(`the grammar holds for ${name} headers`, async () => {
      const outcomes = new Set<string>()
      await fc.assert(
        fc.asyncProperty(headers, async (accept) => {
          const found = await read(accept)
          outcomes.add(typeof found === 'string' ? 'served' : String(versionsOf(accept).length > 0))
          assert.deepEqual(found, expected(accept))
        }),
        RUNS,
      )
      // otherwise the headers that were generated show nothing
      assert.deepEqual([...outcomes].toSorted(), ['false', 'served', 'true'])
    })
  }
})
