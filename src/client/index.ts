export {
  ProblemError,
  type Answer,
  type As,
  type CallResult,
  type DeclaredProblem,
  type Iterated as CallItems,
  type NamedEvent,
  type Wire,
  type ErrorBody,
} from './answer.ts'
export type { FetchBody as RequestBody } from './encode-body.ts'
export { createClient } from './client.ts'
export type {
  CalledFunction,
  CallOptions,
  Client,
  InVersion,
  InWritten,
  PagesFunction,
  RouteFunction,
  WrittenTypes,
} from './client-type.ts'
export type { EventStream, ItemStream, NamedEvents, ReceivedEvent } from './event-stream.ts'
export type {
  ClientHeaders,
  ClientOptions,
  CommonOptions as CommonClientOptions,
  DeprecationNotice,
  OutgoingRequest,
  ReconnectOptions,
  RetryOptions,
  VersionedClientOptions,
} from './client-options.ts'
export type { ValidationIssue } from '../http/errors.ts'
export type { RouteCall, RouteMap, SavedRouteMap } from './route-map.ts'
