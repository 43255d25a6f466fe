// The public types of octavo/client/tanstack. npm run api writes this file, and nothing imports it.

export interface Pages<I, D, P> {
  readonly getNextPageParam: (
    lastPage: D,
    allPages: D[],
    lastPageParam: P,
    allPageParams: P[],
  ) => P | undefined | null
  readonly getPreviousPageParam?: (
    firstPage: D,
    allPages: D[],
    firstPageParam: P,
    allPageParams: P[],
  ) => P | undefined | null
  readonly initialPageParam: P
  readonly input: (page: P) => I
  readonly maxPages?: number
}

export type QueryData<R> = SuccessData<R> extends infer D ? (D extends undefined ? null : D) : never

export interface RouteInfiniteQuery<I, D, P> extends Omit<Pages<I, D, P>, 'input'> {
  readonly queryFn: (context: { readonly pageParam: P; readonly signal: AbortSignal }) => Promise<D>
  readonly queryKey: DataTag<RouteKey, InfiniteData<D, P>, Error>
}

export type RouteInput<I> = object extends I ? [input?: I] : [input: I]

export type RouteKey = readonly [route: string, version: string | null, ...input: unknown[]]

export interface RouteMutation<I, D> {
  readonly mutationFn: (input: object extends I ? I | void : I) => Promise<D>
  readonly mutationKey: RouteKey
}

export interface RouteQuery<D> {
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<D>
  readonly queryKey: DataTag<RouteKey, D, Error>
}

export type SuccessData<R> = R extends {
  readonly data: infer D
  readonly ok: infer Ok
}
  ? Ok extends false
    ? never
    : D
  : never

export function infiniteQueryOptions<I, R, P>(
  route: RouteFunction<I, R>,
  pages: Pages<I, QueryData<R>, P>,
): RouteInfiniteQuery<I, QueryData<R>, P>

export function mutationOptions<I, R>(route: RouteFunction<I, R>): RouteMutation<I, SuccessData<R>>

export function queryKey<I, R>(route: RouteFunction<I, R>, input?: Partial<I>): RouteKey

export function queryOptions<I, R>(
  route: RouteFunction<I, R>,
  ...[input]: RouteInput<I>
): RouteQuery<QueryData<R>>
