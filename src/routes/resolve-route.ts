import { checkAt, type DefinitionProblem } from '../base/definition-error.ts'
import {
  joinPaths,
  parsePattern,
  withoutSlash,
  normalizePrefix,
  type Pattern,
  type Prefix,
} from '../router/path/pattern.ts'
import { routePolicyProblems } from '../versioning/policy-problems.ts'
import type { PlacedPolicy } from '../versioning/policy.ts'
import type { VersionSpec } from '../versioning/version.ts'
import { checkFields, checkMethods, checkVersions } from './check-fields.ts'
import type { ResolvedRoute } from './resolved-route.ts'
import { routeName } from '../define/names.ts'
import type { StackLayers, LayerStack, ModuleNode } from './modules.ts'
import { resolveLazy } from '../define/module.ts'
import { documentedOf } from '../define/layers.ts'
import type { AnyProblem } from '../define/problem.ts'
import { copyOptions, type AnyRoute, type Shared } from '../define/route.ts'
import { dataResponses, readSchemas, type RouteSchemas } from '../schema/route-schemas.ts'
import { fitsOf, type Fitted } from '../define/interceptor.ts'
import { FORWARDED, isToken, type Token, type Tokens } from '../define/context.ts'
import { describeValue, isRecord } from '../base/values.ts'

/** The options that all levels have in common, of a level and those above it. */
interface InheritedShared {
  readonly version: VersionSpec | undefined
  readonly tags: readonly string[] | undefined
  readonly deprecated: boolean
  /** The nearest first. */
  readonly policies: readonly PlacedPolicy[]
  readonly includeInSchema: boolean
  readonly meta: object
  /** Each once, the outermost first. */
  readonly problems: readonly AnyProblem[]
}

/** The settings that a route gets from the controller, routers and module around it. */
export interface InheritedOptions extends InheritedShared {
  /** The controller, the routers around it and the module, for the place in messages. */
  readonly definitions: readonly object[]
  readonly controller: string
  /** Without that of the application. */
  readonly prefix: string
  readonly appPrefix: Prefix
  readonly inject: Tokens
  readonly module: ModuleNode
  readonly layers: LayerStack
  readonly stackLayers: StackLayers
}

/** Writes a route out; none when it is too broken to go on with. Every mistake is reported. */
export function resolveRoute(
  route: AnyRoute,
  inherited: InheritedOptions,
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  return checkAt(route, problems, () => readRoute(route, inherited, problems))
}

function readRoute(
  route: AnyRoute,
  inherited: InheritedOptions,
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  const { prefix, appPrefix } = inherited
  const path = typeof route.path === 'string' ? withSlash(route.path) : ''
  const own = joinPaths(prefix, path)
  const isExcluded = appPrefix.excludes(own, [route.method].flat())
  const text = isExcluded ? own : joinPaths(appPrefix.path + prefix, path)
  const place = unnamedLabel(route, inherited, text)
  const found = [...checkFields('route', route, place), ...checkMethods(route, place)]
  problems.push(...found)
  if (found.some(({ code }) => code !== 'unknown_field')) return []
  const pattern = readPattern(route, text, place, problems)
  return pattern === undefined ? [] : [{ ...withPattern(route, inherited, pattern, problems), isExcluded }]
}

function withPattern(
  route: AnyRoute,
  inherited: InheritedOptions,
  pattern: Pattern,
  problems: DefinitionProblem[],
): Omit<ResolvedRoute, 'isExcluded'> {
  const { controller } = inherited
  const methods = [...new Set([route.method].flat())]
  const own = ownRouteName(route, methods[0] ?? 'GET')
  const name = controller === '' ? own : `${controller}.${own}`
  const label = `${name}: ${methods.join(',')} ${pattern.text}`
  const found: Omit<DefinitionProblem, 'where'>[] = [...routeNameProblems(own)]
  const shared = inheritShared(route, inherited, label, found)
  const { version, tags } = shared
  found.push(...checkVersions(version, label))
  const schemas = readSchemas(route, pattern, found)
  const inject = toInject(inherited.inject, route.input?.['inject'], found)
  if (route.forward !== undefined) inject.set(FORWARDED, route.forward)
  const layers = routeLayers(route, inherited, found)
  found.push(...duplicateProblems(shared.problems, layers))
  const fitted = toFitted({ ...schemas, layers, label, methods, version, route }, problems)
  if (route.controller !== undefined) found.push(...placementProblems(route, inherited))
  problems.push(...found.map((problem) => ({ ...problem, where: label })))
  return {
    label,
    definitions: [route, ...inherited.definitions],
    name,
    isRenamed: isRenamed(route),
    controller,
    methods,
    pattern,
    prefix: inherited.appPrefix.at(pattern.text),
    ...shared,
    ...schemas,
    inject,
    module: inherited.module,
    // requests of a route without a handler are forwarded
    handler: route.handler ?? (() => undefined),
    ...copyOptions(route),
    openapi: route.openapi ?? {},
    ...fitted,
    tags: tags ?? (controller === '' ? [] : [controller]),
  }
}

/** Returns the layers around a route and its responses, once its interceptors and guards have prepared it. */
function toFitted(
  {
    layers,
    stream,
    ...route
  }: RouteSchemas &
    Pick<ResolvedRoute, 'layers' | 'label' | 'methods' | 'version'> & { readonly route: AnyRoute },
  problems: DefinitionProblem[],
): Pick<ResolvedRoute, 'layers' | 'responses'> {
  const { guards, interceptors } = layers
  const { responses } = route
  const fits = fitsOf([...guards, ...interceptors].map(({ part }) => part))
  if (fits.size === 0) return { layers, responses }
  const parts = { ...route, isStream: stream !== undefined, data: dataResponses(route) }
  let fitted: Fitted<LayerStack['interceptors'][number]> = { interceptors, responses }
  for (const fit of fits) fitted = fit({ ...parts, ...fitted }, problems)
  return { layers: { ...layers, interceptors: fitted.interceptors }, responses: fitted.responses }
}

/** Adds what a definition says of the options that all levels have in common. A policy that cannot be used is reported and left out. */
export function inheritShared(
  own: Shared,
  above: InheritedShared,
  where: string,
  problems: Pick<DefinitionProblem[], 'push'>,
): InheritedShared {
  const { deprecated, policy, meta } = own
  const found = policy === undefined ? [] : routePolicyProblems(where, 'policy', policy)
  problems.push(...found)
  const ownPolicy = {
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(found.length > 0 ? {} : policy),
  }
  return {
    version: own.version ?? above.version,
    tags: own.tags ?? above.tags,
    deprecated: deprecated ?? above.deprecated,
    policies:
      Object.keys(ownPolicy).length === 0 ? above.policies : [{ ...ownPolicy, where }, ...above.policies],
    includeInSchema: above.includeInSchema && (own.includeInSchema ?? true),
    meta: { ...above.meta, ...meta },
    problems: [...new Set([...above.problems, ...(own.problems ?? [])])],
  }
}

/** Reports problems of one code that differ: documents and clients tell problems apart by their codes. */
function duplicateProblems(
  problems: readonly AnyProblem[],
  { guards }: LayerStack,
): readonly Omit<DefinitionProblem, 'where'>[] {
  const known = new Map<string, AnyProblem>()
  const added = documentedOf(guards.map(({ part }) => part)).flatMap((each) => each.problems ?? [])
  return [...problems, ...added].flatMap((problem) => {
    const { code, status, members } = problem
    const first = known.get(code) ?? problem
    known.set(code, first)
    if (first.status === status && first.members === members) return []
    const message = `two problems have the code ${code}, and differ in their status or members`
    return [{ code: 'duplicate_problem', message, fix: 'give one of them another code' }]
  })
}

/** Where a route stands, before it is known what it is called. */
function unnamedLabel(route: AnyRoute, { controller }: InheritedOptions, text: string): string {
  const parts = [controller === '' ? '' : `${controller}:`, [route.method].flat().join(','), text]
  return parts.filter((part) => part !== '').join(' ')
}

function ownRouteName(route: AnyRoute, method: string): string {
  return route.name ?? handlerName(route) ?? routeName(method, patternOfPath(route.path))
}

function routeNameProblems(name: string): readonly Omit<DefinitionProblem, 'where'>[] {
  if (/^[a-z_$][\w$-]*$/i.test(name)) return []
  const fix = 'use letters, digits, - and _, and begin with a letter'
  return [{ code: 'invalid_name', message: `"${name}" is not a name`, fix }]
}

/** For messages: a path that does not begin with a slash is reported as such. */
function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

function readPattern(
  route: AnyRoute,
  text: string,
  where: string,
  problems: DefinitionProblem[],
): Pattern | undefined {
  if (route.path !== undefined && !route.path.startsWith('/')) {
    problems.push({ ...withoutSlash('the path ', route.path), where })
    return undefined
  }
  const pattern = parsePattern(text)
  if ('segments' in pattern) return pattern
  problems.push(...pattern.map((problem) => ({ ...problem, where })))
  return undefined
}

/** The segments of a route's own path; the whole pattern was read without problems before. */
function patternOfPath(path: string | undefined): Pattern['segments'] {
  const pattern = parsePattern(path ?? '/')
  return 'segments' in pattern ? pattern.segments : []
}

/** The name of a handler that is a named function; inline handlers are all called `handler`. */
function handlerName({ handler }: AnyRoute): string | undefined {
  return handler !== undefined && handler.name !== 'handler' && /^[a-z_$][\w$]*$/i.test(handler.name)
    ? handler.name
    : undefined
}

/**
 * Whether a small bundle has renamed the handler that a route is called after: it renamed our functions as well. If Octavo is not in the
 * bundle, a name of one or two letters and code without spaces show it. Only a number is added to a name that is there twice.
 */
function isRenamed(route: AnyRoute): boolean {
  const name = route.name === undefined ? handlerName(route) : undefined
  if (name === undefined) return false
  const isSmall = name.length <= 2 && !/\) \{| => /.test(String(route.handler))
  return isSmall || !resolveRoute.name.startsWith('resolveRoute')
}

function toInject(
  above: Tokens,
  own: unknown,
  problems: Omit<DefinitionProblem, 'where'>[],
): Map<string, Token<unknown>> {
  const tokens = new Map<string, Token<unknown>>()
  if (own !== undefined && !isRecord(own)) {
    problems.push({
      code: 'invalid_field',
      message: `input.inject is ${describeValue(own)}`,
      fix: 'write inject: { request: HttpRequest }',
    })
  }
  const entries = [...Object.entries(above), ...(isRecord(own) ? Object.entries(own) : [])]
  for (const [key, given] of entries as readonly (readonly [string, unknown])[]) {
    const token = resolveLazy(given)
    if (!isToken(token)) problems.push(notAToken(key, token))
    else if (tokens.has(key) && tokens.get(key) !== token) {
      problems.push({
        code: 'duplicate_key',
        message: `inject.${key} is given by the controller and by the route`,
        fix: 'rename one of them',
      })
    } else tokens.set(key, token)
  }
  return tokens
}

/** The problem of something that stands where a token belongs. */
export function notAToken(key: string, value: unknown): Omit<DefinitionProblem, 'where'> {
  return {
    code: 'missing_provider',
    message: `inject.${key} is ${describeValue(value)}`,
    fix:
      value === undefined
        ? 'two files may import each other: write lazy(() => TheToken)'
        : 'inject a provider, a token of defineToken, or a built-in one such as HttpRequest',
  }
}

/** The layers of a route, without the guards that it drops. */
function routeLayers(
  route: AnyRoute,
  { layers, stackLayers, module }: InheritedOptions,
  problems: Omit<DefinitionProblem, 'where'>[],
): LayerStack {
  const { withoutGuards = [] } = route
  const missing = withoutGuards.filter((guard) => !layers.guards.some(({ given }) => given === guard))
  problems.push(
    ...missing.map(({ name }): Omit<DefinitionProblem, 'where'> => ({
      code: 'unused_without_guards',
      message: `withoutGuards names ${name}, which does not guard this route`,
      fix: 'remove it, or name the very object that the levels above list under guards',
    })),
  )
  const kept = layers.guards.filter(({ given }) => !withoutGuards.includes(given))
  return stackLayers({ ...layers, guards: kept }, route, module)
}

/** The levels around a route, as far as `defineRoute` can name them. */
interface Around {
  readonly prefix: string
  readonly inject: Tokens
  readonly layers: LayerStack
}

/** Reports what a route of `defineRoute` needs of its controller and does not find there. */
function placementProblems(
  { controller = {} }: AnyRoute,
  { prefix, inject, layers }: Around,
): readonly Omit<DefinitionProblem, 'where'>[] {
  const needed = normalizePrefix(controller.prefix ?? '')
  const tokens = Object.entries(controller.inject ?? {}).filter(([key, token]) => inject[key] !== token)
  const guards = (controller.guards ?? []).filter(
    (guard) => !layers.guards.some(({ given }) => given === guard),
  )
  return [
    ...(prefix.endsWith(needed)
      ? []
      : [
          misplaced(
            `the prefix "${needed}", and here it is "${prefix}"`,
            'give defineRoute the prefix of the controller',
          ),
        ]),
    ...tokens.map(([key]) =>
      misplaced(
        `a controller that injects this ${key}`,
        `list ${key} with the same token under inject of the controller`,
      ),
    ),
    ...guards.map(({ name }) =>
      misplaced(
        `the guard ${name}, which no level above lists`,
        `list ${name} under guards of the controller`,
      ),
    ),
  ]
}

function misplaced(what: string, fix: string): Omit<DefinitionProblem, 'where'> {
  return { code: 'misplaced_route', message: `the route is defined for ${what}`, fix }
}
