import { checkAt, type DefinitionProblem } from '../base/definition-error.ts'
import { isPromise, describeValue } from '../base/values.ts'
import { checkFields, isDefinition } from './check-fields.ts'
import { resolveLazy, type AnyModule } from '../define/module.ts'
import { isBuiltIn } from '../define/context.ts'
import type { Binding } from '../define/provider.ts'
import type { Layers, Middleware, ErrorHandler, AnyGuard } from '../define/layers.ts'
import type { Interceptor } from '../define/interceptor.ts'

/** A module in the tree of an application. */
export interface ModuleNode {
  readonly module: AnyModule
  /** How messages call it. */
  readonly label: string
  readonly imports: readonly ModuleNode[]
}

/** The modules of an application, each once. */
export interface ModuleTree {
  /** Imports first. */
  readonly modules: readonly ModuleNode[]
  /** Imports that are still promises: the tree is not complete without them. */
  readonly pending: readonly PromiseLike<unknown>[]
  readonly problems: readonly DefinitionProblem[]
}

/** The modules that promises turned out to be. */
type SettledModules = ReadonlyMap<PromiseLike<unknown>, unknown>

/** Lists the root module and everything it imports, each once, imports first; cycles are legal. */
export function collectModules(root: unknown, settled: SettledModules = new Map()): ModuleTree {
  const problems: DefinitionProblem[] = []
  const nodes = new Map<AnyModule, ModuleNode>()
  const modules: ModuleNode[] = []
  const pending: PromiseLike<unknown>[] = []
  if (isModule(root)) findNode(root)
  else
    problems.push({
      code: 'invalid_field',
      where: 'createApp',
      message: `the root module is ${describeValue(root)}`,
      fix: 'write createApp(defineModule({ controllers: [carController] }))',
    })
  return { modules, pending, problems }

  function findNode(module: AnyModule): ModuleNode {
    return nodes.get(module) ?? checkAt(module, problems, () => readModule(module))
  }

  function readModule(module: AnyModule): ModuleNode {
    const imports: ModuleNode[] = []
    const node: ModuleNode = { module, imports, label: moduleLabel(module, nodes.size === 0) }
    nodes.set(module, node)
    const found = checkFields('module', module, node.label)
    problems.push(...found)
    if (found.some(({ code }) => code === 'invalid_field')) return node
    for (const [index, imported] of (module.imports ?? []).entries()) {
      const child = readImport(imported, node, index)
      if (child !== undefined && !imports.includes(child)) imports.push(child)
    }
    modules.push(node)
    return node
  }

  function readImport(imported: unknown, { label }: ModuleNode, index: number): ModuleNode | undefined {
    const value = resolveLazy(imported)
    if (isModule(value)) return findNode(value)
    if (isPromise(value)) {
      const resolved = resolveLazy(settled.get(value))
      if (isModule(resolved)) return findNode(resolved)
      if (!settled.has(value)) pending.push(value)
      else
        problems.push(
          noModule(label, `imports[${index}] is a promise of ${describeValue(resolved)}`, resolved),
        )
      return undefined
    }
    problems.push(noModule(label, `imports[${index}] is ${describeValue(value)}`, value))
    return undefined
  }
}

function noModule(where: string, message: string, value: unknown): DefinitionProblem {
  return { code: 'invalid_import', where, message: `${message}, not a module`, fix: fixOf(value) }
}

function isModule(value: unknown): value is AnyModule {
  return isDefinition('module')(value)
}

/** Modules without a name are called after what they hold. */
function moduleLabel(module: AnyModule, isRoot: boolean): string {
  if (typeof module.name === 'string') return module.name
  if (isRoot) return 'the root module'
  const [controller] = [...asList(module.controllers), ...asList(module.routers)]
  const inside = definitionName(controller) ?? definitionName(asList(module.providers)[0])
  return inside === undefined ? 'a module without a name' : `the module of ${inside}`
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function definitionName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('name' in value && typeof value.name === 'string') return value.name
  return 'prefix' in value && typeof value.prefix === 'string' ? value.prefix : undefined
}

/** The field of a module in which each kind of definition belongs. */
const FIELD_OF: Readonly<Record<string, string>> = {
  controller: 'controllers',
  router: 'routers',
  provider: 'providers',
  binding: 'providers',
  guard: 'guards',
  interceptor: 'interceptors',
  'error-handler': 'errorHandlers',
}

function fixOf(value: unknown): string {
  const field = fieldOf(value)
  if (field !== undefined) return `move it to ${field}`
  if (typeof value === 'function')
    return 'call it if it returns one; write lazy(() => SomeModule) if it is defined later'
  if (value === undefined)
    return 'two files may import each other: write lazy(() => SomeModule) in one of them'
  return 'pass the result of defineModule, or a promise of it'
}

function fieldOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined
  const kind = String(value.kind)
  return Object.hasOwn(FIELD_OF, kind) ? FIELD_OF[kind] : undefined
}

/** The replacements of `overrides`. */
export interface Overrides {
  /** Returns the stand-in for a token, guard or interceptor, or `undefined` if there is none. Remembers that it was asked for. */
  readonly find: (replaced: object) => object | undefined
  /** Reports what replaces nothing. */
  readonly problems: () => readonly DefinitionProblem[]
}

/** Reads the `overrides` of `createApp`; of two for one thing, the later counts. */
export function createOverrides(bindings: readonly Binding[]): Overrides {
  const targets = new Map(
    bindings.map(({ token, to }) => [overrideKey(token), { token: resolveLazy(token), to }]),
  )
  const used = new Set<unknown>()
  return {
    find: (replaced) => {
      const key = overrideKey(replaced)
      const target = targets.get(key)
      if (target !== undefined) used.add(key)
      return target?.to
    },
    problems: () =>
      [...targets]
        .filter(([key]) => !used.has(key))
        .map(([, { token }]) => ({
          code: 'unused_override',
          where: 'createApp',
          message: `overrides replaces ${replacedName(token)}, which is neither provided nor used`,
          fix: 'remove it, or bind the very object that the modules name',
        })),
  }
}

/** Built-in tokens are the same whatever schema reads them. */
function overrideKey(replaced: unknown): unknown {
  const value = resolveLazy(replaced)
  return typeof value === 'object' && value !== null && isBuiltIn(value) ? value.token : value
}

function replacedName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`
  if ('token' in value) return String(value.token)
  return 'name' in value ? String(value.name) : 'something without a name'
}

/** A guard or interceptor, and the module that gave it, whose providers it can inject. */
export interface PlacedLayer<T> {
  /** The object that the definition names; tells whether two are the same. */
  readonly given: T
  /** The part that runs: the same, unless a test overrides it. */
  readonly part: T
  readonly module: ModuleNode
}

/** The layers around a route, of all levels, in the order in which they run; each guard once. */
export interface LayerStack {
  readonly guards: readonly PlacedLayer<AnyGuard>[]
  readonly interceptors: readonly PlacedLayer<Interceptor>[]
  readonly middleware: readonly Middleware[]
  /** Innermost first. */
  readonly errorHandlers: readonly ErrorHandler[]
}

/** Adds the layers of a level to the layers around it. */
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
      return guardMistake(part, before, label) ?? []
    }),
  )
}

function guardMistake(
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
