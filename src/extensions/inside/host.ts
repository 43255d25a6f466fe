import { FORWARDS, type ForwardTarget, type UpstreamApp } from '../../define/context.ts'
import { defineProvider, type Provider } from '../../define/provider.ts'
import { FINISHED, type FinishedResponse, type HostApp } from '../../http/http.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { registerForwarding, type Forwarding } from '../../server/pipeline/endpoint.ts'
import { hasCondition } from '../../server/pipeline/entity-tags.ts'
import { addVary } from '../../server/pipeline/response-head.ts'
import {
  createForwarding,
  toForwardedAnswer,
  toForwardPlan,
  type ForwardPlan,
} from '../upstream/forwarding.ts'
import { toUpstreamPath, toUpstreamQuery } from '../upstream/addresses.ts'
import { toUpstreamSettings } from '../upstream/options.ts'
import { toHostRequest, type ForwardInput } from '../upstream/requests.ts'

const SETTINGS = toUpstreamSettings({ name: 'host' }, 'host')

/** The application that has `inside` among its middleware. It answers the requests of routes that forward to it. */
export interface Host extends Provider<UpstreamApp>, ForwardTarget {}

/**
 * Forwards a route to the application that has `inside` among its middleware. In tests, `bind(host, fake)` puts another one in its place.
 *
 * @example
 * defineController({ prefix: '/cars', routes: [{ method: 'GET', path: '/{id:int}', response: Car, forward: host }] })
 */
export const host: Host = /* @__PURE__ */ createHost()

function createHost(): Host {
  const provider = defineProvider<UpstreamApp>({ name: 'host', create: () => ({ fetch: refuse }) })
  const made: Host = { ...provider, [FORWARDS]: true }
  registerForwarding(made, createHostForwarding())
  return made
}

function refuse(): never {
  throw new Error(
    'This application has no host: add inside(app) to yours, or give it one in tests, as in createApp(AppModule, { overrides: [bind(host, fake)] })',
  )
}

function createHostForwarding(): Forwarding {
  const standIn = createForwarding(SETTINGS)
  return {
    toCalled: standIn.toCalled,
    toServed: (route, app) => {
      const plan = toForwardPlan(route, SETTINGS, app)
      const isTouched = plan.isConverted || plan.isReading || plan.isWatched || route.layer !== undefined
      const replaced = standIn.toServed(route, app)
      return {
        ...route,
        sources: plan.sources,
        handler: (input: ForwardInput, context: RequestContext) => {
          const { host: application } = context.raw
          if (application === undefined) return Reflect.apply(replaced.handler, undefined, [input, context])
          return isTouched || isMoved(context, route)
            ? convert(plan, application, input, context)
            : pass(application, context)
        },
      }
    },
  }
}

/** Whether the application knows the address of a request without the version that it names. */
function isMoved(context: RequestContext, { prefix: appPrefix }: ResolvedRoute): boolean {
  const { raw } = context
  return toUpstreamPath(context, { appPrefix, prefix: appPrefix }) + toUpstreamQuery(context) !== raw.target
}

/** Has the application answer, and adds what Octavo tells of versions. */
async function pass(application: HostApp, context: RequestContext): Promise<FinishedResponse> {
  const told: FinishedResponse = { [FINISHED]: true, status: 200, headers: {}, body: null }
  if (context.vary.length > 0) addVary(told.headers, context.vary)
  context.writeHeaders?.(told)
  const status = await application.leave(told.headers)
  return { ...told, status }
}

async function convert(
  plan: ForwardPlan,
  application: HostApp,
  input: ForwardInput,
  context: RequestContext,
): Promise<unknown> {
  const isOther = plan.isConverted || isMoved(context, plan.route) || hasOtherHeaders(plan, context)
  const request = isOther ? await toHostRequest(plan, input, context) : undefined
  const response = await application.answer(request)
  return toForwardedAnswer(plan, HOSTS, response, context)
}

/** Whether the application gets other headers than the ones that came: tags without the suffix of their version, and no parts or codings that cannot be read. */
function hasOtherHeaders({ isReading }: ForwardPlan, { request }: RequestContext): boolean {
  if (hasCondition(request)) return true
  if (!isReading) return false
  return request.header('range') !== undefined || /zstd/.test(request.header('accept-encoding') ?? '')
}

/** Addresses of its own host are known by the request. */
const HOSTS = { hosts: new Set<string>() }
