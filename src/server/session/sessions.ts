import type { Logger, Session } from '../../define/context.ts'
import type { HttpRequest } from '../../http/http.ts'
import {
  createDataReader,
  toJson,
  toPlaces,
  parseJson,
  parseRecord,
  timeLeft,
  isRenewalDue,
  toRecordText,
  toSessionSettings,
  type JsonRecord,
  type LoadData,
  type SessionRecord,
  type SessionOptions,
  type SessionSettings,
} from './options.ts'
import { createId, createSigner, type Signer } from './signature.ts'
import { httpError, type HttpError } from '../../http/errors.ts'
import { processObserver } from '../../define/observer.ts'
import { isRecord } from '../../base/values.ts'
import { writeSetCookie } from '../../http/cookies.ts'
import { guardStore, type GuardedStore, type StoreCaller } from '../stores/guarded-store.ts'
import { openMemory } from '../stores/memory.ts'

/** The sessions of an application. */
export interface Sessions {
  /** The session of a request: the stored one that its cookie names, else an empty new one. Call it once for a request. */
  open(request: HttpRequest): Promise<OpenSession>
}

/** A session while its request is answered. */
export interface OpenSession {
  readonly session: Session
  /** Stores the changes and returns the Set-Cookie lines. Later calls have no effect. */
  commit(this: void): Promise<readonly string[]>
}

/** Creates the sessions of an application from options without problems. */
export function createSessions(options: SessionOptions, log: Logger): Sessions {
  const settings = toSessionSettings(options)
  const parts: SessionParts = {
    settings,
    store: openStore(settings),
    load: createDataReader(settings.schema),
    signer: createSigner(settings.secrets),
    log,
  }
  let isWarned = false
  // a new schema would bring a warning for every session
  const warnOnce = (places: string): void => {
    if (isWarned) return
    isWarned = true
    log.warn({ places }, 'A stored session no longer fits its schema and is left aside; this is said once')
  }
  return {
    open: async (request) => {
      const state = await openState(parts, request, warnOnce)
      return {
        session: toSession(state),
        commit: async () => {
          if (state.isCommitted) return []
          state.isCommitted = true
          return commitSession(parts, state)
        },
      }
    },
  }
}

async function openState(
  parts: SessionParts,
  request: HttpRequest,
  warn: (places: string) => void,
): Promise<SessionState> {
  const cookie = request.cookies[parts.settings.cookieName]
  const signed = cookie === undefined ? undefined : parts.signer.read(cookie)
  const live = signed && (await readLive(parts, signed.id, deadlineOf(parts)))
  const stored: Stored | undefined = live && signed && { ...live.record, ...signed }
  const found = stored && (await parts.load(stored.data))
  const begun = {
    hasCookie: cookie !== undefined,
    isRegenerated: false,
    destroyed: undefined,
    isCommitted: false,
  }
  if (stored !== undefined && found !== undefined) {
    if ('data' in found) return { ...begun, ...found, id: stored.id, stored }
    warn(toPlaces(found.issues))
  }
  const empty = await parts.load('{}')
  if ('issues' in empty)
    throw new Error(`The session schema does not accept a new session: ${toPlaces(empty.issues)}`)
  return { ...begun, ...empty, id: createId(), stored: undefined }
}

function toSession(state: SessionState): Session {
  return {
    get id() {
      return state.id
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has read it, or it is any JSON
    data: state.data as Session['data'],
    // async, so that what is wrong rejects
    regenerate: async () => {
      checkOpen(state)
      if (state.destroyed !== undefined) throw new Error('The session is destroyed and cannot be regenerated')
      state.id = createId()
      state.isRegenerated = true
    },
    destroy: async () => {
      checkOpen(state)
      state.destroyed ??= toJson(state.data)
    },
  }
}

function checkOpen(state: SessionState): void {
  if (state.isCommitted) throw new Error('The session is stored already: its response is being sent')
}

/** Of the whole process: ids are unique, and several applications may share a store. */
const inTurn = createLocks()

/** Stores the changes of a request to its session and returns the Set-Cookie lines. */
async function commitSession(parts: SessionParts, state: SessionState): Promise<readonly string[]> {
  if (state.destroyed !== undefined) return commitDestroyed(parts, state, state.destroyed)
  const isChanged = toJson(state.data) !== state.text
  const { stored, isRegenerated } = state
  if (stored === undefined) return isChanged || isRegenerated ? commitNew(parts, state) : []
  if (isChanged || isRegenerated) return commitChanged(parts, state, stored)
  const isRenewed = await renew(parts, stored)
  return toLines(parts, stored, isRenewed)
}

/** The cookie again where the client's is out of date. */
function toLines(parts: SessionParts, { id, isCurrent }: Stored, isWritten: boolean): readonly string[] {
  const isMoved = isWritten && parts.settings.cookie.maxAge !== undefined
  return isMoved || !isCurrent ? [toCookieLine(parts, id)] : []
}

async function commitDestroyed(
  parts: SessionParts,
  { stored, data, hasCookie }: SessionState,
  text: string,
): Promise<readonly string[]> {
  if (stored !== undefined) {
    const deadline = deadlineOf(parts)
    await inTurn(stored.id, async () => parts.store.delete(keyOf(stored.id), {}, callerOf(parts, deadline)))
    processObserver().session?.('ended')
  }
  if (toJson(data) !== text)
    parts.log.warn({}, 'Data was changed after the session was destroyed, and is not stored')
  const { cookieName, cookie } = parts.settings
  return hasCookie ? [writeSetCookie(cookieName, '', { ...cookie, maxAge: 0, expires: new Date(0) })] : []
}

async function commitNew(parts: SessionParts, { id, data }: SessionState): Promise<readonly string[]> {
  const now = Date.now()
  const record = { created: now, used: now, data: await check(parts, data) }
  await write(parts, id, record, deadlineOf(parts))
  processObserver().session?.('started')
  return [toCookieLine(parts, id)]
}

async function commitChanged(
  parts: SessionParts,
  state: SessionState,
  stored: Stored,
): Promise<readonly string[]> {
  const deadline = deadlineOf(parts)
  const mine = await check(parts, state.data)
  return inTurn(stored.id, async () => {
    for (let tries = 0; tries < TRIES; tries++) {
      const current = await readLive(parts, stored.id, deadline)
      // ended by another request: writing would bring it back to life
      if (current === undefined) break
      const { data: known, created } = current.record
      const data = known === stored.data ? mine : await merge(parts, state.text, known, mine)
      const used = Date.now()
      if (state.isRegenerated) {
        const record = { created: used, used, data }
        if (await move(parts, { text: current.text, id: stored.id }, { record, id: state.id }, deadline))
          return [toCookieLine(parts, state.id)]
      } else if (await write(parts, stored.id, { created, used, data }, deadline, current.text))
        return toLines(parts, stored, true)
    }
    throw sessionConflict()
  })
}

/** Moves a session to its new id. Returns `false` if another process has changed or ended it. */
async function move(
  parts: SessionParts,
  from: Pick<Live, 'text'> & { readonly id: string },
  to: Pick<Live, 'record'> & { readonly id: string },
  deadline: number,
): Promise<boolean> {
  // no client knows the new id yet
  await write(parts, to.id, to.record, deadline)
  // a store says whether it replaced a value, and not whether it deleted one
  const options = { ttl: 1, ifEqual: from.text }
  if (await parts.store.set(keyOf(from.id), '', options, callerOf(parts, deadline))) return true
  await parts.store.delete(keyOf(to.id), {}, callerOf(parts, deadline))
  return false
}

/** How often a change is tried on the newest data, while other processes change the session too. */
const TRIES = 10

/** Writes down that the session is in use, once in a while; whether it did. Only an answer that is ready would be lost by failing. */
async function renew(parts: SessionParts, stored: Stored): Promise<boolean> {
  if (!isRenewalDue(stored, parts.settings, Date.now())) return false
  const deadline = deadlineOf(parts)
  try {
    return await inTurn(stored.id, async () => {
      const current = await readLive(parts, stored.id, deadline)
      const now = Date.now()
      if (current === undefined || !isRenewalDue(current.record, parts.settings, now)) return false
      return write(parts, stored.id, { ...current.record, used: now }, deadline, current.text)
    })
  } catch {
    // the guarded store has logged the cause
    return false
  }
}

/** The JSON to store. That the data fits is the program's business, so it is no error of the client when it does not. */
async function check(parts: SessionParts, data: object): Promise<string> {
  const loaded = await parts.load(toJson(data))
  if ('text' in loaded) return loaded.text
  throw new Error(`The data of the session does not fit its schema, as JSON: ${toPlaces(loaded.issues)}`)
}

async function merge(parts: SessionParts, base: string, stored: string, mine: string): Promise<string> {
  const { log, settings } = parts
  const current = await parts.load(stored)
  if ('issues' in current) throw sessionConflict()
  const { data, conflicts } = mergeData(parseData(base), parseData(current.text), parseData(mine))
  if (conflicts.length > 0) {
    if (settings.conflicts === 'refuse') throw sessionConflict()
    log.warn({ keys: conflicts }, 'Two requests changed a session at the same time; the later one wins')
  }
  const merged = await parts.load(JSON.stringify(data))
  // each fits, both together do not
  if ('issues' in merged) throw sessionConflict()
  return merged.text
}

/** A session in the store that has not ended, and the text that it is stored as. */
interface Live {
  readonly record: SessionRecord
  readonly text: string
}

async function readLive(parts: SessionParts, id: string, deadline: number): Promise<Live | undefined> {
  const text = await parts.store.get(keyOf(id), callerOf(parts, deadline))
  const record = parseRecord(text)
  if (text === undefined || record === undefined) return undefined
  return timeLeft(record, parts.settings, Date.now()) > 0 ? { record, text } : undefined
}

/** Stores a record, in place of a text if there is one to replace. Returns `false` if another process has replaced or removed that. */
async function write(
  parts: SessionParts,
  id: string,
  record: SessionRecord,
  deadline: number,
  replaced?: string,
): Promise<boolean> {
  // 0 would be no time at all
  const ttl = Math.max(1, timeLeft(record, parts.settings, Date.now()))
  const options = replaced === undefined ? { ttl } : { ttl, ifEqual: replaced }
  return parts.store.set(keyOf(id), toRecordText(record), options, callerOf(parts, deadline))
}

function keyOf(id: string): string {
  return `session:${id}`
}

/** When an operation that begins now has to be done, on the clock of `performance.now()`. */
function deadlineOf({ settings }: SessionParts): number {
  return performance.now() + settings.storeTimeout
}

/** Leaves a call of the store the rest of the time that its operation has. */
function callerOf({ log }: SessionParts, deadline: number): StoreCaller {
  const time = Math.ceil(deadline - performance.now())
  if (time > 0) return { log, time }
  throw sessionUnavailable(new Error('The store gave no answer in time'))
}

function sessionUnavailable(cause: unknown): HttpError {
  const detail = 'Sessions are not available at the moment; try again later'
  return httpError('session_unavailable', detail, { cause })
}

/** Sessions in memory: whoever sends no cookie gets a new one with every request that writes to it. */
const MAX_SESSIONS = 50_000

function openStore({
  store = openMemory({ maxKeys: MAX_SESSIONS }),
  storeTimeout,
}: SessionSettings): GuardedStore {
  return guardStore(store, {
    name: 'sessions',
    timeout: storeTimeout,
    toError: sessionUnavailable,
  })
}

function parseData(text: string): JsonRecord {
  const value = parseJson(text)
  return isRecord(value) ? value : {}
}

function sessionConflict(): HttpError {
  return httpError('session_conflict', 'Another request changed or ended the session meanwhile; try again')
}

/** Runs tasks of one key one after the other, in the order they came. */
type Locks = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Creates locks. A key is removed when its last waiter has gone. */
function createLocks(): Locks {
  const last = new Map<string, Promise<void>>()
  return async (key, task) => {
    const before = last.get(key)
    let release: (() => void) | undefined
    const done = new Promise<void>((resolve) => {
      release = resolve
    })
    last.set(key, done)
    try {
      await before
      return await task()
    } finally {
      if (last.get(key) === done) last.delete(key)
      release?.()
    }
  }
}

/** Two changes of one record, put together. */
interface Merged {
  readonly data: JsonRecord
  /** The keys that both have changed, to different values; `mine` is in the data. */
  readonly conflicts: readonly string[]
}

/** Applies to `current` what `mine` changes in `base`, key by key of the top level. */
function mergeData(base: JsonRecord, current: JsonRecord, mine: JsonRecord): Merged {
  const keys = [...new Set([...Object.keys(current), ...Object.keys(mine)])]
  const both = [...new Set([...keys, ...Object.keys(base)])]
  const entries = keys.flatMap((key): [string, unknown][] => {
    const from = isSame(mine, base, key) ? current : mine
    return Object.hasOwn(from, key) ? [[key, from[key]]] : []
  })
  return {
    // not by assignment: a key may be named like something that objects inherit
    data: Object.fromEntries(entries),
    conflicts: both.filter(
      (key) => !isSame(mine, base, key) && !isSame(current, base, key) && !isSame(mine, current, key),
    ),
  }
}

function isSame(a: JsonRecord, b: JsonRecord, key: string): boolean {
  return textOf(a, key) === textOf(b, key)
}

function textOf(record: JsonRecord, key: string): string | undefined {
  return Object.hasOwn(record, key) ? JSON.stringify(record[key]) : undefined
}

/** The parts that opening and storing sessions needs. */
interface SessionParts {
  readonly settings: SessionSettings
  readonly store: GuardedStore
  readonly load: LoadData
  readonly signer: Signer
  readonly log: Logger
}

/** A session as it was found in the store. */
interface Stored extends SessionRecord {
  readonly id: string
  /** Whether the cookie was signed by the secret that signs now. */
  readonly isCurrent: boolean
}

/** The state of an open session. */
interface SessionState {
  id: string
  readonly stored: Stored | undefined
  readonly data: object
  /** The JSON of the data as it was when the session was opened. */
  readonly text: string
  /** Whether the client sent a cookie of the name, whatever is in it. */
  readonly hasCookie: boolean
  isRegenerated: boolean
  /** The JSON of the data when the session was destroyed. */
  destroyed: string | undefined
  isCommitted: boolean
}

/** The Set-Cookie line that gives the client an id. */
function toCookieLine({ settings, signer }: SessionParts, id: string): string {
  return writeSetCookie(settings.cookieName, signer.sign(id), settings.cookie)
}
