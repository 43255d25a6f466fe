import type { OutputOf, Schema } from '../schema/schema.ts'
import type { BuiltIn } from './built-in.ts'
import type { SessionValues } from './register.ts'

/** The session of a client: data kept on the server, found by a signed id in a cookie. */
export interface Session<T = SessionValues> {
  /** The id in the cookie; as long as nothing was stored, one that no client knows. */
  readonly id: string
  /** To read and to change. What changed is stored before the response is sent. */
  readonly data: T
  /** Gives the session a new id and forgets the old one: call it when a client signs in or out. */
  regenerate(): Promise<void>
  /** Forgets the session, in the store and at the client. */
  destroy(): Promise<void>
}

/** The token of the session, with the types of its data. */
interface SessionToken extends BuiltIn<Session> {
  /**
   * The same token with the types of a schema, which has to be the one of the `session` option.
   *
   * @example
   * inject: { session: Session.of(CartSession) }
   */
  of<S extends Schema>(schema: S): BuiltIn<Session<OutputOf<S>>>
}

/**
 * The session: `inject: { session: Session }`. Needs the `session` option of `createApp`. {@link Register} or `Session.of` types its data.
 */
export const Session: SessionToken = {
  kind: 'built-in',
  token: 'Session',
  of: (schema) => ({ kind: 'built-in', token: 'Session', schema }),
}
