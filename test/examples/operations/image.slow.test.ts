import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { missingPrograms, startPostgres, startRedis } from '../../../examples/operations/cluster.ts'
import type { Service } from '../../../examples/operations/cluster.ts'
import { buildImage, inStage } from '../../support/dockerfile.ts'
import type { Stage } from '../../support/dockerfile.ts'
import { ROOT } from '../../support/octavo.ts'
import { startProgram } from '../../support/recipes.ts'

const HERE = join(ROOT, 'examples/operations')
const REDIS = 6397
const POSTGRES = 5497

const folder = mkdtempSync(join(tmpdir(), 'octavo-image-'))
after(() => rmSync(folder, { recursive: true }))

/** Runs the command in the file system of the stage. The packages are ours, because that needs no network. */
function run(command: string, stage: Stage): void {
  const cwd = inStage(stage, '.')
  if (command !== 'npm ci --ignore-scripts') {
    execFileSync('sh', ['-c', command], { cwd, stdio: 'pipe' })
    return
  }
  for (const file of ['package.json', 'package-lock.json']) assert.ok(existsSync(join(cwd, file)), file)
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
}

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()

const allowed = readFileSync(join(HERE, 'Dockerfile.dockerignore'), 'utf8').trim().split('\n')

describe('the image of examples/operations', () => {
  const image = buildImage(readFileSync(join(HERE, 'Dockerfile'), 'utf8'), {
    context: ROOT,
    folder,
    isIgnored: (path) => !allowed.includes(`!${path}`),
    run,
  })
  const root = inStage(image, '.')
  const files = readdirSync(root)

  it('has the bundle alone, which is small', () => {
    assert.ok(files.includes('main.mjs'))
    assert.deepEqual(
      files.filter((file) => !file.endsWith('.mjs')),
      [],
    )
    const size = files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0)
    assert.ok(size < 8_000_000, `${size} bytes`)
    assert.deepEqual(readdirSync(image.root), ['app'])
  })

  it('imports nothing that it does not have', () => {
    const missing = files.flatMap((file) => {
      const code = readFileSync(join(root, file), 'utf8')
      return [...code.matchAll(/^(?:import|export)[^'"\n]*["']([^"']+)["'];?$/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !isBuiltin(name) && !(name.startsWith('./') && files.includes(name.slice(2))))
        .map((name) => `${file}: ${name}`)
    })
    assert.deepEqual(missing, [])
  })

  it('runs node itself, without root and in production', () => {
    assert.deepEqual([image.user, image.env, image.ports], ['node', { NODE_ENV: 'production' }, ['3000']])
    assert.deepEqual(image.command, ['node', '--max-old-space-size=384', 'main.mjs'])
  })

  const missing = missingPrograms().filter((name) => name !== 'nginx')
  const skip = missing.length === 0 ? false : `not installed: ${missing.join(', ')}`
  it('answers, is healthy, and ends with 0 when it is stopped', { skip }, async () => {
    const [, ...command] = image.command
    const stores: Service[] = []
    try {
      stores.push(...(await Promise.all([startRedis(folder, REDIS), startPostgres(folder, POSTGRES)])))
      const env = {
        ...image.env,
        PORT: '0',
        REDIS_URL: `redis://127.0.0.1:${REDIS}`,
        DATABASE_URL: `postgres://postgres@127.0.0.1:${POSTGRES}/postgres`,
        SESSION_SECRET: 'a secret for the tests of the image',
        DESK_PASSWORD: 'open sesame',
        CLIENTS: 'acme=acme-key',
        OTEL: 'console',
        BROWNOUTS: `${inMinutes(-10)}/${inMinutes(60)}`,
      }
      const started = await startProgram(command, { cwd: root, env })
      const { port } = new URL(started.url)
      const url = `http://127.0.0.1:${port}/orders`
      const trace = '0af7651916cd43dd8448eb211c80319c'
      const headers = {
        'x-api-key': 'acme-key',
        'content-type': 'application/json',
        traceparent: `00-${trace}-b7ad6b7169203331-01`,
      }
      const body = JSON.stringify({ article: 'cup', quantity: 2 })
      const added = await fetch(url, { method: 'POST', headers, body })
      assert.equal(added.status, 201, await added.text())
      const inBrownout = await fetch(url, { headers: { ...headers, 'x-api-version': '1' } })
      assert.deepEqual([inBrownout.status, inBrownout.headers.has('retry-after')], [410, true])
      assert.equal((await fetch(url)).status, 401)

      const [node = '', ...check]: string[] = JSON.parse(/CMD (.+)$/.exec(image.check)?.[1] ?? '[]')
      assert.equal(node, 'node')
      const isHealthy = () => spawnSync(process.execPath, check, { env: { PORT: port } }).status
      assert.equal(isHealthy(), 0)
      started.child.kill('SIGTERM')
      assert.deepEqual(await started.exited, [0, null], started.log())
      for (const printed of [
        `traceId: '${trace}'`,
        "name: 'POST /orders'",
        "name: 'http.server.request.duration'",
      ])
        assert.ok(started.log().includes(printed), printed)
      assert.equal(isHealthy(), 1)
    } finally {
      for (const store of stores) await store.stop()
    }
  })
})
