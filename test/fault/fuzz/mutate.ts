import type { Random } from './random.ts'

/** Changes bytes without regard to what they mean. */
type Mutation = (bytes: Buffer, random: Random) => Buffer

/** Numbers where programs begin to err. */
export const ODD_NUMBERS = [
  '0',
  '-1',
  '-0',
  '+1',
  '1e9',
  '0x10',
  '007',
  ' 5',
  '5 ',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '18446744073709551616',
  '9'.repeat(400),
  'NaN',
  'Infinity',
  '',
] as const

/** Bytes that mean something in HTTP, in URLs, in JSON, in multipart bodies, or to those who join texts. */
export const ODD_BYTES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\t',
  ' ',
  ':',
  ';',
  ',',
  '"',
  '\\',
  '%',
  '%00',
  '%2e%2e%2f',
  '%ff',
  '../',
  '__proto__',
  'constructor',
  '--',
  '\u00ff',
  '\r\n\r\n',
  '\r\n ',
  '{',
  '[',
  '[]',
  '&',
  '=',
] as const

const cut = (bytes: Buffer, random: Random): readonly [start: number, end: number] => {
  const start = random.below(bytes.length + 1)
  return [start, Math.min(bytes.length, start + 1 + random.below(random.chance(0.8) ? 16 : 512))]
}

const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  function flipBit(bytes, random) {
    const changed = Buffer.from(bytes)
    const at = random.below(bytes.length)
    if (changed.length > 0) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
    return changed
  },
  function remove(bytes, random) {
    const [start, end] = cut(bytes, random)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  },
  function repeat(bytes, random) {
    const [start, end] = cut(bytes, random)
    const times = random.chance(0.9) ? 1 : random.below(200)
    const part = Buffer.concat(Array.from({ length: times + 1 }, () => bytes.subarray(start, end)))
    return Buffer.concat([bytes.subarray(0, start), part, bytes.subarray(end)])
  },
  function insertOdd(bytes, random) {
    const at = random.below(bytes.length + 1)
    return Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from(random.pick(ODD_BYTES), 'latin1'),
      bytes.subarray(at),
    ])
  },
  function insertAny(bytes, random) {
    const at = random.below(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(8)), bytes.subarray(at)])
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1))
  },
  function changeNumber(bytes, random) {
    const text = bytes.toString('latin1')
    const numbers = [...text.matchAll(/\d+/g)]
    const found = numbers[random.below(numbers.length)]
    if (found === undefined) return bytes
    const end = found.index + found[0].length
    return Buffer.from(text.slice(0, found.index) + random.pick(ODD_NUMBERS) + text.slice(end), 'latin1')
  },
  function changeLine(bytes, random) {
    const lines = bytes.toString('latin1').split('\r\n')
    const at = random.below(lines.length)
    const line = lines[at] ?? ''
    const other = random.pick([[], [line, line], [` ${line}`], [line.toUpperCase()], [`${line}\n`]])
    return Buffer.from(lines.toSpliced(at, 1, ...other).join('\r\n'), 'latin1')
  },
]

/** The bytes with one to eight changes. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let changed = bytes
  const times = 1 + (random.chance(0.7) ? random.below(2) : random.below(8))
  for (let count = 0; count < times; count++) changed = random.pick(MUTATIONS)(changed, random)
  return changed
}

/** The beginning of one with the end of another. */
export function splice(one: Buffer, other: Buffer, random: Random): Buffer {
  return Buffer.concat([
    one.subarray(0, random.below(one.length + 1)),
    other.subarray(random.below(other.length + 1)),
  ])
}
