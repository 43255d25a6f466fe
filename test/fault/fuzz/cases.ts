import { createCompressed, createJson, createMultipart } from './bodies.ts'
import { mutate, splice } from './mutate.ts'
import { createRandom, toCaseSeed } from './random.ts'
import type { Random } from './random.ts'
import { createOddTarget, createPlain, createWithBody, toBytes, toChunkedBytes } from './requests.ts'

/** What is done on one connection. */
export interface FuzzCase {
  readonly kind: string
  /** What is written, piece by piece, each after a number of milliseconds. */
  readonly steps: readonly Step[]
  /** What is done afterwards: the answer is read, or the other half of the connection goes first, or all of it at once. */
  readonly ending: 'read' | 'half-close' | 'cut' | 'no-read'
  /** Whether nothing was changed, so that every answer has to be whole. */
  readonly isIntact: boolean
}

export interface Step {
  readonly bytes: Buffer
  readonly wait: number
}

type Make = (random: Random) => Buffer

const real: Make = (random) => toBytes((random.chance(0.5) ? createPlain : createWithBody)(random))

/** What is sent, by the name of its kind; the number says how often it is chosen. */
const KINDS: Readonly<Record<string, readonly [weight: number, make: Make]>> = {
  bytes: [1, (random) => random.bytes(random.pick([1, 10, 100, 5_000]))],
  real: [4, real],
  mutated: [6, (random) => mutate(real(random), random)],
  spliced: [2, (random) => splice(real(random), real(random), random)],
  target: [2, (random) => toBytes(createOddTarget(random))],
  json: [2, (random) => toBytes(createWithBody(random, createJson))],
  multipart: [4, (random) => toBytes({ ...createWithBody(random, createMultipart), method: 'POST' })],
  compressed: [2, (random) => toBytes(createWithBody(random, createCompressed))],
  chunked: [3, (random) => toChunkedBytes(createWithBody(random), random)],
  'chunked and mutated': [1, (random) => mutate(toChunkedBytes(createWithBody(random), random), random)],
  pipeline: [2, (random) => Buffer.concat(Array.from({ length: 2 + random.below(12) }, () => real(random)))],
  'broken pipeline': [
    1,
    (random) => Buffer.concat([real(random), mutate(real(random), random), real(random)]),
  ],
}
const NAMES = Object.entries(KINDS).flatMap(([name, [weight]]) => Array.from({ length: weight }, () => name))
const ENDINGS = ['read', 'read', 'read', 'read', 'half-close', 'cut', 'no-read'] as const
/** What breaks off by itself, or ends the connection before all of a pipeline is answered. */
const BREAKS_OFF = /stream\/fail|connection: (?!keep-alive)/
const INTACT = new Set(['real', 'pipeline'])
/** Bytes that a server reads at once. What is unread when it ends a connection takes along what was sent and not yet received. */
const AT_ONCE = 16_384

/** Makes one case of a run: the same for the same seed and index. */
export function createCase(seed: number, index: number): FuzzCase {
  const random = createRandom(toCaseSeed(seed, index))
  const kind = NAMES[random.below(NAMES.length)] ?? 'real'
  const whole = KINDS[kind]?.[1](random) ?? real(random)
  const ending = random.pick(ENDINGS)
  const isCut = ending === 'cut' || random.chance(0.05)
  const bytes = isCut ? whole.subarray(0, random.below(whole.length + 1)) : whole
  const isIntact =
    INTACT.has(kind) &&
    !isCut &&
    ending === 'read' &&
    (kind === 'real' || whole.length < AT_ONCE) &&
    !BREAKS_OFF.test(whole.toString('latin1'))
  return { kind, steps: toSteps(bytes, random), ending, isIntact }
}

/** In one piece, in several, or in drops. */
function toSteps(bytes: Buffer, random: Random): readonly Step[] {
  const pieces = random.pick([1, 1, 1, 1, 2, 4, 12])
  const cuts = Array.from({ length: pieces - 1 }, () => random.below(bytes.length + 1)).toSorted(
    (a, b) => a - b,
  )
  const edges = [0, ...cuts, bytes.length]
  return edges.slice(1).map((end, at) => ({
    bytes: bytes.subarray(edges[at], end),
    wait: at === 0 || random.chance(0.5) ? 0 : random.below(15),
  }))
}
