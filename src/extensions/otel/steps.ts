import { context as active, SpanStatusCode, trace, type Attributes, type Tracer } from '@opentelemetry/api'

import { isPromise } from '../../base/values.ts'
import { defineGuard, documentedOf, documenting, type AnyGuard } from '../../define/layers.ts'
import { defineInterceptor, type Interceptor } from '../../define/interceptor.ts'
import type { BodyLayer, ResolvedRoute, VersionLayer } from '../../routes/resolved-route.ts'
import type { PlacedLayer } from '../../routes/modules.ts'
import { observedOf, type Observed } from './observed.ts'
import type { TracedStep } from './options.ts'

/** Creates the function that has routes create a span for each of the given steps. */
export function createSteps(
  tracer: Tracer,
  steps: ReadonlySet<TracedStep>,
): (routes: readonly ResolvedRoute[]) => readonly ResolvedRoute[] {
  if (steps.size === 0) return (routes) => routes
  const input = createInputSpans(tracer)
  const toTraced = (route: ResolvedRoute): ResolvedRoute => {
    const layers = tracedLayers(route, steps, { tracer, input })
    const made: PropertyDescriptorMap = {
      ...Object.getOwnPropertyDescriptors(route),
      layers: { value: layers, enumerable: true },
    }
    if (steps.has('handler')) {
      const span = { name: 'handler', attributes: { 'code.function.name': route.name } }
      const handler: ResolvedRoute['handler'] = (value, context) =>
        inSpan(tracer, span, () => route.handler(value, context))
      made['handler'] = { value: handler, enumerable: true }
    }
    if (steps.has('migrations') && route.newest !== undefined) {
      let layer: VersionLayer | undefined
      // made when it is first read, like that of the route
      const get = (): VersionLayer | undefined => (layer ??= route.layer && traceLayer(tracer, route.layer))
      made['layer'] = { get, enumerable: true }
    }
    // a copy of all properties; those that are made when they are first read stay so
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return Object.defineProperties({}, made) as ResolvedRoute
  }
  return (routes) => routes.map(toTraced)
}

/** The spans of input. Input is read between the last guard and the first interceptor, so each begins and ends one. */
interface InputSpans {
  readonly start: AnyGuard
  readonly stop: Interceptor
}

/** Ends the span of input that was refused, so that what comes after it never began. */
export function endRefusedInput({ input }: Observed): void {
  input?.setStatus({ code: SpanStatusCode.ERROR }).end()
}

function createInputSpans(tracer: Tracer): InputSpans {
  return {
    start: defineGuard({
      name: 'the span of input',
      canActivate: (context) => {
        const observed = observedOf(context)
        if (observed !== undefined) observed.input = tracer.startSpan('input')
        return true
      },
    }),
    stop: defineInterceptor({
      name: 'the span of input',
      intercept: (context, next) => {
        const observed = observedOf(context)
        observed?.input?.end()
        if (observed !== undefined) observed.input = undefined
        return next()
      },
    }),
  }
}

function tracedLayers(
  route: ResolvedRoute,
  steps: ReadonlySet<TracedStep>,
  { tracer, input: { start, stop } }: { readonly tracer: Tracer; readonly input: InputSpans },
): ResolvedRoute['layers'] {
  const { layers, module, newest = route } = route
  const hasInput = newest.sources.length > 0
  const guards = steps.has('guards') ? layers.guards.map((guard) => traceGuard(tracer, guard)) : layers.guards
  if (!steps.has('input') || !hasInput) return { ...layers, guards }
  return {
    ...layers,
    guards: [...guards, { given: start, part: start, module }],
    interceptors: [{ given: stop, part: stop, module }, ...layers.interceptors],
  }
}

function traceGuard(tracer: Tracer, { part, ...placed }: PlacedLayer<AnyGuard>): PlacedLayer<AnyGuard> {
  const canActivate: AnyGuard['canActivate'] = (context, inject) =>
    inSpan(tracer, { name: `guard ${part.name}` }, () => part.canActivate(context, inject))
  // documents ask whether a guard is a limit, which is a function, and know by its identity what it adds
  const traced = new Proxy(part, {
    get: (target, key): unknown => (key === 'canActivate' ? canActivate : Reflect.get(target, key)),
  })
  return { ...placed, part: documenting(traced, ...documentedOf([part])) }
}

function traceLayer(tracer: Tracer, layer: VersionLayer): VersionLayer {
  const traced = new Map<BodyLayer, BodyLayer>()
  const traceBody = (body: BodyLayer): BodyLayer => {
    const { toOlder } = body
    if (toOlder === undefined) return body
    return {
      ...body,
      toOlder: (data, extra) => inSpan(tracer, { name: 'migration down' }, () => toOlder(data, extra)),
    }
  }
  return {
    ...layer,
    toNewest: (input, extra) => inSpan(tracer, { name: 'migration up' }, () => layer.toNewest(input, extra)),
    response: (status) => {
      const body = layer.response(status)
      if (body === undefined) return undefined
      const known = traced.get(body) ?? traceBody(body)
      traced.set(body, known)
      return known
    },
  }
}

/** Does the work in a span, which ends with it, and with its promise if it returns one. */
function inSpan<T>(
  tracer: Tracer,
  { name, attributes = {} }: { readonly name: string; readonly attributes?: Attributes },
  work: () => T,
): T {
  const span = tracer.startSpan(name, { attributes })
  const end = (): void => span.end()
  const fail = (): void => {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
  try {
    const result = active.with(trace.setSpan(active.active(), span), work)
    if (isPromise(result)) result.then(end, fail)
    else end()
    return result
  } catch (error) {
    fail()
    throw error
  }
}
