import type { DefinitionProblem } from '../definition-error.ts'
import { joinPaths, parsePattern } from '../pattern.ts'
import type { Pattern } from '../pattern.ts'
import type { VersionSpec } from '../versioning/spec.ts'
import { checkFields, checkMethods, checkVersions } from './fields.ts'
import type { FlatRoute } from './flat-route.ts'
import { routeName } from './names.ts'
import { toResponses } from './responses.ts'
import type { AnyRoute } from './route.ts'
import { toSources } from './sources.ts'
import type { Token, Tokens } from './token.ts'

/** What a route gets from the controller, routers and module around it. */
export interface Inherited {
  readonly controller: string
  readonly prefix: string
  readonly version: VersionSpec | undefined
  readonly tags: readonly string[] | undefined
  readonly deprecated: boolean
  readonly includeInSchema: boolean
  readonly meta: object
  readonly inject: Tokens
}

/** Writes a route out; none when it is too broken to go on with. Every mistake is reported. */
export function toFlatRoute(
  route: AnyRoute,
  inherited: Inherited,
  problems: DefinitionProblem[],
): readonly FlatRoute[] {
  const text = joinPaths(inherited.prefix, typeof route.path === 'string' ? withSlash(route.path) : '/')
  const place = [
    inherited.controller === '' ? '' : `${inherited.controller}:`,
    [route.method].flat().join(','),
    text,
  ]
    .filter((part) => part !== '')
    .join(' ')
  const found = [...checkFields('route', route, place), ...checkMethods(route.method, place)]
  problems.push(...found)
  if (found.some(({ code }) => code !== 'unknown_field')) return []
  const pattern = readPattern(route, text, place, problems)
  if (pattern === undefined) return []

  const methods = [...new Set([route.method].flat())]
  const own = route.name ?? handlerName(route) ?? routeName(methods[0] ?? 'GET', patternOfPath(route.path))
  const name = inherited.controller === '' ? own : `${inherited.controller}.${own}`
  const where = `${name}: ${methods.join(',')} ${text}`
  const report = (problem: Omit<DefinitionProblem, 'where'>): void =>
    void problems.push({ ...problem, where })
  if (!/^[a-z_$][\w$-]*$/i.test(own)) {
    report({ code: 'invalid_name', message: `"${own}" is not a name`, fix: 'use letters, digits, - and _' })
  }
  const version = route.version ?? inherited.version
  for (const problem of checkVersions(version, where)) report(problem)
  const sourceProblems: Omit<DefinitionProblem, 'where'>[] = []
  const sources = toSources(route.input ?? {}, pattern, sourceProblems)
  const responses = toResponses(route.response, sourceProblems)
  const inject = toInject(inherited.inject, route.input?.['inject'], sourceProblems)
  for (const problem of sourceProblems) report(problem)

  const { summary, description, operationId, validateResponses } = route
  return [
    {
      label: where,
      name,
      controller: inherited.controller,
      methods,
      pattern,
      version,
      sources,
      inject,
      responses: responses.byStatus(route.status),
      status: route.status ?? responses.success ?? 200,
      validateResponses,
      handler: route.handler,
      tags: route.tags ?? inherited.tags ?? (inherited.controller === '' ? [] : [inherited.controller]),
      summary,
      description,
      operationId,
      deprecated: route.deprecated ?? inherited.deprecated,
      includeInSchema: inherited.includeInSchema && (route.includeInSchema ?? true),
      meta: { ...inherited.meta, ...route.meta },
    },
  ]
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
    problems.push({
      code: 'invalid_pattern',
      where,
      message: `the path "${route.path}" does not begin with a slash`,
      fix: `write "/${route.path}"`,
    })
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
  return handler.name !== 'handler' && /^[a-z_$][\w$]*$/i.test(handler.name) ? handler.name : undefined
}

function toInject(
  above: Tokens,
  own: unknown,
  problems: Omit<DefinitionProblem, 'where'>[],
): ReadonlyMap<string, Token<unknown>> {
  const tokens = new Map<string, Token<unknown>>()
  const isRecord = typeof own === 'object' && own !== null && !Array.isArray(own)
  if (own !== undefined && !isRecord) {
    problems.push({
      code: 'invalid_field',
      message: 'input.inject is not a record of tokens',
      fix: 'write inject: { request: HttpRequest }',
    })
  }
  const entries = [...Object.entries(above), ...(isRecord ? Object.entries(own) : [])]
  for (const [key, token] of entries as readonly (readonly [string, unknown])[]) {
    if (!isToken(token)) {
      problems.push({
        code: 'missing_provider',
        message: `inject.${key} is not a token`,
        fix: 'inject a token, such as HttpRequest',
      })
    } else if (tokens.has(key) && tokens.get(key) !== token) {
      problems.push({
        code: 'duplicate_key',
        message: `inject.${key} is given by the controller and by the route`,
        fix: 'rename one of them',
      })
    } else tokens.set(key, token)
  }
  return tokens
}

function isToken(value: unknown): value is Token<unknown> {
  return typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string'
}
