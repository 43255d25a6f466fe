import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import {
  accepted,
  createApp,
  defineController,
  DefinitionError,
  defineErrorFormat,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineParamType,
  defineProblem,
  defineProvider,
  defineRoute,
  defineRouter,
  defineVersioningScheme,
  file,
  html,
  redirect,
  reply,
  sse,
  stream,
  text,
  VersioningSchemes,
  type ExecutionContext,
} from 'octavo'
import { apiKey, basicAuth, bearerAuth, jwtAuth, resourceMetadata } from 'octavo/auth'
import {
  defineVersionChange,
  defineVersions,
  model,
  operation,
  reformatErrors,
  reshape,
} from 'octavo/changes'
import { createClient } from 'octavo/client'
import { idempotency } from 'octavo/idempotency'
import { createMetrics } from 'octavo/metrics'
import {
  compression,
  cors,
  csrf,
  etag,
  loadShedding,
  rateLimit,
  requestId,
  securityHeaders,
  staticFiles,
} from 'octavo/middleware'
import { openTelemetry } from 'octavo/otel'
import { mcp } from 'octavo/mcp'
import { page } from 'octavo/pages'
import { pinned } from 'octavo/pins'
import { inside as insideExpress } from 'octavo/inside/express'
import { inside as insideHono } from 'octavo/inside/hono'
import { preconditions } from 'octavo/preconditions'
import { createMemoryStore, createRedisStore } from 'octavo/stores'
import { assertCompatible, checkHistory, compareDocuments, createTestClient, goldens } from 'octavo/testing'
import { defineUpstream } from 'octavo/upstream'
import { createUsageReport } from 'octavo/usage'
import { createMemoryOutbox, createWebhooks, defineWebhook, verifyWebhook } from 'octavo/webhooks'
import { createEdgeApp } from 'octavo/edge'
import { z } from 'zod'

import { optionTypes } from '../support/option-types.ts'

/** A call as JavaScript makes it: with any members. */
type Call = (more: object) => unknown

/** Calls functions as code without types does. */
const any = (call: unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(Object(call), undefined, args)

const handler = (): string => 'done'
const User = model('User', { id: z.string(), name: z.string() })
const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [] })
const route = { method: 'GET', path: '/', handler } as const
const Store = { get: () => undefined, set: () => true, delete: () => true }
const IsOperator = defineGuard({ name: 'IsOperator', canActivate: () => true })
const create = (options: object, ...routes: readonly object[]): unknown =>
  any(createApp, defineModule({ controllers: [any(defineController, { name: 'car', routes }) as never] }), {
    logger: false,
    ...options,
  })
/** Starts an application, which checks what it is made of. */
const app = (options: object, ...routes: readonly object[]): unknown => {
  const own = create(options, ...routes)
  return Promise.resolve(any(Object(own).ready)).then(() => any(Object(own).close))
}
const versioned = (more: object): unknown =>
  app({ versioning: { scheme: VersioningSchemes.QUERY, ...more } }, route)
/** A history with a change, which is checked there. */
const changes = (part: object, more: object = {}): unknown => {
  const change = { version: '2', title: 'A change', description: 'It is.', change: [part], ...more }
  return any(defineVersions, {
    versions: ['2', '1'],
    models: { User },
    changes: [any(defineVersionChange, change)],
  })
}
const reshaped = (more: object): unknown => changes(Object(any(reshape, { ...renamed, ...more })))
const operated = (more: object): unknown => changes(Object(any(operation, { route: 'car.list', ...more })))
const renamed = {
  of: User,
  fields: { name: { was: { nick: z.string() }, up: (old: never) => old, down: (now: never) => now } },
}

/** Runs a function in a handler, and throws what it throws. */
async function inHandler(use: (context: ExecutionContext) => unknown): Promise<void> {
  const thrown: unknown[] = []
  const own = createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'car',
          routes: [
            {
              ...route,
              name: 'list',
              handler: async (_input, context) => {
                try {
                  await use(context)
                } catch (error) {
                  thrown.push(error)
                }
                return 'done'
              },
            },
          ],
        }),
      ],
    }),
    { logger: false, versioning: { scheme: VersioningSchemes.QUERY, history, required: false } },
  )
  const { statusCode, body } = await own.inject('/car?version=2')
  assert.equal(statusCode, 200, body)
  await own.close()
  if (thrown.length > 0) throw new Error(String(thrown[0]))
}

const plain = createApp(defineModule({ controllers: [defineController({ name: 'car', routes: [route] })] }), {
  logger: false,
})
after(() => plain.close())
const client = createTestClient(plain)
const report = any(createUsageReport, { usage: { store: Store }, guards: [IsOperator] })
const webhooks = any(createWebhooks, {
  subscriptions: { of: () => [], find: () => undefined, disable: () => undefined },
})
const CarSold = defineWebhook({ name: 'car.sold', schema: z.object({ id: z.string() }) })
after(() => any(Object(webhooks).close))
const links = (rel: string, more: object): object => ({ links: { [rel]: { href: '/docs', ...more } } })
const withPolicy = (more: object): unknown => app({}, { ...route, policy: more })
const inApp =
  (option: string, given: object = {}): Call =>
  (more) =>
    app({ [option]: { ...given, ...more } }, route)
const direct =
  (call: unknown, given: object = {}, ...before: readonly unknown[]): Call =>
  (more) =>
    any(call, ...before, { ...given, ...more })
/** Sends a result with a cookie, whose attributes are read when it is written. */
const sent =
  (make: (cookies: object) => unknown): Call =>
  async (more) => {
    const logged: unknown[] = []
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: ({ err }: { err?: unknown }) => logged.push(err),
    }
    const own = create(
      { logger },
      { ...route, handler: () => make({ cookies: { sid: { value: 'a', ...more } } }) },
    )
    await any(Object(own).inject, '/car')
    if (logged.length > 0) throw new Error(String(logged[0]))
  }

/** A call for each of the places of `optionTypes`, with a mistake in the options if it is passed one. */
const CALLS: Readonly<Record<string, Call>> = {
  'App.listen(ListenOptions)': (more) => plain.listen({ ...more }),
  'EdgeApp.enableVersioning(VersioningOptions)': (more) => {
    const own = createApp(defineModule({}), { logger: false })
    own.enableVersioning(VersioningSchemes.QUERY, { ...more })
    return own.ready()
  },
  'EdgeApp.inject(InjectOptions)': direct(Object(plain).inject, { url: '/' }),
  'EdgeApp.inject(InjectStreamOptions)': direct(Object(plain).inject, { url: '/', stream: true }),
  'EdgeApp.openapi({ version })': async (more) => {
    await plain.ready()
    return plain.openapi({ ...more })
  },
  'ExecutionContext.call(CallInput)': (more) => inHandler((context) => context.call('car.list', { ...more })),
  'ExecutionContext.migrate(MigrateVersions)': (more) =>
    inHandler((context) => context.migrate(User, { id: '1', name: 'a' }, { ...more })),
  'ExecutionContext.urlFor(UrlOptions)': (more) =>
    inHandler((context) => context.urlFor('car.list', {}, more)),
  'History.migrate({ from, inject, route, state, to })': direct(Object(history).migrate, {}, User, {
    id: '1',
    name: 'a',
  }),
  'History.parse({ from, inject, route, state })': direct(Object(history).parse, {}, User, {
    id: '1',
    name: 'a',
  }),
  'History.schema({ route, version })': direct(Object(history).schema, { version: '1' }, User),
  'HttpResponse.cookies.set(CookieOptions)': (more) =>
    inHandler(({ response }) => response.cookies.set('a', 'b', { ...more })),
  'StartedApp.urlFor(UrlOptions)': async (more) => {
    await plain.ready()
    return any(Object(plain).urlFor, 'car.get', {}, more)
  },
  ...Object.fromEntries(
    (['get', 'head', 'query', 'post', 'put', 'patch', 'delete', 'options'] as const).map(
      (name): readonly [string, Call] => [
        `TestClient.${name}(InjectOptions)`,
        direct(Object(client)[name], {}, '/'),
      ],
    ),
  ),
  'TestClient.inject(InjectOptions)': direct(Object(client).inject, { url: '/' }),
  'TestClient.inject(InjectStreamOptions)': direct(Object(client).inject, { url: '/', stream: true }),
  'UsageReport.read(UsageFilter)': (more) => any(Object(report).read, more),
  'Webhooks.prepare(SendOptions)': (more) => any(Object(webhooks).prepare, CarSold, { id: '1' }, more),
  'Webhooks.send(SendOptions)': (more) => any(Object(webhooks).send, CarSold, { id: '1' }, more),
  'accepted(AcceptedOptions)': direct(accepted, { location: '/' }),
  'apiKey(ApiKeyOptions)': direct(apiKey, { in: 'header', name: 'x-key', verify: () => null }),
  'assertCompatible(CompareOptions)': direct(assertCompatible, {}, plain, 'nowhere'),
  'basicAuth(BasicOptions)': direct(basicAuth, { verify: () => null }),
  'bearerAuth(BearerOptions)': direct(bearerAuth, { verify: () => null }),
  'checkHistory(CheckHistoryOptions)': direct(checkHistory, { runs: 1 }, history),
  'compareDocuments(CompareOptions)': direct(
    compareDocuments,
    {},
    { openapi: '3.1.0', paths: {} },
    { openapi: '3.1.0', paths: {} },
  ),
  'compression(CompressionOptions)': direct(compression),
  'cors(CorsOptions)': direct(cors),
  'createApp(AppOptions)': (more) => app(more, route),
  'createClient(ClientOptions)': direct(createClient, { baseUrl: 'http://localhost' }),
  'createClient(VersionedClientOptions)': direct(createClient, { baseUrl: 'http://localhost', version: '1' }),
  'createEdgeApp(AppOptions)': direct(createEdgeApp, { logger: false }, defineModule({})),
  'createMemoryOutbox(MemoryOutboxOptions)': direct(createMemoryOutbox),
  'createMemoryStore(MemoryStoreOptions)': direct(createMemoryStore),
  'createMetrics(MetricsOptions)': direct(createMetrics),
  'createRedisStore(RedisStoreOptions)': direct(createRedisStore, {}, { eval: () => null }),
  'createTestClient(TestClientOptions)': direct(createTestClient, {}, plain),
  'createUsageReport(UsageReportOptions)': direct(createUsageReport, {
    usage: { store: Store },
    guards: [IsOperator],
  }),
  'createWebhooks(CreateWebhooksOptions)': direct(createWebhooks, {
    subscriptions: { of: () => [], find: () => undefined, disable: () => undefined },
  }),
  'csrf(CsrfOptions)': direct(csrf),
  'defineController(ControllerOptions)': (more) =>
    createApp(
      defineModule({ controllers: [any(defineController, { name: 'a', routes: [], ...more }) as never] }),
      {
        logger: false,
      },
    ),
  'defineErrorFormat(ErrorFormatOptions)': direct(defineErrorFormat, {
    schema: z.string(),
    format: () => '',
  }),
  'defineErrorHandler({ handle, match, response })': direct(defineErrorHandler, {
    match: 409,
    handle: handler,
  }),
  'defineGuard(GuardOptions)': direct(defineGuard, { name: 'A', canActivate: () => true }),
  'defineProblem(ProblemOptions)': direct(defineProblem, { code: 'car_sold', status: 409, title: 'Sold' }),
  'defineInterceptor(InterceptorOptions)': direct(defineInterceptor, { name: 'A', intercept: handler }),
  'defineModule(ModuleOptions)': (more) => any(createApp, any(defineModule, more), { logger: false }),
  'defineParamType(ParamTypeOptions)': direct(defineParamType, { name: 'optionword', pattern: /a/ }),
  'defineProvider(ProviderOptions)': direct(defineProvider, { name: 'A', create: handler }),
  'defineRoute(RouteController)': (more) => app({}, Object(any(defineRoute, more, route))),
  'defineRouter(RouterOptions)': (more) =>
    any(createApp, defineModule({ routers: [any(defineRouter, { routes: [], ...more }) as never] }), {
      logger: false,
    }),
  'defineUpstream(UpstreamOptions)': direct(defineUpstream, { name: 'a', url: 'http://127.0.0.1:1' }),
  'defineVersionChange(VersionChangeOptions)': (more) => changes(Object(any(reshape, renamed)), more),
  'defineVersioningScheme(VersioningSchemeDefinition)': direct(defineVersioningScheme, {
    name: 'a',
    read: handler,
  }),
  'defineVersions(VersionsOptions)': direct(defineVersions, { versions: ['1'], models: {}, changes: [] }),
  'defineWebhook(WebhookOptions)': direct(defineWebhook, { name: 'a', schema: z.object({}) }),
  'etag(EtagOptions)': direct(etag),
  'inside(HonoInsideOptions)': (more) =>
    any(insideHono, createApp(defineModule({}), { logger: false }), more),
  'inside(InsideOptions)': (more) => any(insideExpress, createApp(defineModule({}), { logger: false }), more),
  'file(FileOptions)': direct(file, {}, 'a'),
  'goldens(GoldensOptions)': direct(
    goldens,
    { dir: 'nowhere' },
    createApp(defineModule({}), { logger: false }),
  ),
  'html(RawOptions)': direct(html, {}, ''),
  'idempotency(IdempotencyOptions)': direct(idempotency),
  'jwtAuth(JwtOptions)': direct(jwtAuth, {
    issuer: 'https://a.example',
    audience: 'a',
    algorithms: ['HS256'],
    secret: 'a'.repeat(32),
  }),
  'loadShedding(LoadSheddingOptions)': direct(loadShedding),
  'openTelemetry(OpenTelemetryOptions)': direct(openTelemetry),
  'operation(OperationOptions)': operated,
  'mcp(McpOptions)': direct(mcp, { name: 'garage', tags: ['assistant'] }),
  'operation(WebhookWas)': (more) =>
    changes(Object(any(operation, { webhook: 'car.sold', name: { was: 'car.bought' }, ...more }))),
  'page(PageOptions)': direct(page, { items: User, order: ['id'], secret: 'a'.repeat(32) }),
  'pinned(PinOptions)': direct(pinned, { get: handler, set: handler }),
  'preconditions(PreconditionOptions)': direct(preconditions, { etag: handler, current: handler }),
  'rateLimit(RateLimitOptions)': direct(rateLimit, { limit: 1, window: 1 }),
  'redirect(ReplyOptions)': direct(redirect, {}, '/', 302),
  'reply(ReplyOptions)': direct(reply, {}, 200, ''),
  'reformatErrors(ReformatOptions)': (more) =>
    changes(Object(any(reformatErrors, { was: z.object({ a: z.string() }), down: handler, ...more }))),
  'requestId(RequestIdOptions)': direct(requestId),
  'reshape({ applies, examples, fields, inject, load, lossy, named, not, of, reads, refine, responseOnly })':
    reshaped,
  '{ applies, examples, fields, inject, load, lossy, named, not, of, reads, refine, responseOnly }.load: { down, up }':
    (more) => reshaped({ load: more }),
  '{ applies, examples, fields, inject, load, lossy, named, not, of, reads, refine, responseOnly }.examples: { loaded, now, old }':
    (more) => reshaped({ examples: [more] }),
  'resourceMetadata(ResourceMetadataOptions)': direct(resourceMetadata, {
    resource: 'https://a.example',
    authorizationServers: ['https://b.example'],
  }),
  'securityHeaders(SecurityHeadersOptions)': direct(securityHeaders),
  'sse(SseOptions)': direct(sse, {}, []),
  'staticFiles(StaticFilesOptions)': direct(staticFiles, { root: '.' }),
  'stream(StreamOptions)': direct(stream, {}, []),
  'text(RawOptions)': direct(text, {}, ''),
  'verifyWebhook(VerifyOptions)': direct(verifyWebhook, { secrets: () => [`whsec_${btoa('a'.repeat(24))}`] }),
  // members of options
  'AcceptedOptions.cookies: CookieOptions': sent((cookies) => any(accepted, { location: '/', ...cookies })),
  'RawOptions.cookies: CookieOptions': sent((cookies) => any(text, '', cookies)),
  'ReplyOptions.cookies: CookieOptions': sent((cookies) => any(reply, 200, '', cookies)),
  'AppOptions.docs: DocsOptions': inApp('docs'),
  'AppOptions.errorFormat: ErrorFormat': inApp(
    'errorFormat',
    defineErrorFormat({ schema: z.string(), format: () => '' }),
  ),
  'AppOptions.health: HealthOptions': inApp('health'),
  'AppOptions.limits: Limits': inApp('limits'),
  'AppOptions.prefix: PrefixOptions': inApp('prefix', { path: '/api' }),
  'AppOptions.session: SessionOptions': inApp('session', { secret: 'a'.repeat(32) }),
  'AppOptions.timeouts: Timeouts': inApp('timeouts'),
  'AppOptions.uploads: UploadLimits': inApp('uploads'),
  'AppOptions.usage: UsageOptions': inApp('usage'),
  'UsageReportOptions.usage: UsageOptions': (more) =>
    any(createUsageReport, { usage: { store: Store, ...more }, guards: [IsOperator] }),
  'AppOptions.versioning: VersioningOptions': versioned,
  'AppOptions.versioning: { scheme, schemes }': versioned,
  'ClientOptions.retry: RetryOptions': (more) =>
    any(createClient, { baseUrl: 'http://localhost', retry: more }),
  'VersionedClientOptions.retry: RetryOptions': (more) =>
    any(createClient, { baseUrl: 'http://localhost', version: '1', retry: more }),
  'ControllerOptions.policy: RoutePolicy': withPolicy,
  'RouterOptions.policy: RoutePolicy': withPolicy,
  'RoutePolicy.versions: VersionPolicy': (more) => withPolicy({ versions: { 2: more } }),
  'RoutePolicy.links: { deprecation, sunset }': (more) => withPolicy({ links: more }),
  'VersionPolicy.links: { deprecation, sunset }': (more) => withPolicy({ versions: { 2: { links: more } } }),
  'VersionListing.links: { deprecation, sunset }': (more) =>
    versioned({ versions: [{ version: '2', links: more }] }),
  'VersioningOptions.versions: VersionListing': (more) =>
    versioned({ versions: [{ version: '2', ...more }] }),
  'VersioningOptions.versions: VersionPolicy': (more) => versioned({ versions: { 2: more } }),
  '{ deprecation, sunset }.deprecation: { href, title, type }': (more) =>
    withPolicy(links('deprecation', more)),
  '{ deprecation, sunset }.sunset: { href, title, type }': (more) => withPolicy(links('sunset', more)),
  'OperationOptions.path: { now }': (more) => operated({ path: { now: '/a', was: '/b', ...more } }),
  'OperationOptions.response: { body, headers, status }': (more) => operated({ response: more }),
  '{ body, headers, status }.headers: { down, was }': (more) =>
    operated({ response: { headers: { a: more } } }),
  'PageOptions.order: SortBy': (more) =>
    any(page, { items: User, order: [{ field: 'id', ...more }], secret: 'a'.repeat(32) }),
  'PageOptions.limit: PageLimit': (more) =>
    any(page, { items: User, order: ['id'], secret: 'a'.repeat(32), limit: more }),
  'PrefixOptions.exclude: ExcludedRoute': (more) =>
    app({ prefix: { path: '/api', exclude: [{ path: '/', ...more }] } }, route),
  'SecurityHeadersOptions.strictTransportSecurity: HstsOptions': (more) =>
    any(securityHeaders, { strictTransportSecurity: more }),
  'SessionOptions.cookie: SessionCookie': (more) =>
    app({ session: { secret: 'a'.repeat(32), cookie: more } }, route),
  'UpstreamOptions.timeouts: UpstreamTimeouts': (more) =>
    any(defineUpstream, { name: 'a', url: 'http://127.0.0.1:1', timeouts: more }),
}

/** What is passed without being options, by the name of its type: values that our functions return, stores and results. */
const VALUES: ReadonlySet<string> = new Set(
  `App EdgeApp Module Guard Interceptor ErrorHandler Provider Token Webhook ForwardTarget VersionChange FinishedResponse JwtClaims
  PageQuery RouteMap RouteCall Store Outbox Telemetry DefinitionProblem AnyProblem`.split(/\s+/),
)

/** Places whose objects may have any member, or that we pass objects to, by the reason. */
const OPEN: Readonly<Record<string, readonly RegExp[]>> = {
  'other members are those of the problem document': [/HttpErrorOptions/, /^ProblemOptions\.example/],
  'keywords of JSON Schema, and extensions of OpenAPI': [
    /^model\(ModelMeta\)/,
    /^ListSchema\.meta/,
    /: (?:Document(?:Info|Server|Tag|Contact|License)|ExternalDocs|ServerVariable)$/,
    /\.security(?:Scheme)?: /,
  ],
  'TanStack Query has more': [/^infiniteQueryOptions/],
  'the platform passes what it has': [/^FetchHandler/],
  'the options of Error': [/^DefinitionError/],
  'we call the function': [
    /Extra\)$/,
    /DefaultVersion$/,
    /^Telemetry/,
    /^Store\./,
    /GoldenRequest\)$/,
    /ProblemDocument\)$/,
  ],
  'what operation and reshape return, which check it': [
    /^Operation\./,
    /^VersionChange\./,
    /^reshape\((?:[MO]|\{ down)/,
  ],
}

const ALL = optionTypes().filter(
  (place) => !VALUES.has(/[^ (]+(?=\)?$)/.exec(place)?.[0].replace(')', '') ?? ''),
)

describe('options', () => {
  it('all have a case here', () => {
    const isOpen = (place: string): boolean =>
      Object.values(OPEN)
        .flat()
        .some((each) => each.test(place))
    assert.deepEqual(
      ALL.filter((place) => !isOpen(place) && !(place in CALLS)),
      [],
    )
    assert.deepEqual(
      Object.keys(CALLS).filter((place) => !ALL.includes(place)),
      [],
    )
  })

  for (const [place, call] of Object.entries(CALLS)) {
    it(`of ${place} have no members but those of their type`, async () => {
      await assert.rejects(
        async () => call({ unknwon: 1 }),
        (error: unknown) => {
          // links and retries are named as a whole
          assert.match(String(Object(error).message), /unknwon|policy\.links is|retry is not/)
          return true
        },
      )
    })
  }
})

describe('mistakes that show when an application gets ready', () => {
  it('are one error, of versions and of settings', async () => {
    const own = createApp(
      defineModule({ controllers: [defineController({ name: 'car', version: '3', routes: [route] })] }),
      {
        logger: false,
        config: {},
        configSchema: z.object({ port: z.number() }),
        versioning: { scheme: VersioningSchemes.QUERY, versions: ['3', '3'] },
      },
    )
    await assert.rejects(own.ready(), (error) => {
      assert.ok(error instanceof DefinitionError)
      assert.deepEqual(
        error.errors.map(({ code }) => code),
        ['duplicate_version', 'invalid_config'],
      )
      return true
    })
  })

  for (const [title, versioning, expected] of [
    ['of one scheme', { scheme: VersioningSchemes.QUERY, defaultVersio: '1' }, ['unknown_option']],
    ['of several', { schemes: [[VersioningSchemes.QUERY, { versionParamete: 'v' }]] }, ['unknown_option']],
    ['of versions', { scheme: VersioningSchemes.URL, versions: ['3', '3'] }, ['duplicate_version']],
    ['that has no scheme', { scheme: {} }, []],
    ['without mistakes', { scheme: VersioningSchemes.URL }, []],
  ] as const) {
    it(`are one error with those of routes and of other options, in versioning ${title}`, async () => {
      const isOption = title === 'that has no scheme'
      const broken = defineController({ name: 'car', routes: [{ ...route, path: 'slash' } as never] })
      const codesOf = (error: unknown): true => {
        assert.ok(error instanceof DefinitionError)
        const codes = [
          'invalid_option',
          ...(isOption ? ['invalid_option'] : []),
          'invalid_pattern',
          ...expected,
        ]
        assert.deepEqual(
          error.errors.map(({ code }) => code),
          codes,
        )
        assert.ok(error.errors.every(({ at }) => at?.startsWith('test/define/options.test.ts:')))
        return true
      }
      // options that do not exist are no mistake of types here
      const options = { logger: false, versioning, prefix: 'slash' } as never
      assert.throws(() => createApp(defineModule({ controllers: [broken] }), options), codesOf)
      const late = Promise.resolve(defineModule({ controllers: [broken] }))
      const fine = { logger: false, versioning } as never
      if (isOption) return
      await assert.rejects(createApp(defineModule({ imports: [late] }), fine).ready(), (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(
          error.errors.map(({ code }) => code),
          ['invalid_pattern', ...expected],
        )
        return true
      })
    })
  }
})
