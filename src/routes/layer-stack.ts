import type { DefinitionProblem } from '../base/definition-error.ts'
import type { Layers, Middleware } from '../define/layers.ts'
import type { ErrorHandler } from '../define/error-handler.ts'
import type { AnyGuard } from '../define/guard.ts'
import type { Interceptor } from '../define/interceptor.ts'
import type { ModuleNode } from './modules.ts'
import type { Overrides } from './overrides.ts'

/** A guard or interceptor, and where it was given: what it injects is what that module sees. */
export interface Placed<T> {
  /** The object that the definition names; tells whether two are the same. */
  readonly given: T
  /** The part that runs: the same, unless a test overrides it. */
  readonly part: T
  readonly module: ModuleNode
}

/** The layers around a route, of all levels, in the order in which they run; each guard once. */
export interface LayerStack {
  readonly guards: readonly Placed<AnyGuard>[]
  readonly interceptors: readonly Placed<Interceptor>[]
  readonly middleware: readonly Middleware[]
  /** Innermost first. */
  readonly errorHandlers: readonly ErrorHandler[]
}

/** Adds what a level has to what stands around it. */
export type StackLayers = (outer: LayerStack, own: Layers, module: ModuleNode) => LayerStack

/** Creates the function that adds levels, with overrides in the place of what they replace. */
export function createLayerStacker(overrides: Overrides): StackLayers {
  const find = <T extends AnyGuard | Interceptor>(given: T): T => {
    // an override is of the kind that it replaces, which was checked when the options were read
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const found = overrides.find(given) as T | undefined
    return found ?? given
  }
  const findGuard = (given: AnyGuard): AnyGuard => {
    const found = find(given)
    return found === given ? (given.replaceMembers?.(findGuard) ?? given) : found
  }
  return (outer, own, module) => {
    const { guards = [], interceptors = [], middleware = [], errorHandlers = [] } = own
    const added = new Set(guards.filter((guard) => !outer.guards.some(({ given }) => given === guard)))
    return {
      guards: [...outer.guards, ...[...added].map((given) => ({ given, part: findGuard(given), module }))],
      interceptors: [
        ...outer.interceptors,
        ...interceptors.map((given) => ({ given, part: find(given), module })),
      ],
      middleware: [...outer.middleware, ...middleware],
      errorHandlers: [...errorHandlers, ...outer.errorHandlers],
    }
  }
}

/**
 * Reports guards that read the identity of another one which does not run before them, and optional guards behind their required form.
 */
export function guardProblems(
  routes: readonly { readonly label: string; readonly layers: LayerStack }[],
): readonly DefinitionProblem[] {
  return routes.flatMap(({ label, layers }) =>
    layers.guards.flatMap(({ part }, index) => {
      const before = new Set(layers.guards.slice(0, index).map(({ given }) => given))
      return mistakeOf(part, before, label) ?? []
    }),
  )
}

function mistakeOf(
  { name, after, required }: AnyGuard,
  before: ReadonlySet<AnyGuard>,
  where: string,
): DefinitionProblem | undefined {
  if (required !== undefined && before.has(required))
    return {
      code: 'unused_optional',
      where,
      message: `the optional guard ${name} has no effect, because ${name} itself runs before it`,
      fix: `list ${name} itself under withoutGuards, or leave optional(…) out`,
    }
  if (after === undefined || before.has(after)) return undefined
  if (after.required !== undefined && before.has(after.required)) return undefined
  const isOptional = [...before].some((guard) => guard.required === after)
  return {
    code: 'missing_guard',
    where,
    message: `the guard ${name} reads the identity of ${after.name}, which ${isOptional ? 'is optional here' : 'does not run before it'}`,
    fix: isOptional
      ? `list ${after.name} itself, or define ${name} with after: optional(…)`
      : `list ${after.name} before ${name}, under guards of the route or of a level above it`,
  }
}

/** Whether there is middleware or an error handler. */
export function hasOuterLayers({
  middleware = [],
  errorHandlers = [],
}: Pick<Layers, 'middleware' | 'errorHandlers'>): boolean {
  return middleware.length + errorHandlers.length > 0
}

/** Nothing around. */
export const NO_LAYERS: LayerStack = {
  guards: [],
  interceptors: [],
  middleware: [],
  errorHandlers: [],
}
