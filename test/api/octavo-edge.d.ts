// The public types of octavo/edge. npm run api writes this file, and nothing imports it.

export { AcceptedOptions } from 'octavo'

export { AddedIdentity } from 'octavo'

export { AddedProblem } from 'octavo'

export { AmbiguousVersion } from 'octavo'

export { AnyGuard } from 'octavo'

export { AnyProblem } from 'octavo'

export { AnyProvider } from 'octavo'

export { AppOptions } from 'octavo'

export { AroundRoutes } from 'octavo'

export { Awaitable } from 'octavo'

export { Binding } from 'octavo'

export { BodyStream } from 'octavo'

export { BoundTo } from 'octavo'

export { Brownout } from 'octavo'

export { BuiltIn } from 'octavo'

export { CacheOptions } from 'octavo'

export { CallInput } from 'octavo'

export { ChangeInfo } from 'octavo'

export { ChangeUsage } from 'octavo'

export { Channels } from 'octavo'

export { ClientAddress } from 'octavo'

export { Config } from 'octavo'

export { ConfigOptions } from 'octavo'

export { ConfigToken } from 'octavo'

export { ConfigValues } from 'octavo'

export { ContentMap } from 'octavo'

export { Controller } from 'octavo'

export { ControllerOptions } from 'octavo'

export { CookieOptions } from 'octavo'

export { DataIn } from 'octavo'

export { DeclaredProblemMark } from 'octavo'

export { DefaultVersion } from 'octavo'

export { DefaultVersionContext } from 'octavo'

export { DefinitionError } from 'octavo'

export { DefinitionErrorCode } from 'octavo'

export { DefinitionProblem } from 'octavo'

export { DefinitionWarning } from 'octavo'

export { DefinitionWarningCode } from 'octavo'

export { DescribedHeader } from 'octavo'

export { Disposition } from 'octavo'

export { DocsOptions } from 'octavo'

export { DocumentContact } from 'octavo'

export { DocumentInfo } from 'octavo'

export { DocumentLicense } from 'octavo'

export { DocumentLink } from 'octavo'

export { DocumentServer } from 'octavo'

export { DocumentTag } from 'octavo'

export { DroppedIdentity } from 'octavo'

export { ERRORS } from 'octavo'

export { EachReply } from 'octavo'

export { EdgeApp } from 'octavo'

export { EnabledVersions } from 'octavo'

export { EnvelopeContent } from 'octavo'

export { EnvelopeMark } from 'octavo'

export { EnvelopeOf } from 'octavo'

export { ErrorClass } from 'octavo'

export { ErrorCode } from 'octavo'

export { ErrorFormat } from 'octavo'

export { ErrorFormatOptions } from 'octavo'

export { ErrorHandler } from 'octavo'

export { ErrorResponses } from 'octavo'

export { EventRequest } from 'octavo'

export { Events } from 'octavo'

export { EventsOf } from 'octavo'

export { EventsReply } from 'octavo'

export { ExcludedRoute } from 'octavo'

export { ExecutionContext } from 'octavo'

export { ExternalDocs } from 'octavo'

export { FetchExecution } from 'octavo'

export { FetchHandler } from 'octavo'

export { FetchInfo } from 'octavo'

export { FileOptions } from 'octavo'

export { FileStream } from 'octavo'

export { FileStreams } from 'octavo'

export { FinishedResponse } from 'octavo'

export { FormValues } from 'octavo'

export { ForwardTarget } from 'octavo'

export { ForwardedRoute } from 'octavo'

export { Guard } from 'octavo'

export { GuardOptions } from 'octavo'

export { HandledRoute } from 'octavo'

export { Handler } from 'octavo'

export { HandlerInput } from 'octavo'

export { HandlerResult } from 'octavo'

export { HeaderOptions } from 'octavo'

export { HeaderValue } from 'octavo'

export { HealthCheck } from 'octavo'

export { HealthContext } from 'octavo'

export { HealthOptions } from 'octavo'

export { HostOptions } from 'octavo'

export { HttpError } from 'octavo'

export { HttpErrorFactory } from 'octavo'

export { HttpErrorOptions } from 'octavo'

export { HttpRequest } from 'octavo'

export { HttpResponse } from 'octavo'

export { IdentityValue } from 'octavo'

export { Inherited } from 'octavo'

export { InjectBodyOptions } from 'octavo'

export { InjectHeaderOptions } from 'octavo'

export { InjectOptions } from 'octavo'

export { InjectResponse } from 'octavo'

export { InjectStream } from 'octavo'

export { InjectStreamOptions } from 'octavo'

export { Injected } from 'octavo'

export { InputOf } from 'octavo'

export { InputSpec } from 'octavo'

export { Interceptor } from 'octavo'

export { InterceptorOptions } from 'octavo'

export { KeepingChange } from 'octavo'

export { Kept } from 'octavo'

export { Layers } from 'octavo'

export { Limits } from 'octavo'

export { ListenEnd } from 'octavo'

export { ListenStart } from 'octavo'

export { Logger } from 'octavo'

export { Matched } from 'octavo'

export { MediaTypeObject } from 'octavo'

export { MergePatch } from 'octavo'

export { Method } from 'octavo'

export { Middleware } from 'octavo'

export { MigrateVersions } from 'octavo'

export { Module } from 'octavo'

export { ModuleFields } from 'octavo'

export { ModuleImport } from 'octavo'

export { ModuleOptions } from 'octavo'

export { Moment } from 'octavo'

export { MultipartValues } from 'octavo'

export { NamedVersions } from 'octavo'

export { NoParams } from 'octavo'

export { OpenApiDocument } from 'octavo'

export { OpenApiVersion } from 'octavo'

export { OperationObject } from 'octavo'

export { OptionRule } from 'octavo'

export { OutputOf } from 'octavo'

export { PageInfo } from 'octavo'

export { ParamType } from 'octavo'

export { ParamTypeOptions } from 'octavo'

export { ParamValues } from 'octavo'

export { ParameterObject } from 'octavo'

export { ParamsOf } from 'octavo'

export { PathItemObject } from 'octavo'

export { PolicyLink } from 'octavo'

export { PrefixOptions } from 'octavo'

export { PresentedOptions } from 'octavo'

export { Problem } from 'octavo'

export { ProblemArguments } from 'octavo'

export { ProblemDocument } from 'octavo'

export { ProblemExample } from 'octavo'

export { ProblemExtra } from 'octavo'

export { ProblemOptions } from 'octavo'

export { Provider } from 'octavo'

export { ProviderOptions } from 'octavo'

export { QueryOptions } from 'octavo'

export { QueryRecord } from 'octavo'

export { RawMark } from 'octavo'

export { RawOptions } from 'octavo'

export { RawReply } from 'octavo'

export { ReferenceObject } from 'octavo'

export { Register } from 'octavo'

export { Replaceable } from 'octavo'

export { Reply } from 'octavo'

export { ReplyAmong } from 'octavo'

export { ReplyContext } from 'octavo'

export { ReplyOf } from 'octavo'

export { ReplyOptions } from 'octavo'

export { RequestBodyObject } from 'octavo'

export { RequestConnection } from 'octavo'

export { RequestDraft } from 'octavo'

export { RequestEnd } from 'octavo'

export { RequestError } from 'octavo'

export { RequestStart } from 'octavo'

export { ResponseKey } from 'octavo'

export { ResponseObject } from 'octavo'

export { ResponseSpec } from 'octavo'

export { Route } from 'octavo'

export { RouteContext } from 'octavo'

export { RouteController } from 'octavo'

export { RouteEntry } from 'octavo'

export { RouteInfo } from 'octavo'

export { RouteList } from 'octavo'

export { RouteNames } from 'octavo'

export { RouteOptions } from 'octavo'

export { RouteParams } from 'octavo'

export { RoutePolicy } from 'octavo'

export { RouterOptions } from 'octavo'

export { Schema } from 'octavo'

export { SchemaFields } from 'octavo'

export { SchemaObject } from 'octavo'

export { SchemaOf } from 'octavo'

export { SchemeList } from 'octavo'

export { SchemeUse } from 'octavo'

export { Scope } from 'octavo'

export { SecurityRequirement } from 'octavo'

export { SecurityRequirementObject } from 'octavo'

export { SecurityScheme } from 'octavo'

export { ServerSentEvent } from 'octavo'

export { ServerVariable } from 'octavo'

export { Session } from 'octavo'

export { SessionCookie } from 'octavo'

export { SessionOptions } from 'octavo'

export { SessionToken } from 'octavo'

export { SessionValues } from 'octavo'

export { Shape } from 'octavo'

export { SharedOptions } from 'octavo'

export { SideEffect } from 'octavo'

export { SourceSpec } from 'octavo'

export { SseOptions } from 'octavo'

export { StartedApp } from 'octavo'

export { Store } from 'octavo'

export { StoreCount } from 'octavo'

export { StoreDeleteOptions } from 'octavo'

export { StoreSetOptions } from 'octavo'

export { StreamOptions } from 'octavo'

export { SuccessStatus } from 'octavo'

export { Telemetry } from 'octavo'

export { Timeouts } from 'octavo'

export { ToReply } from 'octavo'

export { Token } from 'octavo'

export { Tokens } from 'octavo'

export { UnknownIdentityUseAfter } from 'octavo'

export { UploadLimits } from 'octavo'

export { UpstreamApp } from 'octavo'

export { UpstreamStandIn } from 'octavo'

export { UrlForArguments } from 'octavo'

export { UrlOptions } from 'octavo'

export { UrlVersioningOptions } from 'octavo'

export { UsageEntry } from 'octavo'

export { UsageOptions } from 'octavo'

export { VERSION_NEUTRAL } from 'octavo'

export { ValidationError } from 'octavo'

export { ValidationIssue } from 'octavo'

export { VersionChoice } from 'octavo'

export { VersionEntry } from 'octavo'

export { VersionFormat } from 'octavo'

export { VersionHistory } from 'octavo'

export { VersionInfo } from 'octavo'

export { VersionLife } from 'octavo'

export { VersionLink } from 'octavo'

export { VersionLinks } from 'octavo'

export { VersionListing } from 'octavo'

export { VersionPolicy } from 'octavo'

export { VersionResolved } from 'octavo'

export { VersionRoute } from 'octavo'

export { VersionSource } from 'octavo'

export { VersionSpec } from 'octavo'

export { VersionStatus } from 'octavo'

export { VersionStatusCodes } from 'octavo'

export { VersionValue } from 'octavo'

export { VersioningOption } from 'octavo'

export { VersioningOptions } from 'octavo'

export { VersioningScheme } from 'octavo'

export { VersioningSchemeDefinition } from 'octavo'

export { VersioningSchemes } from 'octavo'

export { WebHandler } from 'octavo'

export { Webhook } from 'octavo'

export { accepted } from 'octavo'

export { badRequest } from 'octavo'

export { bind } from 'octavo'

export { conflict } from 'octavo'

export function createEdgeApp<
  M extends Module<unknown, unknown>,
  O extends object = object,
  const S extends readonly object[] = readonly object[],
  F = undefined,
  const D extends string | null = never,
  const L extends string = never,
  H = undefined,
  const I extends readonly Interceptor[] = readonly [],
>(module: M, options?: AppOptions<O, S, F, D, L, H, I>): EdgeApp<M, F, NamedVersions<O, D, L, H>, I>

export { defineController } from 'octavo'

export { defineErrorFormat } from 'octavo'

export { defineErrorHandler } from 'octavo'

export { defineGuard } from 'octavo'

export { defineInterceptor } from 'octavo'

export { defineModule } from 'octavo'

export { defineParamType } from 'octavo'

export { defineProblem } from 'octavo'

export { defineProvider } from 'octavo'

export { defineRoute } from 'octavo'

export { defineRouter } from 'octavo'

export { defineToken } from 'octavo'

export { defineVersioningScheme } from 'octavo'

export { file } from 'octavo'

export { forbidden } from 'octavo'

export { gone } from 'octavo'

export { html } from 'octavo'

export { lazy } from 'octavo'

export { mergePatch } from 'octavo'

export { notFound } from 'octavo'

export { redirect } from 'octavo'

export { reply } from 'octavo'

export { serviceUnavailable } from 'octavo'

export { sse } from 'octavo'

export { stream } from 'octavo'

export { text } from 'octavo'

export { tooManyRequests } from 'octavo'

export { unauthorized } from 'octavo'

export { unprocessable } from 'octavo'
