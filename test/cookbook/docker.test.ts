import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, posix } from 'node:path'
import { after, describe, it } from 'node:test'

import { ROOT } from '../support/octavo.ts'
import { fenceOf, onFreePort, startProgram } from '../support/recipes.ts'

interface Instruction {
  readonly name: string
  readonly text: string
}

/** A stage of a build: its file system is a folder. */
interface Stage {
  readonly root: string
  folder: string
  user: string
  readonly env: Record<string, string>
  readonly ports: string[]
  command: readonly string[]
  check: string
}

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

function parse(dockerfile: string): readonly Instruction[] {
  return dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
      return { name, text }
    })
}

const inStage = (stage: Stage, path: string): string => join(stage.root, posix.resolve(stage.folder, path))

/** Copies as Docker does: from the project without what it ignores, or from an earlier stage. */
function copy(stage: Stage, text: string, context: string, stages: ReadonlyMap<string, Stage>): void {
  const words = text.split(' ')
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? ''
  const source = from === undefined ? undefined : stages.get(from)
  assert.ok(from === undefined || source, `there is no stage ${from}`)
  for (const path of paths) {
    if (source === undefined) assert.ok(!ignored.includes(path.replace(/^\.\//, '')), `${path} is ignored`)
    const origin = source === undefined ? join(context, path) : join(source.root, path)
    assert.ok(existsSync(origin), `COPY finds no ${path}`)
    const into = target.endsWith('/') ? posix.join(target, basename(path)) : target
    cpSync(origin, inStage(stage, into), { recursive: true, verbatimSymlinks: true })
  }
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

function buildImage(dockerfile: string, context: string): Stage {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, text } of parse(dockerfile)) {
    if (name === 'FROM') {
      const [image = '', , alias = 'last'] = text.split(' ')
      assert.match(image, /^node:\d+-alpine$/)
      const root = join(folder, `stage-${alias}`)
      stage = { root, folder: '/', user: 'root', env: {}, ports: [], command: [], check: '' }
      stages.set(alias, stage)
      continue
    }
    assert.ok(stage, `${name} stands before FROM`)
    if (name === 'WORKDIR') {
      stage.folder = posix.resolve(stage.folder, text)
      mkdirSync(inStage(stage, '.'), { recursive: true })
    } else if (name === 'COPY') copy(stage, text, context, stages)
    else if (name === 'RUN') {
      assert.equal(text, 'npm ci --omit=dev')
      install(stage, context)
    } else if (name === 'ENV') {
      const [key = '', value = ''] = text.split('=')
      stage.env[key] = value
    } else if (name === 'USER') stage.user = text
    else if (name === 'EXPOSE') stage.ports.push(text)
    else if (name === 'HEALTHCHECK') stage.check = text
    else if (name === 'CMD') stage.command = JSON.parse(text)
    else assert.fail(`the test does not know ${name}`)
  }
  assert.ok(stage)
  return stage
}

describe('the image of the recipe', () => {
  const image = buildImage(fenceOf('docker', 'dockerfile'), createProject())

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
