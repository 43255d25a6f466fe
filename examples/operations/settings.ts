import { direct } from 'octavo/engine'
import { z } from 'zod'

/** The clients by their keys, from a text such as `acme=key1,globex=key2`. */
const Clients = z
  .string()
  .regex(/^[\w-]+=[\w-]+(,[\w-]+=[\w-]+)*$/, 'has to be a list such as acme=key1,globex=key2')
  .transform(
    (text): ReadonlyMap<string, string> =>
      new Map(
        text.split(',').map((pair) => {
          const [client = '', key = ''] = pair.split('=')
          return [key, client]
        }),
      ),
  )

/** The times in which version 1 does not answer, from a text such as `2099-06-01T10:00:00Z/2099-06-01T11:00:00Z`, in a list with commas. */
const Brownouts = z.string().transform((text) =>
  text
    .split(',')
    .filter((span) => span !== '')
    .map((span) => {
      const [from = '', to = ''] = span.split('/')
      return { from, to }
    }),
)

/** The settings of an instance. All instances have the same, except for the port. */
export const Settings = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(3000),
  redisUrl: z.string(),
  databaseUrl: z.string(),
  sessionSecret: z.string().min(32),
  /** Whether browsers send the session's cookie over HTTPS alone. */
  secureCookies: z.stringbool().default(true),
  /** Signs operators in. */
  deskPassword: z.string().min(8),
  clients: Clients,
  /** Requests of a client per hour, over all instances. */
  rateLimit: z.coerce.number().int().min(1).default(3600),
  /** Brownouts of version 1, so that one can be planned without a release. */
  brownouts: Brownouts.default([{ from: '2099-06-01T10:00:00Z', to: '2099-06-01T11:00:00Z' }]),
  /** Whether spans and metrics are printed. */
  otel: z.enum(['none', 'console']).default('none'),
  /** The engine that serves HTTP/1.1. */
  engine: z.enum(['node', 'direct']).default('node'),
  /** The version that new clients are pinned to. During a release with a new version, it is the version before. */
  firstVersion: z.string().default('latestStable'),
})

/** The options of `listen` for an instance. */
export const toListenOptions = ({ port, engine }: Pick<z.infer<typeof Settings>, 'port' | 'engine'>) => ({
  port,
  ...(engine === 'direct' ? { engine: direct() } : {}),
})

/** The environment as the schema names it. */
export const readEnvironment = (env: Readonly<Record<string, string | undefined>> = process.env) => ({
  port: env['PORT'],
  redisUrl: env['REDIS_URL'],
  databaseUrl: env['DATABASE_URL'],
  sessionSecret: env['SESSION_SECRET'],
  secureCookies: env['SECURE_COOKIES'],
  deskPassword: env['DESK_PASSWORD'],
  clients: env['CLIENTS'],
  rateLimit: env['RATE_LIMIT'],
  brownouts: env['BROWNOUTS'],
  otel: env['OTEL'],
  engine: env['ENGINE'],
  firstVersion: env['FIRST_VERSION'],
})
