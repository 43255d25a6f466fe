import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { parse } from 'yaml'
import { z } from 'zod'

import { FROM_SOURCE, ROOT } from '../support/octavo.ts'
import { fenceOf, onFreePort, startProgram } from '../support/recipes.ts'

const program = fenceOf('kubernetes', 'ts serves')

const Probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().default(1),
  failureThreshold: z.number(),
})
const Container = z.object({
  name: z.string(),
  ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
})
const Labels = z.record(z.string(), z.string())
const Deployment = z.object({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  spec: z.object({
    selector: z.object({ matchLabels: Labels }),
    template: z.object({
      metadata: z.object({ labels: Labels }),
      spec: z.object({ terminationGracePeriodSeconds: z.number(), containers: z.tuple([Container]) }),
    }),
  }),
})

const { spec } = Deployment.parse(parse(fenceOf('kubernetes', 'yaml')))
const {
  terminationGracePeriodSeconds,
  containers: [container],
} = spec.template.spec
const { startupProbe, livenessProbe, readinessProbe, ports } = container

/** The milliseconds of a time in the program. */
function timeOf(name: string): number {
  const [, text = ''] = new RegExp(`${name}: ([\\d_]+)`).exec(program) ?? []
  return Number(text.replaceAll('_', ''))
}

describe('the deployment of the recipe', () => {
  it('selects its own pods', () => assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels))

  it('probes the port on which the program listens', () => {
    assert.equal(`port: ${ports[0].containerPort}`, /port: \d+/.exec(program)?.[0])
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
      assert.equal(httpGet.port, ports[0].name)
  })

  it('waits longer than the program may take to end', () => {
    assert.ok(timeOf('drain') > 0 && timeOf('grace') > 0)
    assert.ok(terminationGracePeriodSeconds * 1000 > timeOf('drain') + 2 * timeOf('grace'))
  })

  it('sees that a pod is not ready before it stops accepting', () => {
    const { periodSeconds, failureThreshold } = readinessProbe
    assert.ok(periodSeconds * failureThreshold * 1000 < timeOf('drain'))
  })

  it('gives checks the time that they may take', () => assert.ok(readinessProbe.timeoutSeconds > 1))
})

describe('the program of the recipe', () => {
  mkdirSync(join(ROOT, 'test/cookbook/.tmp'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, 'test/cookbook/.tmp/kubernetes-'))
  after(() => rmSync(folder, { recursive: true }))

  it('answers the probes, and after SIGTERM requests too until it has drained', async () => {
    // a shorter time, so that the test does not wait
    const faster = onFreePort(program).replace('drain: 5_000', 'drain: 1_500')
    writeFileSync(join(folder, 'main.ts'), faster)
    const { url, child, exited } = await startProgram([...FROM_SOURCE, 'main.ts'], { cwd: folder })
    const statusOf = async (path: string): Promise<number> => {
      const response = await fetch(url + path)
      await response.body?.cancel()
      return response.status
    }
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
      assert.equal(await statusOf(httpGet.path), 200, httpGet.path)
    child.kill('SIGTERM')
    while ((await statusOf(readinessProbe.httpGet.path)) === 200) await delay(10)
    assert.deepEqual(
      [await statusOf(readinessProbe.httpGet.path), await statusOf(livenessProbe.httpGet.path)],
      [503, 200],
    )
    assert.equal(await statusOf('/cars'), 200)
    assert.deepEqual(await exited, [0, null])
  })
})
