import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import { createProject, findMain } from '../support/octavo.ts'
import { programFile } from '../support/program.ts'

const APP = `import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { history, User } from './history.js'

const user = defineController({
  prefix: '/user',
  routes: [{ method: 'GET', name: 'one', response: User, handler: () => ({ id: '7', lastName: 'Lee' }) }],
})
export const app = createApp(defineModule({ controllers: [user] }), {
  versioning: { scheme: VersioningSchemes.HEADER, format: 'date', history },
})
`
const HISTORY = `import { defineVersions, model } from 'octavo/changes'
import { z } from 'zod'
import { renamed, textIds } from './changes.js'
import { User } from './models.js'

export { User }
export const history = defineVersions({
  versions: ['2026-03-01', '2026-01-01'], // newest first
  models: { User },
  changes: [renamed, textIds],
})
`
const MODELS = `import { model } from 'octavo/changes'
import { z } from 'zod'

export const User = model('User', { id: z.string(), lastName: z.string() })
`
const CHANGES = `import { defineVersionChange, reshape } from 'octavo/changes'
import { z } from 'zod'
import { User } from './models.js'

// version: 'next' is what it has
export const renamed = defineVersionChange({
  version: 'next',
  title: 'Surnames are last names',
  change: [reshape({ of: User, fields: { lastName: { was: 'surname' } } })],
})

export const textIds = defineVersionChange({
  version: '2026-03-01',
  title: 'Ids are text',
  change: [reshape({ of: User, fields: { id: { was: z.number(), up: String, down: Number } } })],
})
`

const { path: cwd, write, read, run, git, remove } = createProject({ '.gitignore': 'node_modules\n' })
git('init', '--quiet')
after(remove)
beforeEach(() => {
  for (const [name, text] of Object.entries({ app: APP, history: HISTORY, changes: CHANGES, models: MODELS }))
    write(`src/${name}.js`, text)
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'state')
})

const RELEASED = CHANGES.replace("version: 'next',", "version: '2026-06-01',")

describe('octavo release', () => {
  it('freezes the changes that are not released, and keeps all else of the files', async () => {
    const { code, stdout, stderr } = await run('release', '2026-06-01')
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout,
      `Version 2026-06-01
  Surnames are last names

src/changes.js:7  version: '2026-06-01'
src/history.js:8  versions: ['2026-06-01', …]
`,
    )
    assert.equal(
      stderr,
      `Released 2026-06-01

## 2026-06-01

### Surnames are last names

Models: \`User\`

Operations: \`GET /user\`

\`User\` before and after:

\`\`\`diff
- { "surname": "string" }
+ { "lastName": "string" }
\`\`\`

**Breaking**

- \`User\` \`surname\`: the required property was removed (\`response-required-property-removed\`)

**Compatible**

- \`User\` \`lastName\`: a required property was added (\`response-required-property-added\`)

Keep its document for octavo check: octavo snapshot --version 2026-06-01
`,
    )
    assert.equal(read('src/changes.js'), RELEASED)
    assert.equal(read('src/history.js'), HISTORY.replace("['2026-03-01'", "['2026-06-01', '2026-03-01'"))
    const listed = await run('versions', '--format', 'json')
    const [, , newest] = JSON.parse(listed.stdout).result as { version: string; changes: { id: string }[] }[]
    assert.deepEqual([newest?.version, newest?.changes[0]?.id], ['2026-06-01', 'surnames-are-last-names'])
    const again = await run('release', '2026-07-01', '--force')
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(again.stderr, /no change or route has the version 'next'\n {2}set version: 'next'/)
  })

  it('releases routes of the version next, and writes titles in one line', async () => {
    const added = `{ method: 'GET', path: '/new', name: 'added', version: 'next', handler: () => 'new' }`
    const app = APP.replace("lastName: 'Lee' }) }]", `lastName: 'Lee' }) }, ${added}]`)
    write('src/app.js', app)
    write(
      'src/changes.js',
      CHANGES.replace("'Surnames are last names'", String.raw`'Surnames\nare last names'`),
    )
    git('commit', '--quiet', '--all', '--message', 'route')
    const { code, stdout, stderr } = await run('release', '2026-06-01')
    assert.equal(code, 0, stderr)
    assert.match(
      stdout,
      /^Version 2026-06-01\n {2}Surnames are last names\n {2}user\.added: GET \/user\/new\n\nsrc\//,
    )
    assert.equal(read('src/app.js'), app.replace("'next'", "'2026-06-01'"))
    assert.match(stderr, /`GET \/user\/new`: an operation was added/)
  })

  it('keeps the document of the version with --snapshot', async () => {
    const { code, stderr } = await run('release', '2026-06-01', 'src/app.js', '--snapshot')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Wrote api\/2026-06-01\.json\nReleased 2026-06-01\n[\s\S]*## 2026-06-01\n/)
    const { versions } = JSON.parse(read('api/index.json')) as { versions: readonly { version: string }[] }
    assert.deepEqual(
      versions.map(({ version }) => version),
      ['2026-06-01'],
    )
    rmSync(join(cwd, 'api'), { recursive: true })
  })

  it('writes all of its files though nobody reads its output', async () => {
    const main = await findMain()
    const command = [
      process.execPath,
      '--conditions',
      'octavo-source',
      main,
      'release',
      '2026-06-01',
      '--snapshot',
    ]
    const child = spawn(`${command.map((word) => `'${word}'`).join(' ')} 2>&1 | head -1`, {
      cwd,
      shell: true,
    })
    await once(child, 'close')
    // head ends before the command does
    for (let tries = 0; tries < 600 && !existsSync(join(cwd, 'api/index.json')); tries++) await setTimeout(50)
    assert.equal(read('src/changes.js'), RELEASED)
    assert.match(read('api/index.json'), /2026-06-01/)
    rmSync(join(cwd, 'api'), { recursive: true })
  })

  it('restores the files if the document cannot be kept', async () => {
    write('api', 'a file where the folder has to be')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'occupied')
    const { code, stderr } = await run('release', '2026-06-01', '--snapshot')
    assert.equal(code, 2)
    assert.match(stderr, /^The files were restored\noctavo: api: /)
    assert.equal(git('status', '--porcelain'), '')
    rmSync(join(cwd, 'api'))
  })

  it('writes nothing with --dry-run', async () => {
    const { code, stdout, stderr } = await run('release', '2026-06-01', 'src/app.js', '--dry-run')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^src\/changes\.js:7 {2}version: '2026-06-01'$/m)
    assert.match(stderr, /No file was written because of --dry-run/)
    assert.equal(git('status', '--porcelain'), '')
  })

  it('lists the lines to write by hand if it cannot edit all of them surely', async () => {
    write('src/history.js', HISTORY.replace("['2026-03-01', '2026-01-01']", 'VERSIONS'))
    write('src/history.js', `const VERSIONS = ['2026-03-01', '2026-01-01']\n${read('src/history.js')}`)
    git('commit', '--quiet', '--all', '--message', 'constant')
    const { code, stdout, stderr } = await run('release', '2026-06-01')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /cannot be edited surely.*\n {2}src\/changes\.js:7 {2}version: '2026-06-01'\n {2}src\/history\.js:8 {2}versions: \['2026-06-01', …\]\n {2}then run octavo snapshot --version 2026-06-01/,
    )
    assert.equal(git('status', '--porcelain'), '')
  })

  it('leaves files with changes that are not committed alone, unless it is forced', async () => {
    write('src/changes.js', `${CHANGES}// mine\n`)
    const { code, stderr } = await run('release', '2026-06-01')
    assert.equal(code, 1)
    assert.match(stderr, /src\/changes\.js has uncommitted changes\n {2}commit them first, or use --force/)
    assert.equal(read('src/changes.js'), `${CHANGES}// mine\n`)
    assert.equal((await run('release', '2026-06-01', '--force')).code, 0)
    assert.equal(read('src/changes.js'), `${RELEASED}// mine\n`)
  })

  const REFUSED: readonly (readonly [version: string, message: RegExp, code?: number])[] = [
    [
      '2026-03-01',
      /the version "2026-03-01" is already released\n {2}released versions: 2026-03-01, 2026-01-01/,
    ],
    ['2026-02-01', /"2026-02-01" is older than the released version "2026-03-01"/],
    ['4', /"4" is not a version of the format 'date'/, 2],
    ['2026-13-01', /"2026-13-01" is not a version of the format 'date'/, 2],
    ['', /"" is not a version of the format 'date'/, 2],
  ]
  for (const [version, message, expected = 1] of REFUSED)
    it(`refuses "${version}"`, async () => {
      const { code, stdout, stderr } = await run('release', version)
      assert.deepEqual({ code, stdout }, { code: expected, stdout: '' })
      assert.match(stderr, message)
      assert.equal(git('status', '--porcelain'), '')
    })

  describe('without a format', () => {
    const commit = (released: string, older: string): void => {
      write('src/app.js', APP.replace(" format: 'date',", ''))
      write('src/history.js', HISTORY.replace('2026-03-01', released).replace('2026-01-01', older))
      write('src/changes.js', CHANGES.replace('2026-03-01', released))
      git('commit', '--quiet', '--all', '--message', 'without a format')
    }

    for (const version of ['', "'3'", 'v3', '__proto__', '>=3', 'next'])
      it(`refuses "${version}" after 2`, async () => {
        commit('2', '1')
        const { code, stdout, stderr } = await run('release', version)
        assert.deepEqual({ code, stdout }, { code: 2, stdout: '' })
        assert.ok(
          stderr.includes(`"${version}" is not a version such as "2"\n  released versions: 2, 1`),
          stderr,
        )
        assert.equal(git('status', '--porcelain'), '')
      })

    it('refuses no name after names', async () => {
      commit('spring', 'winter')
      assert.equal((await run('release', '__proto__')).code, 2)
      assert.equal((await run('release', "'summer'")).code, 2)
      const { code, stderr } = await run('release', 'summer')
      assert.equal(code, 0, stderr)
    })
  })

  it('refuses changes that are still to be filled in', async () => {
    const open = CHANGES.replace("{ was: 'surname' }", "{ was: z.string(), up: (old) => fillIn('string') }")
    write('src/changes.js', open)
    git('commit', '--quiet', '--all', '--message', 'open')
    const { code, stdout, stderr } = await run('release', '2026-06-01', '--snapshot')
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(
      stderr,
      /some changes are incomplete: replace each fillIn\(…\) with a value\n {2}src\/changes\.js:6 {2}lastName\.up of the change "surnames-are-last-names" is incomplete: replace fillIn/,
    )
    assert.equal(git('status', '--porcelain'), '')
  })

  it('restores the files if the app does not load with them', async () => {
    // valid only as long as the newest version is that of March
    write('src/app.js', `${APP}if (history.versions[0] !== '2026-03-01') throw new Error('not yet')\n`)
    git('commit', '--quiet', '--all', '--message', 'strict')
    const { code, stderr } = await run('release', '2026-06-01')
    assert.equal(code, 1)
    assert.match(stderr, /not yet[\s\S]*The files were restored/)
    assert.equal(git('status', '--porcelain'), '')
  })

  it('refuses files that are generated', async () => {
    write('src/changes.js', `${CHANGES}//# sourceMappingURL=changes.js.map\n`)
    git('commit', '--quiet', '--all', '--message', 'built')
    const { code, stderr } = await run('release', '2026-06-01')
    assert.equal(code, 1)
    assert.match(stderr, /src\/changes\.js is generated or belongs to a package/)
  })

  it('wants a version, and an app with a history', async () => {
    const none = await run('release')
    assert.equal(none.code, 2)
    assert.match(none.stderr, /pass a version/)
    const plain = await run('release', '2', programFile('test/cli/fixtures/cars/app.ts'))
    assert.equal(plain.code, 1)
    assert.match(plain.stderr, /the app has no history/)
  })
})
