import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createFolder, findMain, octavo } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'
import { programFile } from '../support/program.ts'

const folder = createFolder()
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())

/** The command line as it is shipped, the framework from its source. */
function routes(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return octavo(['routes', ...args], { node: ['--conditions', 'octavo-source', main], env })
}

const CARS = programFile('test/cli/fixtures/cars/app.ts')

describe('octavo routes', { concurrency: 3 }, () => {
  const tables: readonly (readonly [
    title: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    stdout: string,
  ])[] = [
    [
      'shows every route',
      [],
      {},
      `METHOD      PATH               VERSION  NAME         GUARDS    MARKS
GET         /car               1        car.list               deprecated
GET         /car               2        car.list
GET,DELETE  /car/{car_id:int}  1, 2     car.one      isDriver
GET         /car/status        neutral  car.status
GET         /about                      about.about

5 routes, versions 1 (deprecated), 2
`,
    ],
    [
      'shows what answers in a version',
      ['--version', '2'],
      {},
      `METHOD      PATH               VERSION  NAME         GUARDS
GET         /car                        car.list
GET,DELETE  /car/{car_id:int}           car.one      isDriver
GET         /car/status        neutral  car.status
GET         /about                      about.about

4 routes, versions 1 (deprecated), 2
`,
    ],
  ]
  for (const [title, args, env, stdout] of tables) {
    it(title, async () => {
      const outcome = await routes([CARS, ...args], env)
      assert.deepEqual(outcome, { code: 0, stdout, stderr: 'loaded\n' })
    })
  }

  it('shows the versions that a history gives to routes', async () => {
    const { stdout } = await routes([programFile('test/cli/fixtures/history/app.ts')])
    assert.match(stdout, /^GET {5}\/car\/ {7}1, 2, 3 {2}car\.one$/m)
    assert.match(stdout, /^GET {5}\/car\/count {2}1, 2, 3 {2}car\.count$/m)
    const { stdout: json } = await routes([
      programFile('test/cli/fixtures/history/app.ts'),
      '--format',
      'json',
    ])
    const listed: readonly { readonly name: string; readonly versions: unknown }[] = JSON.parse(json).result
    assert.deepEqual(listed.find(({ name }) => name === 'car.count')?.versions, ['1', '2', '3'])
  })

  it('gives JSON of one version', async () => {
    const { code, stdout } = await routes([CARS, '--format', 'json', '--version', '1'])
    assert.equal(code, 0)
    const listed: unknown = JSON.parse(stdout).result
    assert.ok(Array.isArray(listed), stdout)
    assert.deepEqual(
      listed.map((route: { readonly name: string; readonly methods: unknown }) => [
        route.name,
        route.methods,
      ]),
      [
        ['car.list', ['GET']],
        ['car.one', ['GET', 'DELETE']],
        ['car.status', ['GET']],
        ['about.about', ['GET']],
      ],
    )
  })

  it('shows the routes that need no credentials', async () => {
    const { stdout } = await routes([programFile('test/cli/fixtures/public/app.ts'), '--public'])
    assert.match(stdout, /^METHOD.*\nGET .*car\.list +bearerAuth\?\n\n1 route\n$/)
  })

  it('says which versions there are', async () => {
    assert.deepEqual(await routes([CARS, '--version', '9']), {
      code: 1,
      stdout: '',
      stderr: 'loaded\noctavo: unknown version "9"\n  the app has 1, 2\n',
    })
  })

  it('waits for modules that come later, and starts nothing', async () => {
    assert.deepEqual(await routes(['test/cli/fixtures/cars/late.ts']), {
      code: 0,
      stdout: 'METHOD  PATH   NAME\nGET     /late  late.late\n\n1 route\n',
      stderr: '',
    })
  })

  it('lists mistakes in definitions, without a stack', async () => {
    const { code, stdout, stderr } = await routes(['test/cli/fixtures/cars/broken.ts'])
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(
      stderr,
      /^2 errors in the definitions\n\n {2}cars.*\/:id \(test\/cli\/fixtures\/cars\/broken\.ts:3\) \[foreign_pattern\]\n {4}.*\n {4}fix: .*\n\n {2}cars.* \[unknown_param_type\]\n/,
    )
    assert.doesNotMatch(stderr, /\n\s+at /)
  })
})
