import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { Ajv2020 } from 'ajv/dist/2020.js'

import { createProject } from '../support/octavo.ts'

const APP = `import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { history, User } from './src/history.js'

const user = defineController({
  prefix: '/users',
  name: 'user',
  routes: [
    { method: 'GET', path: '/{id}', name: 'find', response: User, handler: () => ({ id: '7', name: 'Ann' }) },
    { method: 'POST', name: 'add', input: { body: User }, response: User, handler: ({ body }) => body },
  ],
})
export const app = createApp(defineModule({ controllers: [user] }), {
  versioning: { scheme: VersioningSchemes.HEADER, defaultVersion: '2', history },
})
`
const HISTORY = `import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

export const User = model('User', { id: z.string(), name: z.string() })
const named = defineVersionChange({
  version: '2',
  title: 'Users have a name',
  change: [reshape({ of: User, fields: { name: { was: 'label' } } })],
})
export const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [named] })
`
const USAGE = JSON.stringify([
  {
    day: '2026-11-01',
    version: '1',
    route: 'user.find',
    client: 'acme',
    count: 3,
    lastSeen: '2026-11-01T12:00:00Z',
  },
])
const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: { '/cars': { get: { operationId: 'listCars', responses: { 204: { description: 'None' } } } } },
})

const { path, write, git, run, remove } = createProject({
  'app.js': APP,
  'src/history.js': HISTORY,
  'usage.json': USAGE,
  'shop.json': DOCUMENT,
  'broken.js': "import { nothing } from './missing.js'\n",
  'throws.js': "\nthrow new Error('not today')\n",
  'misdefined.js':
    "import { createApp, defineController, defineModule } from 'octavo'\n" +
    "const car = defineController({ name: 'car', routes: [{ method: 'GET', path: 'a b', handler: () => 1 }] })\n" +
    'export const app = createApp(defineModule({ controllers: [car] }))\n',
})
before(() => {
  git('init', '--quiet')
  git('add', 'app.js', 'src')
  git('commit', '--quiet', '--message', 'all')
})
after(remove)

/** The published schema. Here, every object is closed, so that a member which it lacks is found. */
const schema: object = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('octavo/cli-output.schema.json'), 'utf8'),
)
const isValid = new Ajv2020({ strict: false, allErrors: true }).compile(closed(schema))

function closed(value: object): object {
  const isObject = 'type' in value && value.type === 'object' && 'properties' in value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    isNode(member) ? closed(member) : member,
  ])
  return Array.isArray(value)
    ? members.map(([, member]) => member)
    : { ...Object.fromEntries(members), ...(isObject ? { additionalProperties: false } : {}) }
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

interface Envelope {
  readonly ok: boolean
  readonly command?: string
  readonly findings?: readonly { readonly rule: string; readonly fingerprint: string }[]
  readonly result?: unknown
  readonly errors: readonly {
    readonly code?: string
    readonly where?: string
    readonly message: string
    readonly fix?: string
  }[]
  readonly next: readonly { readonly text: string; readonly run?: string; readonly where?: string }[]
}

/** Runs a command with `--format json`, and holds its output against the schema. */
async function ask(...args: readonly string[]): Promise<Envelope & { readonly code: number | null }> {
  const { code, stdout, stderr } = await run(...args, '--format', 'json')
  let envelope: Envelope
  try {
    envelope = JSON.parse(stdout)
  } catch {
    throw new Error(`no JSON: ${stdout}\n${stderr}`)
  }
  assert.ok(isValid(envelope), `${JSON.stringify(isValid.errors, undefined, 2)}\n${stdout}`)
  assert.equal(envelope.ok, code === 0)
  return { ...envelope, code }
}

const commands = new Set<string>()

describe('every command with --format json prints what the published schema describes', () => {
  const good: readonly (readonly string[])[] = [
    ['init', 'garage'],
    ['routes'],
    ['routes', '--version', '1', '--public'],
    ['versions'],
    ['versions', '--usage', 'usage.json'],
    ['versions', '--explain'],
    ['openapi'],
    ['openapi', '--version', '1', '--out', 'openapi/{version}.yaml'],
    ['client', '--version', '1'],
    ['client', '--map', '--out', 'routes.json'],
    ['client', '--map', '--out', 'routes.json', '--check'],
    ['changelog'],
    ['changelog', '--out', 'changes.md'],
    ['diff', '1', '2'],
    ['snapshot'],
    ['check'],
    ['check', '--usage', 'usage.json', '--write', '--strict'],
  ]
  for (const args of good)
    it(`octavo ${args.join(' ')}`, async () => {
      const { ok, command, errors, next } = await ask(...args)
      assert.deepEqual([ok, command, errors], [true, args[0], []])
      if (command !== undefined) commands.add(command)
      for (const { run: line } of next) assert.match(line ?? '', /^(?:cd|npm|npx|git|octavo) /)
    })

  it('octavo help, of all commands and of one, and octavo --version', async () => {
    const { result } = await ask('help')
    assert.match(JSON.stringify(result), /"name":"import"[\s\S]*"name":"check"/)
    assert.match(JSON.stringify((await ask('routes', '--help')).result), /^{"name":"routes"/)
    assert.match(JSON.stringify((await ask('--version')).result), /^{"version":"/)
  })
})

describe('a result that asks for a step names it', () => {
  it('a file that differs', async () => {
    write('old.json', '{}')
    const { code, result, next } = await ask('openapi', '--out', 'old.json', '--check')
    assert.deepEqual(
      [code, result, next.map((step) => step.run)],
      [
        1,
        { files: [{ file: 'old.json', state: 'outdated' }] },
        ['octavo openapi --out old.json --format json'],
      ],
    )
  })

  it('a version that clients call, and one that they no longer do', async () => {
    const called = await ask('retire', '1', '--usage', 'usage.json')
    assert.equal(called.code, 1)
    commands.add('retire')
    const quiet = await ask('retire', '1', '--usage', 'usage.json', '--since', '2026-11-02')
    assert.match(quiet.next[0]?.text ?? '', /counts usage/)
    write('usage2.json', USAGE.replace('"version":"1"', '"version":"2"'))
    const unused = await ask('retire', '1', '--usage', 'usage2.json')
    assert.deepEqual(
      [unused.code, unused.next.map((step) => step.run ?? step.text)],
      [
        0,
        [
          "remove the version '1' from the versions of your app",
          'remove the change "Users have a name"',
          'octavo check',
        ],
      ],
    )
  })

  it('a difference that breaks clients, and the change that is written for it', async () => {
    write('app.js', APP.replace(/ *\{ method: 'GET'.*\n/, ''))
    const broken = await ask('check')
    assert.deepEqual(
      [
        broken.code,
        broken.findings?.map(({ fingerprint }) => fingerprint),
        broken.next.map((step) => step.run),
      ],
      [
        1,
        [
          '1 api-path-removed-without-deprecation GET /users/{id}',
          '2 api-path-removed-without-deprecation GET /users/{id}',
        ],
        ['octavo check --write --format json'],
      ],
    )
    const left = await ask('check', '--write')
    assert.deepEqual([left.code, left.next.at(-1)?.run], [1, 'octavo check'])
    assert.match(left.next[0]?.text ?? '', /^write a change for GET \/users/)
    write('app.js', APP.replace("name: 'Ann'", "name: 'Ann', age: 7"))
    write('src/history.js', HISTORY.replace('name: z.string() })', 'name: z.string(), age: z.int() })'))
    const written = await ask('check', '--write')
    assert.equal(written.code, 3)
    assert.match(JSON.stringify(written.next), /"where":"src\/[^"]+:\d+"[\s\S]*"run":"octavo check"/)
    git('checkout', '--quiet', '--', '.')
    git('clean', '--quiet', '-fd', 'src')
  })

  it('a release', async () => {
    write('src/history.js', HISTORY.replace("version: '2'", "version: 'next'").replace("['2', '1']", "['1']"))
    write('app.js', APP.replace("'2'", "'1'"))
    git('commit', '--quiet', '--all', '--message', 'next')
    const dry = await ask('release', '2', '--dry-run')
    assert.deepEqual(dry.next[0]?.run, 'octavo release 2 --format json')
    const { ok, next } = await ask('release', '2')
    commands.add('release')
    assert.deepEqual(
      [ok, next.map((step) => step.run)],
      [true, ['octavo snapshot --version 2', 'git commit -a']],
    )
  })

  it('an import, which has an app and documents of its own', async () => {
    write('package.json', '{ "type": "module", "octavo": { "app": "shop/app.ts" } }')
    rmSync(join(path, 'api'), { recursive: true })
    const { ok, next } = await ask('import', 'shop.json', '--out', 'shop/api')
    commands.add('import')
    assert.deepEqual([ok, next.map((step) => step.run)], [true, ['npx octavo dev']])
    const updated = await ask('import', 'shop.json', '--out', 'shop/api', '--update')
    assert.equal(updated.code, 0)
    write('package.json', '{ "type": "module" }')
  })
})

describe('a mistake is JSON with the place and the fix, and the exit code stays', () => {
  const bad: readonly (readonly [args: readonly string[], code: number, error: object])[] = [
    [['rotues'], 2, { message: 'unknown command rotues', fix: 'did you mean routes?' }],
    [['routes', '--jsn'], 2, { message: 'unknown option --jsn' }],
    [['routes', '--version', '9'], 1, { message: 'unknown version "9"', fix: 'the app has 1, 2' }],
    [
      ['check', '--fail-on', 'all'],
      2,
      { message: 'unknown value all of --fail-on', fix: 'use one of breaking, warning, info' },
    ],
    [['dev', '--port', 'x'], 2, { message: 'unknown option --format' }],
    [
      ['diff', 'a.json', 'b.json'],
      2,
      { where: 'a.json', message: 'a.json: file not found', fix: 'check the path' },
    ],
    [['retire', '1', '--usage', 'none.json'], 2, { where: 'none.json' }],
    [
      ['import', 'shop.json', '--out', 'shop/api'],
      1,
      { fix: 'pass --update to update an imported API, or --force to replace these files' },
    ],
    [['check', '--dir', 'empty'], 2, { where: 'empty', fix: 'run octavo snapshot first' }],
    [['routes', 'missing.js'], 1, { message: 'file missing.js not found' }],
    [['routes', 'some-package'], 1, { message: 'no file or package some-package found' }],
    [['routes', 'throws.js'], 1, { where: 'throws.js:2:7', message: 'not today' }],
    [['routes', 'broken.js'], 1, {}],
    [['routes', 'misdefined.js'], 1, { code: 'invalid_pattern' }],
  ]
  for (const [args, code, expected] of bad)
    it(`octavo ${args.join(' ')}`, async () => {
      const { errors, ...outcome } = await ask(...args)
      assert.equal(outcome.code, code)
      assert.equal(outcome.result, undefined)
      const [error = { message: '' }] = errors
      assert.notEqual(error.message, '')
      assert.deepEqual({ ...error, ...expected }, error)
      if ('code' in error) assert.ok(error.where !== undefined && error.fix !== undefined)
    })

  it('every command has been seen, but dev, whose output is that of the app', async () => {
    const { result } = await ask('help')
    const listed: readonly { readonly name: string }[] = Object(result).commands
    assert.deepEqual(listed.map(({ name }) => name).toSorted(), [...commands, 'dev'].toSorted())
  })
})
