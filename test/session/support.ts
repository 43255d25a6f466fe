import { parseSetCookie } from 'cookie'
import type { HttpRequest, Session, SessionOptions, StoreSetOptions } from 'octavo'
import { createSessions } from '../inside/server.ts'
import type { Sessions } from '../inside/server.ts'

export const SECRET = 'a secret of more than 32 characters'

/** A line of the log. */
export interface Line {
  readonly level: string
  readonly details: object
  readonly message: string | undefined
}

/** A logger that keeps what it is told. */
export function createTestLogger() {
  const lines: Line[] = []
  const write = (level: string) => (details: object, message?: string) =>
    void lines.push({ level, details, message })
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}

/** The part of a request that sessions read. */
export function toRequest(cookies: Readonly<Record<string, string>> = {}): HttpRequest {
  return { cookies: { __proto__: null, ...cookies } } as unknown as HttpRequest
}

/** A store that counts, and lets its content be seen. */
export function createTestStore() {
  const entries = new Map<string, string>()
  const calls: string[] = []
  return {
    entries,
    calls,
    get: async (key: string): Promise<string | undefined> => {
      calls.push('get')
      return entries.get(key)
    },
    set: async (key: string, value: string, { ttl, ifEqual }: StoreSetOptions = {}): Promise<boolean> => {
      calls.push('set')
      if (ifEqual !== undefined && entries.get(key) !== ifEqual) return false
      if (ttl === 1) entries.delete(key)
      else entries.set(key, value)
      return true
    },
    delete: async (key: string): Promise<boolean> => {
      calls.push('delete')
      return entries.delete(key)
    },
  }
}

/** A browser: sends the cookies it was given, one request after the other or at once. */
export function createClient(sessions: Sessions, cookies: Record<string, string> = {}) {
  /** Takes over what a response sets. */
  function keep(lines: readonly string[]) {
    for (const line of lines) {
      const { name, value, maxAge } = parseSetCookie(line)
      if (maxAge === 0) delete cookies[name]
      else cookies[name] = value ?? ''
    }
    return lines
  }
  return {
    cookies,
    open: () => sessions.open(toRequest(cookies)),
    keep,
    /** One request: what is done with the session, and the lines that are set. */
    visit: async (use: (session: Session) => unknown = () => undefined) => {
      const { session, commit } = await sessions.open(toRequest(cookies))
      await use(session)
      return keep(await commit())
    },
    /** What the session holds. */
    read: async () => (await sessions.open(toRequest(cookies))).session.data,
  }
}

/** Sessions over a store that can be looked into. */
export function createFixture(options: Partial<SessionOptions> = {}) {
  const store = createTestStore()
  const log = createTestLogger()
  const sessions = createSessions({ secret: SECRET, store, ...options }, log)
  return { store, log, sessions, client: createClient(sessions) }
}
