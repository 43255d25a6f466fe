import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createFolder, findMain, LOOKALIKE, octavo, start } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'

const folder = createFolder({
  'lookalike.mjs': LOOKALIKE,
  'app.js': "import { named } from './lookalike.mjs'\nexport const app = named('a')\n",
})
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return octavo(args, { node: [main], cwd: folder.path, env })
}

describe('a command line that is understood', { concurrency: 2 }, () => {
  const cases: readonly (readonly [title: string, args: readonly string[], stdout: RegExp])[] = [
    ['has a version', ['--version'], /^\d+\.\d+\.\d+\S*\n$/],
    [
      'has a help that lists the commands',
      ['--help'],
      /^octavo <command>[\s\S]*init[\s\S]*dev[\s\S]*routes[\s\S]*openapi/,
    ],
    [
      'has a help for each command',
      ['help', 'routes'],
      /^octavo routes \[<app>\][\s\S]*--format <text\|json>/,
    ],
    [
      'has that help as an option, too',
      ['openapi', '--out', 'x', '-h'],
      /^octavo openapi[\s\S]*-o, --out <file>/,
    ],
    ['lists routes', ['routes'], /^METHOD {2}PATH {2}NAME\nGET {5}\/a {4}a\n\n1 route\n$/],
    ['takes options before the app', ['routes', '--format', 'text', 'app.js'], /^METHOD/],
  ]
  for (const [title, args, stdout] of cases) {
    it(title, async () => {
      const outcome = await run(args)
      assert.deepEqual({ ...outcome, stdout: '' }, { code: 0, stdout: '', stderr: '' })
      assert.match(outcome.stdout, stdout)
    })
  }
})

describe('a command line that is not understood', { concurrency: 2 }, () => {
  const cases: readonly (readonly [title: string, args: readonly string[], stderr: RegExp])[] = [
    ['has no command', [], /^octavo <command>/],
    ['has an unknown command', ['rotues'], /unknown command rotues\n {2}did you mean routes\?/],
    [
      'has a command that resembles none',
      ['frobnicate'],
      /use one of init, import, dev, routes, versions, retire, release, openapi, client/,
    ],
    ['asks for help about one', ['help', 'opnapi'], /did you mean openapi\?/],
    [
      'has an unknown option instead of a command',
      ['--versoin'],
      /unknown option --versoin\n {2}did you mean --version\?/,
    ],
    [
      'has an unknown option',
      ['routes', '--formt'],
      /unknown option --formt\n {2}did you mean --format\?\n {2}run octavo help routes/,
    ],
    ['has an unknown short option', ['routes', '-x'], /unknown option -x\n/],
    ['lacks a value', ['openapi', '--out'], /--out needs a value: --out <file>/],
    ['has an option for a value', ['openapi', '--out', '--check'], /--out needs a value/],
    ['has a value for a switch', ['routes', '--public=yes'], /--public takes no value/],
    ['has an argument too many', ['routes', 'a.js', 'b.js'], /unexpected argument "b.js"/],
    ['has arguments for nobody', ['routes', 'a.js', '--', 'b'], /unexpected argument "b"/],
    ['compares with nothing', ['openapi', '--check'], /--check requires --out/],
    [
      'wants an unknown format',
      ['openapi', '--format', 'xml'],
      /unknown value xml of --format\n {2}use one of yaml, json/,
    ],
    [
      'has a port that is none',
      ['dev', '--port', '99999'],
      /--port has to be a number from 0 to 65535, not 99999/,
    ],
    [
      'has a name that npm refuses',
      ['init', 'x', '--name', 'My App'],
      /not a valid npm package name\n {2}try my-app/,
    ],
  ]
  for (const [title, args, stderr] of cases) {
    it(title, async () => {
      const outcome = await run(args)
      assert.equal(outcome.code, 2)
      assert.equal(outcome.stdout, '')
      assert.match(outcome.stderr, stderr)
    })
  }
})

describe('a report of usage that is written', () => {
  const escape = '\u001B['

  it('has no colours where nobody looks', async () => {
    const { stdout } = await run(['--help'])
    assert.ok(!stdout.includes(escape), stdout)
  })

  it('has colours where FORCE_COLOR demands them', async () => {
    const { stdout } = await run(['--help'], { FORCE_COLOR: '1' })
    assert.ok(stdout.includes(escape), stdout)
  })

  it('may be left unread', async () => {
    const child = start(['--help'], { node: [main], cwd: folder.path })
    child.stdout?.destroy()
    let stderr = ''
    child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
    const code = await new Promise((resolve) => child.once('close', resolve))
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  })
})

describe('an app', { concurrency: 2 }, () => {
  const head = "import { make, named } from './lookalike.mjs'\n"
  const found: readonly (readonly [
    title: string,
    files: Readonly<Record<string, string>>,
    args: readonly string[],
  ])[] = [
    ['is an export', { 'one.js': `${head}export const app = named('it')` }, ['one.js']],
    ['is found without its extension', { 'two.mjs': `${head}export const app = named('it')` }, ['./two']],
    ['is the default export', { 'three.js': `${head}export default named('it')` }, ['three.js']],
    ['may be promised', { 'four.js': `${head}export const app = Promise.resolve(named('it'))` }, ['four.js']],
    [
      'may be made by a function',
      { 'five.js': `${head}export default async () => named('it')` },
      ['five.js'],
    ],
    [
      'is the export that is one',
      { 'six.js': `${head}export const app = 'no'; export default named('it')` },
      ['six.js'],
    ],
    [
      'is a CommonJS export',
      { 'seven.cjs': `module.exports = import('./lookalike.mjs').then(({ named }) => named('it'))` },
      ['seven.cjs'],
    ],
    [
      'leaves what it opened',
      { 'eight.js': `${head}setInterval(() => {}, 1e6)\nexport const app = named('it')` },
      ['eight.js'],
    ],
    [
      'never closes',
      {
        'nine.js': `${head}export const app = { ...named('it'), close: () => Promise.reject(new Error('stuck')) }`,
      },
      ['nine.js'],
    ],
    [
      'is in a folder',
      { 'ten/src/app.js': `import { named } from '../../lookalike.mjs'\nexport const app = named('it')` },
      ['ten'],
    ],
    [
      'is named by the manifest',
      {
        'eleven/package.json': '{ "octavo": { "app": "lib/x.mjs" } }',
        'eleven/lib/x.mjs': `import { named } from '../../lookalike.mjs'\nexport const app = named('it')`,
      },
      ['eleven'],
    ],
    [
      'is in a package',
      {
        'node_modules/served/package.json': '{ "type": "module", "exports": { "import": "./x.js" } }',
        'node_modules/served/x.js': `import { named } from '../../lookalike.mjs'\nexport const app = named('it')`,
      },
      ['served'],
    ],
    [
      'prints what it likes',
      { 'twelve.js': `${head}console.log('noise')\nexport const app = named('it')` },
      ['twelve.js'],
    ],
  ]
  for (const [title, files, args] of found) {
    it(title, async () => {
      for (const [name, text] of Object.entries(files)) folder.write(name, text)
      const { code, stdout, stderr } = await run(['routes', ...args])
      assert.equal(code, 0, stderr)
      assert.equal(stdout, 'METHOD  PATH  NAME\nGET     /it   it\n\n1 route\n')
    })
  }

  const missing: readonly (readonly [
    title: string,
    name: string,
    text: string | undefined,
    stderr: RegExp,
  ])[] = [
    [
      'is something else',
      'a.js',
      'export const app = 5; export const car = {}',
      /a\.js exports no application: it exports app \(a number\), car \(object\)\n[\s\S]*export const app = createApp/,
    ],
    ['is not there at all', 'b.js', '', /it exports no values/],
    ['is no file', 'src/none.ts', undefined, /file src\/none\.ts not found\n {2}looked for \//],
    ['is no package', 'no-such-package', undefined, /no file or package no-such-package/],
    [
      'ends the process',
      'c.js',
      'process.exit(0)',
      /c\.js ended the process with exit code 0 while it was loading/,
    ],
    ['never comes', 'd.js', 'await new Promise(() => {})', /d\.js never finished loading/],
    [
      'throws',
      'e.js',
      'const fail = () => { throw new Error("no database", { cause: new Error("refused") }) }\nfail()',
      /^Error: no database\n {4}at fail \(file:.*e\.js:1:\d+\)[\s\S]*Caused by: Error: refused/,
    ],
    ['throws something odd', 'f.js', 'throw { odd: 1 }', /^Thrown: \{ odd: 1 \}/],
    [
      'imports what is missing',
      'g.js',
      "import './gone.js'",
      /Cannot find module '.*gone\.js' imported from/,
    ],
    [
      'reads a module that is defined later',
      'i.js',
      'export const app = [CarsModule]\nexport const CarsModule = {}\n',
      /ReferenceError: Cannot access 'CarsModule' before initialization\n[\s\S]*\nTwo files may import each other: write lazy\(\(\) => CarsModule\)/,
    ],
    ['cannot be read', 'h.js', 'const a = 1\nexport const app = = a\n', /h\.js:2[\s\S]*SyntaxError/],
  ]
  for (const [title, name, text, stderr] of missing) {
    it(`${title}: exit code 1`, async () => {
      if (text !== undefined) folder.write(name, text)
      const outcome = await run(['routes', name])
      assert.equal(outcome.code, 1, outcome.stderr)
      assert.equal(outcome.stdout, '')
      assert.match(outcome.stderr, stderr)
      assert.doesNotMatch(outcome.stderr, /node:internal/)
    })
  }

  it('uses packages that Node loads unchanged, beside TypeScript that tsx loads', async () => {
    folder.write('typed/node_modules/plain/package.json', '{ "type": "module", "exports": "./index.js" }')
    folder.write('typed/node_modules/plain/index.js', "export const plain = () => import('./index.js')\n")
    const app = ["import { plain } from 'plain'", "import { named } from '../lookalike.mjs'"]
    folder.write('typed/app.ts', [...app, 'export const app = named(String(plain) as string)', ''].join('\n'))
    const { stdout, stderr } = await run(['routes', 'typed/app.ts'])
    assert.match(stdout, /\(\) => import\('\.\/index\.js'\)\n/, stderr)
  })

  it('is looked for in the usual places', async () => {
    folder.write('empty/package.json', '{}')
    const { code, stderr } = await octavo(['routes'], { node: [main], cwd: join(folder.path, 'empty') })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /no application found here\n {2}looked for octavo\.app in package\.json, src\/app\.ts, src\/app\.js/,
    )
  })
})
