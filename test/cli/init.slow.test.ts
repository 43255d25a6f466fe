import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
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
    const paths = packed?.files.map(({ path }) => path).filter((path) => path.startsWith('src/'))
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
