export type { Answer, As, CallResult, Iterated as CallItems, NamedEvent, Wire } from './answer.ts'
export type { Sent as RequestBody } from './body.ts'
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
} from './options.ts'
export { ProblemError, type ErrorBody } from './problem-error.ts'
export type { ValidationIssue } from '../http/errors.ts'
export type { RouteCall, RouteMap, SavedRouteMap } from './route-map.ts'
