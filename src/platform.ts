/*
 * Questions about the platform that the code runs on. They are asked when something depends on the answer, never while modules load.
 */

/** Whether the program runs in production, where mistakes of its author are logged instead of refused. */
export function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production'
}

/** As much of a channel of `node:diagnostics_channel` as is needed to publish. */
export interface Publisher {
  readonly hasSubscribers: boolean
  readonly publish: (message: unknown) => void
}

/** Node, as far as it is there; an `import` of its modules would stop bundlers for platforms without them. */
function findNode(): Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> | undefined {
  const { process: node }: { readonly process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> } =
    globalThis
  return node
}

let toId: (() => string) | undefined

/** A random UUID. */
export function createId(): string {
  // the global function runs more of Node's own code
  toId ??= findNode()?.getBuiltinModule?.('node:crypto').randomUUID ?? (() => crypto.randomUUID())
  return toId()
}

/** Has ids created by a function that is faster on the platform that this is called on. */
export function createIdsBy(create: () => string): void {
  toId = create
}

/** A value as text for people, with cycles. Platforms without `node:util` get none. */
export function inspectValue(value: unknown): string | undefined {
  return findNode()?.getBuiltinModule?.('node:util').inspect(value)
}

/** Whether `node:cluster` keeps several processes like this one, as `listen({ workers })` does. */
export function isClusterWorker(): boolean {
  return Object(findNode()?.getBuiltinModule?.('node:cluster')).isWorker === true
}

/** Opens a channel of `node:diagnostics_channel`. Platforms without that module get one that has no subscribers. */
export function openChannel(name: string): Publisher {
  return findNode()?.getBuiltinModule?.('node:diagnostics_channel').channel(name) ?? NO_CHANNEL
}

/** Subscribes to a channel of `node:diagnostics_channel` for as long as the process runs. Platforms without that module publish nothing. */
export function subscribeChannel(name: string, listener: (message: unknown) => void): void {
  findNode()?.getBuiltinModule?.('node:diagnostics_channel').subscribe(name, listener)
}

const NO_CHANNEL: Publisher = { hasSubscribers: false, publish: () => undefined }
