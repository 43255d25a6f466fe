import type { Logger } from '../../define/context.ts'
import type { Session } from '../../define/built-in-tokens.ts'
import type { HttpRequest } from '../../http/http.ts'
import { commitSession } from './commit.ts'
import { createDataReader, toJson, toPlaces } from './data.ts'
import { deadlineOf, openStore } from './store.ts'
import { toSessionSettings, type SessionOptions } from './options.ts'
import { parseRecord, timeLeft } from './record.ts'
import { createId, createSigner } from './signature.ts'
import type { SessionParts, SessionState, Stored } from './state.ts'

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
    store: openStore(settings, log),
    load: createDataReader(settings.schema),
    signer: createSigner(settings.secrets),
    log,
  }
  const warnOnce = createWarning(log)
  return {
    open: async (request) => {
      const state = await openState(parts, request, warnOnce)
      return { session: toSession(state), commit: () => commitOnce(parts, state) }
    },
  }
}

async function openState(
  parts: SessionParts,
  request: HttpRequest,
  warn: (places: string) => void,
): Promise<SessionState> {
  const cookie = request.cookies[parts.settings.cookieName]
  const stored = cookie === undefined ? undefined : await findStored(parts, cookie)
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

/** The live record that a cookie names, if the cookie was signed here. */
async function findStored(
  { settings, store, signer }: SessionParts,
  cookie: string,
): Promise<Stored | undefined> {
  const signed = signer.read(cookie)
  if (signed === undefined) return undefined
  const record = parseRecord(await store.read(signed.id, deadlineOf(settings)))
  if (record === undefined || timeLeft(record, settings, Date.now()) <= 0) return undefined
  return { ...record, ...signed }
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

async function commitOnce(parts: SessionParts, state: SessionState): Promise<readonly string[]> {
  if (state.isCommitted) return []
  state.isCommitted = true
  return commitSession(parts, state)
}

/** A warning about stored data that no longer fits: a new schema would bring one for every session. */
function createWarning(log: Logger): (places: string) => void {
  let isSaid = false
  return (places) => {
    if (isSaid) return
    isSaid = true
    log.warn({ places }, 'A stored session no longer fits its schema and is left aside; this is said once')
  }
}
