/**
 * What stands around a handler, and what it costs. All contestants answer the same `inject` calls in one interleaved run, so that the
 * differences count and not the machine's moods. Run with `npm run bench:around`.
 */
import {
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  defineModule,
  defineProvider,
} from 'octavo'
import type { App, AnyGuard, Interceptor, Tokens } from 'octavo'

const ROUNDS = Number(process.env['ROUNDS'] ?? 400)
const CALLS = 100

const guards = ['a', 'b', 'c'].map((name) => defineGuard({ name, canActivate: () => true }))
const interceptors = ['d', 'e'].map((name) =>
  defineInterceptor({ name, intercept: (_context, next) => next() }),
)
const Single = defineProvider({ name: 'Single', create: () => ({ value: 1 }) })
const PerRequest = defineProvider({ name: 'PerRequest', scope: 'request', create: () => ({ value: 1 }) })

interface Setup {
  readonly guards?: readonly AnyGuard[]
  readonly interceptors?: readonly Interceptor[]
  readonly inject?: Tokens
  /** Guards and all else, but on another route of the same application. */
  readonly elsewhere?: boolean
}

async function setUp({ inject = {}, elsewhere = false, ...around }: Setup): Promise<App> {
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
    { logger: false },
  )
  await app.ready()
  return app
}

const CONTESTANTS: Readonly<Record<string, App>> = {
  plain: await setUp({}),
  'all of it on another route': await setUp({ guards, interceptors, elsewhere: true }),
  'a singleton': await setUp({ inject: { Single } }),
  '3 guards': await setUp({ guards }),
  '2 interceptors': await setUp({ interceptors }),
  '3 guards, 2 interceptors': await setUp({ guards, interceptors }),
  'a request-scoped provider': await setUp({ inject: { PerRequest } }),
}

/** Microseconds of one call, over a batch. */
async function batch(app: App): Promise<number> {
  const started = performance.now()
  for (let index = 0; index < CALLS; index++) await app.inject('/car/7')
  return ((performance.now() - started) * 1000) / CALLS
}

const times = new Map<string, number[]>(Object.keys(CONTESTANTS).map((name) => [name, []]))
for (let round = -10; round < ROUNDS; round++) {
  // another order each round, so that nobody always follows the same one
  const order = Object.entries(CONTESTANTS)
  order.push(...order.splice(0, (round + 10) % order.length))
  for (const [name, app] of order) {
    const time = await batch(app)
    if (round >= 0) times.get(name)?.push(time)
  }
}

const plain = quartile(times.get('plain') ?? [])
for (const [name, samples] of times) {
  const time = quartile(samples)
  console.log(
    `${name.padEnd(28)} ${time.toFixed(2)} µs  ${(time - plain >= 0 ? '+' : '') + (time - plain).toFixed(2)} µs  ×${(time / plain).toFixed(3)}`,
  )
}
await Promise.all(Object.values(CONTESTANTS).map((app) => app.close()))

/** The lower quartile: other work on the machine only ever makes rounds slower. */
function quartile(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 4)] ?? Number.NaN
}
