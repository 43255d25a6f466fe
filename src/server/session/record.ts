import { isRecord } from '../../base/values.ts'
import { parseJson } from './data.ts'

/** The record of a session in the store. Times are milliseconds since 1970. */
export interface SessionRecord {
  readonly created: number
  /** When it was last used, as far as it was written down. */
  readonly used: number
  /** The data as JSON. */
  readonly data: string
}

/** How long sessions live, in milliseconds. */
export interface Lifetime {
  readonly idleTimeout: number
  readonly absoluteTimeout: number
}

/** The text that is stored; the data is in it as it stands. */
export function toRecordText({ created, used, data }: SessionRecord): string {
  return `{"created":${created},"used":${used},"data":${data}}`
}

/** Parses a record of the store. Returns `undefined` for an invalid one. */
export function parseRecord(text: unknown): SessionRecord | undefined {
  if (typeof text !== 'string') return undefined
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { created, used, data } = value
  if (!Number.isFinite(created) || !Number.isFinite(used) || !isRecord(data)) return undefined
  return { created: Number(created), used: Number(used), data: JSON.stringify(data) }
}

/** Milliseconds that a record has left; 0 or less when it has expired. */
export function timeLeft({ created, used }: SessionRecord, lifetime: Lifetime, now: number): number {
  return Math.min(used + lifetime.idleTimeout, created + lifetime.absoluteTimeout) - now
}

/** Whether its use has to be written down again: once in a tenth of the idle time, so that reading is seldom writing. */
export function isRenewalDue({ used }: SessionRecord, { idleTimeout }: Lifetime, now: number): boolean {
  return now - used >= idleTimeout / 10
}
