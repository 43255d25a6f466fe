import { isFunction, isNonEmptyString, isRecord, type Awaitable } from '../base/values.ts'
import {
  isForwardTarget,
  toUpstreamValue,
  type Injected,
  type Token,
  type Tokens,
  type ForwardTarget,
  type UpstreamStandIn,
} from './context.ts'
import { checkOptions, missingOptions, recordLocation, type Rules } from '../base/definition-error.ts'

/** How long a value lives: with the application, with one request, or new for each place that injects it. */
export type Scope = 'singleton' | 'request' | 'transient'

/** A provider as `defineProvider` returns it: the token of its own value. */
export interface Provider<T> extends Token<T> {
  /** Distinguishes providers from other definitions. */
  readonly kind: 'provider'
  /** The name in messages. */
  readonly name: string
  /** How long a value lives. */
  readonly scope: Scope
  /** The tokens that `create` needs. */
  readonly inject: Tokens
  /** Creates the value. */
  create(deps: never): Awaitable<T>
  /** Releases the value at the end of its life. */
  dispose?(value: T): unknown
}

/** A provider whose types are forgotten. */
export type AnyProvider = Provider<unknown>

/** The options of `defineProvider`. */
export interface ProviderOptions<T, D> {
  /** Names the value in messages. */
  readonly name: string
  /**
   * `'singleton'` creates one instance before the first request, `'request'` one for each request that needs it, and `'transient'` one for
   * each place that injects it.
   *
   * @default 'singleton'
   */
  readonly scope?: Scope
  /** The tokens that `create` needs, by the keys under which it receives their values. */
  readonly inject?: D
  /** Creates the value. It may be async. */
  readonly create: (deps: Injected<D>) => Awaitable<T>
  /** Called once when the value's life ends. Values that were created later are disposed first. */
  readonly dispose?: (value: NoInfer<T>) => unknown
}

const WHERE = 'defineProvider'
const SCOPES: readonly unknown[] = ['singleton', 'request', 'transient'] satisfies readonly Scope[]
const OPTIONS: Rules = {
  name: [isNonEmptyString, "a name, such as 'CarService'"],
  scope: [(value) => SCOPES.includes(value), "'singleton', 'request' or 'transient'"],
  inject: [isRecord, 'tokens by key, such as { db: Database }'],
  create: [isFunction, 'a function, such as ({ db }) => new Cars(db)'],
  dispose: [isFunction, 'a function, such as (db) => db.close()'],
}
const EXAMPLE = `${WHERE}({ name: 'CarService', create: () => new Cars() })`

/**
 * Defines a provider, which creates a value. The provider is the token to inject it with.
 *
 * @example
 * const Database = defineProvider({
 *   name: 'Database',
 *   inject: { config: Config },
 *   create: async ({ config }) => connect(config.databaseUrl),
 *   dispose: (db) => db.close(),
 * })
 * const CarService = defineProvider({ name: 'CarService', inject: { db: Database }, create: ({ db }) => new Cars(db) })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function defineProvider<T, D extends Tokens = {}>(options: ProviderOptions<T, D>): Provider<T> {
  const missing = missingOptions(WHERE, options, ['name', 'create'], `write ${EXAMPLE}`)
  checkOptions(WHERE, options, OPTIONS, missing, EXAMPLE)
  return recordLocation(
    { inject: {}, scope: 'singleton', ...options, kind: 'provider', token: options.name },
    defineProvider,
  )
}

/** A token with its provider or value, as {@link bind} returns it, for `providers` and `overrides`. */
export interface Binding {
  /** Distinguishes bindings from other definitions. */
  readonly kind: 'binding'
  /** The token, guard or interceptor that is replaced or provided. */
  readonly token: unknown
  /** A provider, a guard or interceptor, or a value. */
  readonly to: object
}

/** Something that `bind` can replace besides tokens: a guard or an interceptor. */
export interface Replaceable {
  /** Distinguishes guards from interceptors. */
  readonly kind: 'guard' | 'interceptor'
  /** The name in messages. */
  readonly name: string
}

/**
 * Binds a token to a provider or to a value. A value is injected unchanged, including classes and functions, and is never disposed. In
 * `providers` it provides the token. In the `overrides` of `createApp` it replaces the token everywhere, and guards and interceptors
 * likewise. An upstream is bound to an application or to a function that answers requests.
 *
 * @example
 * defineModule({ providers: [bind(PaymentGateway, StripeGateway), bind(Clock, { value: () => new Date() })] })
 * createApp(AppModule, { overrides: [bind(CarService, { value: fakeCars }), bind(SignedIn, everyone)] })
 */
export function bind<const T extends Token<unknown> | Replaceable>(token: T, to: BoundTo<T>): Binding {
  return recordLocation(
    { kind: 'binding', token, to: isForwardTarget(token) ? toUpstreamValue(to) : to },
    bind,
  )
}

/**
 * The values that can stand for a token, or for a guard or an interceptor. One type instead of overloads, whose mistakes TypeScript reports
 * at `bind`.
 */
export type BoundTo<T> =
  T extends Token<infer V>
    ? Provider<V> | { readonly value: V } | (T extends ForwardTarget ? UpstreamStandIn : never)
    : T extends Replaceable
      ? Replaceable & { readonly kind: T['kind'] }
      : never
