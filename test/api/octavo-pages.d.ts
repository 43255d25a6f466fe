// The public types of octavo/pages. npm run api writes this file, and nothing imports it.

export type FieldOf<T> = [T] extends [readonly unknown[]]
  ? string
  : [T] extends [object]
    ? keyof T & string
    : string

export type ItemSchema<S extends Schema> =
  unknown extends InputOf<S>
    ? S
    : [InputOf<S>] extends [readonly unknown[]]
      ? 'items is the schema of one item, which is an object'
      : [InputOf<S>] extends [object]
        ? S
        : 'items is the schema of one item, which is an object'

export interface ListSchema<S, O, I, M> {
  readonly _zod: {
    readonly def: {
      readonly shape: M & {
        readonly items: {
          readonly _zod: {
            readonly def: {
              readonly element: S
              readonly type: 'array'
            }
            readonly input: readonly InputOf<S>[]
            readonly output: OutputOf<S>[]
          }
        }
      }
      readonly type: 'object'
    }
    readonly input: I
    readonly output: O
  }
  meta(metadata: { readonly description?: string; readonly id?: string }): this
}

export interface OffsetFields extends Pick<PageFields, 'limit'> {
  readonly offset: z.ZodDefault<z.ZodInt>
}

export interface OffsetList<S> {
  readonly openapi: object
  readonly query: OffsetFields
  readonly read: (
    query: OffsetQuery,
    context: PageContext,
    find: (query: OffsetQuery) => Awaitable<OffsetPageOf<InputOf<S>>>,
  ) => Promise<OffsetPageOf<InputOf<S>>>
  readonly response: OffsetPageSchema<S>
}

export interface OffsetOptions<S extends Schema> {
  readonly items: ItemSchema<S>
  readonly limit?: PageLimit
  readonly maxOffset?: number
}

export interface OffsetPageOf<T> {
  readonly items: readonly T[]
  readonly total: number
}

export interface OffsetPageSchema<S> extends ListSchema<
  S,
  OffsetPageOf<OutputOf<S>>,
  OffsetPageOf<InputOf<S>>,
  {
    readonly total: z.ZodInt
  }
> {}

export interface OffsetQuery {
  readonly limit: number
  readonly offset: number
}

export interface PageCondition<F extends string = string> {
  readonly field: F
  readonly operator: '<' | '<=' | '>' | '>=' | 'is' | 'is not'
  readonly value: SortKey
}

export type PageContext = Pick<ExecutionContext, 'path' | 'version' | 'request' | 'response'>

export interface PageFields {
  readonly cursor: z.ZodOptional<z.ZodString>
  readonly limit: z.ZodDefault<z.ZodInt>
}

export interface PageLimit {
  readonly default?: number
  readonly max?: number
}

export interface PageOf<T> {
  readonly items: readonly T[]
  readonly next: string | null
  readonly prev: string | null
}

export interface PageOptions<S extends Schema, F extends string> {
  readonly items: ItemSchema<S>
  readonly lifetime?: number
  readonly limit?: PageLimit
  readonly order: readonly (F | SortBy<F>)[]
  readonly secret: string | readonly string[]
}

export interface PagePosition<F extends string> {
  readonly orderBy: readonly SortedBy<F>[]
  readonly select: <T>(rows: Iterable<T>) => readonly T[]
  readonly take: number
  readonly where: readonly (readonly PageCondition<F>[])[]
}

export interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
}

export interface PageSchema<S> extends ListSchema<
  S,
  PageOf<OutputOf<S>>,
  PageOf<InputOf<S>>,
  {
    readonly next: z.ZodNullable<z.ZodString>
    readonly prev: z.ZodNullable<z.ZodString>
  }
> {}

export interface PagedList<S, F extends string> {
  readonly openapi: object
  readonly query: PageFields
  readonly read: <Q extends PageQuery>(
    query: Q,
    context: PageContext,
    find: (position: PagePosition<F>) => Awaitable<Iterable<InputOf<S>>>,
  ) => Promise<PageOf<InputOf<S>>>
  readonly response: PageSchema<S>
}

export interface SortBy<F extends string = string> {
  readonly direction?: 'asc' | 'desc' | undefined
  readonly field: F
  readonly nulls?: 'first' | 'last' | undefined
}

export type SortKey = string | number | bigint | boolean | Date | null

export interface SortedBy<F extends string = string> {
  readonly direction: 'asc' | 'desc'
  readonly field: F
  readonly nulls: 'first' | 'last' | undefined
}

function offset<S extends Schema>(options: OffsetOptions<S>): OffsetList<S>

export function page<S extends Schema, const F extends FieldOf<InputOf<S>>>(
  options: PageOptions<S, F>,
): PagedList<S, F>
export namespace page {
  export { offset }
}
