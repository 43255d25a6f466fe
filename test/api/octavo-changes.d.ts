// The public types of octavo/changes. npm run api writes this file, and nothing imports it.

type About<N> = N extends `${infer A}.${infer Rest}` ? N | `${A}.*` | `${A}.${About<Rest>}` : N

export interface Absent {
  readonly '~was': 'absent'
}

interface AbsentField {
  readonly accepted?: NotAccepted
  readonly down?: 'remove down: older versions did not have the field'
  readonly narrowed?: NotNarrowed
  readonly up?: 'write up beside fields: it makes all fields that did not exist'
}

type AddedNames<W, Sh> = {
  [K in keyof W & keyof Sh]: W[K] extends Absent ? K : never
}[keyof W & keyof Sh]

interface Ahead<Sh, F extends Fact> {
  readonly shape: Before<F[2] extends readonly [unknown, infer Base] ? Base : Sh, FieldsIn<F>>['shape']
}

type Allowed<Vs> = Vs extends readonly [...infer Newer extends string[], string]
  ? Newer[number] | 'next'
  : never

type AnswerFacts<AW, E, PW> =
  | {
      [K in keyof AW]: readonly [StatusIn<K>, AW[K]]
    }[keyof AW]
  | {
      [K in keyof E]: readonly [K, E[K]]
    }[keyof E]
  | ([PW] extends [never] ? never : readonly [200, PW])

type AnswerOf<S, R extends string, Vs, C, V> = [R] extends [never]
  ? S
  : WholeInVersion<S, `response ${R}`, StateAt<Vs, C, V>>

export interface AnswerWas<N = Schema, W = Schema, I = {}, D = unknown, B = readonly []> {
  readonly down?: (
    now: NewValue<N, B>,
    extra: ResponseExtra & LoadedExtra<D>,
  ) => [Schema] extends [W] ? unknown : Given<SchemaThen<W, B>>
  readonly load?: (now: NewValue<N, B>, extra: LoadExtra<I>) => Awaitable<D>
  readonly now: N
  readonly was: W
}

type AnswersWere<N, W, I, D, B> = {
  readonly [K in keyof N]: {
    readonly now: N[K]
  }
} & {
  readonly [K in keyof W]: {
    readonly was: W[K]
  }
} & {
  readonly [K in keyof W]: AnswerWas<N[K & keyof N], W[K], I, D, B> & NeedsDown<N[K & keyof N], W[K]>
} & Loading<D>

type Answers_2 = Readonly<Record<number, Schema>>

type AnyMembers = Readonly<Record<string, unknown>>

export interface AnyModel<N extends string = string, Sh extends object = object> extends Modelled {
  readonly '~shape': Sh
  readonly [MODEL]: N
}

interface AnyThen {
  readonly '~then': unknown
}

interface AnyTold {
  readonly '~was': Fact
  readonly version: string
}

type AtDepth<F, D> = F extends {
  readonly 2: {
    readonly 0: infer E
  }
}
  ? D extends E
    ? F
    : never
  : never

type AtVersion<S, St, Side extends 'in' | 'out'> = S extends Holding
  ? S extends Modelled
    ? ObjectAt<ModelAt<S, St>, St, Side>
    : S extends {
          readonly '~names': readonly [infer N, infer K]
        }
      ? NamesAt<K, N, St>
      : Walk<S, S['_zod']['def'], St, Side>
  : Side extends 'in'
    ? InputOf<S>
    : OutputOf<S>

type BaseOf<M> = M extends {
  readonly '~base': infer B
}
  ? B
  : readonly ['']

interface Before<Sh, W> {
  readonly shape: {
    [
      K in keyof Sh | keyof W as K extends keyof W
        ? W[K] extends Absent
          ? never
          : W[K] extends string
            ? W[K]
            : K
        : K
    ]: K extends keyof W ? (W[K] extends string ? Sh[K & keyof Sh] : W[K]) : Sh[K & keyof Sh]
  }
}

type BodyFacts<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<About<N>>>[1] : never

type BodyInVersion<S, K, N, U, Vs> = [U] extends [never]
  ? S
  : Vs extends readonly [infer V, ...infer Older]
    ? [ChangesIn<U, V>] extends [never]
      ? BodyInVersion<S, K, N, U, Older>
      : BodyInVersion<
          Fallback<BodyWas_2<K, BodyFacts<ChangesIn<U, V>, N>>, S>,
          K,
          N,
          Exclude<U, ChangesIn<U, V>>,
          Older
        >
    : S

export interface BodyWas<N = Schema, W = Schema | Absent, I = {}, U = unknown, B = readonly []> {
  readonly load?: (old: OldValue<SchemaThen<W, B>>, extra: LoadExtra<I>) => Awaitable<U>
  readonly narrowed?: boolean
  readonly now: N
  readonly up?: (
    old: OldValue<SchemaThen<W, B>>,
    extra: LoadedExtra<U>,
  ) => [Schema] extends [N] ? unknown : Given<SchemaThen<N, B>>
  readonly was: W
}

type BodyWas_2<K, F> = F extends readonly [infer Key, infer W] ? (Key extends K ? W : never) : never

type ByName<C> = {
  [K in Extract<C[number & keyof C], AnyTold> as K['~was'][0]]: K
}

export interface ChangeExtra {
  readonly request?: HttpRequest_2 | undefined
  readonly state?: Record<string, unknown> | undefined
}

type ChangeVersions<C> = {
  [K in keyof C]: C[K] extends AnyTold ? C[K]['version'] : never
}

type ChangesIn<U, V> = U extends {
  readonly version: V
}
  ? U
  : never

type ChangesOf<N, C, New> = N extends keyof ByName<C> ? ChangesIn<ByName<C>[N], New> : never

interface ConvertedUp {
  readonly accepted?: NotAccepted
  readonly narrowed?: NotNarrowed
}

type Deepest<D extends string, All = D> = D extends string
  ? [Extract<All, `${D}1${string}`>] extends [never]
    ? D
    : never
  : never

type DefOf<S> = S extends {
  readonly _zod: {
    readonly def: infer D
  }
}
  ? D
  : never

type DepthOf<F> = [F] extends [never] ? '' : F extends Fact ? `${Deepest<F[2][0]>}1` : never

export interface Earlier<T> {
  readonly was: T
}

type ErrorFacts<W, S, D> = {
  [K in keyof W]: readonly [
    K,
    {
      down: D[K & keyof D]
      status: S[K & keyof S]
      was: W[K]
    },
  ]
}[keyof W]

export interface ErrorWas<N = unknown, W = unknown> {
  readonly down?: (problem: ProblemNow<N>, extra: ChangeExtra) => MembersOf<W, object>
  readonly now?: N
  readonly status?: number
  readonly was?: W
}

export type ErrorsWere = Readonly<Record<string, ErrorWas & KnownErrors[string]>>

type Exactly<F, N, K> = F &
  (string extends keyof F
    ? unknown
    : {
        readonly [P in Exclude<keyof F, K>]: `'${P & string}' is no field of ${N & string} on either side`
      })

type Fact<N = string, K = string | number, D = string> = readonly [
  about: N,
  part: readonly [name: K, was: unknown],
  base: readonly [depth: D, shape?: unknown],
]

type FactsBefore<C, N> = FactsOf<C extends readonly unknown[] ? C[number] : C, N>

type FactsIn<P extends readonly Part_2[]> = P[number]['~was']

type FactsOf<U, N> = U extends AnyTold ? Extract<U['~was'], Fact<N, string>> : never

export interface FieldExtra<R = unknown, L = unknown> extends LoadedExtra<L> {
  readonly reads: R
}

type FieldFunctions<M extends AnyModel, K, W, O> = W extends Schema
  ? K extends keyof M['~shape']
    ? FunctionsBetween<FieldThen<W, M>, M['~shape'][K], O>
    : string extends K
      ? unknown
      : NoFunctionsOf<ModelName<M>, K, M['~shape']>
  : K extends keyof M['~shape']
    ? W extends string
      ? RenamedField
      : AbsentField
    : NotAField<NoField<ModelName<M>, K, M['~shape']>>

type FieldIn<S, St> = S extends Holding ? Then<S, St> : S

export interface FieldNames<N extends string, K extends string> extends z.ZodEnum<{
  [Key in K]: Key
}> {
  readonly '~names': readonly [N, K]
}

type FieldOffer = {
  readonly [P in keyof FieldWere<{}, never, never, never, never, never>]?: unknown
}

type FieldOffers<Sh, W> = [keyof W] extends [never]
  ? {
      readonly [K in keyof Sh]?: FieldOffer
    }
  : unknown

type FieldThen<W, M> = M extends AnyThen ? FieldIn<W, StateBefore<M['~then']>> : W

export interface FieldWas {
  readonly accepted?: boolean
  readonly down?: (now: unknown, extra: FieldExtra) => unknown
  readonly kept?: boolean
  readonly narrowed?: boolean
  readonly up?: (old: unknown, extra: FieldExtra) => unknown
  readonly was: Was
}

interface FieldWere<Sh, K, W, R, D, U, M = unknown> {
  readonly accepted?: NotAccepted | (OutputOf<W> extends OutputOf<Sh[K & keyof Sh]> ? boolean : never)
  readonly down?: (now: OutputOf<Sh[K & keyof Sh]>, extra: FieldExtra<R, D>) => Given<FieldThen<W, M>>
  readonly narrowed?: boolean | NotNarrowed
  readonly up?: (
    old: OutputOf<FieldThen<W, M>>,
    extra: FieldExtra<R, U>,
  ) => K extends keyof Sh ? Given<Sh[K]> : unknown
  readonly was: W
}

type FieldsIn<F extends Fact> = {
  [P in Extract<F[1], readonly [string, unknown]> as P[0]]: P[1]
}

type FieldsThen<W, M> = M extends AnyThen ? ShapeThen<W, M['~then']> : W

type FieldsWere<M extends AnyModel, W, R = never, D = undefined, U = undefined, O = false> = {
  readonly [K in keyof W]: FieldFunctions<M, K, W[K], O> &
    FieldWere<M['~shape'], K, W[K], ReadOf<M['~shape'], R>, D, U, M>
}

type FunctionsBetween<Old, Now, O> = (O extends true
  ? {
      readonly accepted?: NotAccepted
    }
  : OutputOf<Old> extends InputOf<Now>
    ? unknown
    : NeedsUp_2<OutputOf<Old>, InputOf<Now>> & ConvertedUp) &
  (OutputOf<Now> extends InputOf<Old> ? unknown : NeedsDown_2<OutputOf<Now>, InputOf<Old>>)

type HasRemoved<W, Sub, Sh, P> = [AddedNames<W, Sh>] extends [never]
  ? P extends true
    ? keyof Sh extends keyof Sub
      ? true
      : false
    : true
  : [AddedNames<W, Sh>] extends [keyof Sub]
    ? true
    : false

export type HeadersWere = Readonly<
  Record<
    string,
    {
      readonly down?: (now: unknown, extra: ResponseExtra) => unknown
      readonly was: Was
    }
  >
>

export interface History<Vs extends readonly string[] = readonly string[], Ms = unknown, C = unknown> {
  readonly changes: C
  isSince(change: Pick<VersionChange, 'id'>, version: Vs[number]): boolean
  migrate<
    S extends Schema,
    From extends Vs[number] | undefined = undefined,
    To extends Vs[number] | undefined = undefined,
    R extends string = never,
    I extends Readonly<Record<string, unknown>> | undefined = undefined,
  >(
    schema: S,
    value: ValueAt<RequestOf<S, R, Vs, C, From>, Vs, C, From>,
    versions: {
      readonly from?: From
      readonly inject?: I
      readonly route?: R
      readonly state?: Record<string, unknown>
      readonly to?: To
    },
  ): I extends undefined
    ? MigratedAt<AnswerOf<S, R, Vs, C, To>, Vs, C, To>
    : Promise<MigratedAt<AnswerOf<S, R, Vs, C, To>, Vs, C, To>>
  readonly models: Ms
  parse<S extends Schema, I extends Readonly<Record<string, unknown>> | undefined = undefined>(
    schema: S,
    value: unknown,
    versions: {
      readonly from?: Vs[number] | undefined
      readonly inject?: I
      readonly route?: string
      readonly state?: Record<string, unknown>
    },
  ): I extends undefined ? OutputOf<S> : Promise<OutputOf<S>>
  schema<S extends Schema, V extends Vs[number], R extends string = never>(
    schema: S,
    asked: {
      readonly route?: R
      readonly version: V
    },
  ): z.ZodType<
    MigratedAt<RequestOf<S, R, Vs, C, V>, Vs, C, V>,
    InAt<
      RequestOf<S, R, Vs, C, V>,
      StateOf<
        {
          readonly changes: C
          readonly versions: Vs
        },
        V
      >
    >
  >
  readonly spellings: ReadonlyMap<string, string>
  readonly versions: Vs
}

type Holder =
  | 'object'
  | 'array'
  | 'optional'
  | 'nullable'
  | 'default'
  | 'prefault'
  | 'record'
  | 'union'
  | 'enum'

interface Holding {
  readonly _zod: {
    readonly def: {
      readonly type: Holder
    }
  }
}

export type InAt<S, St> = AtVersion<S, St, 'in'>

type InferredErrors<N, W, S, D> = {
  readonly [K in keyof N]: {
    readonly now?: N[K]
  }
} & {
  readonly [K in keyof W]: {
    readonly was?: W[K]
  }
} & {
  readonly [K in keyof S]: {
    readonly status?: S[K]
  }
} & {
  readonly [K in keyof D]: {
    readonly down?: D[K]
  }
} & {
  readonly [K in keyof N]: ErrorWas<N[K], W[K & keyof W]>
} & KnownErrors

export type InputSchemas = Readonly<
  Partial<Record<Exclude<InputSource, 'body'>, Schema>> & {
    readonly body?: Schema | Absent
  }
>

export type InputSource = 'params' | 'query' | 'headers' | 'cookies' | 'body'

export interface InputWas<W = InputSchemas, B = readonly []> {
  readonly narrowed?: boolean
  readonly up: (
    old: {
      readonly [K in keyof W]: W[K] extends Schema ? OutputOf<SchemaThen<W[K], B>> : undefined
    },
    extra: ChangeExtra,
  ) => {
    readonly [K in keyof W]?: unknown
  }
  readonly was: W
}

type IsDeep<F> = [F] extends [Fact<string, string | number, ''>] ? false : true

type IsPartial<Sub, Sh> = [Sub[keyof Sub & keyof Sh]] extends [OptionalIn]
  ? [Sh[keyof Sub & keyof Sh]] extends [OptionalIn]
    ? false
    : true
  : false

type IsPicked<S> = S extends {
  readonly _zod: {
    readonly config: {
      readonly picked: true
    }
  }
}
  ? true
  : false

type JsonValue = z.core.util.JSONType

type KnownErrors = Readonly<
  Record<
    string,
    {
      readonly down?: unknown
      readonly now?: AnyProblem
      readonly status?: number
      readonly was?: string | AnyProblem
    }
  >
>

export type Load<V, I, L> = (values: readonly V[], extra: LoadExtra<I>) => Awaitable<L>

export interface LoadExtra<I> extends ChangeExtra {
  readonly inject: Injected<I>
  readonly signal: AbortSignal
}

export interface LoadedExtra<L> extends ChangeExtra {
  readonly loaded: L
}

type Loading<D> = Readonly<
  Record<
    number,
    {
      readonly [K in keyof AnswerWas]: unknown
    } & {
      readonly load?: (now: never, extra: never) => Awaitable<D>
    }
  >
>

const MODEL: unique symbol

type MadeDown<Sh, W> = {
  [K in Exclude<keyof W, keyof Sh>]: Given<W[K]>
}

type MadeUp<Sh, W> = {
  [K in keyof W & keyof Sh as W[K] extends Absent ? K : never]: Given<Sh[K]>
}

interface MakesEarlier<N> {
  readonly [TYPES_2]?: N
  readonly down: unknown
}

type MembersOf<P, E> = P extends {
  readonly $declares?: DeclaredProblemMark<unknown, unknown, infer M>
}
  ? M extends {
      readonly _zod: {
        readonly output: infer O
      }
    }
    ? O
    : E
  : E

type Merged<U> = (U extends unknown ? (_: U) => void : never) extends (_: infer I) => void ? I : never

type MigratedAt<S, Vs, C, V> = V extends string ? OutAt<S, StateAt<Vs, C, V>> : OutputOf<S>

export interface Model<N extends string, Sh extends ModelFields> extends z.ZodObject<{
  -readonly [K in keyof Sh]: Sh[K]
}> {
  readonly '~shape': Sh
  readonly [MODEL]: N
}

type ModelAt<S, St> =
  St extends State<infer Vs, infer C, infer New>
    ? S extends {
        readonly '~part': readonly [infer Sh, infer Sub]
      }
      ? PartInVersion<Sub, Sh, IsPicked<S>, ModelName<S>, ChangesOf<ModelName<S>, C, New>, Vs>
      : S extends {
            readonly '~shape': infer Sh
          }
        ? ShapeInVersion<Sh, ModelName<S>, ChangesOf<ModelName<S>, C, New>, Vs>
        : never
    : never

export interface ModelBefore<N extends string, Sh, D, C> extends AnyModel<N, ShapeThen<Sh, C>> {
  readonly '~base': readonly [depth: D, shape: Sh]
  readonly '~then': C
}

export type ModelFields = z.core.$ZodShape

export interface ModelMeta {
  readonly [keyword: string]: unknown
  readonly description?: string
}

type ModelName<M> = M extends {
  readonly [MODEL]: infer N extends string
}
  ? N
  : never

type ModelShape<M> = M extends {
  readonly '~shape': infer Sh
}
  ? Sh
  : never

export interface Modelled {
  readonly [MODEL]: string
}

type NameBefore<N, W> = N extends keyof W ? (W[N] extends Absent ? never : W[N] extends string ? W[N] : N) : N

export interface NameWas<W = Was, B = readonly []> {
  readonly accepted?: W extends Schema ? boolean : 'remove accepted: was is no schema'
  readonly up?: (old: OldValue<SchemaThen<W, B>>, extra: ChangeExtra) => unknown
  readonly was: W
}

type Names = Readonly<Record<string, Was>>

type NamesAt<K, N, St> =
  St extends State<infer Vs, infer C, infer New> ? NamesInVersion<K, N, ChangesOf<N, C, New>, Vs> : never

type NamesBeforeVersion<K, F, D extends string = ''> = [F] extends [never]
  ? K
  : IsDeep<F> extends true
    ? NamesBeforeVersion<NameBefore<K, FieldsIn<AtDepth<F, D> & Fact>>, Exclude<F, AtDepth<F, D>>, `${D}1`>
    : NameBefore<K, FieldsIn<F & Fact>>

type NamesInVersion<K, N, U, Vs> = [U] extends [never]
  ? K
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? NamesInVersion<K, N, U, R>
      : NamesInVersion<NamesBeforeVersion<K, FactsOf<ChangesIn<U, V>, N>>, N, Exclude<U, ChangesIn<U, V>>, R>
    : K

type NamesOf_2<Sh, W> = keyof Sh | keyof W | Extract<W[keyof W], string>

export type NamesWere<W = Readonly<Record<string, Was>>, B = readonly []> = {
  readonly [K in keyof W]: NameWas<W[K], B>
}

type NeedsDown<N, W> = [Schema] extends [N]
  ? unknown
  : OutputOf<N> extends Given<W>
    ? unknown
    : {
        readonly down: unknown
      }

interface NeedsDown_2<Now, Old> {
  readonly [TYPES_2]?: readonly [Now, Old]
  readonly down: unknown
}

type NeedsUp<N, W> = [Schema] extends [N]
  ? unknown
  : [W] extends [Schema]
    ? OutputOf<W> extends Given<N>
      ? unknown
      : {
          readonly up: unknown
        }
    : {
        readonly up: unknown
      }

interface NeedsUp_2<Old, Now> {
  readonly [TYPES_2]?: readonly [Old, Now]
  readonly up: unknown
}

type NewSide<Sh, W, R> = OutOf<Pick<Sh, (keyof W | R) & keyof Sh>>

type NewValue<N, B> = [Schema] extends [N] ? unknown : OutputOf<SchemaThen<N, B>>

type Newer<Vs, V, Acc = 'next'> = Vs extends readonly [infer H, ...infer R]
  ? H extends V
    ? Acc
    : Newer<R, V, Acc | H>
  : never

type NoField<N, K, Sh> = `'${K & string}' is no field of ${N & string}: ${Listed<keyof Sh>}`

interface NoFunctionsOf<N, K, Sh> {
  readonly accepted?: NotAccepted
  readonly down?: NoField<N, K, Sh>
  readonly kept?: boolean
  readonly narrowed?: NotNarrowed
  readonly up?: NoField<N, K, Sh>
}

interface NotAField<N> {
  readonly [TYPES_2]: N
}

type NotAccepted = 'remove accepted: it is for requests with an earlier schema of the same type'

type NotNarrowed = 'remove narrowed: it is for an earlier schema of the same type'

type ObjectAt<Sh, St, Side extends 'in' | 'out'> = Flat<
  {
    -readonly [K in keyof Sh as Sh[K] extends Optional[Side] ? never : K]: AtVersion<Sh[K], St, Side>
  } & {
    -readonly [K in keyof Sh as Sh[K] extends Optional[Side] ? K : never]?: AtVersion<Sh[K], St, Side>
  }
>

interface ObjectFunctions<M extends AnyModel, W, R, D, U, FD = unknown, FU = unknown> {
  readonly down?: (
    now: NewSide<M['~shape'], W, R>,
    extra: LoadedExtra<D>,
  ) => ResultDown<M['~shape'], FieldsThen<W, M>, R> & Exactly<FD, ModelName<M>, NamesOf_2<M['~shape'], W>>
  readonly up?: (
    old: OldSide<M, W, R>,
    extra: LoadedExtra<U>,
  ) => ResultUp<M['~shape'], W, R> & Exactly<FU, ModelName<M>, NamesOf_2<M['~shape'], W>>
}

type OldSide<M extends AnyModel, W, R> = OutOf<
  ShapeBefore<Pick<M['~shape'], (keyof W | R) & keyof M['~shape']>, FieldsThen<W, M>>
>

type OldValue<W> = [Was] extends [W]
  ? unknown
  : W extends {
        readonly _zod: {
          readonly output: infer O
        }
      }
    ? O
    : W extends Absent
      ? undefined
      : unknown

export interface Operation<F = unknown> extends OperationOptions {
  readonly '~was': F
  readonly kind: 'operation'
}

export interface OperationOptions<
  R extends string = string,
  P extends number = number,
  S = Statuses,
  Q = Names,
  H = Names,
  C = Names,
  B extends object = BodyWas,
  A extends object = Readonly<Record<number, AnswerWas>>,
  G extends object = PagedWas,
  I extends object = InputWas,
  X extends object = ErrorsWere,
  E = Readonly<Record<string, string>>,
  J = Tokens,
  T = readonly AnyTold[],
> {
  readonly before?: T
  readonly body?: B
  readonly cookies?: NamesWere<C, T>
  readonly deprecated?: Earlier<boolean>
  readonly description?: Earlier<string>
  readonly errors?: X
  readonly events?: {
    readonly [K in keyof E]: Earlier<E[K]>
  }
  readonly headers?: NamesWere<H, T>
  readonly inject?: J
  readonly input?: I
  readonly method?: Earlier<Method>
  readonly paged?: G
  readonly path?: Earlier<string> & {
    readonly now?: string
  }
  readonly query?: NamesWere<Q, T>
  readonly response?: {
    readonly body?: A
    readonly headers?: HeadersWere
    readonly status?: {
      readonly [K in keyof S]: Earlier<S[K]>
    }
  }
  readonly route: R | readonly R[]
  readonly status?: Earlier<P>
  readonly summary?: Earlier<string>
  readonly tags?: Earlier<readonly string[]>
  readonly withoutGuards?: readonly AnyGuard[]
}

interface Opt<S> {
  readonly _zod: {
    readonly def: {
      readonly innerType: S
      readonly type: 'optional'
    }
    readonly optin: 'optional'
    readonly optout: 'optional'
  }
}

interface Optional {
  readonly in: OptionalIn
  readonly out: OptionalOut
}

interface OptionalIn {
  readonly _zod: {
    readonly optin: 'optional' | 'defaulted'
  }
}

type OptionalNames<Sh, Side extends 'in' | 'out'> = {
  [K in keyof Sh]: DefOf<Sh[K]> extends {
    readonly type: infer T
  }
    ? T extends 'optional'
      ? K
      : T extends 'default' | 'prefault'
        ? Side extends 'in'
          ? K
          : never
        : never
    : never
}[keyof Sh]

interface OptionalOut {
  readonly _zod: {
    readonly optout: 'optional'
  }
}

export type OutAt<S, St> = AtVersion<S, St, 'out'>

type OutOf<Sh> = Flat<
  {
    -readonly [K in Exclude<keyof Sh, OptionalNames<Sh, 'out'>>]: OutputOf<Sh[K]>
  } & {
    -readonly [K in OptionalNames<Sh, 'out'>]?: OutputOf<Sh[K]>
  }
>

type OwnMembers = Pick<ProblemDocument, 'type' | 'title' | 'status' | 'detail' | 'code'>

export interface PagedWas<N = Schema, W = Schema, I = {}, D = unknown, B = readonly []> extends AnswerWas<
  N,
  W,
  I,
  D,
  B
> {
  readonly atMost: number
  readonly next?: (
    page: NewValue<N, B>,
    query: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>> | undefined
}

interface Paired<W> {
  readonly pairs: {
    [K in keyof W]: readonly [K, W[K]]
  }[keyof W]
}

export type Part<M extends Modelled, S> = S & {
  readonly '~part': S extends {
    readonly _zod: {
      readonly def: {
        readonly shape: infer Sub
      }
    }
  }
    ? readonly [WholeShape<M>, Sub]
    : never
  readonly [MODEL]: M[typeof MODEL]
}

type PartBeforeVersion<Sub, Sh, P, F, D extends string = ''> = [F] extends [never]
  ? Sub
  : IsDeep<F> extends true
    ? PartBeforeVersion<
        ShapeBefore<Sub, Merged<RestrictBy<AtDepth<F, D>, Sub, Sh, P>>>,
        ShapeBefore<Sh, FieldsIn<AtDepth<F, D> & Fact>>,
        P,
        Exclude<F, AtDepth<F, D>>,
        `${D}1`
      >
    : ShapeBefore<Sub, Merged<RestrictBy<F, Sub, Sh, P>>>

type PartInVersion<Sub, Sh, P, N, U, Vs> = [U] extends [never]
  ? Sub
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? PartInVersion<Sub, Sh, P, N, U, R>
      : PartInVersion<
          PartBeforeVersion<Sub, Sh, P, FactsOf<ChangesIn<U, V>, N>>,
          ShapeBeforeVersion<Sh, FactsOf<ChangesIn<U, V>, N>>,
          P,
          N,
          Exclude<U, ChangesIn<U, V>>,
          R
        >
    : Sub

type Part_2 = Reshape | Operation | Reformat

type Partials<T> = Flat<
  {
    [K in Exclude<keyof T, Undefinable<T>>]: T[K]
  } & {
    [K in Undefinable<T>]?: T[K]
  }
>

export type Pickable<M> = (M extends {
  readonly _zod: {
    readonly def: {
      readonly shape: infer Sh extends ModelFields
    }
  }
}
  ? {
      pick<K extends z.core.util.Mask<keyof Sh>>(
        mask: K & Record<Exclude<keyof K, keyof Sh>, never>,
      ): z.ZodObject<
        z.core.util.Flatten<Pick<Sh, Extract<keyof Sh, keyof K>>>,
        z.core.$strip & {
          readonly picked: true
        }
      >
    }
  : unknown) &
  M

type ProblemNow<N> = unknown extends N ? AnyMembers : OwnMembers & MembersOf<N, AnyMembers>

type ReadOf<Sh, R> = [R] extends [never] ? {} : OutOf<Pick<Sh, R & keyof Sh>>

type RecordAt<K, E, St, Side extends 'in' | 'out'> = K extends {
  readonly '~~partial': true
}
  ? {
      [P in OutputOf<K> & PropertyKey]?: AtVersion<E, St, Side>
    }
  : {
      [P in OutputOf<K> & PropertyKey]: AtVersion<E, St, Side>
    }

export interface Reformat<F = unknown> {
  readonly '~was': F
  readonly kind: 'reformat'
}

export interface ReformatExtra extends ChangeExtra {
  readonly status: number
}

export interface ReformatOptions<N, W> {
  readonly down: (now: N extends Schema ? OutputOf<N> : ProblemDocument, extra: ReformatExtra) => Given<W>
  readonly now?: N
  readonly was: W
}

interface RenamedField {
  readonly accepted?: NotAccepted
  readonly down?: 'remove down: a renamed field keeps its value'
  readonly narrowed?: NotNarrowed
  readonly up?: 'remove up: a renamed field keeps its value'
}

type RequestOf<S, R extends string, Vs, C, V> = [R] extends [never]
  ? S
  : WholeInVersion<S, `body ${R}`, StateAt<Vs, C, V>>

export interface Reshape<F = unknown> {
  readonly '~was': F
  readonly kind: 'reshape'
}

type ReshapeDown<M extends AnyModel, W> = [Exclude<keyof W, keyof M['~shape']>] extends [never]
  ? [Staying<M['~shape'], W>] extends [never]
    ? {
        readonly down?: 'remove down: no field existed only then'
      }
    : unknown
  : [Exclude<keyof W, keyof M['~shape'] | Undefinable<MadeDown<M['~shape'], W>>>] extends [never]
    ? unknown
    : MakesEarlier<`'${Exclude<keyof W, keyof M['~shape']> & string}' is no field of ${ModelName<M> & string}`>

export type ReshapeOptions<
  M extends AnyModel,
  W,
  R,
  I = {},
  D = undefined,
  U = undefined,
  O = false,
  FD = unknown,
  FU = unknown,
> = {
  readonly applies?: readonly Schema[]
  readonly examples?: readonly {
    readonly loaded?: unknown
    readonly now: object
    readonly old: object
  }[]
  readonly fields?: FieldsWere<M, W, R, D, U, O> & FieldOffers<M['~shape'], W>
  readonly inject?: I
  readonly load?:
    | Load<NewSide<M['~shape'], W, R>, I, D>
    | {
        readonly down?: Load<NewSide<M['~shape'], W, R>, I, D>
        readonly up?: Load<OldSide<M, W, R>, I, U>
      }
  readonly lossy?: readonly string[]
  readonly named?: Earlier<string>
  readonly not?: readonly Schema[]
  readonly of: M
  readonly reads?: readonly R[]
  readonly refine?: (old: OldSide<M, W, R>, extra: ChangeExtra) => boolean | string
  readonly responseOnly?: O
} & ObjectFunctions<M, W, R, D, U, FD, FU> &
  ReshapeDown<M, W> &
  ReshapeUp<M, W, O>

type ReshapeUp<M extends AnyModel, W, O> = O extends true
  ? unknown
  : [Exclude<keyof MadeUp<M['~shape'], W>, Undefinable<MadeUp<M['~shape'], W>>>] extends [never]
    ? unknown
    : {
        readonly up: unknown
      }

export interface ResponseExtra extends ChangeExtra {
  readonly result?:
    | {
        readonly body: unknown
        readonly headers: Readonly<Record<string, string | readonly string[]>>
      }
    | undefined
}

type Restrict<W, Sub, Sh, P> = W extends unknown
  ? {
      [
        K in keyof W as K extends keyof Sh
          ? K & keyof Sub
          : HasRemoved<W, Sub, Sh, P> extends true
            ? K
            : never
      ]: W[K] extends string | Absent
        ? W[K]
        : K extends keyof Sub
          ? Sub[K] extends OptionalIn
            ? Opt<W[K]>
            : W[K]
          : IsPartial<Sub, Sh> extends true
            ? Opt<W[K]>
            : W[K]
    }
  : never

type RestrictBy<F, Sub, Sh, P> = F extends Fact ? Restrict<FieldsIn<F>, Sub, Sh, P> : never

type ResultDown<Sh, W, R> = Partials<MadeDown<Sh, W>> & {
  readonly [K in Staying<Sh, W>]?: Given<W[K]>
} & Unmade<Sh, W, R>

type ResultUp<Sh, W, R> = Partials<MadeUp<Sh, W>> & {
  readonly [K in Staying<Sh, W>]?: Given<Sh[K]>
} & Unmade<Sh, W, R>

type RouteFact<R, F> = [F] extends [never] ? never : string extends R ? never : Said<R, F>['fact']

interface Said<N, F, D = readonly ['']> {
  readonly fact: readonly [N, F, D]
}

type SchemaThen<S, B> = B extends readonly [unknown, ...unknown[]] ? FieldIn<S, StateBefore<B>> : S

type ShapeBefore<Sh, W> = Before<Sh, W>['shape']

type ShapeBeforeAll<M, C> = C extends readonly unknown[]
  ? ModelAt<M, StateBefore<C>>
  : [FactsBefore<C, ModelName<M>>] extends [never]
    ? ModelShape<M>
    : Ahead<ModelShape<M>, FactsBefore<C, ModelName<M>> & Fact>['shape']

type ShapeBeforeVersion<Sh, F, D extends string = ''> = [F] extends [never]
  ? Sh
  : IsDeep<F> extends true
    ? ShapeBeforeVersion<ShapeBefore<Sh, FieldsIn<AtDepth<F, D> & Fact>>, Exclude<F, AtDepth<F, D>>, `${D}1`>
    : ShapeBefore<Sh, FieldsIn<F & Fact>>

type ShapeInVersion<Sh, N, U, Vs> = [U] extends [never]
  ? Sh
  : Vs extends readonly [infer V, ...infer R]
    ? [ChangesIn<U, V>] extends [never]
      ? ShapeInVersion<Sh, N, U, R>
      : ShapeInVersion<ShapeBeforeVersion<Sh, FactsOf<ChangesIn<U, V>, N>>, N, Exclude<U, ChangesIn<U, V>>, R>
    : Sh

type ShapeThen<Sh, C> = {
  [K in keyof Sh]: FieldIn<Sh[K], StateBefore<C>>
}

export interface SpelledVersion<V extends string = string> {
  readonly also: readonly string[]
  readonly version: V
}

interface State<Vs, C, New> {
  readonly '~state': readonly [Vs, C, New]
}

type StateAt<Vs, C, V> = Vs extends readonly unknown[]
  ? State<readonly ['next', ...Vs], C, Newer<Vs, V>>
  : never

type StateBefore<C> = C extends readonly AnyTold[]
  ? State<ChangeVersions<C>, C, C[number]['version']>
  : C extends AnyTold
    ? State<readonly [C['version']], readonly [C], C['version']>
    : never

export type StateOf<A, V> = A extends {
  readonly changes: infer C
  readonly versions: infer Vs
}
  ? StateAt<Vs, C, V>
  : never

type StatusChanges<N, C, New> = ChangesIn<ByName<C>[About<N> & keyof ByName<C>], New>

type StatusIn<K> = K extends `${infer N extends number}` ? N : K

type StatusPairs<P extends number, S> =
  | {
      [K in keyof S]: readonly [StatusIn<K>, S[K]]
    }[keyof S]
  | {
      [K in P]: readonly [0, K]
    }[P]

type Statuses = Readonly<Record<number, number>>

type Staying<Sh, W> = {
  [K in keyof W & keyof Sh]: W[K] extends Schema ? K : never
}[keyof W & keyof Sh]

const TYPES_2: unique symbol

interface Then<S extends Holding, St> {
  readonly _zod: {
    readonly def: S['_zod']['def']
    readonly input: InAt<S, St>
    readonly output: OutAt<S, St>
  }
}

type Undefinable<T> = {
  [K in keyof T]: undefined extends T[K] ? K : never
}[keyof T]

type Unmade<Sh, W, R> = {
  readonly [K in Exclude<keyof Sh, keyof W | R>]?: 'name the field in fields, or remove it here'
}

type ValueAt<S, Vs, C, V> = V extends string
  ? InAt<S, StateAt<Vs, C, V>> | OutAt<S, StateAt<Vs, C, V>>
  : InputOf<S> | OutputOf<S>

export interface VersionChange<V extends string = string, F = unknown, S extends boolean = boolean> {
  readonly '~was': F
  readonly change: readonly (Reshape | Operation | Reformat)[]
  readonly description: string
  readonly id: string
  readonly internal?: boolean
  readonly sideEffects: S
  readonly title: string
  readonly version: V
}

export interface VersionChangeOptions<V extends string, P, S extends boolean> {
  readonly change: P
  readonly description?: string
  readonly id?: string
  readonly internal?: boolean
  readonly sideEffects?: S
  readonly title: string
  readonly version: V
}

export type VersionNames<Vs extends readonly (string | SpelledVersion)[]> = Vs extends readonly string[]
  ? Vs
  : {
      readonly [K in keyof Vs]: Vs[K] extends SpelledVersion<infer V> ? V : Extract<Vs[K], string>
    }

export interface VersionsOptions<Vs extends readonly (string | SpelledVersion)[], Ms, C> {
  readonly changes: C
  readonly messages?: readonly Schema[]
  readonly models: Ms
  readonly next?: string | undefined
  readonly versions: Vs
}

type Walk<S, D, St, Side extends 'in' | 'out'> = D extends {
  readonly element: infer E
  readonly type: 'array'
}
  ? AtVersion<E, St, Side>[]
  : D extends {
        readonly shape: infer Sh
        readonly type: 'object'
      }
    ? ObjectAt<Sh, St, Side>
    : D extends {
          readonly innerType: infer E
          readonly type: 'optional'
        }
      ? AtVersion<E, St, Side> | undefined
      : D extends {
            readonly innerType: infer E
            readonly type: 'nullable'
          }
        ? AtVersion<E, St, Side> | null
        : D extends {
              readonly innerType: infer E
              readonly type: 'default' | 'prefault'
            }
          ? Side extends 'in'
            ? AtVersion<E, St, Side> | undefined
            : Exclude<AtVersion<E, St, Side>, undefined>
          : D extends {
                readonly keyType: infer K
                readonly type: 'record'
                readonly valueType: infer E
              }
            ? RecordAt<K, E, St, Side>
            : D extends {
                  readonly options: infer O
                  readonly type: 'union'
                }
              ? JsonValue extends OutputOf<S>
                ? OutputOf<S>
                : {
                    [K in keyof O]: AtVersion<O[K], St, Side>
                  }[number & keyof O]
              : Side extends 'in'
                ? InputOf<S>
                : OutputOf<S>

export type Was = Schema | Absent | string

export interface WebhookWas {
  readonly name: Earlier<string>
  readonly route?: never
  readonly webhook: string
}

type WholeInVersion<S, N, St> =
  St extends State<infer Vs, infer C, infer New>
    ? BodyInVersion<S, unknown, N, StatusChanges<N, C, New>, Vs>
    : S

type WholeShape<M> = M extends {
  readonly '~part': readonly [infer Whole, unknown]
}
  ? Whole
  : ModelShape<M>

export const absent: Absent

export function asIs(value: unknown): never

export function before<const C extends AnyTold | readonly AnyTold[], M extends AnyModel>(
  changes: C,
  of: M,
): ModelBefore<ModelName<M>, ShapeBeforeAll<M, C>, DepthOf<FactsBefore<C, ModelName<M>>>, C>

export function defineVersionChange<
  const P extends readonly Part_2[],
  const V extends string = 'next',
  const S extends boolean = false,
>(options: VersionChangeOptions<V, P, S>): VersionChange<V, FactsIn<P>, S>

export function defineVersions<
  const Vs extends readonly (string | SpelledVersion)[],
  const Ms extends Readonly<Record<string, AnyModel>>,
  const C extends readonly VersionChange<Allowed<VersionNames<Vs>>>[],
>(options: VersionsOptions<Vs, Ms, C>): History<VersionNames<Vs>, Ms, C>

export function derive<M extends Modelled, S extends Schema>(
  of: M,
  make: (model: Pickable<M>) => S,
): Part<M, S>

export function fieldNames<M extends AnyModel>(of: M): FieldNames<ModelName<M>, keyof M['~shape'] & string>

export function fits<S extends Schema>(schema: S, value: unknown): value is OutputOf<S>

export function model<const N extends string, Sh extends ModelFields>(
  name: N,
  fields: Sh,
  meta?: ModelMeta,
): Model<N, Sh>

export function operation<
  const R extends string,
  const P extends number = never,
  const S extends Statuses = {},
  const Q extends Names = {},
  const H extends Names = {},
  const C extends Names = {},
  N extends Schema = never,
  W extends Schema | Absent = never,
  const AN extends Answers_2 = {},
  const AW extends Answers_2 = {},
  PN extends Schema = never,
  PW extends Schema = never,
  const IW extends InputSchemas = {},
  const XN = {},
  const XW = {},
  const XS = {},
  XD = {},
  const E extends Readonly<Record<string, string>> = {},
  J extends Tokens = {},
  D = undefined,
  U = undefined,
  const T extends readonly AnyTold[] = readonly [],
>(
  options:
    | WebhookWas
    | OperationOptions<
        R,
        P,
        S,
        Q,
        H,
        C,
        BodyWas<N, W, J, U, T> & NeedsUp<N, W>,
        AnswersWere<AN, AW, J, D, T>,
        PagedWas<PN, PW, J, D, T>,
        InputWas<IW, T>,
        InferredErrors<XN, XW, XS, XD>,
        E,
        J,
        T
      >,
): Operation<
  | RouteFact<R, StatusPairs<P, S>>
  | RouteFact<`query ${R}`, Paired<Q>['pairs']>
  | RouteFact<`headers ${R}`, Paired<H>['pairs']>
  | RouteFact<`cookies ${R}`, Paired<C>['pairs']>
  | RouteFact<
      `input ${R}`,
      {
        [K in keyof IW]: readonly [K, IW[K]]
      }[keyof IW]
    >
  | RouteFact<`errors ${R}`, ErrorFacts<XW, XS, XD>>
  | RouteFact<`body ${R}`, [W] extends [never] ? never : readonly ['body', W]>
  | RouteFact<`response ${R}`, AnswerFacts<AW, E, PW>>
>

export function reformatErrors<W extends Schema, N extends Schema | undefined = undefined>(
  options: ReformatOptions<N, W>,
): Reformat<Said<'error format', readonly ['error format', W]>['fact']>

export function reshape<
  M extends AnyModel,
  const W extends Record<string, Was> = {},
  const R extends string = never,
  I extends Tokens = {},
  D = undefined,
  U = undefined,
  const O extends boolean = false,
  FD = unknown,
  FU = unknown,
>(
  options: ReshapeOptions<M, W, R, I, D, U, O, FD, FU>,
): Reshape<Said<ModelName<M>, Paired<W>['pairs'], BaseOf<M>>['fact']>
