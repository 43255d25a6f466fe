import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { COMPILER, createFolder, findMain, FROM_SOURCE, octavo, ROOT } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'
import { findPackage, installPackage } from '../support/package.ts'

const folder = createFolder()
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())

const init = (...args: readonly string[]): Promise<Outcome> =>
  octavo(['init', ...args], { node: [main], cwd: folder.path })
const manifestOf = (name: string): Readonly<Record<string, unknown>> => {
  const manifest: Readonly<Record<string, unknown>> = JSON.parse(
    readFileSync(join(folder.path, name, 'package.json'), 'utf8'),
  )
  return manifest
}

const TEMPLATE = 'src/cli/init/template'

/** The files below a folder, sorted by their paths. */
const filesOf = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()

describe('octavo init', () => {
  it('makes a project whose types are right and whose test passes', async () => {
    const { code, stdout, stderr } = await init('Mein Gärtchen')
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
    assert.match(
      stderr,
      /Created mein-gartchen in Mein Gärtchen:[\s\S]*cd 'Mein Gärtchen'\n {2}npm install\n {2}npm start\n$/,
    )
    const project = join(folder.path, 'Mein Gärtchen')
    const { name, type, dependencies, devDependencies } = manifestOf('Mein Gärtchen')
    assert.deepEqual([name, type], ['mein-gartchen', 'module'])
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    assert.equal(Reflect.get(Object(dependencies), 'octavo'), `^${version}`)
    assert.equal(typeof Reflect.get(Object(devDependencies), 'swagger-ui-dist'), 'string')
    assert.deepEqual(filesOf(project), [
      '.github/workflows/check.yml',
      '.gitignore',
      'AGENTS.md',
      'CLAUDE.md',
      'README.md',
      'api/1.json',
      'api/2.json',
      'api/index.json',
      'package.json',
      'src/app.ts',
      'src/books.ts',
      'src/changes/writers-are-authors.ts',
      'src/history.ts',
      'src/main.ts',
      'src/models.ts',
      'test/app.test.ts',
      'tsconfig.json',
    ])
    for (const file of ['package.json', 'AGENTS.md', 'README.md'])
      assert.doesNotMatch(readFileSync(join(project, file), 'utf8'), /undefined|\{\{/, file)
    assert.ok(readFileSync(join(project, 'README.md'), 'utf8').split('\n').length <= 30)

    // what npm install would do
    await installPackage(project)
    folder.write(
      'Mein Gärtchen/tsconfig.test.json',
      JSON.stringify({
        extends: './tsconfig.json',
        compilerOptions: {
          typeRoots: [join(ROOT, 'node_modules/@types')],
        },
      }),
    )
    const [tsc, ...options] = COMPILER
    execFileSync(tsc, [...options, '-p', join(project, 'tsconfig.test.json')], { stdio: 'inherit' })
    const { NODE_TEST_CONTEXT: _inTest, ...env } = process.env
    const printed = execFileSync(process.execPath, [...FROM_SOURCE, '--test', 'test/app.test.ts'], {
      cwd: project,
      encoding: 'utf8',
      env,
    })
    assert.match(printed, /pass 5\b/)
    const { scripts } = manifestOf('Mein Gärtchen')
    assert.match(String(Reflect.get(Object(scripts), 'check')), /octavo check --strict$/)
    const checked = await octavo(['check', '--strict'], {
      cwd: project,
      node: [...FROM_SOURCE, main],
    })
    assert.deepEqual(
      [checked.code, checked.stdout],
      [0, 'api → the app: no difference that clients notice\n'],
      checked.stderr,
    )
    const { versions } = JSON.parse(readFileSync(join(project, 'api/index.json'), 'utf8')) as {
      versions: readonly { at: string }[]
    }
    for (const { at } of versions) assert.match(at, /^\d{4}-\d\d-\d\d$/)
  })

  it('takes the packed file that it was installed from, where there is one', async () => {
    folder.write('tools/node_modules/octavo/package.json', '{}')
    cpSync(await findPackage(), join(folder.path, 'tools/node_modules/octavo'), { recursive: true })
    const installed = join(folder.path, 'tools/node_modules/octavo/dist/cli/main.js')
    const lock = { packages: { 'node_modules/octavo': { resolved: 'file:../packed/octavo.tgz' } } }
    folder.write('tools/node_modules/.package-lock.json', JSON.stringify(lock))
    const made = async (name: string): Promise<unknown> => {
      const { code } = await octavo(['init', name], { node: [installed], cwd: folder.path })
      assert.equal(code, 0)
      return Reflect.get(Object(manifestOf(name)['dependencies']), 'octavo')
    }
    assert.match(String(await made('without')), /^\^\d/)
    folder.write('packed/octavo.tgz', '')
    assert.equal(await made('with'), 'file:../packed/octavo.tgz')
    folder.write('tools/node_modules/.package-lock.json', '{')
    assert.match(String(await made('broken')), /^\^\d/)
  })

  it('has the commands and options that the skills name', async () => {
    const skills = join(ROOT, 'skills')
    const text = readdirSync(skills).map((name) => readFileSync(join(skills, name, 'SKILL.md'), 'utf8'))
    const used = [...text.join('\n').matchAll(/npx octavo (\w+)([^`\n&]*)/g)]
    assert.ok(used.length > 8)
    for (const [line, command = '', rest = ''] of used) {
      const { stdout, code } = await octavo([command, '--help'])
      assert.equal(code, 0, line)
      for (const [option] of rest.matchAll(/--[\w-]+/g)) assert.ok(stdout.includes(option), line)
    }
  })

  it('has a template that npm packs as a whole', () => {
    const printed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: ROOT,
      encoding: 'utf8',
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [packed]: readonly { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(printed)
    const paths = packed?.files.map(({ path }) => path).filter((path) => path.startsWith('src/cli/init/'))
    assert.deepEqual(
      paths?.toSorted(),
      filesOf(join(ROOT, TEMPLATE)).map((path) => `${TEMPLATE}/${path}`),
    )
  })

  it('leaves folders alone that are not empty, unless it is forced', async () => {
    folder.write('used/mine.txt', 'mine')
    const refused = await init('used')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /used is not empty: it contains mine\.txt\n[\s\S]*--force/)
    assert.deepEqual(readdirSync(join(folder.path, 'used')), ['mine.txt'])
    assert.equal((await init('used', '--force', '--name', '@acme/used')).code, 0)
    assert.equal(manifestOf('used')['name'], '@acme/used')
    assert.equal(readFileSync(join(folder.path, 'used/mine.txt'), 'utf8'), 'mine')
  })

  it('takes a folder that has nothing but a history', async () => {
    folder.write('octavo/.git/HEAD', '')
    assert.equal((await init('octavo')).code, 0)
    assert.equal(manifestOf('octavo')['name'], 'octavo-app')
    assert.ok(existsSync(join(folder.path, 'octavo/src/main.ts')), 'there is no main file')
  })

  it('says where it cannot make one', async () => {
    folder.write('file', '')
    const { code, stderr } = await init('file')
    assert.equal(code, 1)
    assert.match(stderr, /octavo: .*file cannot be used/)
  })
})

const COMPILED = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
}
const RUN = { ...COMPILED, noEmit: true, allowImportingTsExtensions: true }
const EMITTED = { ...COMPILED, rootDir: 'src', outDir: 'dist' }
const NEST = { ...EMITTED, experimentalDecorators: true }

const nest = (
  platform: string,
  create: string,
): string => `import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
${platform}
@Controller('cars')
class Cars {
  @Get(':id')
  getOne(@Param('id') id: string) {
    return { id, name: 'Beetle' }
  }
}
@Module({ controllers: [Cars] })
class AppModule {}
async function start() {
  const app = await NestFactory.create${create}
  // HERE
  await app.listen(0, '127.0.0.1')
  console.log(await app.getUrl())
}
void start()
`

/** Apps as their guides begin, which print their address. A line for what is added is marked. */
const APPS = {
  hono: {
    manifest: { type: 'module', dependencies: { hono: '4', '@hono/node-server': '1' } },
    config: RUN,
    source: `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
const app = new Hono()
// HERE
app.get('/cars/:id', (c) => c.json({ id: c.req.param('id'), name: 'Beetle' }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('http://127.0.0.1:' + port))
`,
  },
  express: {
    manifest: { type: 'module', dependencies: { express: '5' } },
    config: EMITTED,
    source: `import type { AddressInfo } from 'node:net'
import express from 'express'
const app = express()
app.use(express.json())
// HERE
app.get('/cars/:id', (req, res) => void res.json({ id: req.params.id, name: 'Beetle' }))
const server = app.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + (server.address() as AddressInfo).port))
`,
  },
  fastify: {
    manifest: { type: 'module', dependencies: { fastify: '5' } },
    config: EMITTED,
    source: `import Fastify from 'fastify'
const app = Fastify()
// HERE
app.get<{ Params: { id: string } }>('/cars/:id', async (request) => ({ id: request.params.id, name: 'Beetle' }))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
`,
  },
  'nest on Express': {
    manifest: { dependencies: { '@nestjs/core': '12', '@nestjs/platform-express': '12' } },
    config: NEST,
    source: nest('', '(AppModule, { logger: false })'),
  },
  'nest on Fastify': {
    manifest: { dependencies: { '@nestjs/core': '12', '@nestjs/platform-fastify': '12' } },
    config: NEST,
    source: nest(
      "import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'",
      '<NestFastifyApplication>(AppModule, new FastifyAdapter(), { logger: false })',
    ),
  },
}

describe('octavo init --inside', () => {
  for (const [name, { manifest, config, source }] of Object.entries(APPS))
    it(`adds an older version to an app of ${name}`, async () => {
      const at = name.replaceAll(' ', '-')
      const project = join(folder.path, at)
      folder.write(`${at}/package.json`, JSON.stringify(manifest))
      folder.write(`${at}/tsconfig.json`, JSON.stringify({ compilerOptions: config, include: ['src'] }))
      folder.write(`${at}/src/main.ts`, source)
      const { code, stderr } = await init('--inside', at)
      assert.equal(code, 0, stderr)
      assert.match(stderr, /\n {2}npm install \S+ zod\n/)
      assert.equal(readFileSync(join(project, 'src/main.ts'), 'utf8'), source)
      const added = stderr.split('\n').flatMap((line) => /^ {2}(?!n)(.*[^.].)$/.exec(line)?.[1] ?? [])
      assert.equal(added.length, 3, stderr)
      const imports = added.slice(0, 2).join('\n')
      folder.write(`${at}/src/main.ts`, `${imports}\n${source.replace('// HERE', added[2] ?? '')}`)

      await installPackage(project)
      if (name.startsWith('nest'))
        symlinkSync(
          join(ROOT, 'test/hosts/nest-12/node_modules/@nestjs'),
          join(project, 'node_modules/@nestjs'),
        )
      const [tsc, ...options] = COMPILER
      execFileSync(tsc, [...options, '-p', project], { stdio: 'inherit' })
      const isEmitted = existsSync(join(project, 'dist'))
      const program = (file: string): string[] =>
        isEmitted ? [`dist/${file}.js`] : [...FROM_SOURCE, `src/${file}.ts`]
      const { NODE_TEST_CONTEXT: _inTest, ...env } = process.env
      const printed = execFileSync(process.execPath, ['--test', ...program('versions/versions.test')], {
        cwd: project,
        encoding: 'utf8',
        env,
      })
      assert.match(printed, /pass [12]\b/)
      const app = spawn(process.execPath, program('main'), {
        cwd: project,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      try {
        const [address] = await once(app.stdout, 'data')
        const ask = async (version: string): Promise<unknown> =>
          (await fetch(`${String(address).trim()}/cars/7`, { headers: { 'x-api-version': version } })).json()
        assert.deepEqual(await ask('1'), { id: '7', title: 'Beetle' })
        assert.deepEqual(await ask('2'), { id: '7', name: 'Beetle' })
      } finally {
        app.kill()
      }
      if (!isEmitted) {
        const listed = await octavo(['routes', 'src/versions/versions.ts'], {
          cwd: project,
          node: [...FROM_SOURCE, main],
        })
        assert.match(listed.stdout, /GET +\/cars\/\{id\}[\s\S]*POST +\/cars/)
      }
    })

  it('points to the import for an app that has a document', async () => {
    const dependencies = { '@nestjs/core': '11', '@nestjs/platform-express': '11', '@nestjs/swagger': '11' }
    folder.write('documented/package.json', JSON.stringify({ dependencies }))
    const { stderr } = await init('--inside', 'documented')
    assert.match(
      stderr,
      /document by @nestjs\/swagger\.[^\n]*\n {2}npx octavo import openapi\.json --out versions\/api\n/,
    )
    assert.ok(existsSync(join(folder.path, 'documented/versions/history.ts')))
    folder.write('documented/openapi.yaml', '')
    assert.match((await init('--inside', 'documented', '--force')).stderr, /octavo import openapi\.yaml/)
    folder.write('typed/package.json', '{ "dependencies": { "hono": "4", "@hono/zod-openapi": "1" } }')
    assert.match(
      (await init('--inside', 'typed')).stderr,
      /octavo import --from src\/app\.ts --out versions --force/,
    )
  })

  it('refuses folders without an app, and files that exist', async () => {
    folder.write('files/package.json', '{ "dependencies": { "express": "5" } }')
    folder.write('files/versions/models.ts', 'mine')
    folder.write('other/package.json', '{ "dependencies": { "koa": "2" } }')
    folder.write('malformed/package.json', '{')
    for (const [at, message] of [
      ['no-such', /no-such.package\.json doesn't exist\n[\s\S]*leave it out to create a project/],
      ['other', /none of hono, fastify, express and @nestjs\/core\n/],
      ['malformed', /malformed.package\.json is not valid JSON\n/],
      ['files', /octavo: versions\/models\.ts exists\n[\s\S]*--force/],
    ] as const) {
      const { code, stderr } = await init('--inside', at)
      assert.equal(code, 1, at)
      assert.match(stderr, message)
    }
    assert.deepEqual(readdirSync(join(folder.path, 'files/versions')), ['models.ts'])
    assert.equal((await init('--inside', 'files', '--name', 'x')).code, 2)
  })
})
