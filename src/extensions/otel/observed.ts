import { readHttpError } from '../../http/errors.ts'
import { subscribeChannel } from '../../base/platform.ts'
import { Channels, type RequestError } from '../../server/logging/channels.ts'
import type { VersionResolved } from '../../versioning/options.ts'

/** The events of a request's channels. A class because one is made for every request. */
export class Observed {
  /** The value that was thrown last. */
  failure: unknown = undefined
  hasFailed = false
  /** The state of the version in its life, such as `deprecated`. */
  versionStatus: string | undefined = undefined
}

/** By the contexts and the requests that the channels name. */
const observed = new WeakMap<object, Observed>()
let isListening = false

/** Has the channels tell of requests that are observed from now on. They are those of the process, so one subscriber serves all. */
export function listenToChannels(): void {
  if (isListening) return
  isListening = true
  subscribeChannel(Channels.error, (message) => {
    // the channel publishes nothing else
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { context, error } = message as RequestError
    const known = observed.get(context)
    if (known === undefined) return
    known.failure = error
    known.hasFailed = true
  })
  subscribeChannel(Channels.version, (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const { request, status } = message as VersionResolved
    const known = observed.get(request)
    if (known !== undefined) known.versionStatus = status
  })
}

/** Observes a request, which channels name by its context, and by itself if there are versions. */
export function observeRequest(context: object, request: object | undefined): Observed {
  const known = new Observed()
  observed.set(context, known)
  if (request !== undefined) observed.set(request, known)
  return known
}

/** The kind of an error of the server. By the conventions, a response below 500 has none. */
export function errorTypeOf(known: Observed, status: number): string | undefined {
  if (status < 500) return undefined
  return problemCode(known, status) ?? (known.hasFailed ? 'internal_error' : String(status))
}

/** The code of the problem that a response with an error has; `undefined` if it has none. */
export function problemCode({ failure }: Observed, status: number): string | undefined {
  return status >= 400 ? readHttpError(failure)?.code : undefined
}
