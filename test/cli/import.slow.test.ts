import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { createProject, FROM_SOURCE } from '../support/octavo.ts'

const DOCUMENT = `openapi: 3.0.3
info: { title: Car Shop, version: 1.0.0 }
servers: [{ url: 'https://shop.test/api' }]
paths:
  /cars:
    get:
      tags: [cars]
      operationId: listCars
      parameters: [{ $ref: 'parts.yaml#/Limit' }]
      responses:
        '200': { description: OK, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Car' } } } } }
    post:
      tags: [cars]
      operationId: addCar
      summary: Add a car
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewCar' } } } }
      responses:
        '201': { description: Added, content: { application/json: { schema: { $ref: '#/components/schemas/Car' } } } }
components:
  schemas:
    Car:
      type: object
      required: [id, name]
      properties: { id: { type: integer }, name: { type: string }, owner: { $ref: '#/components/schemas/Owner' } }
    NewCar:
      type: object
      required: [name]
      properties: { name: { type: string }, owner: { $ref: '#/components/schemas/Owner' } }
    Owner:
      type: object
      properties: { cars: { type: array, items: { $ref: '#/components/schemas/Car' } } }
`
const PARTS = `Limit: { in: query, name: limit, schema: { type: integer, minimum: 1 } }
`

const {
  path: cwd,
  write,
  read,
  run,
  compile,
  remove,
} = createProject({
  'openapi.yaml': DOCUMENT,
  'parts.yaml': PARTS,
})
after(remove)

describe('octavo import', () => {
  it('writes an app that serves the document, whose types are right and whose test passes', async () => {
    const { code, stdout, stderr } = await run('import', 'openapi.yaml')
    assert.deepEqual([code, stdout], [0, ''], stderr)
    assert.equal(
      stderr,
      'Wrote 2 routes and 2 models in src/api\nThe app serves what the document says, in both directions\nWrote api/1.0.0.json\n',
    )
    assert.equal(await compile(['src', 'test']), '')
    const tested = spawnSync(process.execPath, [...FROM_SOURCE, '--test', 'test/api.test.ts'], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    })
    assert.match(tested.stdout, /^# pass 2$/m, tested.stdout)
    assert.match(read('src/api/upstream.ts'), /process\.env\['CAR_SHOP_URL'\] \?\? 'https:\/\/shop\.test'/)
  })

  it('replaces no file that exists', async () => {
    const { code, stderr } = await run('import', 'openapi.yaml')
    assert.equal(code, 1)
    assert.match(stderr, /src\/api\/models\.ts.* exist\n {2}pass --update to update an imported API/)
  })

  const CHANGED = DOCUMENT.replaceAll('name: { type: string }', 'title: { type: string }')
    .replaceAll('[id, name]', '[id, title]')
    .replace('required: [name]', 'required: [title]')
    .replace('summary: Add a car', 'summary: Add a new car')
    .replace('version: 1.0.0', 'version: 2.0.0')
    .replace('shop.test/api', 'shop.test/next')

  it('updates what was not edited, and writes the change that older versions need', async () => {
    const note = '// ours, and it stays\n'
    const controller = `${note}${read('src/api/cars.controller.ts')}`.replaceAll('\n', '\r\n')
    write('src/api/cars.controller.ts', controller)
    const upstream = read('src/api/upstream.ts').replace("'octavo/upstream'", '"octavo/upstream";')
    write('src/api/upstream.ts', upstream)
    write('openapi.yaml', CHANGED)
    const { code, stderr, stdout } = await run('import', 'openapi.yaml', '--update')
    assert.equal(code, 0, stdout + stderr)
    assert.match(stderr, /Wrote src\/api\/changes\/.*title.*\.ts/)
    assert.match(read('src/api/models.ts'), /title: z\.string\(\)/)
    assert.equal(read('src/api/cars.controller.ts'), controller.replace('Add a car', 'Add a new car'))
    assert.equal(read('src/api/upstream.ts'), upstream.replace("'/api'", "'/next'"))
    assert.match(read('src/api/history.ts'), /versions: \['1\.0\.0'\]/)
    assert.equal((await run('check')).code, 0)
  })

  it('marks what both sides changed, and names the files', async () => {
    const before = read('src/api/cars.controller.ts')
    write('src/api/cars.controller.ts', before.replace('Add a new car', 'Add one'))
    write('openapi.yaml', CHANGED.replace('Add a new car', 'Add another car'))
    const { code, stderr } = await run('import', 'openapi.yaml', '--update')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /\nYou edited these files where the document changed:\n {2}src\/api\/cars\.controller\.ts\nResolve the conflicts that are marked in them\. Then run octavo check --write --strict\n$/,
    )
    assert.match(
      read('src/api/cars.controller.ts'),
      /<<<<<<< yours\r\n.*'Add one',\r\n=======\r\n.*'Add another car',\r\n>>>>>>> the document\r\n/,
    )
    write('src/api/cars.controller.ts', before)
    assert.equal((await run('check', '--write', '--strict')).code, 0)
  })

  it('keeps the document that was imported first if that import did not finish', async () => {
    const other = createProject({ 'openapi.yaml': DOCUMENT, 'parts.yaml': PARTS })
    try {
      assert.equal((await other.run('import', 'openapi.yaml')).code, 0)
      rmSync(join(other.path, 'api'), { recursive: true })
      other.write('openapi.yaml', CHANGED)
      const { code, stderr } = await other.run('import', 'openapi.yaml', '--update')
      assert.equal(code, 0, stderr)
      assert.match(other.read('api/1.0.0.json'), /"name"/)
      assert.match(stderr, /Wrote src\/api\/changes\/.*title.*\.ts/)
    } finally {
      other.remove()
    }
  })

  it('explains what cannot be imported', async () => {
    const wrong = async (...args: readonly string[]): Promise<readonly [number | null, string]> => {
      const { code, stderr } = await run('import', ...args)
      return [code, stderr.split('\n')[0] ?? '']
    }
    write('empty.json', '{ "openapi": "3.1.0", "info": { "title": "A", "version": "1" }, "paths": {} }')
    assert.deepEqual(await wrong(), [2, 'octavo: pass a document or --from: octavo import openapi.yaml'])
    assert.deepEqual(await wrong('none.yaml'), [2, 'octavo: none.yaml: file not found'])
    write(
      'leak.json',
      '{ "openapi": "3.1.0", "info": { "title": "A", "version": "1" }, "paths": { "/a": { "$ref": "../a.json" } } }',
    )
    assert.deepEqual(await wrong('leak.json'), [
      2,
      'octavo: leak.json: the reference ../a.json leads out of its folder: pass --allow-files if you trust it',
    ])
    assert.deepEqual(await wrong('leak.json', '--allow-files'), [2, 'octavo: leak.json: file not found'])
    assert.deepEqual(await wrong('empty.json'), [2, 'octavo: empty.json has no operations'])
    assert.deepEqual(await wrong('openapi.yaml', '--out', 'api'), [2, 'octavo: --out api cannot be used'])
    rmSync(join(cwd, 'src'), { recursive: true })
    assert.deepEqual(await wrong('openapi.yaml', '--update'), [
      1,
      "octavo: src/api/openapi.json doesn't exist",
    ])
  })
})
