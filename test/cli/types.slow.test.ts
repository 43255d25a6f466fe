import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import type { z } from 'zod'

import { createProject, ROOT } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'

const COMPILERS = {
  'TypeScript 7': undefined,
  'TypeScript 5.9': [process.execPath, createRequire(import.meta.url).resolve('typescript-5.9/lib/tsc.js')],
} as const
// the apps are in the project, so that they and the client have the types of one package
const TYPED = './typed.ts'

const {
  path: cwd,
  write,
  read,
  run,
  compile,
  remove,
} = createProject({
  'typed.ts': readFileSync(join(import.meta.dirname, 'fixtures/typed/app.ts'), 'utf8'),
  'history.ts': `import { createUrlApp } from './history/app.ts'
export const app = createUrlApp({ logger: false })
`,
})
cpSync(join(ROOT, 'examples/history'), join(cwd, 'history'), { recursive: true })
after(remove)

function client(...args: readonly string[]): Promise<Outcome> {
  return run('client', ...args)
}

/** What a repository without the source of the app writes. */
const CONSUMER = `
import { createClient } from 'octavo/client'
import type { Api, Car } from './api-2.js'
import type { Api as Old } from './api-1.js'

const client = createClient<Api>({ baseUrl: 'http://a.test' })
const answer = await client.car.one({ params: { id: '7' } })
if (answer.status === 200) {
  const car: Car = answer.data
  const [name, count]: [string, number] = car.doors
  car.made satisfies string
  car.paint satisfies 'red' | "driver's blue" | null
  car.tags['a']?.[0]?.length satisfies number | undefined
  // @ts-expect-error the field is optional
  car.note.length
}
if (answer.status === 404) answer.data.reason satisfies 'missing'
if (answer.status === 418) answer.data satisfies string
if (answer.status === 500) answer.data satisfies null
const bought = await client.car.buy({ params: { id: '7' } })
if (bought.ok) bought.data.owner satisfies string
else if (bought.data.code === 'car_sold') bought.data.buyer satisfies string
else bought.data.code satisfies 'car_lent'
// @ts-expect-error an id is needed
await client.car.one()
// @ts-expect-error dry is needed
await client.car.list({ query: { limit: 1 } })
const listed = await client.car.list({ query: { dry: true, paint: ['red'] }, headers: { userAgent: 'a' } })
listed.data.items[0]?.year satisfies number | undefined
await client.car.change({ params: { number: 7, part: 'door' }, body: { year: 1, paint: null }, method: 'PATCH' })
// @ts-expect-error no such part
await client.car.change({ params: { number: 7, part: 'roof' }, body: { year: 1, paint: null } })
await client.car.photo({ form: { title: 'a' }, files: { photo: new Blob([]), others: [new Blob([])] } })
// @ts-expect-error the photo is needed
await client.car.photo({ form: { title: 'a' }, files: {} })
const tree = await client.car.shape({ body: [{ kind: 'square', side: 1, 'corner-radius': 2 }] })
tree.data.below[0]?.below[0]?.name satisfies string | undefined
// @ts-expect-error circles have no sides
await client.car.shape({ body: [{ kind: 'circle', side: 1 }] })
for await (const event of client.car.feed()) {
  if (event.event === 'added') event.data.year satisfies number
  else event.data.id satisfies string
}
for await (const car of client.car.lines()) car.year satisfies number
await client.car.text({ body: 'a' })
const bytes = await client.car.bytes({ body: new Uint8Array() })
bytes.data satisfies Uint8Array
await client.admin.users.all({ query: { sort: 'a', other: 1 } })
const stream: Promise<{ data: ReadableStream<Uint8Array> }> = client.car.bytes({ body: new Blob([]), as: 'stream' })
await client.url('car.one', { params: { id: '7' } }) satisfies string
// @ts-expect-error there is no such route
await client.url('car.none')
client.at('2').car.one satisfies typeof client.car.one
// @ts-expect-error the types are of version 2
client.at('1')

const old = createClient<Old, '1'>({ baseUrl: 'http://a.test', version: '1' })
const first = await old.car.one({ params: { id: '7' } })
if (first.status === 200) {
  first.data.year satisfies string
  first.data.remark satisfies string | undefined
  // @ts-expect-error there were no tags
  first.data.tags
}
await old.car.change({ params: { number: 7, part: 'wheel' }, body: { year: '1', paint: null, remark: 'a' } })
// @ts-expect-error years were texts
await old.car.change({ params: { number: 7, part: 'wheel' }, body: { year: 1, paint: null } })
`

/** The client by the type of the app has to do for the written types: it takes all that they send, and gives only what they tell. */
const toSound = (app: string, version: string, file: string, known: string): string => `
import { createClient } from 'octavo/client'
import type { Client } from 'octavo/client'
import type { app } from ${JSON.stringify(app)}
import type { Api } from './${file}'

type Calls<C> = { [K in Exclude<keyof C, 'at' | 'url'>]: C[K] }
const real = createClient<typeof app, '${version}'>({ baseUrl: 'http://a.test', version: '${version}' })
export const sound: Calls<Client<Api>> = real${known}
export const complete: Record<keyof Calls<typeof real>, unknown> = sound
`

/** Schemas whose types can tell all that they take. Objects are strict, because literals of types are. */
const SCHEMAS: Readonly<Record<string, string>> = {
  text: 'z.string()',
  nullable: 'z.string().nullable()',
  nullish: 'z.number().nullish()',
  json: 'z.json()',
  either: 'z.union([z.string(), z.array(z.string())])',
  list: 'z.array(z.string().nullable())',
  pair: 'z.tuple([z.string(), z.number()])',
  optionalPair: 'z.tuple([z.string(), z.number().optional()])',
  defaultPair: 'z.tuple([z.string(), z.number().default(1)])',
  optionalPairs: 'z.tuple([z.string().optional(), z.number().optional()])',
  rest: 'z.tuple([z.string(), z.union([z.string(), z.number()]).optional()]).rest(z.boolean())',
  record: 'z.record(z.string(), z.number())',
  named: "z.record(z.enum(['a', 'b']), z.number())",
  namedOptional: "z.record(z.enum(['a', 'b']), z.number().optional())",
  partial: "z.partialRecord(z.enum(['a', 'b']), z.union([z.number(), z.string()]))",
  several: "z.record(z.union([z.literal('a'), z.enum(['b'])]), z.number())",
  object: 'z.strictObject({ a: z.string().optional(), b: z.number().nullable() })',
  others: 'z.object({ a: z.string().optional() }).catchall(z.number())',
  loose: 'z.looseObject({ a: z.number().nullish() })',
}
interface Takes {
  readonly schemas: Readonly<Record<string, z.ZodType>>
  readonly values: readonly unknown[]
}

const VALUES = [
  "''",
  "'a'",
  'null',
  '0',
  '1e-7',
  'true',
  '[]',
  "['']",
  "['a', 1]",
  "['a', 'b']",
  "['a', 1, true]",
  '[null]',
  '{}',
  '{ a: 1 }',
  '{ b: 1 }',
  '{ a: 1, b: 2 }',
  "{ a: 'x', b: 1 }",
  '{ a: null }',
  "{ a: 'x', b: null }",
]

describe('octavo client', () => {
  it('writes the types of each version, which need nothing but octavo/client', async () => {
    const { code, stderr } = await client(TYPED, '--out', 'api-{version}.d.ts')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Wrote api-1\.d\.ts\nWrote api-2\.d\.ts\n/)
    const text = read('api-1.d.ts')
    assert.deepEqual(text.match(/(?<=from ').*(?=')/g), ['octavo/client'])
    assert.match(text, /^\/\/ The API for version 1\. `octavo client` wrote this file/)
    assert.equal((await client('history.ts', '--out', 'history-{version}.d.ts')).code, 0)
  })

  for (const [name, compiler] of Object.entries(COMPILERS))
    it(`writes types that a project without the app compiles with ${name}`, async () => {
      write('consumer.ts', CONSUMER)
      assert.equal(await compile(['consumer.ts'], compiler), '')
    })

  it('writes types that are sound', async () => {
    const files = [
      ...['1', '2'].map((version) => ['typed', TYPED, version] as const),
      ...['1', '2', '3'].map((version) => ['history', './history.ts', version] as const),
    ].map(([app, path, version]) => {
      const name = `sound-${app}-${version}.ts`
      // types do not know that the status was another one
      const known =
        name === 'sound-history-1.ts'
          ? " as typeof real & { user: { create: Client<Api>['user']['create'] } }"
          : ''
      write(name, toSound(path, version, `${app === 'typed' ? 'api' : app}-${version}.js`, known))
      return name
    })
    assert.equal(await compile(files), '')
  })

  it('writes types of what the server takes, and of nothing else', async () => {
    const source = Object.entries(SCHEMAS).map(([name, schema]) => `  ${name}: ${schema},`)
    write(
      'schemas.mjs',
      `import { z } from 'zod'\nexport const schemas = {\n${source.join('\n')}\n}\nexport const values = [${VALUES.join()}]`,
    )
    write(
      'taking.ts',
      `import { createApp, defineController, defineModule } from 'octavo'
import { schemas } from './schemas.mjs'
const routes = Object.entries(schemas).map(([name, schema]) => ({
  method: 'POST', path: '/' + name, name, input: { body: schema }, handler: () => undefined,
}))
const echo = defineController({ name: 'echo', prefix: '/echo', routes: routes as never })
export const app = createApp(defineModule({ controllers: [echo] }), { logger: false })`,
    )
    const { code, stderr } = await client('taking.ts', '--out', 'takes.d.ts')
    assert.equal(code, 0, stderr)
    const { schemas, values }: Takes = await import(pathToFileURL(join(cwd, 'schemas.mjs')).href)
    const calls = Object.entries(schemas).flatMap(([name, schema]) =>
      VALUES.map((value, index) => {
        const call = `void client.echo.${name}({ body: ${value} })`
        return schema.safeParse(values[index]).success
          ? call
          : `// @ts-expect-error the server refuses it\n${call}`
      }),
    )
    write(
      'taken.ts',
      `import { createClient } from 'octavo/client'
import type { Api } from './takes.js'
const client = createClient<Api>({ baseUrl: 'http://a.test' })
${calls.join('\n')}`,
    )
    for (const compiler of Object.values(COMPILERS)) assert.equal(await compile(['taken.ts'], compiler), '')
  })

  it('writes results as envelopes of interceptors wrap them', async () => {
    write(
      'enveloped.ts',
      `import { createApp, defineController, defineInterceptor, defineModule } from 'octavo'
import { z } from 'zod'
const Envelope = defineInterceptor({
  name: 'Envelope',
  envelope: (schema) => z.object({ data: schema, page: z.number() }),
  intercept: async (_context, next) => ({ data: await next(), page: 1 }),
})
const response = { 200: z.object({ id: z.string() }), 404: z.object({ reason: z.string() }) }
const cars = defineController({
  prefix: '/car',
  interceptors: [Envelope],
  routes: [{ method: 'GET', name: 'one', response, handler: () => ({ id: '7' }) }],
})
export const app = createApp(defineModule({ controllers: [cars] }), { logger: false })`,
    )
    const { code, stderr } = await client('enveloped.ts', '--out', 'enveloped.d.ts')
    assert.equal(code, 0, stderr)
    const text = read('enveloped.d.ts').replaceAll(/\s+/g, ' ')
    assert.match(text, /Answer<200, \{ data: \{ id: string \} page: number \}>/)
    assert.match(text, /404, \{ reason: string \}/)
  })

  it('compares a file with the app', async () => {
    const args = [TYPED, '--version', '2', '--out', 'checked.d.ts']
    await client(...args)
    assert.equal((await client(...args, '--check')).code, 0)
    write('checked.d.ts', read('checked.d.ts').replace('year: number', 'year: string'))
    const { code, stderr } = await client(...args, '--check')
    assert.equal(code, 1)
    assert.match(stderr, /checked\.d\.ts differs from the app: run/)
  })

  it('says what is wrong', async () => {
    const unknown = await client(TYPED, '--version', '9')
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
    assert.match(unknown.stderr, /unknown version "9"\n {2}the app has 1, 2\n/)
    const host = await client(TYPED, '--version', '2', '--host', 'a.test')
    assert.equal(host.code, 2)
    assert.match(host.stderr, /^octavo: --host requires --map\n/)
  })
})
