import { Readable } from 'node:stream'

import { reply, stream, text } from 'octavo'

import type { Random } from '../../fault/fuzz/random.ts'

/** What a handler, or an API behind, answers with. */
export interface Plan {
  readonly status: number
  readonly kind: Kind
  readonly size: number
  /** What a Content-Length says beside it. */
  readonly said: 'nothing' | 'size' | 'less' | 'more'
  /** Whether it fails behind a part of the body. */
  readonly fails: boolean
}

const STATUSES = [200, 201, 204, 205, 206, 302, 304, 404, 500] as const
const SIZES = [0, 1, 5, 20_000, 100_000] as const
export const STREAMS = ['generator', 'node', 'web', 'response-stream'] as const
export const WHOLES = ['text', 'data', 'bytes', 'response', 'nothing', 'response-nothing'] as const

type Kind = (typeof STREAMS)[number] | (typeof WHOLES)[number]

export function toPlan(random: Random): Plan {
  const kind: Kind = random.pick([...STREAMS, ...WHOLES])
  const fails = isFailing(kind) && random.chance(0.5)
  return {
    status: random.chance(0.5) ? 200 : random.pick(STATUSES),
    kind,
    // a part is not the whole
    size: fails ? random.pick([5, 20_000, 100_000]) : random.pick(SIZES),
    said: random.chance(0.4) ? 'nothing' : random.pick(['size', 'less', 'more']),
    fails,
  }
}

/** Whether Octavo reads a body chunk by chunk, so that nothing but the end shows its length. */
export function isStreamed(kind: Kind): boolean {
  return kind === 'response' || isFailing(kind)
}

function isFailing(kind: Kind): boolean {
  return STREAMS.some((each) => each === kind)
}

/** The number in the Content-Length of a plan, or `undefined` for none. */
export function saidLength({ said, size }: Plan): number | undefined {
  if (said === 'nothing') return undefined
  return size + { size: 0, less: size === 0 ? 0 : -1, more: 3 }[said]
}

export const bodyOf = ({ size }: Pick<Plan, 'size'>): string => 'x'.repeat(size)

// in two parts, without the second one if it fails
async function* partsOf(plan: Plan): AsyncGenerator<Uint8Array> {
  const body = Buffer.from(bodyOf(plan))
  const middle = Math.ceil(body.length / 2)
  yield body.subarray(0, middle)
  await new Promise((resolve) => setImmediate(resolve))
  if (plan.fails) throw new Error('of the test')
  yield body.subarray(middle)
}

/** The result of a handler. */
export function toResult(plan: Plan): unknown {
  const { status, kind } = plan
  const length = saidLength(plan)
  const headers: Record<string, string> = length === undefined ? {} : { 'content-length': String(length) }
  // the constructor takes no body for these
  const isNull = [204, 205, 304].includes(status)
  switch (kind) {
    case 'text':
      return text(bodyOf(plan), { status, headers })
    case 'data':
      return reply(status, bodyOf(plan), { headers: { ...headers, 'content-type': 'text/plain' } })
    case 'bytes':
      return reply(status, Buffer.from(bodyOf(plan)), { headers })
    case 'response':
      return new Response(isNull ? null : bodyOf(plan), { status, headers })
    case 'nothing':
      return reply(status, undefined, { headers })
    case 'response-nothing':
      return new Response(null, { status, headers })
    case 'response-stream':
      return new Response(isNull ? null : (Readable.toWeb(Readable.from(partsOf(plan))) as ReadableStream), {
        status,
        headers,
      })
    case 'generator':
      return stream(partsOf(plan), { status, headers })
    case 'node':
      return stream(Readable.from(partsOf(plan)), { status, headers })
    case 'web':
      return stream(Readable.toWeb(Readable.from(partsOf(plan))) as ReadableStream<Uint8Array>, {
        status,
        headers,
      })
  }
}
