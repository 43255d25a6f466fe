type Falsy = false | null | undefined | 0 | 0n | ''

/**
 * The identity that a `verify` leaves when it returns V: promises are awaited, what denies is dropped, and so is `true`, which
 * allows without identity: `undefined` beside another type, `never` alone.
 */
export type IdentityOf<V> = 0 extends 1 & V ? unknown : Allowed<Exclude<Awaited<V>, Falsy | void>>

type Allowed<A> = true extends A ? OrNone<Exclude<A, true>> : A

type OrNone<I> = [I] extends [never] ? never : I | undefined
