import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

/** Files that no engine of `listen` has a part in: HTTP/2, `app.handler`, other adapters, and the comparison of both engines. */
const OTHERS = new Set(
  ['engine', 'handler', 'http2', 'http2-large', 'lambda', 'middleware-together', 'uploads-adapters'].map(
    (name) => `${name}.test.ts`,
  ),
)

/** Tests elsewhere that send over sockets. */
const MORE = ['fault/slow', 'fault/vanish', 'otel/metrics', 'otel/spans'].map(
  (name) => `test/${name}.test.ts`,
)

it('the direct engine passes the tests of node:http', { timeout: 600_000 }, async () => {
  const files = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts') && !OTHERS.has(file))
    .map((file) => `test/node/${file}`)
  assert.ok(files.length > 20, 'the tests are there')
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'scripts/test/main.ts', ...files, ...MORE, '--test-reporter=tap'],
      {
        cwd: join(import.meta.dirname, '../..'),
        // a runner of tests below another one reports to that
        env: { ...process.env, OCTAVO_TEST_ENGINE: 'direct', NODE_TEST_CONTEXT: undefined },
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => resolve(`${stdout}\n${stderr}\n${error === null ? 'passed' : 'failed'}`),
    )
  })
  const failed = output.split('\n').filter((line) => /^\s*not ok /.test(line))
  assert.deepEqual(failed, [])
  assert.match(output, /^passed$/m, output.slice(-2_000))
})
