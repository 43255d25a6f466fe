import type { IncomingMessage, ServerResponse } from 'node:http'

import type { FinishedResponse, HostApp, HostRequest, HostResponse } from '../../http/http.ts'
import { NodeRequest } from '../../server/adapters/node/node-request.ts'
import { endWithResponse, giveUp, write } from '../../server/adapters/node/write-response.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { Captured } from './captured.ts'
import { addHeadersLate } from './headers.ts'
import { replaceRequest } from './replaced.ts'

/** A request that a framework of Node has received. A class because one is made for every request. */
export abstract class NodeHost extends NodeRequest implements HostApp {
  readonly version: string | undefined
  isPassed = false
  /** Whether the response is that of the framework, as it is. */
  isLeft = false
  /** Stands in the place of the response that is sent, for what the framework writes. */
  protected captured: Captured | undefined

  constructor(request: IncomingMessage, response: ServerResponse, version: string | undefined) {
    super(request, response)
    this.version = version
  }

  get host(): HostApp {
    return this
  }

  /** Has the framework go on. */
  protected abstract goOn(): void

  pass(): void {
    this.isPassed = true
  }

  leave(headers: FinishedResponse['headers']): Promise<number> {
    this.isLeft = true
    const status = addHeadersLate(this.response, headers)
    this.goOn()
    return status
  }

  answer(request: HostRequest | undefined): Promise<HostResponse> {
    if (request !== undefined) this.replace(request)
    this.captured = new Captured(this.response)
    this.goOn()
    return this.captured.response
  }

  protected replace(request: HostRequest): void {
    replaceRequest(this.request, request)
  }

  /** Sends a response that Octavo has finished. Fails as the connection does. */
  send(finished: FinishedResponse, context: RequestContext): void {
    const response = this.captured?.release() ?? this.response
    try {
      endWithResponse(response, context, finished)
      write(response, finished, false, context)
    } catch (error) {
      giveUp(response, context, error)
    }
  }
}
