import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'

const OUTSIDE = join(import.meta.dirname, '../../../..')
const ROOT = join(OUTSIDE, '.out/monorepo')
const PAGE = join(OUTSIDE, '../../docs/cookbook/monorepo.md')

/** Fences whose label is a path. */
const FILE = /^```\w+(?: no-run)? \[(.+)\]\n([\s\S]*?)^```$/gm

const build = (): string => {
  const { stdout } = spawnSync(process.execPath, [join(OUTSIDE, 'node_modules/typescript/bin/tsc'), '-b'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return stdout
}

function edit(path: string, change: (text: string) => string): void {
  const file = join(ROOT, path)
  const text = readFileSync(file, 'utf8')
  assert.notEqual(change(text), text)
  writeFileSync(file, change(text))
}

describe('the recipe of a monorepo', () => {
  before(() => {
    rmSync(ROOT, { recursive: true, force: true })
    for (const [, path = '', text = ''] of readFileSync(PAGE, 'utf8').matchAll(FILE)) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true })
      writeFileSync(join(ROOT, path), text)
    }
    // as npm links workspaces; octavo and zod are those of outside
    mkdirSync(join(ROOT, 'node_modules/@shop'), { recursive: true })
    symlinkSync(join(ROOT, 'packages/api'), join(ROOT, 'node_modules/@shop/api'))
  })

  it('compiles, and calls the API', async () => {
    assert.equal(build(), '')
    const server = spawn(process.execPath, ['dist/main.js'], {
      cwd: join(ROOT, 'packages/api'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PORT: '0' },
    })
    after(() => server.kill())
    let url = ''
    for await (const line of createInterface({ input: server.stdout })) {
      ;({ url } = JSON.parse(line))
      break
    }
    const { createApi } = await import(join(ROOT, 'packages/web/dist/api.js'))
    const { data } = await createApi(url).cars.getOne({ params: { id: 7 } })
    assert.deepEqual(data, { id: 7, name: 'Ford', sold: null })
  })

  it('has no code of the server in the page', () =>
    assert.doesNotMatch(readFileSync(join(ROOT, 'packages/web/dist/api.js'), 'utf8'), /@shop\/api/))

  it('fails to compile if the API changes under the page', () => {
    edit('packages/api/src/app.ts', (text) =>
      text.replaceAll('name: z.string()', 'title: z.string()').replace("name: 'Ford'", "title: 'Ford'"),
    )
    assert.match(
      build(),
      /^packages\/web\/src\/car\.ts\(\d+,\d+\): error TS2339: Property 'name' does not exist/,
    )
    edit('packages/api/src/app.ts', (text) => text.replaceAll('title: ', 'name: '))
  })

  it('knows the versions of the API', () => {
    edit('packages/web/src/api.ts', (text) => text.replaceAll("'1'", "'2'"))
    assert.match(build(), /packages\/web\/src\/api\.ts\(\d+,\d+\): error/)
  })
})
