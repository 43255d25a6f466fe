import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { bind, Config, createApp, defineModule, defineProvider, DefinitionError } from 'octavo'
import type { AppOptions, Token } from 'octavo'
import { z } from 'zod'

const FIXTURE = './test/app/fixtures/settings.ts'
const SETTINGS = { port: '3000', database: { url: 'postgres://localhost/cars', pool: ['a', 'b'] } }
const SECRET = 'hunter2'

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
const given = (value: unknown): AppOptions => ({ overrides: [bind<unknown>(Config, { value })] })

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
    assert.deepEqual(await valuesOf({ configModule: FIXTURE }), SETTINGS)
  })

  it('is an absolute path', async () => {
    assert.deepEqual(await valuesOf({ configModule: join(here, FIXTURE) }), SETTINGS)
  })

  it('is a file URL', async () => {
    assert.deepEqual(await valuesOf({ configModule: pathToFileURL(FIXTURE).href }), SETTINGS)
  })

  it('is a path without a dot at its start', async () => {
    assert.deepEqual(await valuesOf({ configModule: 'test/app/fixtures/settings.js' }), SETTINGS)
  })

  it('is a package, seen from the working directory', async () => {
    write('node_modules/acme-settings/package.json', '{"type":"module","main":"./index.js"}')
    write('node_modules/acme-settings/index.js', 'export const from = "package"')
    write('node_modules/acme-settings/sub/index.js', 'export const from = "subpath"')
    process.chdir(folder)
    assert.deepEqual(await valuesOf({ configModule: 'acme-settings' }), { from: 'package' })
    assert.deepEqual(await valuesOf({ configModule: 'acme-settings/sub/index.js' }), { from: 'subpath' })
  })

  it('is named by FRAMEWORK_CONFIG_MODULE, unless the option does', async () => {
    process.env['FRAMEWORK_CONFIG_MODULE'] = FIXTURE
    assert.deepEqual(await valuesOf({}), SETTINGS)
    const other = write('other.mjs', 'export const port = 1')
    assert.deepEqual(await valuesOf({ configModule: other }), { port: 1 })
  })

  it('may be none: then the settings are empty', async () => {
    assert.deepEqual(await valuesOf({}), {})
    process.env['FRAMEWORK_CONFIG_MODULE'] = ''
    assert.deepEqual(await valuesOf({}), {})
  })

  it('gives its named exports alone', async () => {
    const module = write('default.mjs', 'export default { port: 1 }; export const port = 2')
    assert.deepEqual(await valuesOf({ configModule: module }), { port: 2 })
  })

  it('may be CommonJS', async () => {
    const module = write('common.cjs', 'exports.port = 2; exports.__esModule = true')
    assert.deepEqual(await valuesOf({ configModule: module }), { port: 2 })
  })

  it('may take its time', async () => {
    const module = write('late.mjs', 'export const port = await new Promise((r) => setTimeout(r, 5, 7))')
    assert.deepEqual(await valuesOf({ configModule: module }), { port: 7 })
  })
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

  for (const [title, name, text, reason] of cases) {
    it(`is named, with its cause: ${title}`, async () => {
      const configModule = text === undefined ? name : write(name, text)
      const { errors, cause, message } = await failure(valuesOf({ configModule }))
      assert.deepEqual(
        errors.map(({ code, where }) => ({ code, where })),
        [{ code: 'config_module_failed', where: 'configModule' }],
      )
      assert.ok(message.includes(`the module "${configModule}" cannot be loaded (${reason})`), message)
      assert.ok(!message.includes(SECRET))
      assert.notEqual(cause, undefined)
    })
  }
})

describe('env files', () => {
  it('are read before the module', async () => {
    const envFile = write('a.env', 'OCTAVO_TEST_A=from file\n')
    const configModule = write('env.mjs', 'export const a = process.env.OCTAVO_TEST_A')
    assert.deepEqual(await valuesOf({ envFile, configModule }), { a: 'from file' })
  })

  it('may name the module', async () => {
    const envFile = write('module.env', `FRAMEWORK_CONFIG_MODULE=${FIXTURE}\n`)
    assert.deepEqual(await valuesOf({ envFile }), SETTINGS)
  })

  it('give way to variables that are set, and to files before them', async () => {
    process.env['OCTAVO_TEST_A'] = 'set'
    const first = write('first.env', 'OCTAVO_TEST_A=first\nOCTAVO_TEST_B=first\n')
    const second = write('second.env', 'OCTAVO_TEST_A=second\nOCTAVO_TEST_B=second\nOCTAVO_TEST_C=second\n')
    await valuesOf({ envFile: [first, second] })
    const { OCTAVO_TEST_A, OCTAVO_TEST_B, OCTAVO_TEST_C } = process.env
    assert.deepEqual([OCTAVO_TEST_A, OCTAVO_TEST_B, OCTAVO_TEST_C], ['set', 'first', 'second'])
  })

  it('that cannot be read are named, all of them', async () => {
    const { errors } = await failure(valuesOf({ envFile: ['./none.env', './test', './nothing.env'] }))
    assert.deepEqual(
      errors.map(({ code, where, message }) => ({ code, where, message })),
      [
        { code: 'invalid_config', where: 'envFile', message: 'there is no file "./none.env"' },
        { code: 'invalid_config', where: 'envFile', message: 'the file "./test" cannot be read' },
        { code: 'invalid_config', where: 'envFile', message: 'there is no file "./nothing.env"' },
      ],
    )
  })
})

describe('configSchema', () => {
  it('reads the settings: conversion, defaults, refinements', async () => {
    const configSchema = z.object({
      port: z.coerce.number(),
      debug: z.boolean().default(false),
      database: z.object({ url: z.url() }).refine(async () => true),
    })
    assert.deepEqual(await valuesOf({ configModule: FIXTURE, configSchema }), {
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
    const { errors } = await failure(valuesOf({ configModule: FIXTURE, configSchema }))
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
        '  config.port: Invalid input: expected number, received undefined; add it in a module that configModule or FRAMEWORK_CONFIG_MODULE names [invalid_config]',
      ].join('\n'),
    )
  })
})

describe('what is said of a bad setting', () => {
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
    const options = { ...given({ port: '1' }), configModule: './no-such-file.js', configSchema }
    assert.deepEqual(await valuesOf(options), { port: 1 })
  })
})

describe('Config.of', () => {
  const ports = Config.of(z.object({ port: z.coerce.number() }))

  it('reads the settings as they are, whatever configSchema made of them', async () => {
    const options = { configModule: FIXTURE, configSchema: z.object({}) }
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
