import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'

import { createProject } from '../support/octavo.ts'

const APP = `import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersions, model } from 'octavo/changes'
import { z } from 'zod'

const User = model('User', { name: z.string(), size: z.int() })

// newest first
const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [] })
const user = defineController({
  prefix: '/user',
  routes: [
    { method: 'POST', name: 'create', input: { body: User }, response: User, handler: ({ body }) => body },
  ],
})
export const app = createApp(defineModule({ controllers: [user] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
})
`

const { path: cwd, write, read, run, remove } = createProject()
after(remove)
beforeEach(() => rmSync(join(cwd, 'api'), { recursive: true, force: true }))

describe('octavo check --write in an app of one file', () => {
  it('puts the change in front of the history, and describes no field twice', async () => {
    write('app.ts', APP)
    await run('snapshot')
    write('app.ts', APP.replace('name: z', 'title: z'))
    const advice = 'Run octavo check --write to write changes that older versions need'
    assert.ok((await run('check')).stdout.endsWith(`\n${advice}\n`))
    const { stdout } = await run('check', '--format', 'json')
    assert.equal(JSON.parse(stdout).next.at(-1).text, advice)
    const { code, stderr } = await run('check', '--write')
    assert.equal(code, 0)
    assert.match(stderr, /Added it to app\.ts\n/)
    assert.match(stderr, /\nRun octavo check to see that it passes\n$/)
    const written = read('app.ts')
    assert.match(
      written,
      /\n\nconst nameOfUsersIsCalledTitle = defineVersionChange\(\{[\s\S]*?\n\}\)\n\n\/\/ newest first\nconst history/,
    )
    assert.match(written, /changes: \[nameOfUsersIsCalledTitle\]/)
    assert.equal((await run('check')).code, 0)

    const edited = written.replace('title: z.string()', 'title: z.boolean()')
    write('app.ts', edited)
    const again = await run('check', '--write')
    assert.match(
      again.stderr,
      /^You have to write changes by hand for\n.*\n {4}the newest User has no field name: edit the change/m,
    )
    assert.equal(read('app.ts'), edited)
  })

  it('ends lines as the file does', async () => {
    const withCarriageReturns = APP.replaceAll('\n', '\r\n')
    write('app.ts', withCarriageReturns)
    await run('snapshot')
    write('app.ts', withCarriageReturns.replace('name: z', 'title: z'))
    await run('check', '--write')
    const written = read('app.ts')
    assert.match(
      written,
      /\r\n\r\nconst nameOfUsersIsCalledTitle = [\s\S]*?\r\n\}\)\r\n\r\n\/\/ newest first\r\nconst history/,
    )
    assert.doesNotMatch(written, /[^\r]\n/)
  })

  it('gives a file another name, and not the title, if the file exists', async () => {
    rmSync(join(cwd, 'app.ts'))
    const [models, app] = [
      "import { model } from 'octavo/changes'\nimport { z } from 'zod'\n\nexport const User = model('User', { name: z.string(), size: z.int() })\n",
      APP.replace(/^const User.*\n/m, '')
        .replace("import { z } from 'zod'", "import { User } from './models.ts'")
        .replace('defineVersions, model', 'defineVersions'),
    ]
    write('models.ts', models)
    write('app.ts', app)
    await run('snapshot')
    write('models.ts', models.replace('name: z', 'title: z'))
    write('changes/name-of-users-is-called-title.ts', '// an old draft\n')
    const { code, stderr } = await run('check', '--write')
    assert.equal(code, 0, stderr)
    assert.match(
      read('changes/name-of-users-is-called-title-2.ts'),
      /title: '`name` of users is called `title`'/,
    )
    assert.equal(read('changes/name-of-users-is-called-title.ts'), '// an old draft\n')
  })

  it('writes no change that imports a file which imports the history', async () => {
    const history =
      "import { defineVersions } from 'octavo/changes'\n\nexport const history = defineVersions({ versions: ['2', '1'], models: {}, changes: [] })\n"
    const app = APP.replace('const User', 'export const User')
      .replace(/\/\/ newest.*\nconst history.*\n/, '')
      .replace("import { z } from 'zod'", "import { z } from 'zod'\nimport { history } from './history.ts'")
      .replace('defineVersions, model', 'model')
    write('history.ts', history)
    write('app.ts', app)
    await run('snapshot')
    write('app.ts', app.replace('name: z', 'title: z'))
    const { code, stderr } = await run('check', '--write')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /app\.ts:\d+ imports the history, which would import the change: move User to a file of its own/,
    )
    assert.equal(read('history.ts'), history)
  })

  it('says how to add a history where there is none', async () => {
    const plain = APP.replace(/\/\/ newest.*\n.*\n/, '')
      .replace(', history', '')
      .replace("method: 'POST'", "method: 'POST', version: ['1', '2']")
      .replace('defineVersions, ', '')
    write('app.ts', plain)
    await run('snapshot')
    write('app.ts', plain.replace('size: z.int()', 'size: z.string()'))
    const { code, stderr } = await run('check', '--write')
    assert.equal(code, 1)
    assert.match(stderr, /^No change was written, because the app has no history/)
    assert.match(stderr, /defineVersions\(\{ versions: \['2', '1'\], models: \{ User \}, changes: \[\] \}\)/)
  })
})
