import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'

import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { z } from 'zod'

import { until } from '../node/process/load.ts'
import { programArguments } from '../support/program.ts'

const Span = z.object({
  span: z.string(),
  kind: z.number(),
  by: z.string(),
  id: z.string(),
  attributes: z.looseObject({}),
  status: z.number(),
})
const Answer = z.object({ id: z.string(), pid: z.number() })

/** Asks for a car over a connection of its own. */
async function askCar(url: string) {
  const response = await fetch(`${url}/v1/car/7`, { headers: { connection: 'close' } })
  return Answer.parse(await response.json())
}

/** Starts the application with an SDK in `--import`, sends requests in turn, and returns the answers and the spans that it printed. */
async function run<T>(
  env: Readonly<Record<string, string>>,
  requests: readonly ((url: string, lines: readonly unknown[]) => Promise<T>)[],
) {
  const args = programArguments('test/otel/auto/app.ts', 'test/otel/auto/preload.ts')
  const child = spawn(process.execPath, args, {
    env: { ...process.env, OTEL_SEMCONV_STABILITY_OPT_IN: 'http', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: unknown[] = []
  const Listening = z.object({ url: z.string() })
  // as long as it takes: workers that start on a machine with much else to do take their time
  const listening = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(JSON.parse(line))
      const { data } = Listening.safeParse(lines.at(-1))
      if (data !== undefined) resolve(data.url)
    })
  })
  const spansOf = () => lines.flatMap((line) => Span.safeParse(line).data ?? [])
  const answers: T[] = []
  try {
    const url = await listening
    for (const [index, ask] of requests.entries()) {
      answers.push(await ask(url, lines))
      await until(() => spansOf().length > index, 'the span is printed')
    }
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { answers, spans: spansOf() }
}

describe('an application that is started with --import', { skip: process.platform === 'win32' }, () => {
  it('has one span for each request with an HTTP instrumentation, which has the route', async () => {
    const { answers, spans } = await run({ INSTRUMENTED: 'yes' }, [askCar])
    assert.deepEqual(
      spans.map(({ span, kind, by, id, attributes }) => [span, kind, by, id, attributes['http.route']]),
      [
        [
          'GET /car/{car_id}',
          SpanKind.SERVER,
          '@opentelemetry/instrumentation-http',
          answers[0]?.id,
          '/car/{car_id}',
        ],
      ],
    )
  })

  for (const engine of ['node', 'direct'])
    it(`has the route, the version and the end of each request with one, on the engine ${engine}`, async () => {
      const { spans } = await run<unknown>({ INSTRUMENTED: 'yes', ENGINE: engine }, [
        async (url) => (await fetch(`${url}/v1/car/parts`)).text(),
        async (url) => assert.rejects(async () => (await fetch(`${url}/v1/car/breaks`)).text()),
        async (url) => {
          const left = new AbortController()
          const response = await fetch(`${url}/v1/car/endless`, { signal: left.signal })
          await response.body?.getReader().read()
          left.abort()
        },
        async (url, lines) => {
          const left = new AbortController()
          const asked = fetch(`${url}/v1/car/wait`, { signal: left.signal })
          await until(() => lines.some((line) => 'waits' in Object(line)), 'the handler waits')
          left.abort()
          await assert.rejects(asked)
        },
      ])
      assert.deepEqual(
        spans.map(({ span, by, attributes, status }) => [
          span,
          by,
          attributes['http.route'],
          attributes['api.version'],
          attributes['http.response.status_code'],
          attributes['error.type'],
          status,
        ]),
        [
          ['parts', 200, undefined, SpanStatusCode.UNSET],
          ['breaks', 200, 'internal_error', SpanStatusCode.ERROR],
          ['endless', 200, undefined, SpanStatusCode.UNSET],
          ['wait', 499, undefined, SpanStatusCode.UNSET],
        ].map(([name, ...end]) => [
          `GET /car/${name}`,
          '@opentelemetry/instrumentation-http',
          `/car/${name}`,
          '1',
          ...end,
        ]),
      )
    })

  it('has a span for each request in every worker', async () => {
    const { answers, spans } = await run(
      { WORKERS: '2' },
      Array.from({ length: 8 }, () => askCar),
    )
    assert.deepEqual(spans.map(({ id }) => id).toSorted(), answers.map(({ id }) => id).toSorted())
    assert.deepEqual(
      [...new Set(spans.map(({ span, by }) => `${by}: ${span}`))],
      ['octavo: GET /car/{car_id}'],
    )
    assert.equal(new Set(answers.map(({ pid }) => pid)).size, 2)
  })
})
