import { findSecret, signatureOf } from '../../server/session/signature.ts'
import type { SortKey } from './order.ts'
import { MAX_CURSOR } from './schemas.ts'

/** A place in a list. */
export interface Place {
  /** Whether the page has the rows before the place, instead of those that follow it. */
  readonly isBackward: boolean
  /** The keys of the row at the place. `undefined` is the beginning of the list, or its end for pages backward. */
  readonly keys: readonly SortKey[] | undefined
}

/** Reads and writes cursors. `about` is the list that a cursor is of: its filter, order and version. */
export interface Cursors {
  /** @throws `RangeError` if the keys are too long. */
  readonly write: (about: string, place: Place) => string
  /** `undefined` for a cursor that was not signed here, is that of another list, or has expired. */
  readonly read: (about: string, cursor: string) => Place | undefined
}

const PURPOSE = 'octavo.page'

/** A payload in base64url, a dot, and the 32 bytes of its signature in base64url. */
const SIGNED = /^([\w-]+)\.([\w-]{43})$/

/** Signs with the first secret, accepts the signatures of all. `lifetime` is in milliseconds. */
export function createCursors(secrets: readonly string[], lifetime: number | undefined): Cursors {
  const [first = ''] = secrets
  return {
    write: (about, place) => {
      const payload = Buffer.from(JSON.stringify(toPayload(place, lifetime))).toString('base64url')
      // the payload has no line break, so nothing else has this text
      const cursor = `${payload}.${signatureOf(PURPOSE, `${payload}\n${about}`, first)}`
      if (cursor.length <= MAX_CURSOR) return cursor
      throw new RangeError(
        `The cursor of a row would have ${cursor.length} characters, and ${MAX_CURSOR} are possible: order by shorter fields`,
      )
    },
    read: (about, cursor) => {
      const [, payload = '', signature = ''] = SIGNED.exec(cursor) ?? []
      const text = `${payload}\n${about}`
      if (signature === '' || findSecret(PURPOSE, text, signature, secrets) === -1) return undefined
      return toPlace(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    },
  }
}

/** The content of a cursor: its direction, when it ends or `null`, and its keys. What JSON has no word for is a list. */
type Payload = readonly [isBackward: 0 | 1, end: number | null, ...keys: unknown[]]

function toPayload({ isBackward, keys = [] }: Place, lifetime: number | undefined): Payload {
  return [isBackward ? 1 : 0, lifetime === undefined ? null : Date.now() + lifetime, ...keys.map(toJson)]
}

function toPlace([isBackward, end, ...keys]: Payload): Place | undefined {
  if (end !== null && end < Date.now()) return undefined
  return { isBackward: isBackward === 1, keys: keys.length === 0 ? undefined : keys.map(fromJson) }
}

function toJson(key: SortKey): unknown {
  if (typeof key === 'bigint') return [String(key)]
  return key instanceof Date ? [key.getTime()] : key
}

function fromJson(key: unknown): SortKey {
  if (!Array.isArray(key)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its signature proves that it was written above
    return key as SortKey
  }
  const [held]: readonly unknown[] = key
  return typeof held === 'string' ? BigInt(held) : new Date(Number(held))
}
