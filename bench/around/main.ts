import { generateKeyPairSync, sign } from 'node:crypto'

import {
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineProvider,
} from 'octavo'
import { jwtAuth } from 'octavo/auth'
import type { App, AppOptions, AnyGuard, Interceptor, Tokens } from 'octavo'
import { createMemoryStore } from 'octavo/stores'

import { rotate, summarize } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { formatSummary } from '../report/summary.ts'
import { measureKeys } from './idempotency.ts'
import { apiAlone, spans } from './telemetry.ts'

const CALLS = 100
const WARM_UP = 20

const guards = ['a', 'b', 'c'].map((name) => defineGuard({ name, canActivate: () => true }))
const interceptors = ['d', 'e'].map((name) =>
  defineInterceptor({ name, intercept: (_context, next) => next() }),
)
const Single = defineProvider({ name: 'Single', create: () => ({ value: 1 }) })
const PerRequest = defineProvider({ name: 'PerRequest', scope: 'request', create: () => ({ value: 1 }) })
const clientOf = (clients: number) => (): string => `client-${(called = (called + 1) % clients)}`
const client = clientOf(1000)
let called = 0
const usage = { store: createMemoryStore() }

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const TOKENS = { issuer: 'bench', audience: 'bench', algorithms: ['ES256'], publicKey } as const

/** All requests carry a token, and only some applications read it. */
const HEADERS = { authorization: `Bearer ${signToken()}` }

const REQUEST = { url: '/car/7', headers: HEADERS } as const

function signToken(): string {
  const claims = { iss: 'bench', aud: 'bench', sub: 'ann', exp: 4_000_000_000 }
  const data = [{ alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${data}.${signature.toString('base64url')}`
}

interface Contestant {
  readonly name: string
  readonly app: App
  readonly samples: number[]
}

interface Setup {
  readonly guards?: readonly AnyGuard[]
  readonly interceptors?: readonly Interceptor[]
  readonly inject?: Tokens
  readonly options?: AppOptions
  /** Guards and all else, but on another route of the same application. */
  readonly elsewhere?: boolean
}

async function setUp({ inject = {}, options = {}, elsewhere = false, ...around }: Setup): Promise<App> {
  const handler = (): string => 'done'
  const here = elsewhere ? {} : around
  const app = createApp(
    defineModule({
      providers: [Single, PerRequest],
      controllers: [
        defineController({
          prefix: '/car',
          routes: [
            { method: 'GET', path: '/{id:int}', input: { inject }, handler, ...here },
            { method: 'GET', path: '/other', input: { inject: { PerRequest } }, handler, ...around },
          ],
        }),
      ],
    }),
    { ...options, logger: false },
  )
  await app.ready()
  return app
}

const SETUPS: Readonly<Record<string, Setup>> = {
  plain: {},
  'all of it on another route': { guards, interceptors, elsewhere: true },
  'a singleton': { inject: { Single } },
  '3 guards': { guards },
  'jwtAuth, an ES256 token that it remembers': { guards: [jwtAuth(TOKENS)] },
  'jwtAuth, an ES256 token that it verifies': { guards: [jwtAuth({ ...TOKENS, maxTokens: 0 })] },
  '2 interceptors': { interceptors },
  '3 guards, 2 interceptors': { guards, interceptors },
  'a request-scoped provider': { inject: { PerRequest } },
  client: { options: { client } },
  'a span by the API of OpenTelemetry alone': { options: { telemetry: apiAlone } },
  'a span by octavo/otel': { options: { telemetry: spans } },
  usage: { options: { usage } },
  'client and usage, 10 clients': { options: { client: clientOf(10), usage } },
  'client and usage, 1,000 clients': { options: { client, usage } },
}

/** What stands around a handler, and what it costs. */
export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const rounds = isQuick ? 40 : 400
  const contestants: Contestant[] = []
  for (const [name, setup] of Object.entries(SETUPS))
    contestants.push({ name, app: await setUp(setup), samples: [] })
  await check(contestants)
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { app, samples } of rotate(contestants, round + WARM_UP)) {
      const time = await batch(app)
      if (round >= 0) samples.push(time)
    }
  }
  await Promise.all(contestants.map(({ app }) => app.close()))
  const plain = summarize(contestants[0]?.samples ?? []).low
  return {
    title: 'Guards, interceptors and providers',
    text: [
      `This section measures Octavo alone: \`inject\` of one \`GET\` whose handler returns a text, with guards, interceptors and providers that do no work, so you see the cost of the framework alone. Two rows check the ES256 signature of a token, with and without the memory of verified tokens. All applications run in one process and take turns of ${CALLS} calls. A cell is the median of ${rounds} rounds. The differences compare lower quartiles, because other load only makes rounds slower.`,
    ],
    tables: [
      {
        caption: 'Microseconds of a call',
        columns: ['around the handler', 'microseconds', 'more than plain', 'ratio to plain'],
        rows: contestants.map(({ name, samples }) => {
          const summary = summarize(samples)
          const { low } = summary
          return [name, formatSummary(summary, 2), (low - plain).toFixed(2), (low / plain).toFixed(2)]
        }),
      },
      await measureKeys(rounds),
    ],
  }
}

/** All have to give the same answer. */
async function check(contestants: readonly Contestant[]): Promise<void> {
  for (const { name, app } of contestants) {
    const answer = await app.inject(REQUEST)
    if (answer.statusCode !== 200 || answer.json() !== 'done')
      throw new Error(`${name} answers ${answer.statusCode} ${answer.body}`)
  }
}

/** Microseconds of one call, over a batch. */
async function batch(app: App): Promise<number> {
  const started = performance.now()
  for (let index = 0; index < CALLS; index++) await app.inject(REQUEST)
  return ((performance.now() - started) * 1000) / CALLS
}
