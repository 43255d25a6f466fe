import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { build } from 'esbuild'

import { findPackage } from '../support/package.ts'
import { FOLDER, ROOT } from '../support/program.ts'

/** A program with one mistake of each kind of definition. Its lines are counted below. */
const DEFINITIONS = `import { defineController, defineGuard, defineInterceptor, defineProvider, defineRouter, defineToken } from 'octavo'
import { bearerAuth } from 'octavo/auth'

// types, comments and blank lines do not count in JavaScript
interface Database {
  readonly url: string
}

const of = (name: string) => ({ db: defineToken<Database>(name) })

export const Cars = defineProvider({ name: 'Cars', inject: of('DbOfCars'), create: () => 1 }) // 11

export const Admin = defineGuard({ name: 'Admin', inject: of('DbOfAdmin'), canActivate: () => true }) // 13

export const SignedIn = bearerAuth({ inject: of('DbOfSignedIn'), verify: () => true }) // 15

export const Envelope = defineInterceptor({ name: 'Envelope', inject: of('DbOfEnvelope'), intercept: (_c, next) => next() }) // 17

export const users = defineRouter({ // 19
  prefix: 'users',
})

export const cars = defineController({ // 23
  name: 'CarController',
  guards: [Admin, SignedIn],
  interceptors: [Envelope],
  routes: [
    { method: 'GET', name: 'getOne', path: '/{id:nothing}', handler: () => 1 },
    { method: 'GET', name: 'list', handler: () => 1 },
  ],
})
`
const PROGRAM = `import { createApp, defineController, defineModule, defineParamType, DefinitionError, VersioningSchemes } from 'octavo'
import { anyOf, bearerAuth } from 'octavo/auth'
import { cors } from 'octavo/middleware'
import { Admin, cars, Cars, Envelope, SignedIn, users } from './definitions/all.ts'

const untyped = (value: unknown) => value as never
const handler = () => 1
const tries: readonly (() => unknown)[] = [
  () => createApp(defineModule({ name: 'AppModule', controllers: [cars], routers: [users], providers: [Cars] }), { logger: false }), // 9
  () => createApp(defineModule({ name: 'Root', imports: [ // 10
    defineModule({ name: 'Copies', controllers: [untyped({ ...cars, prefix: 'x' })] }) // 11
  ] }), untyped({ colour: 1 })),
  async () => {
    const app = createApp(defineModule({}), { logger: false })
    app.enableVersioning(VersioningSchemes.URL, untyped({ sheme: 1 })) // 15
    await app.ready()
  },
  async () => {
    const twins = [1, 2].map(() => defineController({ name: 'Twin', routes: [{ method: 'GET', name: 'a', handler }] })) // 19
    twins.push(defineController({ name: 'Twin', routes: [{ method: 'GET', name: 'a', handler }] })) // 20
    await createApp(defineModule({ controllers: twins.slice(1) }), { logger: false }).ready()
  },
  () => cors(untyped({ orign: 1 })), // 23
  () => bearerAuth(untyped({})), // 24
  () => anyOf(untyped(7)), // 25
  () => defineParamType({ name: 'a b', pattern: /a/ }), // 26
]
const shown = []
for (const each of tries) {
  try {
    await each()
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    shown.push(error.errors.map(({ where, at, message }) => [where, at, message]))
  }
}
console.log(JSON.stringify(shown))
void [Admin, Envelope, SignedIn]
`

type Shown = readonly (readonly (readonly [where: string, at: string | null, message: string])[])[]

describe('the place of a definition', () => {
  // beside the package as it is shipped
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, 'places-'))
  before(findPackage)
  after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'definitions'))
  writeFileSync(join(folder, 'definitions/all.ts'), DEFINITIONS)
  writeFileSync(join(folder, 'main.ts'), PROGRAM)

  function run(cwd: string, ...args: readonly string[]): Shown {
    return runNode(cwd, '--import', import.meta.resolve('tsx'), ...args)
  }

  function runNode(cwd: string, ...args: readonly string[]): Shown {
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
    assert.equal(stderr, '')
    return JSON.parse(stdout) as Shown
  }

  let inFolder: Shown | undefined
  const runInFolder = (): Shown => (inFolder ??= run(folder, 'main.ts'))

  /** What is shown of each mistake, with the program in `at`. */
  const places = (shown: Shown): readonly (readonly string[])[] =>
    shown.map((problems) => problems.map(([where, at]) => `${where.replace(` (${at})`, '')} | ${at}`))

  const expected = (main: string, all: string): readonly (readonly string[])[] => [
    [
      `car: GET /car/{id:nothing} | ${all}:23`,
      `router users | ${all}:19`,
      `Cars (provider of AppModule) | ${all}:11`,
      `guard Admin of AppModule | ${all}:13`,
      `guard bearerAuth of AppModule | ${all}:15`,
      `interceptor Envelope of AppModule | ${all}:17`,
    ],
    [`createApp | ${main}:10`, `controller CarController | ${main}:11`],
    [`enableVersioning | ${main}:15`],
    [`twin.a: GET /twin | ${main}:20`],
    [`cors | ${main}:23`],
    [`bearerAuth | ${main}:24`],
    [`anyOf | ${main}:25`],
    [`defineParamType({ name: 'a b' }) | ${main}:26`],
  ]

  it('is shown for each kind of definition, by the source maps of tsx', () => {
    assert.deepEqual(places(runInFolder()), expected('main.ts', 'definitions/all.ts'))
  })

  it('is relative to the working directory, else absolute', () => {
    const path = relative(ROOT, folder)
    assert.deepEqual(
      places(run(ROOT, join(folder, 'main.ts'))),
      expected(`${path}/main.ts`, `${path}/definitions/all.ts`),
    )
    const elsewhere = join(folder, 'definitions')
    assert.deepEqual(
      places(run(elsewhere, join(folder, 'main.ts'))),
      expected(join(folder, 'main.ts'), 'all.ts'),
    )
  })

  it('names the other route of two, too', () => {
    const [, , , [twin] = []] = runInFolder()
    assert.equal(twin?.[2], 'twin.a: GET /twin (main.ts:19) answers GET on the same path too')
  })

  const outfile = join(folder, 'bundle.mjs')
  let bundling: Promise<unknown> | undefined
  const bundle = (): Promise<unknown> =>
    (bundling ??= build({
      absWorkingDir: folder,
      entryPoints: ['main.ts'],
      bundle: true,
      minify: true,
      sourcemap: true,
      platform: 'node',
      format: 'esm',
      packages: 'bundle',
      external: ['zod', 'undici'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      outfile,
      logLevel: 'error',
    }))

  for (const [title, args, main, all] of [
    ['with source maps', ['--enable-source-maps'], 'main.ts', 'definitions/all.ts'],
    ['without', [], undefined, undefined],
  ] as const) {
    it(`survives a minified bundle ${title}`, async () => {
      await bundle()
      const shown = places(runNode(folder, ...args, outfile))
      if (main !== undefined) assert.deepEqual(shown, expected(main, all))
      else
        assert.ok(
          shown.flat().every((line) => /\| bundle\.mjs:\d+$/.test(line)),
          shown.flat().join('\n'),
        )
    })
  }

  it('is followed in a stack by files of Octavo, named by its source maps', () => {
    writeFileSync(
      join(folder, 'stack.mjs'),
      "import { createApp } from 'octavo'\ntry { createApp(1) } catch ({ stack }) { console.log(JSON.stringify(stack)) }",
    )
    const stack = String(runNode(folder, '--enable-source-maps', 'stack.mjs'))
    const files = [...stack.matchAll(/node_modules\/octavo\/(?:dist\/)?(\S+):\d+:\d+/g)].map(
      ([, file]) => file,
    )
    assert.ok(files.includes('src/server/app/app.ts'), stack)
    assert.deepEqual(
      files.filter((file) => file?.startsWith('src/') !== true),
      [],
    )
  })

  it('is absent if the engine does not tell', () => {
    writeFileSync(
      join(folder, 'bare.ts'),
      "Reflect.deleteProperty(Error, 'captureStackTrace')\nawait import('./main.ts')\n",
    )
    const shown = run(folder, 'bare.ts')
    assert.ok(
      shown.length === 8 && shown.flat().every(([where, at]) => at === null && !where.includes('.ts')),
    )
  })

  it('is shown for a folder whose name has parentheses, blanks or percent signs', () => {
    const names = ['(group)', 'a (copy)', '100% done', 'ünï']
    for (const name of names) {
      mkdirSync(join(folder, name))
      writeFileSync(
        join(folder, name, 'program.mts'),
        `import { createApp, defineModule } from 'octavo'
        const inFunction = () => createApp(defineModule({}), { colour: 1 })
        export let at
        try { inFunction() } catch (error) { at = error.errors[0].at }`,
      )
    }
    const urls = names.map((name) => pathToFileURL(join(folder, name, 'program.mts')).href)
    writeFileSync(
      join(folder, 'folders.mts'),
      `const shown = []
      for (const url of ${JSON.stringify(urls)}) shown.push([String((await import(url)).at), '', ''])
      console.log(JSON.stringify([shown]))`,
    )
    const [shown = []] = run(folder, 'folders.mts')
    assert.deepEqual(
      // tsx gives files of other alphabets the ending .ts
      shown.map(([at]) => at.replace('.ts:', '.mts:')),
      names.map((name) => `${name}/program.mts:2`),
    )
  })

  it('is absent if the program writes stacks in its own way, whatever that does', () => {
    const file = join(folder, 'stacks.mts')
    writeFileSync(
      file,
      `import { createApp, defineModule, DefinitionError } from 'octavo'
      const own = [
        () => { throw new Error('hostile') },
        () => Object.create(null),
        () => Symbol('stack'),
        () => undefined,
        (_error, sites) => sites,
        () => '    at file:///%E0%A4%A:1:2',
      ]
      const shown = own.map((prepare) => {
        const { prepareStackTrace } = Error
        try {
          Error.prepareStackTrace = prepare
          createApp(defineModule({}), { colour: 1 })
        } catch (error) {
          return [error instanceof DefinitionError ? error.errors[0].where : 'another error', '', '']
        } finally {
          Error.prepareStackTrace = prepareStackTrace
        }
      })
      console.log(JSON.stringify([shown]))`,
    )
    const [shown = []] = run(ROOT, file)
    assert.deepEqual(
      shown.map(([where]) => where),
      Array.from({ length: 6 }, () => 'createApp'),
    )
  })

  it('does without a working directory, and leaves the limit of stacks as it was', () => {
    const program = `
      Error.stackTraceLimit = 33
      process.cwd = () => { throw new Error('ENOENT') }
      const { createApp, defineModule } = await import('octavo')
      let at
      try { createApp(defineModule({}), { colour: 1 }) } catch (error) { at = error.errors[0].at }
      console.log(JSON.stringify([[[String(Error.stackTraceLimit), at, '']]]))
    `
    const file = join(folder, 'nowhere.mts')
    writeFileSync(file, program)
    const [[shown] = []] = run(ROOT, file)
    assert.deepEqual(shown, ['33', `${file}:6`, ''])
  })
})
