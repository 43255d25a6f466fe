import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'

import { buildImage, inStage } from '../support/dockerfile.ts'
import type { Stage } from '../support/dockerfile.ts'
import { ROOT } from '../support/octavo.ts'
import { fenceOf, onFreePort, startProgram } from '../support/recipes.ts'

/** Milliseconds that `docker stop` waits. */
const STOP = 10_000

const folder = mkdtempSync(join(tmpdir(), 'octavo-docker-'))
after(() => rmSync(folder, { recursive: true }))

const program = fenceOf('docker', 'ts serves')
const ignored = fenceOf('docker', 'text').trim().split('\n')

/** The project that is built. It has files that must not get into an image. */
function createProject(): string {
  const context = join(folder, 'context')
  const manifest = { type: 'module', dependencies: { octavo: '*', zod: '*' }, devDependencies: { tsx: '*' } }
  mkdirSync(join(context, 'src'), { recursive: true })
  mkdirSync(join(context, 'node_modules'))
  writeFileSync(join(context, 'src/main.ts'), onFreePort(program))
  writeFileSync(join(context, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(context, 'package-lock.json'), '{}')
  writeFileSync(join(context, '.env'), 'SECRET=1')
  return context
}

/** Installs without a network: the packages of the project are links to ours. */
function install(stage: Stage, context: string): void {
  for (const file of ['package.json', 'package-lock.json'])
    assert.ok(existsSync(inStage(stage, file)), `npm ci needs ${file}`)
  assert.ok(existsSync(join(context, 'package.json')))
  for (const [name, target] of [
    ['octavo', ROOT],
    ['zod', join(ROOT, 'node_modules/zod')],
  ] as const) {
    const link = inStage(stage, `node_modules/${name}`)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link, 'junction')
  }
}

describe('the image of the recipe', () => {
  const context = createProject()
  const image = buildImage(fenceOf('docker', 'dockerfile'), {
    context,
    folder,
    isIgnored: (path) => ignored.includes(path),
    run: (command, stage) => {
      assert.equal(command, 'npm ci --omit=dev')
      install(stage, context)
    },
  })

  it('has what runs the API, and neither secrets nor npm', () => {
    for (const path of ['node_modules/octavo', 'node_modules/zod', 'package.json', 'src/main.ts'])
      assert.ok(existsSync(inStage(image, path)), path)
    for (const path of ['.env', 'package-lock.json', 'node_modules/tsx'])
      assert.ok(!existsSync(inStage(image, path)), path)
  })

  it('runs without root, in production, on the port of the program', () => {
    assert.deepEqual(
      [image.user, image.env, image.ports],
      ['node', { NODE_ENV: 'production' }, [/port: (\d+)/.exec(program)?.[1]]],
    )
  })

  it('answers, is healthy, and ends well when it is stopped', async () => {
    const [node, ...args] = image.command
    assert.equal(node, 'node')
    // Node removes types since 22.18, and finds the sources of Octavo by the condition
    const flags = [
      '--conditions',
      'octavo-source',
      ...(Reflect.get(process.features, 'typescript') ? [] : ['--import', import.meta.resolve('tsx')]),
    ]
    const { url, child, exited } = await startProgram([...flags, ...args], {
      cwd: inStage(image, '.'),
      env: image.env,
    })
    const answer = await fetch(`${url}/cars`)
    assert.deepEqual(await answer.json(), ['Ford'])
    const [, path = ''] = /http:\/\/127\.0\.0\.1:3000(\S+)$/.exec(image.check) ?? []
    const healthy = await fetch(url + path, { method: 'HEAD' })
    assert.deepEqual([path, healthy.status], ['/readyz', 200])
    const began = Date.now()
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
    assert.ok(Date.now() - began < STOP)
  })

  it('has a grace time that Docker waits for, twice', () => {
    const [, grace = ''] = /grace: ([\d_]+)/.exec(program) ?? []
    assert.ok(2 * Number(grace.replaceAll('_', '')) < STOP)
  })
})
