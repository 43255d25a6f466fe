import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { parse } from 'yaml'

import { createFolder, findMain, octavo, ROOT } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'
import { programFile } from '../support/program.ts'

const CARS = programFile('test/cli/fixtures/cars/app.ts')
const folder = createFolder({
  // what is done with a document does not depend on where it comes from
  'app.js': `
    const document = { openapi: '3.1.1', info: { title: 'A', version: '1' }, paths: { '/about': {} } }
    export const app = {
      routes: () => [], printRoutes: () => '', versions: () => [], ready: async () => {}, listen: () => {}, close: () => {},
      openapi: () => document,
    }`,
  'names.js': `
    import { app as one } from './app.js'
    const names = ['1.0-RC1', '2026-01-01', 'a/b', 'a-b', 'a%2Fb', 'A', 'a', '\u00e9', 'e\u0301', 'a$$b', 'NUL', '..', 'all']
    const versions = () => names.map((version) => ({ version }))
    const openapi = ({ version }) => ({ openapi: '3.1.1', info: { title: 'A', version }, paths: {} })
    export const app = { ...one, versions, openapi }`,
})
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())

function openapi(app: string, ...args: readonly string[]): Promise<Outcome> {
  return octavo(['openapi', app, ...args], {
    cwd: folder.path,
    node: ['--conditions', 'octavo-source', main],
  })
}

const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8')
const pathsOf = (document: unknown): readonly string[] =>
  Object.keys(Object(Reflect.get(Object(document), 'paths')))

describe('octavo openapi', { concurrency: 3 }, () => {
  it('writes the document of all versions to standard output, and nothing else', async () => {
    const { code, stdout } = await openapi(join(ROOT, 'test/cli/fixtures/cars/app.ts'))
    assert.equal(code, 0)
    assert.ok(stdout.startsWith('{\n  "openapi": "3.1.1",\n') && stdout.endsWith('}\n'), stdout)
    assert.ok(pathsOf(JSON.parse(stdout)).includes('/v1/car'), stdout)
    assert.ok(pathsOf(JSON.parse(stdout)).includes('/v2/car'), stdout)
  })

  it('writes the document of one version as YAML', async () => {
    const { code, stdout } = await openapi(CARS, '--version', '2', '--format', 'yaml')
    assert.equal(code, 0)
    const paths = pathsOf(parse(stdout))
    assert.ok(paths.includes('/v2/car') && !paths.includes('/v1/car'), stdout)
  })

  it('says which versions there are', async () => {
    const { code, stdout, stderr } = await openapi(CARS, '--version', '9')
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, /unknown version "9"\n {2}the app has 1, 2\n/)
  })

  it('writes a file for each version, in the format that its name says', async () => {
    const { code, stdout, stderr } = await openapi(CARS, '--out', 'each/{version}.yml')
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
    assert.match(stderr, /Wrote each\/1\.yml\nWrote each\/2\.yml\n/)
    assert.deepEqual(readdirSync(join(folder.path, 'each')).toSorted(), ['1.yml', '2.yml'])
    assert.ok(pathsOf(parse(read('each/1.yml'))).includes('/v1/car'), read('each/1.yml'))
  })

  it('writes versions to files that every file system can tell apart', async () => {
    assert.equal((await openapi('names.js', '--out', 'names/{version}.json')).code, 0)
    const files = readdirSync(join(folder.path, 'names'))
    assert.deepEqual(
      Object.fromEntries(
        files.map((file) => [JSON.parse(read(`names/${file}`)).info.version, file.replace('.json', '')]),
      ),
      {
        '1.0-RC1': '1.0-RC1',
        '2026-01-01': '2026-01-01',
        'a/b': 'a%2Fb',
        'a-b': 'a-b',
        'a%2Fb': 'a%252Fb',
        A: '%41',
        a: '%61',
        '\u00e9': '%C3%A9',
        'e\u0301': '%65%CC%81',
        a$$b: 'a$$b',
        NUL: '%4E%55%4C',
        '..': '%2E%2E',
        all: 'all',
      },
    )
    const one = await openapi('names.js', '--version', 'A', '--out', 'names/{version}.json')
    assert.equal(one.stderr, 'names/%41.json is up to date\n')
  })

  it('says what it cannot write', async () => {
    const { code, stderr } = await openapi('app.js', '--out', 'package.json/x.json')
    assert.equal(code, 1)
    assert.match(stderr, /octavo: .*x\.json cannot be (written|read): /)
  })

  it('compares a file with the app, by what it says', async () => {
    const missing = await openapi('app.js', '--out', 'o.json', '--check')
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /o\.json doesn't exist: run/)
    assert.equal(existsSync(join(folder.path, 'o.json')), false)

    await openapi('app.js', '--out', 'o.json')
    const { mtimeMs } = statSync(join(folder.path, 'o.json'))
    const again = await openapi('app.js', '--out', 'o.json')
    assert.match(again.stderr, /o\.json is up to date/)
    assert.equal(statSync(join(folder.path, 'o.json')).mtimeMs, mtimeMs)

    folder.write('o.json', JSON.stringify(JSON.parse(read('o.json'))))
    assert.equal((await openapi('app.js', '--out', 'o.json', '--check')).code, 0)

    folder.write('o.json', read('o.json').replace('"/about"', '"/about~us"').replace('"3.1.1"', '"3.1.0"'))
    const { code, stdout, stderr } = await openapi('app.js', '--out', 'o.json', '--check')
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, /o\.json differs from the app: run/)
  })
})
