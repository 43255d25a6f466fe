import type { AnyController, WebHandler } from '../define/module.ts'
import { controllerName, nameFromPrefix } from '../define/names.ts'
import type { AnyRoute } from '../define/route.ts'
import {
  suggestion,
  atDefinition,
  checkAt,
  labelBeside,
  type DefinitionProblem,
} from '../base/definition-error.ts'
import {
  joinPaths,
  normalizePrefix,
  parsePattern,
  patternShape,
  withoutSlash,
  coversRoute,
  type Prefix,
} from '../router/path/pattern.ts'
import { specEntries, VERSION_NEUTRAL, type VersionSpec } from '../versioning/version.ts'
import { checkFields } from './check-fields.ts'
import type { ResolvedRoute } from './resolved-route.ts'
import { guardProblems, type StackLayers, type LayerStack, type ModuleNode } from './modules.ts'
import { resolveRoute, inheritShared, type InheritedOptions } from './resolve-route.ts'
import { isForwardTarget, type ExecutionContext, type ForwardTarget } from '../define/context.ts'
import { METHODS } from '../http/http.ts'

/** The routes of modules, with the mistakes that can be seen without knowing how versions travel. */
interface ResolvedRoutes {
  readonly routes: readonly ResolvedRoute[]
  readonly problems: readonly DefinitionProblem[]
}

/** The level above all modules. */
export interface AppLevel {
  readonly prefix: Prefix
  readonly layers: LayerStack
  readonly stackLayers: StackLayers
}

/** Lists every route of the modules with everything inherited written out. */
export function resolveRoutes(modules: readonly ModuleNode[], frame: AppLevel): ResolvedRoutes {
  const problems: DefinitionProblem[] = []
  const routes = modules.flatMap((node) =>
    checkAt(node.module, problems, () => resolveModule(node, frame, problems)),
  )
  return { routes, problems: [...problems, ...duplicateNames(routes), ...guardProblems(routes)] }
}

function resolveModule(
  node: ModuleNode,
  { prefix, layers, stackLayers }: AppLevel,
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  const { module } = node
  const own = joinPrefix('', module.prefix ?? '', node.label, problems)
  if (own === undefined) return []
  const inherited: InheritedOptions = {
    ...NOTHING_INHERITED,
    definitions: [module],
    prefix: own,
    appPrefix: prefix,
    ...inheritShared(module, NOTHING_INHERITED, node.label, problems),
    module: node,
    layers: stackLayers(layers, module, node),
    stackLayers,
  }
  return [...(module.controllers ?? []), ...(module.routers ?? [])].flatMap((controller) =>
    resolveController(controller, inherited, problems, []),
  )
}

/** Writes out the routes of a controller that the application adds itself, as if the root module had it without a prefix. */
export function resolveOwn(
  controller: AnyController,
  node: ModuleNode,
  { prefix, ...level }: AppLevel,
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  return resolveController(
    controller,
    { ...NOTHING_INHERITED, ...level, prefix: '', appPrefix: prefix, module: node },
    problems,
    [],
  )
}

/** The settings that a module without options passes on. */
const NOTHING_INHERITED = {
  definitions: [],
  controller: '',
  version: undefined,
  tags: undefined,
  deprecated: false,
  policies: [],
  includeInSchema: true,
  meta: {},
  problems: [],
  inject: {},
} as const

function resolveController(
  controller: AnyController,
  inherited: InheritedOptions,
  problems: DefinitionProblem[],
  above: readonly AnyController[],
): readonly ResolvedRoute[] {
  return checkAt(controller, problems, () => resolveGroup(controller, inherited, problems, above))
}

function resolveGroup(
  controller: AnyController,
  inherited: InheritedOptions,
  problems: DefinitionProblem[],
  above: readonly AnyController[],
): readonly ResolvedRoute[] {
  const where = `${controller.kind} ${controller.name ?? controller.prefix ?? 'without a name'}`
  if (above.includes(controller)) {
    problems.push({
      code: 'circular_router',
      where,
      message: 'the router contains itself',
      fix: 'remove it from its own routers',
    })
    return []
  }
  const found = checkFields(controller.kind, controller, where)
  problems.push(...found)
  if (found.some(({ code }) => code === 'invalid_field')) return []
  const own = controllerOwnName(controller, where, problems)
  const name = [inherited.controller, own].filter((part) => part !== '').join('.')
  const prefix = joinPrefix(inherited.prefix, controller.prefix ?? `/${own}`, where, problems)
  if (prefix === undefined) return []
  const { module, stackLayers, appPrefix } = inherited
  const shared: InheritedOptions = {
    module,
    appPrefix,
    stackLayers,
    layers: stackLayers(inherited.layers, controller, module),
    definitions: [controller, ...inherited.definitions],
    controller: name,
    prefix,
    ...inheritShared(controller, inherited, where, problems),
    inject: controller.inject ?? {},
  }
  return [
    ...(controller.routes ?? []).flatMap((route) => resolveRoute(route, shared, problems)),
    ...resolveMount(controller, shared, problems, above),
    ...(controller.routers ?? []).flatMap((router) =>
      resolveController(router, shared, problems, [...above, controller]),
    ),
  ]
}

/** The route of what a controller mounts. */
function resolveMount(
  controller: AnyController,
  inherited: InheritedOptions,
  problems: DefinitionProblem[],
  above: readonly AnyController[],
): readonly ResolvedRoute[] {
  const { mount } = controller
  if (mount === undefined) return []
  const hasGuards = [controller, ...above].some(({ guards }) => guards !== undefined)
  const route = toMountRoute(mount, inherited.version)
  const isRest = isForwardTarget(mount) && specEntries(route.version).includes(VERSION_NEUTRAL)
  return resolveRoute(route, inherited, problems).map((each) => ({ ...each, mount: { isRest, hasGuards } }))
}

function controllerOwnName(controller: AnyController, where: string, problems: DefinitionProblem[]): string {
  const { name, prefix, kind, mount } = controller
  if (name === undefined && prefix === undefined && isForwardTarget(mount)) return ''
  if (name === undefined && prefix === undefined) {
    problems.push({
      code: 'missing_name',
      where,
      message: `the ${kind} has neither a name nor a prefix`,
      fix: "give it one: name: 'CarController' or prefix: '/car'",
    })
    return ''
  }
  if (name === undefined) {
    const pattern = parsePattern(joinPaths(prefix ?? '', ''))
    return 'segments' in pattern ? nameFromPrefix(pattern.segments) : ''
  }
  const own = controllerName(name)
  if (!/^[a-z][\w-]*$/i.test(own)) {
    problems.push({
      code: 'invalid_name',
      where,
      message: name === 'Controller' ? 'the name is only the word Controller' : `"${name}" is not a name`,
      fix: "use letters, digits, - and _, as in 'CarController'",
    })
  }
  return own
}

/** The prefix below another one, or `undefined` if it cannot be read, which is reported here and not for every route. */
function joinPrefix(
  base: string,
  prefix: string,
  where: string,
  problems: DefinitionProblem[],
): string | undefined {
  if (prefix !== '' && !prefix.startsWith('/')) {
    problems.push({ ...withoutSlash('the prefix ', prefix), where })
    return undefined
  }
  const joined = normalizePrefix(base + normalizePrefix(prefix))
  const pattern = parsePattern(joinPaths(joined, '/'))
  if ('segments' in pattern) return joined
  problems.push(...pattern.map((problem) => ({ ...problem, where })))
  return undefined
}

/** Reports exclusions from the prefix that are about no route. `others`: paths outside of it that are no routes. */
export function unusedExclusions(
  { path, exclusions }: Prefix,
  routes: readonly ResolvedRoute[],
  others: readonly string[],
): readonly DefinitionProblem[] {
  const unused = exclusions.filter(
    (exclusion) =>
      !others.includes(exclusion.pattern.text) &&
      !routes.some((route) => route.isExcluded && coversRoute(exclusion, route.pattern, route.methods)),
  )
  if (unused.length === 0) return []
  const there = routes.map(({ isExcluded, pattern }) =>
    isExcluded ? pattern.text : pattern.text.slice(path.length) || '/',
  )
  return unused.map(({ pattern: { text }, methods }) => {
    return {
      code: 'unused_exclusion',
      where: 'createApp',
      message: `prefix.exclude has ${methods === undefined ? text : `${methods.join()} ${text}`}, which is no route without the prefix`,
      fix: there.includes(text) ? repairOf(methods) : suggestion(text, [...new Set(there)]),
    }
  })
}

/** Returns the edit of an exclusion whose path is the path of a route. Without methods, only a path below `docs` is unused. */
function repairOf(methods: readonly string[] | undefined): string {
  return methods === undefined
    ? 'exclude the path of docs, which stands for all below it'
    : 'leave out method, or name every method of the route'
}

/**
 * Reports names that several routes share, unless they are versions of one route: the same methods, and no version in common.
 * Routes that answer the same requests are left to the report on duplicate routes.
 */
function duplicateNames(routes: readonly ResolvedRoute[]): readonly DefinitionProblem[] {
  const byName = new Map<string, ResolvedRoute[]>()
  const problems: DefinitionProblem[] = []
  for (const route of routes) {
    const others = byName.get(route.name) ?? []
    const other = others.find(
      (candidate) => !areVersions(candidate, route) && !sameRequests(candidate, route),
    )
    if (other !== undefined) {
      const problem: DefinitionProblem = {
        code: 'duplicate_name',
        where: route.label,
        message: `${labelBeside(other, route)} has the same name`,
        fix: 'give one of them another name; only versions of one route may share it',
      }
      problems.push(atDefinition(problem, ...route.definitions))
    }
    byName.set(route.name, [...others, route])
  }
  return problems
}

function areVersions(a: ResolvedRoute, b: ResolvedRoute): boolean {
  const left = specEntries(a.version)
  const right = specEntries(b.version)
  const sameMethods = a.methods.join() === b.methods.join()
  return sameMethods && left.length + right.length > 0 && !left.some((entry) => right.includes(entry))
}

function sameRequests(a: ResolvedRoute, b: ResolvedRoute): boolean {
  return (
    patternShape(a.pattern, false) === patternShape(b.pattern, false) &&
    a.methods.some((method) => b.methods.includes(method))
  )
}

/** The web platform makes no `Request` for TRACE (the Fetch standard, section 2.2.1). */
const MOUNTED = METHODS.filter((method) => method !== 'TRACE')

/** The route that hands every request below a prefix to a foreign handler. */
function toMountRoute(mount: WebHandler | ForwardTarget, version: VersionSpec | undefined): AnyRoute {
  const route = { method: MOUNTED, path: '/{rest:path}', name: 'mount', includeInSchema: false }
  // an API behind has everything that is not here, in every version
  if (isForwardTarget(mount))
    return { ...route, version: version ?? VERSION_NEUTRAL, upgrade: 'websocket', forward: mount }
  return {
    ...route,
    handler: (_input: unknown, context: ExecutionContext) =>
      mount(context.request.web, toMountContext(context)),
  }
}

const MEMBERS =
  'request response route version path originalPath requestId identity client signal state log resolve since kept migrate call waitUntil urlFor allowedMethods switchToHttpConnection'.split(
    ' ',
  )

/**
 * The context as a mounted handler gets it. Other frameworks copy a context, derive objects from it and write members of their own to
 * these, such as `request`. So each member is its own, works on every object that has it, and can be replaced there.
 */
function toMountContext(context: ExecutionContext): ExecutionContext {
  const own = {}
  for (const name of MEMBERS) {
    Object.defineProperty(own, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value: unknown = Reflect.get(context, name)
        return typeof value === 'function' ? value.bind(context) : value
      },
      set(value: unknown) {
        if (name === 'requestId' || name === 'identity') Reflect.set(context, name, value)
        else
          Object.defineProperty(this, name, { configurable: true, enumerable: true, writable: true, value })
      },
    })
  }
  // has every member of a context
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return own as ExecutionContext
}
