import type { InjectRequest } from '../server/adapters/inject/request.ts'
import type { InjectResponse, InjectStream } from '../server/adapters/inject/inject.ts'

/** Is told of every request that was injected, with its answer, before a stream in it is read. */
export type Recorder = (request: InjectRequest, response: InjectResponse | InjectStream) => Promise<void>

const recorders = new WeakMap<object, Recorder>()

/** Has all test clients of an application tell a recorder. */
export function setRecorder(app: object, recorder: Recorder): void {
  recorders.set(app, recorder)
}

/** The recorder of an application, if it has one. */
export function recorderOf(app: object): Recorder | undefined {
  return recorders.get(app)
}
