// for the compiler of others, in declarations; a comment of another kind would not get there
// oxlint-disable-next-line jsdoc/check-tag-names
/** @ts-ignore undici is optional, and declarations have to do without it */
import type { Dispatcher } from 'undici'

/** What `fetch` of Node takes by the types of the platform, which are of another undici; anything where they name none. */
type OfPlatform = RequestInit extends { dispatcher?: infer D } ? NonNullable<D> : unknown

/** A dispatcher for undici and for Node's own `fetch`. */
export type AppDispatcher = Dispatcher & OfPlatform
