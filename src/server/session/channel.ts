/** The channel of `node:diagnostics_channel` that publishes a {@link SessionEvent} when the store has it. */
export const SESSION_CHANNEL = 'octavo.session'

/** A session was stored for the first time, or removed from the store by `destroy`. */
export interface SessionEvent {
  readonly event: 'started' | 'ended'
}
