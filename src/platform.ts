/*
 * Questions about the platform that the code runs on. They are asked when something depends on the answer, never while modules load.
 */

/** Whether this is workerd, the runtime of Cloudflare Workers. */
export function isWorkerd(): boolean {
  // Node 20 has no navigator
  return Reflect.get(Object(Reflect.get(globalThis, 'navigator')), 'userAgent') === 'Cloudflare-Workers'
}

/** Whether the program runs in production, where mistakes of its author are logged instead of refused. */
export function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production'
}

/** As much of a channel of `node:diagnostics_channel` as is needed to publish. */
export interface Publisher {
  readonly hasSubscribers: boolean
  readonly publish: (message: unknown) => void
}

/**
 * Opens a channel of `node:diagnostics_channel`. Platforms without that module get one that has no subscribers. An `import` would stop
 * bundlers for them.
 */
export function openChannel(name: string): Publisher {
  const { process: node }: { readonly process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> } =
    globalThis
  return node?.getBuiltinModule?.('node:diagnostics_channel').channel(name) ?? NO_CHANNEL
}

const NO_CHANNEL: Publisher = { hasSubscribers: false, publish: () => undefined }
