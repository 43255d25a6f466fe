import type { UpstreamApp } from '../../define/context.ts'
import { toUpstreamHost } from './addresses.ts'
import { createAppTransport, createCallFetch, NO_ORIGIN, type CallApp } from './app/transport.ts'
import { toBodyStream } from './fetch-transport.ts'
import { OF_CONNECTION } from '../../server/pipeline/framing.ts'
import {
  AS_IT_IS,
  isUpstreamApp,
  type UpstreamSettings,
  type OutgoingRequest,
  type UpstreamTransport,
} from './options.ts'

/** An upstream that has started. A class because it lives as long as its application. */
export class RunningUpstream implements UpstreamApp {
  readonly #prefix: string
  readonly transport: UpstreamTransport
  /** The hosts that it may have in addresses. */
  readonly hosts: ReadonlySet<string>

  constructor({ prefix }: UpstreamSettings, transport: UpstreamTransport, origins: readonly string[]) {
    this.#prefix = prefix
    this.transport = transport
    this.hosts = new Set(origins.map((origin) => toUpstreamHost(new URL(origin).host)))
  }

  /** Sends a request of the application's own. Its path is below that of the API. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const outgoing: OutgoingRequest = {
      method: request.method,
      path: this.#prefix + pathname + search,
      headers: [...request.headers].flat(),
      body: request.body === null ? null : new Uint8Array(await request.arrayBuffer()),
    }
    const { status, headers, body } = await this.transport.send(
      outgoing,
      { signal: request.signal },
      AS_IT_IS,
    )
    const list = new Headers()
    for (const [name, value] of Object.entries(headers))
      for (const line of [value ?? []].flat()) if (!OF_CONNECTION.has(name)) list.append(name, line)
    const content = body === null || body instanceof Uint8Array ? body : toBodyStream(body)
    // bytes of undici are never shared
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return new Response(content as Uint8Array<ArrayBuffer> | null, { status, headers: list })
  }
}

/** The upstreams of applications that are bound in the place of one. */
const bound = new WeakMap<object, RunningUpstream>()

/** Returns the upstream that the container holds: it itself, or an application in its place. */
export function toRunning(value: unknown, settings: UpstreamSettings): RunningUpstream {
  if (value instanceof RunningUpstream) return value
  if (!isUpstreamApp(value)) throw new TypeError(`${settings.name} is bound to something without a fetch`)
  const known = bound.get(value)
  if (known !== undefined) return known
  const made = runApp(createCallFetch(value), settings)
  bound.set(value, made)
  return made
}

/** Starts an upstream that is an application in this process. */
export function runApp(call: CallApp, settings: UpstreamSettings): RunningUpstream {
  const { name, timeouts } = settings
  return new RunningUpstream(settings, createAppTransport(name, call, timeouts.headers), [NO_ORIGIN])
}
