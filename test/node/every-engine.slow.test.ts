import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

/** Files that name their engines, compare both, or that no engine of `listen` has a part in: HTTP/2, `app.handler`, other adapters. */
const OTHERS = new Set(
  [
    'engine',
    'engine-attacks',
    'engine-body',
    'engine-endings',
    'engine-upgrades',
    'handler',
    'header-values',
    'http2',
    'http2-large',
    'lambda',
    'middleware-together',
    'parity',
    'uploads-adapters',
  ].map((name) => `${name}.test.ts`),
)

/** Tests elsewhere that send over sockets. */
const MORE = ['fault/slow', 'fault/vanish', 'otel/metrics', 'otel/spans'].map(
  (name) => `test/${name}.test.ts`,
)

it('the direct engine passes the tests of node:http', { timeout: 1_200_000 }, async () => {
  const files = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts') && !OTHERS.has(file))
    .map((file) => `test/node/${file}`)
  assert.ok(files.length > 20, 'the tests are there')
  const failed = (await run([...files, ...MORE])).failed
  if (failed.length === 0) return
  // some of them measure time, which other files that run beside them take
  for (const file of failed) {
    const { output, failed: again } = await run([file])
    assert.deepEqual(again, [], output)
  }
})

/** Runs files of tests. Returns those that fail. */
async function run(
  files: readonly string[],
): Promise<{ readonly output: string; readonly failed: readonly string[] }> {
  const { output, isPassed } = await new Promise<{ readonly output: string; readonly isPassed: boolean }>(
    (resolve) => {
      execFile(
        process.execPath,
        ['--import', 'tsx', 'scripts/test/main.ts', ...files, '--test-reporter=tap'],
        {
          cwd: join(import.meta.dirname, '../..'),
          // a runner of tests below another one reports to that
          env: { ...process.env, OCTAVO_TEST_ENGINE: 'direct', NODE_TEST_CONTEXT: undefined },
          maxBuffer: 64 * 1024 * 1024,
        },
        (error, stdout, stderr) => resolve({ output: `${stdout}\n${stderr}`, isPassed: error === null }),
      )
    },
  )
  const failed = [...output.matchAll(/^not ok \d+ - (test\/\S+\.test\.ts)/gm)].map(([, file = '']) => file)
  assert.ok(isPassed || failed.length > 0, output.slice(-2_000))
  return { output, failed }
}
