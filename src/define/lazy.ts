import type { Module } from './module.ts'
import type { Token } from './token.ts'

/** Stands for a token or a module that is defined later. */
interface Lazy {
  readonly kind: 'lazy'
  readonly get: () => unknown
}

/**
 * Refers to a token or module whose file may not be loaded yet, for files that import each other. The function is called when the
 * application is created, never before. It does not allow cycles between providers.
 *
 * @example
 * defineProvider({ name: 'Orders', inject: { users: lazy(() => Users) }, create: ({ users }) => new Orders(users) })
 * defineModule({ imports: [lazy(() => UsersModule)] })
 */
export function lazy<T>(get: () => Token<T>): Token<T>
export function lazy<C, I, V>(get: () => Module<C, I, V>): Module<C, I, V>
export function lazy(get: () => unknown): unknown {
  // `token` names it where it is shown before it can be looked up
  return { kind: 'lazy', token: 'lazy', get } satisfies Lazy & Token<unknown>
}

/** Returns the target of a lazy token or module, or the value itself if it is not lazy. */
export function resolveLazy(value: unknown): unknown {
  return isLazy(value) ? resolveLazy(value.get()) : value
}

function isLazy(value: unknown): value is Lazy {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'lazy'
}
