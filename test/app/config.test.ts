import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { bind, Config, createApp, defineModule, defineProvider, DefinitionError } from 'octavo'
import type { AppOptions, Token } from 'octavo'
import { z } from 'zod'
import { placeless } from '../support/places.ts'

const FIXTURE = './test/app/fixtures/settings.js'
const SETTINGS = { port: '3000', database: { url: 'postgres://localhost/cars', pool: ['a', 'b'] } }
const SECRET = 'hunter2'

/** Imports the fixture, which is JavaScript, because nothing compiles what an application names at run time. */
const load = (): Promise<object> => import(new URL('fixtures/settings.js', import.meta.url).href)

const here = process.cwd()
let folder = ''

/** Writes a file below the temporary folder; its path. */
function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** What a token of settings supplies in an application. */
async function valuesOf(options: AppOptions, token: Token<unknown> = Config): Promise<unknown> {
  const { promise, resolve } = createDeferred()
  const MailService = defineProvider({ name: 'MailService', inject: { values: token }, create: resolve })
  const module = defineModule({ name: 'MailModule', providers: [MailService] })
  const app = createApp(module, { logger: false, ...options })
  await app.ready()
  await app.close()
  return (await promise).values
}

function createDeferred() {
  let resolve = (_value: { values: unknown }): void => undefined
  const promise = new Promise<{ values: unknown }>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Settings as a test gives them. */
const given = (value: unknown): AppOptions => ({ overrides: [bind<Token<unknown>>(Config, { value })] })

/** What is wrong with the settings. */
async function failure(start: Promise<unknown>): Promise<DefinitionError> {
  const error = await start.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DefinitionError, String(error))
  return error
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-config-'))
})
after(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  process.chdir(here)
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('OCTAVO_TEST_') || name === 'FRAMEWORK_CONFIG_MODULE')
      Reflect.deleteProperty(process.env, name)
  }
})

describe('the module of the settings', () => {
  it('is a path relative to the working directory', async () => {
    assert.deepEqual(await valuesOf({ config: FIXTURE }), SETTINGS)
  })

  it('is an absolute path', async () => {
    assert.deepEqual(await valuesOf({ config: join(here, FIXTURE) }), SETTINGS)
  })

  it('is a file URL', async () => {
    assert.deepEqual(await valuesOf({ config: pathToFileURL(FIXTURE).href }), SETTINGS)
  })

  it('is a path without a dot at its start', async () => {
    assert.deepEqual(await valuesOf({ config: 'test/app/fixtures/settings.js' }), SETTINGS)
  })

  it('is a package, seen from the working directory', async () => {
    write('node_modules/acme-settings/package.json', '{"type":"module","main":"./index.js"}')
    write('node_modules/acme-settings/index.js', 'export const from = "package"')
    write('node_modules/acme-settings/sub/index.js', 'export const from = "subpath"')
    process.chdir(folder)
    assert.deepEqual(await valuesOf({ config: 'acme-settings' }), { from: 'package' })
    assert.deepEqual(await valuesOf({ config: 'acme-settings/sub/index.js' }), { from: 'subpath' })
  })

  it('is named by FRAMEWORK_CONFIG_MODULE, unless the option does', async () => {
    process.env['FRAMEWORK_CONFIG_MODULE'] = FIXTURE
    assert.deepEqual(await valuesOf({}), SETTINGS)
    const other = write('other.mjs', 'export const port = 1')
    assert.deepEqual(await valuesOf({ config: other }), { port: 1 })
  })

  it('may be none: then the settings are empty', async () => {
    assert.deepEqual(await valuesOf({}), {})
    process.env['FRAMEWORK_CONFIG_MODULE'] = ''
    assert.deepEqual(await valuesOf({}), {})
  })

  it('gives its named exports alone', async () => {
    const module = write('default.mjs', 'export default { port: 1 }; export const port = 2')
    assert.deepEqual(await valuesOf({ config: module }), { port: 2 })
  })

  it('may be CommonJS', async () => {
    const module = write('common.cjs', 'exports.port = 2; exports.__esModule = true')
    assert.deepEqual(await valuesOf({ config: module }), { port: 2 })
  })

  it('may take its time', async () => {
    const module = write('late.mjs', 'export const port = await new Promise((r) => setTimeout(r, 5, 7))')
    assert.deepEqual(await valuesOf({ config: module }), { port: 7 })
  })
})

describe('settings that are given', () => {
  const namespace = load()
  const cases: readonly (readonly [title: string, config: () => string | object])[] = [
    ['as an object', () => SETTINGS],
    [
      'as an object with what a module may export besides',
      () => ({ ...SETTINGS, default: {}, __esModule: true }),
    ],
    ['as a promise of a module', load],
    ['as a function that imports a module', () => load],
    ['as a function that returns an object', () => () => SETTINGS],
    ['as a URL', () => new URL('fixtures/settings.js', import.meta.url)],
    ['as the text of a URL', () => new URL('fixtures/settings.js', import.meta.url).href],
  ]
  for (const [title, config] of cases) {
    it(`are the same from any directory: ${title}`, async () => {
      process.chdir(folder)
      assert.deepEqual(await valuesOf({ config: config() }), SETTINGS)
    })
  }

  it('may be the namespace of a module', async () =>
    assert.deepEqual(await valuesOf({ config: await namespace }), SETTINGS))

  it('are read by configSchema, and by other schemas', async () => {
    const config = () => Promise.resolve({ port: '7', host: 'a' })
    const configSchema = z.object({ port: z.coerce.number() })
    assert.deepEqual(await valuesOf({ config, configSchema }), { port: 7 })
    const hosts = Config.of(z.object({ host: z.string() }))
    assert.deepEqual(await valuesOf({ config, configSchema }, hosts), { host: 'a' })
  })

  it('are named where they are wrong', async () => {
    const configSchema = z.object({ port: z.number(), host: z.string() })
    const { errors } = await failure(valuesOf({ config: { port: SECRET }, configSchema }))
    assert.deepEqual(
      errors.map(({ where, fix }) => [where, fix]),
      [
        ['config.port', 'change it in config'],
        ['config.host', 'add it in config'],
      ],
    )
  })

  it('win over FRAMEWORK_CONFIG_MODULE, also when they are empty', async () => {
    process.env['FRAMEWORK_CONFIG_MODULE'] = './no-such-file.js'
    assert.deepEqual(await valuesOf({ config: {} }), {})
  })

  const throwing = Object.defineProperty({}, 'url', {
    enumerable: true,
    get: () => {
      throw new RangeError(SECRET)
    },
  })
  const failures: readonly (readonly [title: string, config: () => object, message: string])[] = [
    [
      'a function that throws',
      () => () => Promise.reject(new RangeError(SECRET)),
      'config cannot be loaded (RangeError)',
    ],
    [
      'a promise that is refused',
      () => Promise.reject(new RangeError(SECRET)),
      'config cannot be loaded (RangeError)',
    ],
    ['a function that returns nothing', () => () => undefined, 'config is settled with undefined'],
    ['a promise of a text', () => Promise.resolve(SECRET), 'config is settled with a string of 7 characters'],
    ['a list', () => () => [SECRET], 'config is settled with a list of 1'],
    [
      'an address that a function returns',
      () => () => new URL(`file:///${SECRET}`),
      'config is settled with an instance of URL',
    ],
    ['a getter that throws', () => throwing, 'config cannot be loaded (RangeError)'],
    ['a getter below that throws', () => ({ database: throwing }), 'config cannot be loaded (RangeError)'],
    ['a getter of what a function returns', () => () => throwing, 'config cannot be loaded (RangeError)'],
  ]
  for (const [title, config, message] of failures) {
    it(`fail the start: ${title}`, async () => {
      const { errors, stack } = await failure(valuesOf({ config: config() }))
      assert.deepEqual(
        placeless(errors).map((problem) => [problem.code, problem.where, problem.message]),
        [['config_module_failed', 'config', message]],
      )
      assert.ok(stack !== undefined && !stack.includes(SECRET))
    })
  }

  it('may be refused before the application starts, and end no process', async () => {
    const app = createApp(defineModule({}), { logger: false, config: Promise.reject(new Error('refused')) })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await assert.rejects(app.ready(), { name: 'DefinitionError' })
  })

  for (const config of [7, '', null, [], true]) {
    it(`are refused at once: ${JSON.stringify(config)}`, () => {
      // what plain JavaScript may give
      assert.throws(() => createApp(defineModule({}), { config: config as object }), {
        name: 'DefinitionError',
      })
    })
  }
})

describe('a module that cannot be loaded', () => {
  const cases = [
    ['a path to nothing', './no-such-file.js', undefined, 'ERR_MODULE_NOT_FOUND'],
    ['an unknown package', 'no-such-package', undefined, 'ERR_MODULE_NOT_FOUND'],
    ['one that throws', 'throws.mjs', `throw new RangeError('${SECRET}')`, 'RangeError'],
    ['one that throws no error', 'text.mjs', `throw '${SECRET}'`, 'string'],
    ['one that cannot be read', 'syntax.mjs', 'export const = 1', 'SyntaxError'],
    ['one whose import is missing', 'imports.mjs', "import './missing.js'", 'ERR_MODULE_NOT_FOUND'],
  ] as const

  it('is named if it is an object that throws when it is looked at', async () => {
    const trap = (): never => {
      throw new RangeError(SECRET)
    }
    const config = new Proxy({}, { get: trap, getPrototypeOf: trap, ownKeys: trap, has: trap })
    const { errors } = await failure(valuesOf({ config }))
    assert.deepEqual(
      placeless(errors).map(({ code, where }) => ({ code, where })),
      [{ code: 'config_module_failed', where: 'config' }],
    )
  })

  for (const [title, name, text, reason] of cases) {
    it(`is named, with its cause: ${title}`, async () => {
      const config = text === undefined ? name : write(name, text)
      const { errors, cause, message } = await failure(valuesOf({ config }))
      assert.deepEqual(
        placeless(errors).map(({ code, where }) => ({ code, where })),
        [{ code: 'config_module_failed', where: 'config' }],
      )
      assert.ok(message.includes(`the module "${config}" cannot be loaded (${reason})`), message)
      assert.ok(!message.includes(SECRET))
      assert.notEqual(cause, undefined)
    })
  }
})

describe('configSchema', () => {
  it('reads the settings: conversion, defaults, refinements', async () => {
    const configSchema = z.object({
      port: z.coerce.number(),
      debug: z.boolean().default(false),
      database: z.object({ url: z.url() }).refine(async () => true),
    })
    assert.deepEqual(await valuesOf({ config: FIXTURE, configSchema }), {
      port: 3000,
      debug: false,
      database: { url: 'postgres://localhost/cars' },
    })
  })

  it('stops the start with everything that is wrong', async () => {
    const configSchema = z.object({
      port: z.number(),
      database: z.object({ url: z.url(), pool: z.tuple([z.string(), z.number()]), 'max-size': z.number() }),
      secret: z.string(),
    })
    const { errors } = await failure(valuesOf({ config: FIXTURE, configSchema }))
    const code = 'invalid_config'
    const message = 'Invalid input: expected number, received'
    assert.deepEqual(errors, [
      { code, where: 'config.port', message: `${message} string`, fix: `change it in "${FIXTURE}"` },
      {
        code,
        where: 'config.database.pool[1]',
        message: `${message} string`,
        fix: `change it in "${FIXTURE}"`,
      },
      {
        code,
        where: 'config.database["max-size"]',
        message: `${message} undefined`,
        fix: `add it in "${FIXTURE}"`,
      },
      {
        code,
        where: 'config.secret',
        message: 'Invalid input: expected string, received undefined',
        fix: `add it in "${FIXTURE}"`,
      },
    ])
  })

  it('says what to do when there is no module', async () => {
    const configSchema = z.object({ port: z.number() })
    const { message } = await failure(valuesOf({ configSchema }))
    assert.equal(
      message,
      [
        'A mistake in the definitions',
        '  config.port: Invalid input: expected number, received undefined. Add it in the option config, or the module that FRAMEWORK_CONFIG_MODULE names [invalid_config]',
      ].join('\n'),
    )
  })
})

describe('settings that are bad', () => {
  const fail = (): never => {
    throw new TypeError(`cannot use ${SECRET}`)
  }
  const schemas: Readonly<Record<string, z.ZodType>> = {
    type: z.number(),
    enum: z.enum(['red', 'green']),
    literal: z.literal('blue'),
    union: z.union([z.number(), z.boolean()]),
    'discriminated union': z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
    'kind of a discriminated union': z.preprocess(
      (kind) => ({ kind }),
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
    ),
    'strict object': z.preprocess((value) => ({ value }), z.strictObject({})),
    format: z.email(),
    pattern: z.string().regex(/^\d+$/),
    'template literal': z.templateLiteral(['v', z.number()]),
    length: z.string().max(1),
    start: z.string().startsWith('x'),
    refinement: z.string().refine(() => false),
    'async refinement': z.string().refine(async () => false),
    'conversion to a number': z.coerce.number(),
    'conversion to a date': z.coerce.date(),
    stringbool: z.stringbool(),
    'JSON text': z.string().transform((text, context) => {
      context.addIssue({ code: 'custom', input: text })
      return z.NEVER
    }),
    'error of a transform': z.string().transform(fail),
    'error of an async transform': z.string().transform(async () => fail()),
  }

  for (const [title, schema] of Object.entries(schemas)) {
    it(`is never its value: ${title}`, async () => {
      const configSchema = z.object({ password: schema })
      const error = await failure(valuesOf({ ...given({ password: SECRET }), configSchema }))
      assert.equal(error.errors.length, 1)
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`, /hunter2/)
    })
  }
})

describe('the settings', () => {
  it('are frozen copies: every request shares them', async () => {
    const date = new Date(0)
    const original = { list: [{ a: 1 }], date }
    const values = await valuesOf(given(original))
    assert.deepEqual(values, original)
    assert.throws(() => Object.assign(Object(values), { list: [] }), TypeError)
    assert.throws(() => Object(values).list.push(1), TypeError)
    assert.throws(() => Object.assign(Object(values).list[0], { a: 2 }), TypeError)
    assert.equal(Object(values).date, date)
    original.list.push({ a: 2 })
    assert.equal(Object(values).list.length, 1)
  })

  it('may refer to themselves', async () => {
    const original: Record<string, unknown> = { name: 'a' }
    original['self'] = original
    const values = await valuesOf(given(original))
    assert.equal(Object(values).self, values)
  })

  it('of a test replace the module, which is not loaded, and are read by configSchema', async () => {
    const configSchema = z.object({ port: z.coerce.number() })
    const options = { ...given({ port: '1' }), config: './no-such-file.js', configSchema }
    assert.deepEqual(await valuesOf(options), { port: 1 })
  })
})

describe('Config.of', () => {
  const ports = Config.of(z.object({ port: z.coerce.number() }))

  it('reads the settings as they are, whatever configSchema made of them', async () => {
    const options = { config: FIXTURE, configSchema: z.object({}) }
    assert.deepEqual(await valuesOf(options), {})
    assert.deepEqual(await valuesOf(options, ports), { port: 3000 })
  })

  it('gives its problems, with the place that wants it', async () => {
    const { errors } = await failure(valuesOf(given({ port: SECRET }), ports))
    assert.deepEqual(errors, [
      {
        code: 'invalid_config',
        where: 'MailService (provider of MailModule): config.port',
        message: 'Invalid input: expected number, received NaN',
        fix: 'change it in the override of Config',
      },
    ])
  })

  it('can be resolved where nothing injects it', async () => {
    const found: unknown[] = []
    const module = defineModule({ onStart: async (app) => found.push(await app.resolve(ports)) })
    const app = createApp(module, { logger: false, ...given({ port: '3000' }) })
    found.push(await app.resolve(ports))
    assert.deepEqual(found, [{ port: 3000 }, { port: 3000 }])
    const { errors } = await failure(app.resolve(Config.of(z.object({ host: z.string() }))))
    assert.deepEqual(
      errors.map(({ where }) => where),
      ['resolve: config.host'],
    )
    await app.close()
  })
})
