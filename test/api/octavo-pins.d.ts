// The public types of octavo/pins. npm run api writes this file, and nothing imports it.

export interface PinOptions {
  readonly client?: (request: HttpRequest_2) => Awaitable<string | undefined>
  readonly maxClients?: number
  readonly onFirstUse?: string | ((client: string, request: HttpRequest_2) => Awaitable<string>)
  readonly onStoreError?: 'refuse' | 'otherwise'
  readonly otherwise?: string | null | DefaultVersion
  readonly store: Store
  readonly storeTimeout?: number
  readonly ttl?: number
}

export interface Pins extends DefaultVersion {
  upgrade(client: string, version: string): Promise<void>
}

export function pinned(options: PinOptions): Pins
