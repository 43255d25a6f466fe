// The public types of octavo/undici. npm run api writes this file, and nothing imports it.

export type AppDispatcher = Dispatcher & OfPlatform

type OfPlatform = RequestInit extends {
  dispatcher?: infer D
}
  ? NonNullable<D>
  : unknown

export function createDispatcher(app: App): AppDispatcher
