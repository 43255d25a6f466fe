/** Who takes part. */
export interface Contestant {
  readonly label: string
  /** The file in `servers/`. */
  readonly server: string
  /** Whether it writes a log line for each request, to `/dev/null`. These run the requests of the geometric mean only. */
  readonly logs?: boolean
}

/** The baseline of all ratios. */
export const BASELINE = 'node:http by hand'

export const CONTESTANTS: readonly Contestant[] = [
  { label: BASELINE, server: 'raw' },
  { label: 'octavo', server: 'octavo' },
  { label: 'octavo, direct engine', server: 'octavo-direct' },
  { label: 'h3 2', server: 'h3' },
  { label: 'Fastify 5', server: 'fastify' },
  { label: 'Fastify 5 + zod', server: 'fastify-zod' },
  { label: 'Hono 4', server: 'hono' },
  { label: 'NestJS 12 on Fastify', server: 'nest' },
  { label: 'Elysia 1.4 on Node', server: 'elysia' },
  { label: 'Express 5', server: 'express' },
  { label: 'octavo, log lines', server: 'octavo', logs: true },
  { label: 'Fastify 5, log lines', server: 'fastify', logs: true },
]

/** What every file in `servers/` exports: starts the server on a free port of the loopback interface. */
export type Serve = (options: { readonly logs: boolean }) => Promise<number>
