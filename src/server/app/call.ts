import { isPromise } from '../../base/values.ts'
import type { Container } from '../container/container.ts'
import type { CallInput } from '../../define/context.ts'
import { fitsOf } from '../../define/interceptor.ts'
import { isRaw, isReply } from '../../define/reply.ts'
import { HttpError, ValidationError, type ValidationIssue } from '../../http/errors.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { createValidator } from '../../schema/validator.ts'
import type { AppServices, RequestContext } from '../pipeline/context.ts'
import { toCalledForward } from '../pipeline/endpoint.ts'
import { withInterceptors } from '../pipeline/interceptors.ts'
import type { Input } from '../pipeline/validation/sources.ts'
import type { Table, TableRoute } from '../routing/table/table.ts'
import { createRouteContext } from './route-context.ts'

type InvokeRoute = (input: CallInput, context: RequestContext, callers: readonly string[]) => Promise<unknown>

/** How many calls may wait for each other. A route that calls itself without an end is found by it. */
const MAX_DEPTH = 16

/** Creates the function that calls routes by name, without a request of their own. */
export function createCallByName(table: Table, container: Container): AppServices['call'] {
  const routes = newestRoutes(table)
  const invokes = new Map<ResolvedRoute, InvokeRoute>()
  return async (name, input, context, callers = [context.route?.name ?? 'the application']) => {
    const route = routes.get(name)
    if (route === undefined)
      throw new RangeError(`context.call: no route "${name}"; known are ${[...routes.keys()].join(', ')}`)
    if (callers.length > MAX_DEPTH)
      throw new RangeError(
        `context.call: ${MAX_DEPTH} nested calls, the last are ${[...callers.slice(-3), name].join(' → ')}`,
      )
    const invoke = invokes.get(route) ?? createInvoke(route, container)
    invokes.set(route, invoke)
    return invoke(input, context, [...callers, name])
  }
}

/** The route of each name that answers in the newest version that has one, as its code is. */
function newestRoutes({ rows, known }: Table): ReadonlyMap<string, ResolvedRoute> {
  const rankOf = ({ spec }: TableRoute): number =>
    spec.neutral || spec.unversioned
      ? known.list.length
      : Math.max(...[...spec.claims.keys()].map((version) => known.list.indexOf(version)))
  const newest = new Map<string, TableRoute>()
  for (const row of rows) {
    const other = newest.get(row.route.name)
    if (other === undefined || rankOf(other) < rankOf(row)) newest.set(row.route.name, row)
  }
  return new Map([...newest].map(([name, { route }]) => [name, route.newest ?? route]))
}

function createInvoke(called: ResolvedRoute, container: Container): InvokeRoute {
  const route = toCalledForward(called)
  const injection = container.prepare(route.inject, route.module)
  // preparations of a route are for its response, and the caller has a response already
  const interceptors = route.layers.interceptors.filter(({ part }) => fitsOf([part]).size === 0)
  const call = withInterceptors(interceptors, container, (input, context) =>
    // the schemas have just proven what the handler's type says
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    route.handler(input as never, context as never),
  )
  const check = createSourceCheck(route)
  const read = createInputReader(route)
  const info = Object.freeze({
    name: route.name,
    method: route.methods[0] ?? 'GET',
    path: route.pattern.text,
    controller: route.controller,
    meta: route.meta,
  })
  return async (given, context, callers) => {
    check(given)
    const input = await read(given)
    input.inject = injection.isAsync ? await injection.readAsync(context) : injection.read(context)
    const calls = (name: string, more: CallInput = {}): unknown => context.call(name, more, callers)
    const site = { info, module: route.module, container }
    const result = await call(input, createRouteContext(context, site, [['call', calls]]))
    if (!isReply(result) || isRaw(result)) return result
    const { status, data } = result
    if (status < 400) return data
    throw new HttpError(status, `The route ${route.name} answered with ${status}`, { cause: data })
  }
}

/** Creates the function that refuses input for sources that a route does not have. What is `undefined` is not given. */
function createSourceCheck({ name, sources, pattern }: ResolvedRoute): (given: CallInput) => void {
  const known = [
    ...new Set([...(pattern.params.length > 0 ? ['params'] : []), ...sources.map((each) => each.name)]),
  ]
  return (given) => {
    const unknown = Object.entries(given).find(
      ([source, value]) => value !== undefined && !known.includes(source),
    )
    if (unknown === undefined) return
    const takes = known.length === 0 ? 'no input' : `only ${known.join(', ')}`
    throw new TypeError(`context.call: the route ${name} takes ${takes}, and is given "${unknown[0]}"`)
  }
}

function createInputReader({ sources, pattern }: ResolvedRoute): (given: CallInput) => Promise<Input> {
  const readers = sources.map(({ name, schema }) => ({ name, validate: createValidator(schema) }))
  return async (given) => {
    const input: Input & Record<string, unknown> = { params: readParams(pattern, given), inject: undefined }
    const issues: ValidationIssue[] = []
    for (const { name, validate } of readers) {
      const value = name === 'body' ? given.body : (given[name] ?? {})
      const outcome = validate(name === 'params' ? { ...input.params, ...given.params } : value)
      const settled = isPromise(outcome) ? await outcome : outcome
      if ('issues' in settled)
        for (const { path, code, message } of settled.issues)
          issues.push({
            in: name,
            path: path.map((key) => (typeof key === 'number' ? key : String(key))),
            code,
            message,
          })
      else if (name === 'params') Object.assign(input.params, settled.value)
      else input[name] = settled.value
    }
    if (issues.length > 0) throw new ValidationError(issues)
    return input
  }
}

/** The path parameters as their types read them, from values or texts. */
function readParams({ params }: ResolvedRoute['pattern'], given: CallInput): Record<string, unknown> {
  const issues: ValidationIssue[] = []
  const read: Record<string, unknown> = Object.create(null)
  for (const { name, type } of params) {
    const value: unknown = Reflect.get(given.params ?? {}, name)
    const text = value === undefined || value === null ? '' : type.format(value)
    if (text !== '' && type.test(text, 0, text.length)) read[name] = type.parse(text)
    else issues.push({ in: 'params', path: [name], code: 'invalid_type', message: `Expected ${type.name}` })
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return read
}
