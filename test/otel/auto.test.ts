import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'

import { SpanKind } from '@opentelemetry/api'
import { z } from 'zod'

import { until } from '../node/process/load.ts'

const FOLDER = join(import.meta.dirname, 'auto')
const Span = z.object({
  span: z.string(),
  kind: z.number(),
  by: z.string(),
  id: z.string(),
  attributes: z.looseObject({}),
})
const Answer = z.object({ id: z.string(), pid: z.number() })

/** Starts the application with an SDK in `--import`, asks it so often, and returns the answers and the spans that it printed. */
async function run(env: Readonly<Record<string, string>>, requests: number) {
  const flags = ['--import', 'tsx', '--conditions', 'octavo-source', '--import', join(FOLDER, 'preload.ts')]
  const child = spawn(process.execPath, [...flags, join(FOLDER, 'app.ts')], {
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
  const answers = []
  try {
    const url = await listening
    for (let count = 0; count < requests; count++) {
      const response = await fetch(`${url}/car/${count}`, { headers: { connection: 'close' } })
      answers.push(Answer.parse(await response.json()))
    }
    await until(() => spansOf().length >= requests, 'the spans are printed')
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { answers, spans: spansOf() }
}

describe('an application that is started with --import', { skip: process.platform === 'win32' }, () => {
  it('has one span for each request with an HTTP instrumentation, which has the route', async () => {
    const { answers, spans } = await run({ INSTRUMENTED: 'yes' }, 1)
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

  it('has a span for each request in every worker', async () => {
    const { answers, spans } = await run({ WORKERS: '2' }, 8)
    assert.deepEqual(spans.map(({ id }) => id).toSorted(), answers.map(({ id }) => id).toSorted())
    assert.deepEqual(
      [...new Set(spans.map(({ span, by }) => `${by}: ${span}`))],
      ['octavo: GET /car/{car_id}'],
    )
    assert.equal(new Set(answers.map(({ pid }) => pid)).size, 2)
  })
})
