/** The channel of `node:diagnostics_channel` that publishes a {@link ChangeLoad}. */
export const LOAD_CHANNEL = 'octavo.change.load'

/** A change has loaded data, or failed to. */
export interface ChangeLoad {
  /** The id of the change. */
  readonly change: string
  /** Milliseconds. */
  readonly duration: number
}
