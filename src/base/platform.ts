import type * as asyncHooks from 'node:async_hooks'
import type * as nodeBuffer from 'node:buffer'
import type * as diagnosticsChannel from 'node:diagnostics_channel'

/*
 * Questions about the platform that the code runs on. But for whether it is Deno, they are asked when something depends on the answer,
 * never while modules load.
 */

/** As much of Deno as is needed here. Hosts of programs for Deno leave out some of it. */
interface DenoRuntime {
  readonly env?: { readonly get: (name: string) => string | undefined }
  readonly permissions?: {
    readonly querySync?: (permission: { readonly name: 'env'; readonly variable: string }) => {
      readonly state: string
    }
  }
}

/** Deno, on which the first look at `process` loads all that programs of Node may need: a third of a small program's start. */
const { Deno: deno }: { readonly Deno?: DenoRuntime } & object = globalThis

/** Whether the program runs in production, where mistakes of its author are logged instead of refused. */
export function isProduction(): boolean {
  // bundlers know this text
  return (deno === undefined ? process.env['NODE_ENV'] : readOfDeno(deno, 'NODE_ENV')) === 'production'
}

/** The value of an environment variable. One that a program on Deno may not read is taken as unset. */
export function readVariable(name: string): string | undefined {
  return deno === undefined ? process.env[name] : readOfDeno(deno, name)
}

function readOfDeno({ env, permissions }: DenoRuntime, variable: string): string | undefined {
  const state = permissions?.querySync?.({ name: 'env', variable }).state ?? 'granted'
  return state === 'granted' ? env?.get(variable) : undefined
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

/** The functions of `node:buffer` that check bytes. */
export type ByteChecks = Pick<typeof nodeBuffer, 'isAscii' | 'isUtf8'>

/**
 * Finds the functions that check bytes: a promise on Deno, which has to load them, and `undefined` where `TextDecoder` is faster, as on
 * Bun, or where they are missing.
 */
export function findByteChecks(): ByteChecks | Promise<ByteChecks> | undefined {
  if ('Bun' in globalThis) return undefined
  if (deno !== undefined) return importNode<ByteChecks>('node:buffer')
  return findNode()?.getBuiltinModule?.('node:buffer')
}

/** Calls a function in an asynchronous context. */
export type InContext = <T>(work: () => T) => T

let takeContext: (() => InContext) | undefined

/**
 * Returns a function that calls others in the present asynchronous context, so that they find the value of `AsyncLocalStorage`. Code that a request
 * leaves for later needs it: everything behind an `await` has the context anyway.
 */
export function keepContext(): InContext {
  takeContext ??= findSnapshot() ?? (() => (work) => work())
  return takeContext()
}

function findSnapshot(): (() => InContext) | undefined {
  const { AsyncLocalStorage }: Partial<typeof asyncHooks> =
    findNode()?.getBuiltinModule?.('node:async_hooks') ?? {}
  return AsyncLocalStorage?.snapshot?.bind(AsyncLocalStorage)
}

/** Imports a module of Node. Its name is not written out, because bundlers for platforms without it would refuse it. */
async function importNode<T>(name: string): Promise<T> {
  const found: T = await import(name)
  return found
}

/** Characters that `byteLength` counts by itself. */
const MAX_COUNTED = 1_000

/** The length of a text in UTF-8, in bytes. On Deno, `Buffer` takes some time to load, so that short texts of ASCII do without. */
export function byteLength(text: string): number {
  return deno !== undefined && isShortAscii(text) ? text.length : Buffer.byteLength(text)
}

function isShortAscii(text: string): boolean {
  if (text.length > MAX_COUNTED) return false
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}

let toId: (() => string) | undefined

/** A random UUID. */
export function createUuid(): string {
  toId ??= findIds() ?? (() => crypto.randomUUID())
  return toId()
}

/** The function of Node: the global one runs more of Node's own code. */
function findIds(): (() => string) | undefined {
  return deno === undefined ? findNode()?.getBuiltinModule?.('node:crypto').randomUUID : undefined
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

type Diagnostics = Pick<typeof diagnosticsChannel, 'channel' | 'subscribe'>

let loaded: Diagnostics | undefined

/** Loads what channels need, on Deno, where it is found without `process` if it is imported. */
export async function loadChannels(): Promise<void> {
  if (deno === undefined) return
  try {
    loaded ??= await importNode<Diagnostics>('node:diagnostics_channel')
  } catch {
    // a host without the module has no channels
  }
}

function findDiagnostics(): Diagnostics | undefined {
  return loaded ?? findNode()?.getBuiltinModule?.('node:diagnostics_channel')
}

/** Opens a channel of `node:diagnostics_channel`. Platforms without that module get one that has no subscribers. */
export function openChannel(name: string): Publisher {
  return findDiagnostics()?.channel(name) ?? NO_CHANNEL
}

/** Subscribes to a channel of `node:diagnostics_channel` for as long as the process runs. Platforms without that module publish nothing. */
export function subscribeChannel(name: string, listener: (message: unknown) => void): void {
  findDiagnostics()?.subscribe(name, listener)
}
export const NO_CHANNEL: Publisher = { hasSubscribers: false, publish: () => undefined }

/** Whether this is workerd, the runtime of Cloudflare Workers. */
export function isWorkerd(): boolean {
  // Node 20 has no navigator
  return Reflect.get(Object(Reflect.get(globalThis, 'navigator')), 'userAgent') === 'Cloudflare-Workers'
}
