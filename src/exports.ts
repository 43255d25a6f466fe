export {
  defineErrorHandler,
  defineGuard,
  type Layers,
  type Middleware,
  type ErrorClass,
  type ErrorHandler,
  type ErrorResponses,
  type Matched,
  type AnyGuard,
  type Guard,
  type GuardOptions,
  type SecurityRequirement,
  type SecurityScheme,
  type UnknownIdentityUseAfter,
} from './define/layers.ts'
export {
  DefinitionError,
  type OptionRule,
  type DefinitionErrorCode,
  type DefinitionProblem,
  type DefinitionWarning,
  type DefinitionWarningCode,
} from './base/definition-error.ts'
export {
  Config,
  ExecutionContext,
  ClientAddress,
  HttpRequest,
  HttpResponse,
  Logger,
  Session,
  defineToken,
  type BuiltIn,
  type ConfigToken,
  type SessionToken,
  type CallInput,
  type CookieOptions,
  type MigrateVersions,
  type RouteContext,
  type RouteInfo,
  type KeepingChange,
  type Kept,
  type SideEffect,
  type UrlOptions,
  type Added as AddedIdentity,
  type Dropped as DroppedIdentity,
  type ForwardTarget,
  type UpstreamApp,
  type UpstreamStandIn,
  type Injected,
  type Token,
  type Tokens,
} from './define/context.ts'
export {
  defineController,
  defineRouter,
  lazy,
  defineModule,
  type Around as AroundRoutes,
  type Controller,
  type ControllerOptions,
  type RouterOptions,
  type WebHandler,
  type Module,
  type ModuleFields,
  type ModuleImport,
  type ModuleOptions,
  type StartedApp,
} from './define/module.ts'
export {
  defineErrorFormat,
  type ErrorFormat,
  type ErrorFormatOptions,
  type ProblemDocument,
} from './define/error-format.ts'
export { FileStream, FileStreams } from './schema/files.ts'
export type {
  HandlerInput,
  HandlerResult,
  InputSpec,
  ParamsOf,
  ResponseSpec,
  SourceSpec,
} from './define/infer.ts'
export {
  defineInterceptor,
  type EnvelopeContent,
  type EnvelopeOf,
  type Interceptor,
  type InterceptorOptions,
  type Wrapping as EnvelopeMark,
} from './define/interceptor.ts'
export {
  defineProblem,
  type AddedProblem,
  type AnyProblem,
  type Declared as DeclaredProblemMark,
  type DescribedHeader,
  type Problem,
  type ProblemArguments,
  type ProblemExample,
  type ProblemExtra,
  type ProblemOptions,
} from './define/problem.ts'
export type { RouteNames, RouteParams } from './define/names.ts'
export type { EnabledVersions } from './define/versions.ts'
export {
  bind,
  defineProvider,
  type AnyProvider,
  type Binding,
  type BoundTo,
  type Provider,
  type ProviderOptions,
  type Replaceable,
  type Scope,
} from './define/provider.ts'
// not by name: programs extend this interface by declaration merging
export * from './define/register.ts'
export {
  accepted,
  html,
  redirect,
  reply,
  stream,
  text,
  type AcceptedOptions,
  type EachReply,
  type DataIn,
  type EventsOf,
  type EventsReply,
  type Raw as RawMark,
  type RawOptions,
  type RawReply,
  type Reply,
  type ReplyAmong,
  type ReplyContext,
  type ReplyOf,
  type ReplyOptions,
  type ServerSentEvent,
  type Shape,
  type StreamOptions,
  type ToReply,
} from './define/reply.ts'
export {
  defineRoute,
  type ForwardedRoute,
  type HandledRoute,
  type Handler,
  type Inherited,
  type Route,
  type RouteController,
  type RouteList,
  type RouteOptions,
  type Shared as SharedOptions,
} from './define/route.ts'
export type {
  ResponseKey,
  SuccessStatus,
  Fields as SchemaFields,
  InputOf,
  OutputOf,
  Schema,
  SchemaOf,
} from './schema/schema.ts'
export type { UploadLimits } from './schema/uploads.ts'
export {
  ERRORS,
  badRequest,
  conflict,
  forbidden,
  gone,
  HttpError,
  notFound,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
  unprocessable,
  ValidationError,
  type ErrorCode,
  type HttpErrorFactory,
  type HttpErrorOptions,
  type ValidationIssue,
} from './http/errors.ts'
export type {
  Content as ContentMap,
  DocumentContact,
  DocumentInfo,
  DocumentLicense,
  DocumentServer,
  DocumentTag,
  ExternalDocs,
  MediaTypeObject,
  OpenApiDocument,
  OpenApiVersion,
  Operation as OperationObject,
  Parameter as ParameterObject,
  PathItem as PathItemObject,
  Reference as ReferenceObject,
  RequestBody as RequestBodyObject,
  ResponseObject,
  SchemaObject,
  ServerVariable,
  SecurityAlternative as SecurityRequirementObject,
} from './openapi/document/types.ts'
export type { Webhook } from './openapi/webhook.ts'
export { mergePatch, type MergePatch } from './http/merge-patch.ts'
export type { Awaitable } from './base/values.ts'
export type { BodyStream, FinishedResponse, Method, QueryRecord } from './http/http.ts'
export {
  defineParamType,
  type ParamType,
  type ParamTypeOptions,
  type ParamValues,
} from './router/path/param-types.ts'
export type { CacheOptions, Presented as PresentedOptions } from './server/response/answer.ts'
export { file } from './server/response/file.ts'
export type { Disposition, FileOptions } from './server/response/file-options.ts'
export { sse, type EventRequest, type Events, type SseOptions } from './server/response/sse.ts'
export type { EdgeApp, NoParams, UrlForArguments } from './server/app/edge-app.ts'
export type { DocsOptions, DocumentLink, PageInfo } from './server/options/docs.ts'
export type { FetchExecution, FetchHandler, FetchInfo } from './server/adapters/fetch.ts'
export type {
  BodyOptions as InjectBodyOptions,
  FormValues,
  MultipartValues,
  InjectHeaderOptions,
  HeaderValue,
} from './server/adapters/inject/inject-headers.ts'
export type { InjectStream, InjectResponse } from './server/adapters/inject/inject.ts'
export type { InjectOptions, InjectStreamOptions } from './server/adapters/inject/inject-request.ts'
export {
  Channels,
  type ListenEnd,
  type ListenStart,
  type RequestEnd,
  type RequestError,
  type RequestStart,
} from './server/logging/channels.ts'
export type { RouteEntry } from './server/app/route-list.ts'
export type {
  RequestConnection,
  Telemetry,
  AppOptions,
  ConfigOptions,
  Limits,
  Timeouts,
} from './server/options/app-options.ts'
export type { ChangeUsage, UsageEntry, UsageOptions } from './server/options/usage.ts'
export type { ExcludedRoute, PrefixOptions } from './server/options/prefix.ts'
export type { NamedVersions, VersioningOption } from './server/options/versioning.ts'
export type { HealthCheck, HealthContext, HealthOptions } from './server/options/health.ts'
export type { VersionInfo, VersionRoute } from './server/routing/report/versions.ts'
export type {
  VersionLife,
  VersionLinks,
  Moment,
  PolicyLink,
  RoutePolicy,
  VersionLink,
  Brownout,
  VersionPolicy,
  VersionStatus,
} from './versioning/policy.ts'
export type { SessionCookie, SessionOptions } from './server/session/options.ts'
export type { Store, StoreCount, StoreDeleteOptions, StoreSetOptions } from './define/store.ts'
export type { SchemeList } from './versioning/versioning.ts'
export type { HeaderOptions } from './versioning/schemes/header.ts'
export type { HostOptions } from './versioning/schemes/host.ts'
export type { QueryOptions } from './versioning/schemes/query.ts'
export type {
  DefaultVersion,
  DefaultVersionContext,
  VersionChoice,
  ChangeInfo,
  VersionHistory,
  VersioningOptions,
  VersionListing,
  VersionResolved,
} from './versioning/options.ts'
export type {
  AmbiguousVersion,
  RequestDraft,
  SchemeUse,
  VersioningScheme,
  VersioningSchemeDefinition,
  VersionSource,
  VersionStatusCodes,
  VersionValue,
} from './versioning/schemes/scheme.ts'
export {
  VERSION_NEUTRAL,
  type VersionEntry,
  type VersionSpec,
  type VersionFormat,
} from './versioning/version.ts'
export type { UrlOptions as UrlVersioningOptions } from './versioning/schemes/url.ts'
