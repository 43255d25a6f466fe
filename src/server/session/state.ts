import { writeSetCookie } from '../../http/cookies.ts'
import type { Logger } from '../../define/context.ts'
import type { LoadData } from './data.ts'
import type { GuardedStore } from './store.ts'
import type { SessionSettings } from './options.ts'
import type { SessionRecord } from './record.ts'
import type { Signer } from './signature.ts'

/** The parts that opening and storing sessions needs. */
export interface SessionParts {
  readonly settings: SessionSettings
  readonly store: GuardedStore
  readonly load: LoadData
  readonly signer: Signer
  readonly log: Logger
}

/** A session as it was found in the store. */
export interface Stored extends SessionRecord {
  readonly id: string
  /** Whether the cookie was signed by the secret that signs now. */
  readonly isCurrent: boolean
}

/** The state of an open session. */
export interface SessionState {
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
export function toCookieLine({ settings, signer }: SessionParts, id: string): string {
  return writeSetCookie(settings.cookieName, signer.sign(id), settings.cookie)
}

/** The Set-Cookie line that makes the client forget its id. */
export function toClearedCookieLine({ settings }: SessionParts): string {
  const { cookieName, cookie } = settings
  return writeSetCookie(cookieName, '', { ...cookie, maxAge: 0, expires: new Date(0) })
}
