import { shared } from '../base/copies.ts'
import {
  andThen,
  describeValue,
  isFunction,
  isNonEmptyString,
  isRecord,
  type Awaitable,
} from '../base/values.ts'
import { isAsyncIterable, isWebResponse, type Method } from '../http/http.ts'
import {
  atDefinition,
  checkOptions,
  missingOptions,
  recordLocation,
  type DefinitionProblem,
  type Rules,
} from '../base/definition-error.ts'
import { isSchema, type ResponseKey, type OutputOf, type Schema, type SchemaOf } from '../schema/schema.ts'
import type { DeclaredSource } from '../schema/sources.ts'
import type { VersionSpec } from '../versioning/version.ts'
import type { ExecutionContext, RouteContext, Injected, Tokens } from './context.ts'
import { isRaw, isReply } from './reply.ts'
import type { Fallback } from './infer.ts'

declare const CONTENT: unique symbol
declare const ENVELOPE: unique symbol

/** Stands for the result of a route in the schema that `envelope` of an interceptor returns. For types alone. */
export interface EnvelopeContent {
  /** Never there: what the result is replaces it in the types of clients. */
  readonly [CONTENT]: true
}

/** An interceptor as `defineInterceptor` returns it. `E` is the output of its envelope, `undefined` without one. */
export interface Interceptor<E = unknown> {
  /** Distinguishes interceptors from other definitions. */
  readonly kind: 'interceptor'
  /** The name in messages. */
  readonly name: string
  /** The tokens that `intercept` needs. */
  readonly inject: Tokens
  /** Wraps the handler: `next` runs it and resolves to its result. `input` is what the handler gets, in the newest version. */
  intercept(context: ExecutionContext, next: () => Awaitable<unknown>, inject: never, input: never): unknown
  /** For types alone: the output of the envelope, with `EnvelopeContent` in the place of the result. */
  readonly [ENVELOPE]?: Wrapping<E>
}

/** The mark that an interceptor leaves in the inferred type of a route: a tuple, as guards have one. */
export type Wrapping<E = unknown> = readonly ['wraps', E]

/** An interceptor in a route's list. */
export interface AddedInterceptor<E> extends Omit<Interceptor, typeof ENVELOPE> {
  /** For types alone: what it is inferred from. */
  readonly [ENVELOPE]?: Fallback<Extract<E, Wrapping>, Wrapping>
}

/** The outputs of envelopes that interceptors left as marks, each in a list; `never` without one, or if types do not know. */
export type EnvelopesIn<E> = E extends Wrapping<infer O> ? Known<O> : never

type Known<O> = unknown extends O ? never : [O] extends [undefined] ? never : readonly [O]

/** The output of the envelope of an interceptor, in a list; an empty one without it. */
export type EnvelopeIn<I> = I extends { readonly [ENVELOPE]?: Wrapping<infer O> }
  ? Fallback<Known<O>, readonly []>
  : readonly []

const envelopes = /* @__PURE__ */ shared(
  'interceptor.envelopes',
  () => new WeakMap<Interceptor, (schema: Schema) => unknown>(),
)

/**
 * Prepares the routes that an interceptor or a guard is added to, when the application is built. It is called once for all parts of a route
 * that bring the same function, may leave interceptors out, and reports what is wrong.
 */
export type FitRoute = <I extends { readonly part: Interceptor }>(
  route: Fitting<I>,
  problems: DefinitionProblem[],
) => Fitted<I>

const fits = /* @__PURE__ */ shared('interceptor.fits', () => new WeakMap<object, readonly FitRoute[]>())

/**
 * Has an interceptor or a guard prepare its routes. Such an interceptor is for responses to requests, so `context.call` goes without it.
 */
export function withFits<P extends object>(part: P, ...own: readonly FitRoute[]): P {
  fits.set(part, own)
  return part
}

/** Returns the functions that prepare the routes of these interceptors and guards. */
export function fitsOf(parts: readonly object[]): ReadonlySet<FitRoute> {
  return new Set(parts.flatMap((part) => fits.get(part) ?? []))
}

/** The options of `defineInterceptor`. */
export interface InterceptorOptions<D, E = undefined> {
  /** Names the interceptor in messages. */
  readonly name: string
  /** The tokens that `intercept` needs, by the keys under which it receives their values. */
  readonly inject?: D
  /**
   * Returns the schema of the result of `intercept`, from a schema that `response` of a route declares for a status from 200 to 299. Responses
   * are parsed by it, and documents and clients show it. With it, `next()` returns the data of a `reply`, which keeps its status and
   * headers. Streams, redirects and replies with other statuses are sent unchanged.
   */
  readonly envelope?: (schema: SchemaOf<EnvelopeContent>) => E
  /**
   * Wraps the handler, after validation. `next()` runs the handler and resolves to its value. The value that this function returns
   * replaces it. Without `next()` the handler does not run.
   */
  readonly intercept: (context: RouteContext, next: () => Awaitable<unknown>, inject: Injected<D>) => unknown
}

const WHERE = 'defineInterceptor'
const OPTIONS: Rules = {
  name: [isNonEmptyString, "a name, such as 'Timing'"],
  inject: [isRecord, 'tokens by key, such as { clock: Clock }'],
  envelope: [isFunction, 'a function, such as (schema) => z.object({ data: schema })'],
  intercept: [isFunction, 'a function, such as (context, next) => next()'],
}
const EXAMPLE = `${WHERE}({ name: 'Timing', intercept: (context, next) => next() })`

/** The result of an envelope, or `undefined` without one. */
export type EnvelopeOf<E> = [E] extends [undefined] ? undefined : OutputOf<E>

/**
 * Defines an interceptor, which wraps handlers. Interceptors accumulate like guards, and the first one is outermost.
 *
 * @example
 * const Envelope = defineInterceptor({
 *   name: 'Envelope',
 *   envelope: (schema) => z.object({ data: schema, version: z.string() }),
 *   intercept: async (context, next) => ({ data: await next(), version: context.version }),
 * })
 */
export function defineInterceptor<D extends Tokens = {}, E extends Schema | undefined = undefined>(
  options: InterceptorOptions<D, E>,
): Interceptor<EnvelopeOf<E>> {
  const missing = missingOptions(WHERE, options, ['name', 'intercept'], `write ${EXAMPLE}`)
  checkOptions(WHERE, options, OPTIONS, missing, EXAMPLE)
  const { envelope, intercept, ...others } = options
  if (envelope === undefined)
    return recordLocation({ inject: {}, ...others, intercept, kind: 'interceptor' }, defineInterceptor)
  const made = { inject: {}, ...others, intercept: aroundData(intercept), kind: 'interceptor' } as const
  envelopes.set(made, remembering(envelope))
  return recordLocation(withFits(made, applyEnvelopes), defineInterceptor)
}

/** Calls an envelope once for each schema: routes that share a schema share the wrapped one, and what is made of it. */
function remembering(envelope: (schema: SchemaOf<EnvelopeContent>) => unknown): (schema: Schema) => unknown {
  const made = new WeakMap<Schema, unknown>()
  return (schema) => {
    // the type stands for the result of any route
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (!made.has(schema)) made.set(schema, envelope(schema as SchemaOf<EnvelopeContent>))
    return made.get(schema)
  }
}

type Intercept<D> = InterceptorOptions<D>['intercept']

/** Has an interceptor get and replace data alone: a reply keeps its head, and what is no data is sent as it is. */
function aroundData<D>(intercept: Intercept<D>): Intercept<D> {
  return (context, next, inject) => {
    let close = asMade
    const open = (result: unknown): unknown => {
      const isOpened = isReply(result) && !isRaw(result)
      const data = isOpened ? result.data : result
      const status = (isOpened ? result.status : undefined) ?? context.response.status ?? 200
      if (data === undefined || isSentAsIs(data) || status >= 300) {
        close = () => result
        return result
      }
      close = isOpened ? (made) => ({ ...result, data: made }) : asMade
      return data
    }
    const made = intercept(context, () => andThen(next(), open), inject)
    return andThen(made, (settled) => (isSentAsIs(settled) ? settled : close(settled)))
  }
}

const asMade = (made: unknown): unknown => made

/** Whether a result is a response of its own, a stream or bytes. */
function isSentAsIs(result: unknown): boolean {
  return isReply(result) || result instanceof Uint8Array || isAsyncIterable(result) || isWebResponse(result)
}

/** The changes that interceptors make to a route: `I` are its interceptors with their places. */
export interface Fitted<I> {
  readonly interceptors: readonly I[]
  readonly responses: ReadonlyMap<ResponseKey, Schema>
}

/** A route before its interceptors have prepared it. */
interface Fitting<I> extends Fitted<I> {
  /** Whether it sends events or items. */
  readonly isStream: boolean
  /** The schemas of data among them, by the statuses from 200 to 299 that a result can have. */
  readonly data: ReadonlyMap<number, Schema>
  /** The name of the route in messages. */
  readonly label: string
  readonly methods: readonly Method[]
  /** The versions that it or a level above names. */
  readonly version: VersionSpec | undefined
  readonly sources: readonly Pick<DeclaredSource, 'name' | 'schema'>[]
  /** The route as it was written. */
  readonly route: { readonly interceptors?: readonly Interceptor[]; readonly upgrade?: string }
}

/**
 * Applies the envelopes of interceptors to the responses of a route, the innermost first. A route with a stream loses interceptors with
 * an envelope, because a stream is not wrapped.
 */
function applyEnvelopes<I extends { readonly part: Interceptor }>(
  { interceptors, responses, isStream, data }: Fitting<I>,
  problems: DefinitionProblem[],
): Fitted<I> {
  if (isStream) return { interceptors: interceptors.filter(({ part }) => !envelopes.has(part)), responses }
  const wrapped = new Map(responses)
  for (const [status, schema] of data) {
    const made = interceptors.reduceRight((inner, { part }) => wrapIn(part, inner, problems), schema)
    wrapped.set(status, made)
  }
  return { interceptors, responses: wrapped }
}

/** The schema in the envelope of an interceptor. An envelope that fails is reported once. */
function wrapIn(part: Interceptor, schema: Schema, problems: DefinitionProblem[]): Schema {
  const envelope = envelopes.get(part)
  if (envelope === undefined) return schema
  let outcome: string
  try {
    const made = envelope(schema)
    if (isSchema(made)) return made
    outcome = `returned ${describeValue(made)}`
  } catch (error) {
    outcome = `failed: ${String(error)}`
  }
  const problem: DefinitionProblem = {
    code: 'invalid_response',
    where: `interceptor ${part.name}`,
    message: `its envelope ${outcome}`,
    fix: 'return a schema, such as envelope: (schema) => z.object({ data: schema })',
  }
  const found = atDefinition(problem, part)
  if (!problems.some(({ where, message }) => where === found.where && message === found.message))
    problems.push(found)
  return schema
}
