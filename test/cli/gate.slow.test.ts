import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { assertCompatible } from 'octavo/testing'
import { z } from 'zod'

import { createProject } from '../support/octavo.ts'
import { APP, NEEDS_AGE } from './fixtures/users.ts'

const WITH_HISTORY = `import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

const User = model('User', { id: z.string(), status: z.enum(['active', 'paused']) })
const lossy = { lossy: ['status'] }
const down = { down: () => 'active' }

const paused = defineVersionChange({
  version: '2',
  title: 'Users can be paused',
  change: [reshape({ of: User, fields: { status: { was: z.enum(['active']), ...down } }, ...lossy })],
})
const user = defineController({
  prefix: '/users',
  name: 'user',
  routes: [
    { method: 'GET', path: '/{id}', name: 'find', response: User, handler: () => ({ id: '7', status: 'paused' }) },
  ],
})
export const app = createApp(defineModule({ controllers: [user] }), {
  versioning: {
    scheme: VersioningSchemes.HEADER,
    history: defineVersions({ versions: ['2', '1'], models: { User }, changes: [paused] }),
  },
})
`

const { path: cwd, write, read, run, remove } = createProject({ 'app.js': APP })
const api = join(cwd, 'api')
const released = join(cwd, 'released')
before(async () => {
  assert.equal((await run('snapshot')).code, 0)
  renameSync(api, released)
})
after(remove)
beforeEach(() => {
  rmSync(api, { recursive: true, force: true })
  write('app.js', APP)
})

/** Restores the documents of `APP`, which takes less time than another snapshot. */
function restoreDocuments(): void {
  cpSync(released, api, { recursive: true })
}

describe('octavo snapshot and octavo check', () => {
  it('list routes of the application around that no controller describes', async () => {
    restoreDocuments()
    // as those of Hono
    const other = `{ method: 'GET', path: '/other', handler: () => new Response() }`
    write('main.js', `export { app as versions } from './app.js'\nexport const app = { routes: [${other}] }`)
    const listed = await run('check', '--inside', 'main.js')
    assert.match(listed.stdout, /GET \/other has no route in Octavo/)
    assert.equal(listed.code, 0)
    assert.equal((await run('check', '--strict', '--inside', 'main.js')).code, 1)
  })

  it('say that a mounted API has no contract, until a route forwards to it', async () => {
    const mount = (controllers: string): void => {
      write(
        'app.js',
        `import { createApp, defineController, defineModule, defineRouter } from 'octavo'
import { defineUpstream } from 'octavo/upstream'
import { z } from 'zod'

const garage = defineUpstream({ name: 'Garage', app: { fetch: () => new Response() } })
const cars = defineController({
  prefix: '/cars',
  routes: [{ method: 'GET', name: 'list', response: z.array(z.string()), forward: garage }],
})
export const app = createApp(
  defineModule({ controllers: [${controllers}], routers: [defineRouter({ prefix: '/legacy', guards: [], mount: garage })] }),
)
`,
      )
    }
    mount('')
    assert.equal((await run('snapshot')).code, 0)
    const { stdout, code } = await run('check', '--format', 'json')
    const { next } = JSON.parse(stdout) as { readonly next: readonly { readonly text: string }[] }
    assert.deepEqual(
      [
        next
          .map(({ text }) => text)
          .join('\n')
          .replace(/Write .*/, ''),
        code,
      ],
      ['The API that is mounted at /legacy has no contract, because no route describes its requests. ', 0],
    )
    assert.equal((await run('check', '--strict')).code, 1)
    mount('cars')
    assert.doesNotMatch((await run('check')).stdout, /no contract/)
  })

  it('keep documents, and tell what breaks clients of them', async () => {
    assert.equal((await run('snapshot')).code, 0)
    const index: unknown = JSON.parse(read('api/index.json'))
    assert.match(
      JSON.stringify(index),
      /"version":"1","sha256":"[\da-f]{64}","at":"\d{4}-\d\d-\d\d","isDefault":true/,
    )
    assert.deepEqual(await run('check'), {
      code: 0,
      stdout: 'api → the app: no difference that clients notice\n',
      stderr: '',
    })
    assert.equal((await run('snapshot')).stderr, 'api/1.json is up to date\napi/2.json is up to date\n')

    write('app.js', APP.replace(...NEEDS_AGE))
    const { stdout, code } = await run('check')
    assert.equal(code, 1)
    assert.match(stdout, /^breaking {2}\[1\] POST \/users {2}requestBody\/application\/json\/age\n/)
    assert.match(stdout, /^breaking {2}\[2\] POST/m)
    assert.match(stdout, /2 breaking\n$/)
    const { stdout: annotations } = await run('check', '--format', 'github')
    assert.match(annotations, /^::error title=new-required-request-property::\[1\] POST \/users requestBody/)
  })

  it('allow what has a reason, until a day', async () => {
    restoreDocuments()
    write('app.js', APP.replace(...NEEDS_AGE))
    const entry = {
      rule: 'new-required-request-property',
      operation: 'POST /users',
      reason: 'All clients agreed',
    }
    write('api/allow.json', JSON.stringify([{ ...entry, until: '2999-12-31' }]))
    const allowed = await run('check')
    assert.equal(allowed.code, 0)
    assert.match(allowed.stdout, /^2 allowed$/m)
    write('api/allow.json', JSON.stringify([{ ...entry, until: '2020-12-31' }]))
    const over = await run('check')
    assert.equal(over.code, 1)
    assert.match(over.stdout, /was allowed until 2020-12-31: All clients agreed \(allow-expired\)/)
    write('api/allow.json', JSON.stringify([{ rule: 'a', until: '2999-12-31' }]))
    assert.deepEqual(await run('check'), {
      code: 2,
      stdout: '',
      stderr: 'octavo: api: allow.json, entry 1: rule or fingerprint, reason and until are required\n',
    })
  })

  it('notice versions that go, and a default that changes', async () => {
    restoreDocuments()
    write(
      'app.js',
      APP.replace("['1', '2']", "['2', '3']").replace("defaultVersion: '1'", "defaultVersion: '2'"),
    )
    const { stdout, code } = await run('check')
    assert.equal(code, 1)
    assert.match(stdout, /version 1 was removed before its sunset \(api-version-removed\)/)
    assert.match(stdout, /the default version was 1 and is 2 \(version-default-changed\)/)
    assert.match(stdout, /^3: no document\./m)
    write('app.js', APP.replace("['1', '2']", "['1', '1.5', '2']"))
    assert.match(
      (await run('check')).stdout,
      /version 1\.5 was added before a released version \(version-inserted\)/,
    )
  })
})

describe('octavo check', () => {
  it('tells of a version that the app no longer has, until its sunset', async () => {
    restoreDocuments()
    write('app.js', APP.replace("['1', '2']", "['2']").replace("defaultVersion: '1'", "defaultVersion: '2'"))
    assert.equal((await run('snapshot')).code, 0)
    const { stdout, code } = await run('check')
    assert.equal(code, 1)
    assert.match(stdout, /version 1 was removed before its sunset \(api-version-removed\)/)
    const index = read('api/index.json')
    assert.ok(index.indexOf('"version": "1"') < index.indexOf('"version": "2"'))

    write(
      'api/index.json',
      index.replace('"version": "1",', '"version": "1", "sunset": "2020-01-01T00:00:00Z",'),
    )
    assert.match((await run('check')).stdout, /^info .*\n.*version 1 was removed after its sunset/m)
    assert.equal(
      (await run('snapshot')).stderr,
      'api/2.json is up to date\nRemoved api/1.json, because its sunset has passed\n',
    )
    assert.doesNotMatch(read('api/index.json'), /"version": "1"/)
    assert.equal(existsSync(join(api, '1.json')), false)
  })

  it('keeps each version in a file of its own, whatever its name', async () => {
    const served = (versions: string): void =>
      write('app.js', APP.replace("['1', '2']", versions).replace("defaultVersion: '1'", ''))
    served("['A', 'index']")
    assert.equal((await run('snapshot')).stderr, 'Wrote api/A.json\nWrote api/%69%6E%64%65%78.json\n')
    served("['A', 'a', 'a/b', 'a-b', 'index', 'allow', 'rules']")
    // the file of another version gets a name of its own as well
    assert.match((await run('snapshot', '--version', 'a')).stderr, /^Wrote api\/%61.json\n$/)
    assert.deepEqual(readdirSync(api), ['%41.json', '%61.json', '%69%6E%64%65%78.json', 'index.json'])
    assert.equal((await run('snapshot')).code, 0)
    assert.deepEqual(readdirSync(api).length, 8)
    assert.deepEqual(await run('check', '--strict'), {
      code: 0,
      stdout: 'api → the app: no difference that clients notice\n',
      stderr: '',
    })
  })

  it('takes levels of rules from rules.json', async () => {
    restoreDocuments()
    write('app.js', APP.replace(...NEEDS_AGE))
    write('api/rules.json', '{ "new-required-request-property": "warning" }')
    const { code, stdout } = await run('check')
    assert.equal(code, 0)
    assert.match(stdout, /^warning {3}\[1\] POST \/users {2}requestBody\/application\/json\/age$/m)
    assert.equal((await run('check', '--strict')).code, 1)
    write('api/rules.json', '{ "new-required-request-propert": "warning" }')
    assert.deepEqual(await run('check'), {
      code: 2,
      stdout: '',
      stderr:
        'octavo: api: rules.json: unknown rule new-required-request-propert. Did you mean new-required-request-property?\n',
    })
  })

  it('tells words from additions, and notices schemes and routes that change', async () => {
    restoreDocuments()
    write('app.js', APP.replace("version: ['1', '2'],", "version: ['1', '2'], summary: 'Adds a user',"))
    const { code, stdout } = await run('check', '--strict')
    assert.equal(code, 0)
    assert.match(stdout, /^1, 2: only texts of the documents differ\. Run octavo snapshot to update them$/m)

    write(
      'app.js',
      APP.replace(
        'scheme: VersioningSchemes.HEADER,',
        "scheme: VersioningSchemes.QUERY, versionParameter: 'v',",
      ),
    )
    assert.match(
      (await run('check')).stdout,
      /versions were read from header .* and are read from query v \(version-scheme-changed\)/,
    )

    const [, route = ''] = /routes: \[\n([^]*?)\n {2}\],/.exec(APP) ?? []
    const alone = (version: string): string => route.replace("['1', '2']", `'${version}'`)
    write('app.js', APP.replace(route, `${alone('1')}\n${alone('2')}`))
    assert.equal((await run('check')).code, 0)
    const strict = await run('check', '--strict')
    assert.equal(strict.code, 1)
    assert.match(
      strict.stdout,
      /^warning {3}\[2\] POST \/users\n.*and are served by a route each \(range-retargeted\)$/m,
    )
  })

  it('checks the changes of a history', async () => {
    write('app.js', WITH_HISTORY)
    assert.equal((await run('snapshot')).code, 0)
    assert.equal((await run('check', '--strict')).code, 0)
    // tried out as version 2
    write(
      'app.js',
      WITH_HISTORY.replace("version: '2'", "version: 'next'").replace("['2', '1']", "['1'], next: '2'"),
    )
    const tried = await run('check', '--strict')
    assert.equal(tried.code, 0)
    assert.match(tried.stdout, /^api → the app: no difference that clients notice\n/)
    write('app.js', WITH_HISTORY.replace(', ...lossy', ''))
    const { code, stdout } = await run('check', '--strict')
    assert.equal(code, 1)
    assert.match(stdout, /^warning {3}\[2\] {2}users-can-be-paused {2}app\.js:9$/m)
    assert.match(stdout, /status does not come back .* \(change-lost\)$/m)
    const { stdout: annotations } = await run('check', '--format', 'github')
    assert.match(
      annotations,
      /^::warning file=app\.js,line=9,title=change-lost::\[2\] users-can-be-paused: /m,
    )
  })

  it('refuses what was changed by hand, what is missing, and an empty folder', async () => {
    assert.match((await run('check')).stderr, /^octavo: api has no documents\n {2}run octavo snapshot/)
    restoreDocuments()
    write('api/1.json', '{}\n')
    assert.deepEqual(await run('check'), {
      code: 2,
      stdout: '',
      stderr: 'octavo: api: 1.json was edited: restore the document that octavo snapshot wrote\n',
    })
    rmSync(join(api, '1.json'))
    assert.match((await run('check')).stderr, /1\.json is missing/)
    assert.equal((await run('snapshot')).code, 0)
    assert.equal((await run('check', '--strict')).code, 0)
  })

  it('is at hand in tests as assertCompatible', async () => {
    restoreDocuments()
    const make = (body: z.ZodObject) => {
      const routes = [
        {
          method: 'POST',
          version: ['1', '2'],
          input: { body },
          response: z.object({ id: z.int() }),
          handler: () => ({ id: 7 }),
        },
      ] as const
      const user = defineController({ prefix: '/users', name: 'user', routes })
      return createApp(defineModule({ controllers: [user] }), {
        versioning: { scheme: VersioningSchemes.HEADER, defaultVersion: '1' },
        logger: false,
      })
    }
    await assertCompatible(make(z.object({ name: z.string() })), api)
    await assert.rejects(
      assertCompatible(make(z.object({ name: z.int() })), api),
      /1 POST \/users requestBody\/application\/json\/name: .*type-changed/,
    )
    await assert.rejects(
      assertCompatible(make(z.object({})), join(cwd, 'nowhere')),
      /nowhere keeps no version/,
    )
  })
})

describe('octavo check with warnings alone', () => {
  it('tells that the documents differ, and how changes are written for them', async () => {
    write('app.js', APP.replace('{ name: z.string() }', '{ name: z.string(), note: z.string().optional() }'))
    await run('snapshot')
    write('app.js', APP)
    const { stdout, stderr, code } = await run('check', '--write')
    assert.equal(code, 0)
    assert.match(
      stdout,
      /\n1, 2: the documents differ in ways that some clients may notice\. octavo check --strict fails/,
    )
    assert.doesNotMatch(stdout, /additions/)
    assert.match(
      stderr,
      /^No change was written, because all findings are warnings\. Run octavo check --write --strict to write/,
    )
  })
})
