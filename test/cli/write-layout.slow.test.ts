import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'

import { bundle, createFolder, octavo, ROOT } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'

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

const folder = createFolder()
const cwd = join(folder.path, 'project')
let main = ''
const write = (text: string): void => folder.write('project/app.ts', text)
const run = (...args: readonly string[]): Promise<Outcome> =>
  octavo(args, { cwd, node: ['--conditions', 'octavo-source', main] })

before(async () => {
  main = await bundle(folder.path)
  mkdirSync(join(cwd, 'node_modules'), { recursive: true })
  for (const name of ['zod', 'tsx'])
    symlinkSync(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name), 'dir')
  symlinkSync(ROOT, join(cwd, 'node_modules/octavo'), 'dir')
  folder.write('project/package.json', '{ "type": "module" }')
})
after(() => folder.remove())
beforeEach(() => rmSync(join(cwd, 'api'), { recursive: true, force: true }))

describe('octavo check --write in an app of one file', () => {
  it('puts the change in front of the history, and describes no field twice', async () => {
    write(APP)
    await run('snapshot')
    write(APP.replace('name: z', 'title: z'))
    const { code, stderr } = await run('check', '--write')
    assert.equal(code, 1)
    assert.match(stderr, /Added it to app\.ts\n/)
    const written = readFileSync(join(cwd, 'app.ts'), 'utf8')
    assert.match(
      written,
      /\n\nconst userNameIsCalledTitle = defineVersionChange\(\{[\s\S]*?\n\}\)\n\n\/\/ newest first\nconst history/,
    )
    assert.match(written, /changes: \[userNameIsCalledTitle\]/)
    assert.equal((await run('check')).code, 0)

    const edited = written.replace('title: z.string()', 'title: z.boolean()')
    write(edited)
    const again = await run('check', '--write')
    assert.match(
      again.stderr,
      /^You have to write changes by hand for\n.*\n {4}the newest User has no field name: edit the change/m,
    )
    assert.equal(readFileSync(join(cwd, 'app.ts'), 'utf8'), edited)
  })

  it('ends lines as the file does', async () => {
    const withCarriageReturns = APP.replaceAll('\n', '\r\n')
    write(withCarriageReturns)
    await run('snapshot')
    write(withCarriageReturns.replace('name: z', 'title: z'))
    await run('check', '--write')
    const written = readFileSync(join(cwd, 'app.ts'), 'utf8')
    assert.match(
      written,
      /\r\n\r\nconst userNameIsCalledTitle = [\s\S]*?\r\n\}\)\r\n\r\n\/\/ newest first\r\nconst history/,
    )
    assert.doesNotMatch(written, /[^\r]\n/)
  })

  it('says how to add a history where there is none', async () => {
    const plain = APP.replace(/\/\/ newest.*\n.*\n/, '')
      .replace(', history', '')
      .replace("method: 'POST'", "method: 'POST', version: ['1', '2']")
      .replace('defineVersions, ', '')
    write(plain)
    await run('snapshot')
    write(plain.replace('size: z.int()', 'size: z.string()'))
    const { code, stderr } = await run('check', '--write')
    assert.equal(code, 1)
    assert.match(stderr, /^No change was written, because the app has no history/)
    assert.match(stderr, /defineVersions\(\{ versions: \['2', '1'\], models: \{ User \}, changes: \[\] \}\)/)
  })
})
