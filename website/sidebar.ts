/** A page in a sidebar: its text, and its path on the site without extension. */
export type SidebarPage = readonly [text: string, path: string]

/** A group of pages in the order in which one would read them. */
export interface SidebarGroup {
  readonly text: string
  readonly pages: readonly SidebarPage[]
  /** Whether the group is open on every page. Other groups are open on their own pages, and after a click. */
  readonly open?: boolean
  /** Whether readers who look for the API may skip the group. `llms.txt` lists it as optional. */
  readonly optional?: boolean
}

/** Every page of the site but the generated reference. test/docs/site.test.ts fails if a page of `docs` is missing. */
export const SIDEBAR: readonly SidebarGroup[] = [
  {
    text: 'Start',
    open: true,
    pages: [
      ['Introduction', 'introduction'],
      ['Tutorial: zero to production', 'tutorial/index'],
      ['1. Your first route', 'tutorial/1-first-route'],
      ['2. Input and errors', 'tutorial/2-input-and-errors'],
      ['3. Modules and a database', 'tutorial/3-modules-and-a-database'],
      ['4. Authentication', 'tutorial/4-authentication'],
      ['5. Tests', 'tutorial/5-tests'],
      ['6. Documents and a client', 'tutorial/6-documents-and-a-client'],
      ['7. The second version', 'tutorial/7-the-second-version'],
      ['8. Deployment', 'tutorial/8-deployment'],
    ],
  },
  {
    text: 'Routes',
    pages: [
      ['Routes', 'guide/routes'],
      ['Input', 'guide/input'],
      ['Results', 'guide/results'],
      ['Pages', 'guide/pages'],
      ['Preconditions', 'guide/preconditions'],
      ['Uploads', 'guide/uploads'],
      ['Downloads', 'guide/downloads'],
      ['Long work', 'guide/long-work'],
      ['Webhooks', 'guide/webhooks'],
    ],
  },
  {
    text: 'Versions',
    pages: [
      ['Versioning', 'guide/versioning'],
      ['The rules of versioning', 'guide/versioning-rules'],
      ['Versions as changes', 'guide/changes'],
      ['How to change your API', 'guide/changes-how-to'],
      ['Kinds of changes', 'guide/changes-kinds'],
      ['Changes in requests', 'guide/changes-requests'],
      ['Reference of changes', 'guide/changes-reference'],
      ['Pinned versions', 'guide/pins'],
      ['Deprecation and sunset', 'guide/deprecation'],
      ['Usage of versions', 'guide/usage'],
      ['Compatibility of documents', 'guide/compatibility'],
      ['Compared with other tools', 'guide/compatibility-tools'],
      ['Releasing a version', 'guide/releasing'],
      ['Changelog of an API', 'guide/changelog'],
      ['Tests of versions', 'guide/testing-versions'],
      ['Inside the app you have', 'guide/inside'],
      ['In front of an API you have', 'guide/upstream'],
      ['APIs of other frameworks', 'guide/upstream-frameworks'],
      ['Import an API', 'guide/import'],
    ],
  },
  {
    text: 'Structure',
    pages: [
      ['Modules', 'guide/modules'],
      ['Around a handler', 'guide/around'],
      ['Middleware', 'guide/middleware'],
      ['Error format', 'guide/error-format'],
      ['Configuration', 'guide/configuration'],
      ['Testing', 'guide/testing'],
    ],
  },
  {
    text: 'Security',
    pages: [
      ['Authentication', 'guide/authentication'],
      ['Tokens and scopes', 'guide/tokens'],
      ['Sessions', 'guide/sessions'],
      ['Idempotency keys', 'guide/idempotency'],
      ['CORS', 'guide/cors'],
      ['Quotas', 'guide/quotas'],
      ['Limits', 'guide/limits'],
      ['Threats', 'security'],
    ],
  },
  {
    text: 'Documents and clients',
    pages: [
      ['OpenAPI documents', 'guide/openapi'],
      ['Schemas in documents', 'guide/openapi-schemas'],
      ['Serving documents', 'guide/openapi-serving'],
      ['Checking documents', 'guide/openapi-checks'],
      ['Client', 'guide/client'],
      ['Requests of the client', 'guide/client-requests'],
      ['TanStack Query', 'guide/client-tanstack'],
      ['Tools of agents', 'guide/mcp'],
    ],
  },
  {
    text: 'Operations',
    pages: [
      ['Serving', 'guide/serving'],
      ['The direct engine', 'guide/engine'],
      ['Running Octavo in production', 'guide/production'],
      ['Operations', 'guide/operations'],
      ['Stores', 'guide/stores'],
      ['More than one instance', 'guide/instances'],
      ['Logging', 'guide/logging'],
      ['OpenTelemetry', 'guide/telemetry'],
      ['Prometheus metrics', 'guide/metrics'],
      ['WebSockets', 'guide/websockets'],
      ['Runtimes', 'guide/runtimes'],
      ['Adapters', 'guide/adapters'],
    ],
  },
  {
    text: 'Cookbook',
    pages: [
      ['All recipes', 'cookbook/index'],
      ['Own error format', 'cookbook/error-format'],
      ['Passwords', 'cookbook/passwords'],
      ['Optional authentication', 'cookbook/optional-authentication'],
      ['File upload to object storage', 'cookbook/object-storage'],
      ['Pages of a table', 'cookbook/pages'],
      ['Eight changes of an API', 'cookbook/payments-versions'],
      ['Client in a monorepo', 'cookbook/monorepo'],
      ['TanStack Query in React', 'cookbook/tanstack-query'],
      ['Answers for operators', 'cookbook/operators'],
      ['Logging with pino', 'cookbook/pino'],
      ['Traces with OpenTelemetry', 'cookbook/opentelemetry'],
      ['Errors in Sentry', 'cookbook/sentry'],
      ['Migration from Express or NestJS', 'cookbook/migration'],
      ['Drizzle', 'cookbook/drizzle'],
      ['Idempotency keys in PostgreSQL', 'cookbook/idempotency-postgresql'],
      ['Prisma', 'cookbook/prisma'],
      ['better-auth', 'cookbook/better-auth'],
      ['WebSockets beside routes', 'cookbook/websockets'],
      ['Webhooks through a queue', 'cookbook/webhooks-queue'],
      ['GraphQL Yoga', 'cookbook/graphql-yoga'],
      ['Docker', 'cookbook/docker'],
      ['Kubernetes probes', 'cookbook/kubernetes'],
      ['Lambda', 'cookbook/lambda'],
      ['Cloudflare Workers', 'cookbook/workers'],
    ],
  },
  {
    text: 'Coming from',
    pages: [
      ['Another framework', 'coming-from/index'],
      ['NestJS', 'coming-from/nestjs'],
      ['Versions of NestJS', 'coming-from/nestjs-versions'],
      ['Fastify', 'coming-from/fastify'],
      ['Express', 'coming-from/express'],
      ['Hono', 'coming-from/hono'],
      ['FastAPI', 'coming-from/fastapi'],
      ['Cadwyn', 'coming-from/cadwyn'],
      ['Ellar', 'coming-from/ellar'],
      ['ASP.NET Core', 'coming-from/aspnet'],
      ['Versions of ASP.NET Core', 'coming-from/aspnet-versions'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['API', 'api/index'],
      ['Command line', 'guide/cli'],
      ['Errors', 'errors'],
      ['Rules of compatibility', 'rules'],
      ['Changelog', 'changelog'],
    ],
  },
  {
    text: 'Project',
    optional: true,
    pages: [
      ['Benchmarks', 'benchmarks'],
      ['Measuring', 'measuring'],
      ['Architecture', 'architecture'],
      ['Contributing', 'contributing'],
      ['Code of conduct', 'code-of-conduct'],
      ['Governance', 'governance'],
      ['Support and versions', 'support'],
      ['Leaving Octavo', 'leaving'],
    ],
  },
]
