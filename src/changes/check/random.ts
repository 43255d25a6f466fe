/** Draws from a sequence that its seed decides. */
export interface Random {
  readonly whole: (min: number, max: number) => number
  /** One of several values, or `undefined` if there are none. */
  readonly pick: <T>(values: readonly T[]) => T | undefined
  /** Whether something with this probability happens. */
  readonly isLikely: (probability: number) => boolean
}

/** Creates the sequence of a seed: mulberry32, 32 bits of state. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (values) => values[Math.floor(next() * values.length)],
    isLikely: (probability) => next() < probability,
  }
}

/** Repetitions without an upper limit are drawn up to this many more. */
const MOST = 4

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index))
const DIGITS = Array.from('0123456789')
const WORDS = PRINTABLE.filter((sign) => /\w/.test(sign))

/** Parts of a pattern that stand for a set of characters. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  D: PRINTABLE.filter((sign) => /\D/.test(sign)),
  w: WORDS,
  W: PRINTABLE.filter((sign) => /\W/.test(sign)),
  s: [' ', '\t', '\n'],
  S: PRINTABLE.filter((sign) => /\S/.test(sign)),
}
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', 0: '\0' }

interface Reader {
  readonly source: string
  at: number
}

/**
 * Draws a text that a regular expression probably matches. Assertions and references are left out, so test the text before you use it.
 */
export function textOf({ source }: RegExp, random: Random): string {
  return drawAlternatives({ source, at: 0 }, random)
}

function drawAlternatives(reader: Reader, random: Random): string {
  const drawn = [drawSequence(reader, random)]
  while (reader.source[reader.at] === '|') {
    reader.at++
    drawn.push(drawSequence(reader, random))
  }
  return random.pick(drawn) ?? ''
}

function drawSequence(reader: Reader, random: Random): string {
  let text = ''
  for (let sign = reader.source[reader.at]; sign !== undefined; sign = reader.source[reader.at]) {
    if (sign === '|' || sign === ')') break
    const start = reader.at
    drawAtom(reader, random)
    const end = reader.at
    const count = readCount(reader, random)
    const after = reader.at
    for (let done = 0; done < count; done++) {
      reader.at = start
      text += drawAtom(reader, random)
    }
    reader.at = Math.max(end, after)
  }
  return text
}

function drawAtom(reader: Reader, random: Random): string {
  const sign = reader.source[reader.at++] ?? ''
  if (sign === '(') return drawGroup(reader, random)
  if (sign === '[') return random.pick(readClass(reader)) ?? ''
  if (sign === '\\') return random.pick(readEscape(reader)) ?? ''
  if (sign === '.') return random.pick(PRINTABLE) ?? ''
  return sign === '^' || sign === '$' ? '' : sign
}

function drawGroup(reader: Reader, random: Random): string {
  const [mark = ''] = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(reader.source.slice(reader.at)) ?? []
  reader.at += mark.length
  const text = drawAlternatives(reader, random)
  reader.at++
  // what only looks is no part of the text
  return mark.endsWith('=') || mark.endsWith('!') ? '' : text
}

function readEscape(reader: Reader): readonly string[] {
  const sign = reader.source[reader.at++] ?? ''
  if (sign === 'b' || sign === 'B') return ['']
  const code = /^(?:x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\})/i.exec(reader.source.slice(reader.at - 1))?.[0]
  if (code !== undefined) {
    reader.at += code.length - 1
    return [String.fromCodePoint(Number.parseInt(code.replaceAll(/[xu{}]/g, ''), 16))]
  }
  if (sign === 'p' || sign === 'P') {
    reader.at += /^\{[^}]*\}/.exec(reader.source.slice(reader.at))?.[0].length ?? 0
    return WORDS
  }
  return SETS[sign] ?? [CONTROLS[sign] ?? sign]
}

function readClass(reader: Reader): readonly string[] {
  const isNegated = reader.source[reader.at] === '^'
  if (isNegated) reader.at++
  const signs: string[] = []
  while (reader.at < reader.source.length && reader.source[reader.at] !== ']') {
    const from = readMember(reader)
    const isRange =
      reader.source[reader.at] === '-' && reader.source[reader.at + 1] !== ']' && from.length === 1
    if (!isRange) signs.push(...from)
    else {
      reader.at++
      signs.push(...rangeOf(from[0] ?? '', readMember(reader)[0] ?? ''))
    }
  }
  reader.at++
  return isNegated ? PRINTABLE.filter((sign) => !signs.includes(sign)) : signs
}

function readMember(reader: Reader): readonly string[] {
  const sign = String.fromCodePoint(reader.source.codePointAt(reader.at) ?? 0)
  reader.at += sign.length
  return sign === '\\' ? readEscape(reader) : [sign]
}

function rangeOf(from: string, to: string): readonly string[] {
  const first = from.codePointAt(0) ?? 0
  const length = Math.min((to.codePointAt(0) ?? 0) - first + 1, 256)
  return Array.from({ length: Math.max(0, length) }, (_, index) => String.fromCodePoint(first + index))
}

/** How often the atom before is repeated. */
function readCount(reader: Reader, random: Random): number {
  const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at)) ?? []
  if (quantifier === undefined) return 1
  reader.at += quantifier.length
  if (quantifier.startsWith('?')) return random.whole(0, 1)
  if (quantifier.startsWith('*')) return random.whole(0, MOST)
  if (quantifier.startsWith('+')) return random.whole(1, 1 + MOST)
  const [, min = '0', comma, max] = /^\{(\d+)(,)?(\d*)\}/.exec(quantifier) ?? []
  const least = Number(min)
  if (comma === undefined) return least
  return random.whole(least, max === '' || max === undefined ? least + MOST : Number(max))
}
