import type { DataTag, InfiniteData } from '@tanstack/query-core'

import { calledRouteOf } from '../called-route.ts'
import type { RouteFunction } from '../client-type.ts'

/** The key of a query: the name of its route, the version of the client and the input of the call. */
export type RouteKey = readonly [route: string, version: string | null, ...input: unknown[]]

/** The body of each success of a route. */
export type SuccessData<R> = R extends { readonly ok: infer Ok; readonly data: infer D }
  ? Ok extends false
    ? never
    : D
  : never

/** The data of a query, which cannot be `undefined`. */
export type QueryData<R> = SuccessData<R> extends infer D ? (D extends undefined ? null : D) : never

/** The input of a call, which can be left out where all of it can. */
export type RouteInput<I> = object extends I ? [input?: I] : [input: I]

/** A query of a route, for `useQuery`, `fetchQuery` and others. */
export interface RouteQuery<D> {
  /** Knows the type of its data, for `getQueryData` and others. */
  readonly queryKey: DataTag<RouteKey, D, Error>
  /** Calls the route. A query that nothing uses any more aborts it. */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<D>
}

/** The pages of an infinite query. */
export interface Pages<I, D, P> {
  /** The input of the call for a page. */
  readonly input: (page: P) => I
  /** The first page. */
  readonly initialPageParam: P
  /** The page after the last one. `undefined` or `null` if there is none. */
  readonly getNextPageParam: (
    lastPage: D,
    allPages: D[],
    lastPageParam: P,
    allPageParams: P[],
  ) => P | undefined | null
  /** The page before the first one. `undefined` or `null` if there is none. */
  readonly getPreviousPageParam?: (
    firstPage: D,
    allPages: D[],
    firstPageParam: P,
    allPageParams: P[],
  ) => P | undefined | null
  /** The number of pages that are kept. @default all */
  readonly maxPages?: number
}

/** An infinite query of a route, for `useInfiniteQuery`, `fetchInfiniteQuery` and others. */
export interface RouteInfiniteQuery<I, D, P> extends Omit<Pages<I, D, P>, 'input'> {
  /** Knows the type of its data, for `getQueryData` and others. */
  readonly queryKey: DataTag<RouteKey, InfiniteData<D, P>, Error>
  /** Calls the route for a page. A query that nothing uses any more aborts it. */
  readonly queryFn: (context: { readonly signal: AbortSignal; readonly pageParam: P }) => Promise<D>
}

/** A mutation by a route, for `useMutation` and others. */
export interface RouteMutation<I, D> {
  /** The name of the route and the version of the client. */
  readonly mutationKey: RouteKey
  /** Calls the route. */
  readonly mutationFn: (input: object extends I ? I | void : I) => Promise<D>
}

/**
 * The key of the queries of a route, to invalidate or cancel them. Without an input, it is the beginning of all of them.
 *
 * @example
 * await queryClient.invalidateQueries({ queryKey: queryKey(client.car.list) })
 *
 * @throws `TypeError` if `route` is no route of a client.
 */
export function queryKey<I, R>(route: RouteFunction<I, R>, input?: Partial<I>): RouteKey {
  const { name, version } = calledRouteOf(route, 'queryKey')
  return input === undefined ? [name, version] : [name, version, toQueryKey(input)]
}

/**
 * The options of a query that calls a route. Its data is the body of a success. Every other answer is an error.
 *
 * @example
 * const { data } = useQuery(queryOptions(client.car.getOne, { params: { car_id: 7 } }))
 *
 * @throws `TypeError` if `route` is no route of a client.
 */
export function queryOptions<I, R>(
  route: RouteFunction<I, R>,
  ...[input]: RouteInput<I>
): RouteQuery<QueryData<R>> {
  const { name, version, take } = calledRouteOf(route, 'queryOptions')
  const key: RouteKey = [name, version, toQueryKey(input ?? {})]
  return {
    // the tag is of types alone
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    queryKey: key as RouteQuery<QueryData<R>>['queryKey'],
    queryFn: async ({ signal }) => toQueryData<R>(await take({ ...input, signal })),
  }
}

/**
 * The options of an infinite query that calls a route for each page.
 *
 * @example
 * useInfiniteQuery(
 *   infiniteQueryOptions(client.car.list, {
 *     input: (page: number) => ({ query: { page } }),
 *     initialPageParam: 1,
 *     getNextPageParam: (last) => last.next,
 *   }),
 * )
 *
 * @throws `TypeError` if `route` is no route of a client.
 */
export function infiniteQueryOptions<I, R, P>(
  route: RouteFunction<I, R>,
  pages: Pages<I, QueryData<R>, P>,
): RouteInfiniteQuery<I, QueryData<R>, P> {
  const { name, version, take } = calledRouteOf(route, 'infiniteQueryOptions')
  const { input, ...others } = pages
  // a query of the same input has data of another kind
  const key: RouteKey = [name, version, toQueryKey(input(pages.initialPageParam)), 'pages']
  return {
    ...others,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    queryKey: key as RouteInfiniteQuery<I, QueryData<R>, P>['queryKey'],
    queryFn: async ({ signal, pageParam }) => toQueryData<R>(await take({ ...input(pageParam), signal })),
  }
}

/**
 * The options of a mutation that calls a route. Its variables are the input of the call.
 *
 * @example
 * const { mutate } = useMutation(mutationOptions(client.car.create))
 * mutate({ body: { name: 'Ford' } })
 *
 * @throws `TypeError` if `route` is no route of a client.
 */
export function mutationOptions<I, R>(route: RouteFunction<I, R>): RouteMutation<I, SuccessData<R>> {
  const { name, version, take } = calledRouteOf(route, 'mutationOptions')
  return {
    mutationKey: [name, version],
    // the type of the answer is what the route declares
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    mutationFn: async (input) => (await take(Object(input))) as SuccessData<R>,
  }
}

/** Returns the data of an answer as a query holds it. The type of an answer is what its route declares. */
function toQueryData<R>(data: unknown): QueryData<R> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (data ?? null) as QueryData<R>
}

/** Keys are compared as JSON, which has neither bigints nor sets. */
function toQueryKey(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value) || value instanceof Set) return [...value].map(toQueryKey)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toQueryKey(member)]))
}
