// The public types of octavo/auth. npm run api writes this file, and nothing imports it.

type Allowed<A> = true extends A ? OrNone<Exclude<A, true>> : A

export interface ApiKeyOptions<V, D = {}, O extends boolean = boolean> extends AuthOptions<D, O> {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
  readonly schemeName?: string
  readonly verify: (key: string, context: ExecutionContext_2, inject: Injected<D>) => V
}

export interface AuthOptions<D = {}, O extends boolean = boolean> {
  readonly description?: string
  readonly inject?: D
  readonly optional?: O
  readonly realm?: string
}

export interface BasicOptions<V, D = {}, O extends boolean = boolean> extends AuthOptions<D, O> {
  readonly schemeName?: string
  readonly verify: (user: string, password: string, context: ExecutionContext_2, inject: Injected<D>) => V
}

export interface BearerOptions<V, D = {}, O extends boolean = boolean> extends AuthOptions<D, O> {
  readonly bearerFormat?: string
  readonly scheme?: string
  readonly schemeName?: string
  readonly verify: (token: string, context: ExecutionContext_2, inject: Injected<D>) => V
}

type Falsy = false | null | undefined | 0 | 0n | ''

type Identities<G> = {
  readonly [K in keyof G]: G[K] extends Guard<infer I> ? ([I] extends [never] ? undefined : I) : never
}

export type IdentityOf<V, O extends boolean = false> = 0 extends 1 & V
  ? unknown
  : OrAbsent<Allowed<Exclude<Awaited<V>, Falsy | void>>, O>

type IdentityOfAny<G extends readonly unknown[]> = [Exclude<Identities<G>[number], undefined>] extends [never]
  ? never
  : Identities<G>[number]

type OrAbsent<I, O> = [O] extends [false] ? I : OrNone<I>

type OrNone<I> = [I] extends [never] ? never : I | undefined

export function anyOf<const G extends readonly [AnyGuard, ...AnyGuard[]]>(
  ...guards: G
): Guard<IdentityOfAny<G>>

export function apiKey<V, D extends Tokens = {}, O extends boolean = false>(
  options: ApiKeyOptions<V, D, O>,
): Guard<IdentityOf<V, O>>

export function basicAuth<V, D extends Tokens = {}, O extends boolean = false>(
  options: BasicOptions<V, D, O>,
): Guard<IdentityOf<V, O>>

export function bearerAuth<V, D extends Tokens = {}, O extends boolean = false>(
  options: BearerOptions<V, D, O>,
): Guard<IdentityOf<V, O>>

export function safeEqual(a: string, b: string): boolean
