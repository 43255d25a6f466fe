import { loadFiles } from '../response/file.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { ignoreRejection, importInTurn } from '../../base/values.ts'
import type { Interceptor } from '../../define/interceptor.ts'
import type { Module } from '../../define/module.ts'
import type { NodeHandler } from '../adapters/node/handler.ts'
import type { ListenOptions } from '../adapters/node/listen-options.ts'
import { Application } from './application.ts'
import { failIfClosed, toApp, type EdgeApp } from './edge-app.ts'
import { createIds } from '../logging/ids.ts'
import { openStandard } from '../logging/stdout.ts'
import type { AppOptions } from '../options/app-options.ts'
import type { NamedVersions } from '../options/versioning.ts'
import { serve } from '../process/serve.ts'
import { recordLocation } from '../../base/definition-error.ts'
import { toJsonWriter } from '../../schema/json-writer.ts'
import { writeJsonBy } from '../pipeline/validation/response-check.ts'
import { createIdsBy, isWorkerd } from '../../base/platform.ts'

/** An application. */
export interface App<M = unknown, F = unknown, V = unknown, I = unknown> extends EdgeApp<M, F, V, I> {
  /**
   * Answers requests of any Node server: `http.createServer(app.handler)`. As middleware of Express it calls `next` if the application
   * serves nothing at the path: `express().use(app.handler)`.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
  /**
   * Serves until the application closes or the process gets SIGTERM or SIGINT: over HTTP/1.1, TLS, HTTP/2 or a Unix socket, with one
   * process or several. Resolves to the URL.
   *
   * @example
   * await app.listen({ port: 3000 }) // → 'http://localhost:3000'
   * await app.listen({ port: 443, tls: { cert, key }, http2: true })
   * await app.listen({ path: '/run/cars.sock' })
   * await app.listen({ port: 3000, workers: 'auto' })
   *
   * @throws `TypeError` for options that cannot be used, `Error` for an address that cannot be taken, and what stops the start:
   * `DefinitionError`, a provider or an `onStart` that fails.
   */
  listen(options?: ListenOptions): Promise<string>
}

/**
 * Creates an application from its root module.
 *
 * @example
 * const app = createApp(AppModule)
 * app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'accept', defaultVersion: '1' })
 * await app.listen({ port: 3000 })
 *
 * @throws `DefinitionError` with every mistake in the definitions that does not depend on versioning.
 */
export function createApp<
  M extends Module<unknown, unknown>,
  O extends object = object,
  const S extends readonly object[] = readonly object[],
  F = undefined,
  const D extends string | null = never,
  const L extends string = never,
  H = undefined,
  const I extends readonly Interceptor[] = readonly [],
>(module: M, options: AppOptions<O, S, F, D, L, H, I> = {}): App<M, F, NamedVersions<O, D, L, H>, I> {
  createIdsBy(createIds())
  writeJsonBy(toJsonWriter)
  const application = new Application(module, recordLocation({ ...options }, createApp), {
    openOutputs: openStandard,
    // here, so that workers bundle no viewers, whose files they cannot read
    loadViewers: isWorkerd() ? undefined : () => importInTurn(() => import('../docs/viewers.ts')),
    loadFiles,
  })
  const more = {
    handler: createHandler(application),
    listen: async (listenOptions: ListenOptions = {}) => {
      failIfClosed(application)
      return serve(application, listenOptions)
    },
  }
  return toApp(application, more, isWorkerd() ? undefined : () => loadHandler().then(loadUnavailable))
}

const loadHandler = () => importInTurn(() => import('../adapters/node/handler.ts'))
const loadUnavailable = () => importInTurn(() => import('../adapters/node/unavailable.ts'))

/** The code behind `handler` is loaded at the first request, if the application is not ready before. */
function createHandler(application: Application): NodeHandler {
  const { settings, lifecycle } = application
  let answer: NodeHandler | undefined
  const open = async (): Promise<NodeHandler> => {
    const [{ dispatch }, { createNodeHandler }] = await Promise.all([application.open(), loadHandler()])
    return (answer ??= createNodeHandler(dispatch, lifecycle.isEnding, settings))
  }
  const answerOtherwise = async (...call: Parameters<NodeHandler>): Promise<void> => {
    // started in this turn, so that closing waits for it; a rejection is answered
    if (!lifecycle.isClosing()) ignoreRejection(open())
    const { answerUnavailable } = await loadUnavailable()
    await answerUnavailable(
      { settings, lifecycle, open, answerHealth: (asked) => application.answerHealth(asked) },
      ...call,
    )
  }
  return (request, response, next) => {
    if (answer === undefined || lifecycle.isClosing()) void answerOtherwise(request, response, next)
    else answer(request, response, next)
  }
}
