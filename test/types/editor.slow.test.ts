import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { Editor } from '../support/editor.ts'
import { findPackage } from '../support/package.ts'

const SOURCES = ['body', 'cookies', 'files', 'form', 'headers', 'inject', 'params', 'query']
const TYPES = ['str', 'int', 'float', 'uuid', 'path']

const HEAD = `import { bind, createApp, defineController, defineGuard, defineModule, defineToken, reply } from 'octavo'
import { z } from 'zod'
const CreateCar = z.object({ name: z.string(), year: z.number() })
const Car = z.object({ id: z.string(), name: z.string(), year: z.number() })
`

/** Controllers of one route each, in one program, because each program is checked anew. */
function routes(all: readonly string[]): string {
  const controllers = all.map(
    (fields) => `defineController({ name: 'CarController', routes: [{ method: 'GET', ${fields} }] })`,
  )
  return `${HEAD}${controllers.join('\n')}`
}

/** A controller with a second route that has these fields. */
function route(fields: string): string {
  return `${HEAD}
export const controller = defineController({
  name: 'CarController',
  routes: [
    { method: 'GET', path: '/first/{id:int}', response: Car, handler: () => ({ id: '', name: '', year: 1 }) },
    { method: 'GET', ${fields} },
  ],
})`
}

/** Routes with these paths, and behind them controllers with the same prefixes. */
function pathsAndPrefixes(all: readonly string[]): string {
  const prefixes = all.map((text) => `defineController({ prefix: '${text}', routes: [] })`)
  return [routes(all.map((path) => `path: '${path}', handler: () => 1`)), ...prefixes].join('\n')
}

describe('tsc', () => {
  it('is not the compiler of the editor, which has a command of the same name', () => {
    const version = execFileSync(join(import.meta.dirname, '../../node_modules/.bin/tsc'), ['--version'])
    assert.match(String(version), /^Version 7/, 'node_modules/.bin/tsc is another one: run npm ci')
  })
})

describe('an editor', () => {
  const editor = new Editor()
  before(findPackage)
  after(() => editor.close())

  /** What an editor underlines, and the last line of the message. */
  async function mistakes(program: string): Promise<readonly (readonly [string, string])[]> {
    const found = await editor.mistakes(program)
    return found.map(({ at, message }) => [at, message.split('\n').at(-1)?.trim() ?? ''] as const)
  }

  it('completes the sources of an input, each with its documentation', async () => {
    const empty = await editor.explain(route(`path: '/x', input: { ‸ }, handler: () => 1`))
    assert.deepEqual(Object.keys(empty).toSorted(), SOURCES)
    for (const [name, documentation] of Object.entries(empty)) assert.notEqual(documentation, '', name)
    const others = await editor.complete(
      route(`input: { query: ['q'], ‸ }, response: { 200: Car, 404: z.string() }, handler: () => 1`),
    )
    assert.deepEqual(
      others.toSorted(),
      SOURCES.filter((name) => name !== 'query'),
    )
  })

  it('completes the members of the declared response in a result, and no others', async () => {
    const members = ['id', 'name', 'year']
    const byStatus = `{ 200: Car, 404: z.object({ detail: z.string() }) }`
    for (const [response, handler, expected] of [
      ['Car', '() => ({ ‸ })', members],
      ['Car', '() => { return { ‸ } }', members],
      ['Car', 'async () => ({ ‸ })', members],
      ['Car', '({ params }) => { return { id: String(params), ‸ } }', ['name', 'year']],
      [byStatus, '() => ({ ‸ })', members],
      ['z.array(Car)', '() => [{ ‸ }]', members],
    ] as const) {
      const completed = await editor.complete(route(`response: ${response}, handler: ${handler}`))
      assert.deepEqual(completed.toSorted(), expected, `${response} ${handler}`)
    }
    const statuses = await editor.complete(route(`response: ${byStatus}, handler: () => reply(‸)`))
    assert.deepEqual(statuses.slice(0, 2), ['200', '404'])
  })

  it('takes responses of the platform as results, alone or beside others', async () => {
    const car = `{ id: '', name: '', year: 1 }`
    const handlers = [
      `() => Response.json({})`,
      `() => fetch('http://localhost')`,
      `async ({ params }) => ('x' in params ? new Response('x') : ${car})`,
      `({ params }) => ('x' in params ? new Response('x') : reply(200, ${car}))`,
    ]
    assert.deepEqual(await mistakes(routes(handlers.map((each) => `response: Car, handler: ${each}`))), [])
    assert.deepEqual(await mistakes(route(`response: Car, handler: () => ({ id: 1, name: '', year: 1 })`)), [
      ['id', `Type 'number' is not assignable to type 'string'.`],
    ])
    const [[at, message] = ['', '']] = await mistakes(
      route(`response: Car, handler: (input: { q: 1 }) => Response.json(input)`),
    )
    assert.equal(at, 'handler')
    assert.match(message, /^Property 'q' is missing in type /)
  })

  it('shows what a handler gets, and its response once', async () => {
    const { text } = await editor.hover(
      route(
        `path: '/{id:int}', input: { body: CreateCar }, response: Car, ‸handler: ({ body }) => ({ id: '', ...body })`,
      ),
    )
    const shown = text.replaceAll(/\s+/g, ' ')
    // the order of the members depends on what was checked before
    for (const member of [
      'params: { id: number; };',
      'body: { name: string; year: number; };',
      'inject: Injected<{}>;',
    ]) {
      assert.ok(shown.includes(member), shown)
    }
    assert.match(shown, /^\(property\) handler: RouteHandler<\{ .* \}, z\.ZodObject<\{ id: z\.ZodString; /)
    assert.ok(text.length <= 300, String(text.length))
  })

  it('shows a field of a route without the others', async () => {
    const fields = (name: string): string =>
      route(
        `path: '/{id:int}', input: { body: CreateCar }, response: { 200: Car, 404: z.string() }, handler: ({ body }) => reply(404, body.name)`.replace(
          `${name}:`,
          `‸${name}:`,
        ),
      )
    const [path, input, response] = [
      await editor.hover(fields('path')),
      await editor.hover(fields('input')),
      await editor.hover(fields('response')),
    ]
    assert.equal(path.text, `(property) path?: "/{id:int}"`)
    assert.match(input.text, /^\(property\) input\?: \{\s+readonly body: /)
    assert.doesNotMatch(input.text, /200|404/)
    assert.match(response.text, /^\(property\) response\?: /)
    assert.match(response.text, /readonly 200: .*readonly 404: /s)
    assert.notEqual(input.documentation, '')
    assert.notEqual(response.documentation, '')
  })

  it('completes the types of path parameters', async () => {
    const completed = await editor.complete(route(`path: '/cars/{id:‸}', handler: () => 1`))
    assert.deepEqual(completed.toSorted(), TYPES.map((type) => `/cars/{id:${type}}`).toSorted())
    const registered = await editor.complete(
      `${route(`path: '/{id:int}/{month:‸}', handler: () => 1`)}
      declare module 'octavo' { interface ParamValues { month: Date } }`,
    )
    assert.ok(registered.includes('/{id:int}/{month:month}'), registered.join())
  })

  it('says what a path of another framework is, and a prefix too', async () => {
    const meant = [
      ['/:id', '/{id}'],
      ['/cars/:id/parts/:part', '/cars/{id}/parts/{part}'],
      ['/{id}?', '/{id}'],
      ['/:id?', '/{id}'],
      ['/files/*', '/files/{rest:path}'],
      ['/files/*name', '/files/{name:path}'],
      ['/cars/[id]/parts', '/cars/{id}/parts'],
      ['/files/[...name]', '/files/{name:path}'],
      ['//cars', '/cars'],
    ] as const
    const messages = (at: string) =>
      meant.map(([written, right]) => [at, `Type '"${written}"' is not assignable to type '"${right}"'.`])
    assert.deepEqual(await mistakes(pathsAndPrefixes(meant.map(([written]) => written))), [
      ...messages('path'),
      ...messages('prefix'),
    ])
  })

  it('asks whether an unknown type of a parameter means another', async () => {
    const written = ['/{id:integer}', '/{id:int}/{name:string}']
    const found = await mistakes(pathsAndPrefixes(written))
    assert.deepEqual(
      found.map(([at, message]) => [at, /Did you mean '"(.*)"'\?$/.exec(message)?.[1]]),
      ['path', 'prefix'].flatMap((at) => [
        [at, '/{id:int}'],
        [at, '/{id:int}/{name:str}'],
      ]),
    )
  })

  it('demands a slash before paths and prefixes', async () => {
    assert.deepEqual(await mistakes(pathsAndPrefixes(['cars'])), [
      ['path', `Type '"cars"' is not assignable to type '\`/\${string}\`'.`],
      ['prefix', `Type '"cars"' is not assignable to type '"/cars"'.`],
    ])
  })

  it('completes the options of the scheme and the common ones in versioning', async () => {
    const versioned = (option: string): string =>
      `${HEAD}import { VersioningSchemes } from 'octavo'
createApp(defineModule({}), { versioning: ${option} })`
    const alone = await editor.complete(versioned('{ scheme: VersioningSchemes.URL, ‸ }'))
    for (const name of ['allowBare', 'versionParameter', 'defaultVersion', 'versions']) {
      assert.ok(alone.includes(name), `${name} is not among ${alone.join()}`)
    }
    assert.ok(!alone.includes('headerParameter'), alone.join())
    const several = await editor.complete(versioned('{ schemes: [[VersioningSchemes.URL]], ‸ }'))
    assert.ok(several.includes('defaultVersion') && !several.includes('allowBare'), several.join())
    const listed = await editor.complete(versioned('{ schemes: [[VersioningSchemes.HEADER, { ‸ }]] }'))
    assert.ok(listed.includes('headerParameter') && !listed.includes('defaultVersion'), listed.join())
    const wrong = await mistakes(versioned('{ scheme: VersioningSchemes.URL, versionParamter: "v" }'))
    assert.deepEqual(
      wrong.map(([at]) => at),
      ['versionParamter'],
    )
  })

  it('underlines the value that a token is bound to, if it is wrong', async () => {
    const values = ['{ value: 7 }', '{ value: { charge: 7 } }']
    const right = '{ value: { charge: (cents) => String(cents) } }'
    const bound = [...values, right, 'guard'].map((what) => `bind(Gateway, ${what})`).join('\n')
    const [first, second, [third] = [], ...more] = await mistakes(
      `${HEAD}const Gateway = defineToken<{ charge(cents: number): string }>('Gateway')
const guard = defineGuard({ name: 'Guard', canActivate: () => true })
${bound}`,
    )
    assert.deepEqual(
      [first, second, third, more],
      [
        ['value', `Type 'number' is not assignable to type '{ charge(cents: number): string; }'.`],
        ['charge', `Type 'number' is not assignable to type '(cents: number) => string'.`],
        'guard',
        [],
      ],
    )
  })

  it('names what is no schema, no status and no parameter', async () => {
    const schema = `write z.object({ … })"'.`
    const cases = [
      [`input: { body: { name: z.string() } }`, 'body', `"not a schema: ${schema}`],
      [`input: { query: { q: z.string(), name: 'string' } }`, 'name', `such as z.string()"'.`],
      [
        `path: '/{id}', input: { params: { idd: z.string() } }`,
        'idd',
        `"'idd' is no parameter of the path: id"'.`,
      ],
      [`path: '/{id}', input: { params: ['idd'] }`, 'params', `"'idd' is no parameter of the path: id"'.`],
      [`input: { params: ['id'] }`, 'params', `"'id' is no parameter of the path, which has none"'.`],
      [
        `response: { name: z.string() }`,
        'name',
        `"not a status: write response: z.object({ … }), or { 200: z.object({ … }) }"'.`,
      ],
      [`input: { query: ['q'] }, response: { name: z.string() }`, 'name', `or { 200: z.object({ … }) }"'.`],
    ] as const
    const found = await mistakes(routes(cases.map(([fields]) => `${fields}, handler: () => 1`)))
    assert.deepEqual(
      found.map(([at, message], index) => [at, message.slice(-(cases[index]?.[2].length ?? 0))]),
      cases.map(([, at, end]) => [at, end]),
    )
    const [[at, message] = ['', '']] = await mistakes(
      route(`response: { 200: { name: z.string() } }, handler: () => reply(200)`),
    )
    assert.equal(at, '200')
    assert.ok(message.endsWith(schema), message)
  })

  it('completes statuses in a response, and the fields of its status in a reply', async () => {
    const statuses = await editor.complete(route(`response: { 200: Car, ‸ }, handler: () => 1 as never`))
    for (const status of ['"201"', '"404"', '"4XX"', 'default']) assert.ok(statuses.includes(status), status)
    assert.ok(!statuses.includes('"200"') && statuses.length < 30, statuses.join())
    const response = `response: { 200: Car, 404: z.object({ detail: z.string() }) }`
    assert.deepEqual(
      await editor.complete(
        route(
          `${response}, handler: ({ params }) => 'x' in params ? reply(404, { ‸ }) : reply(200, {} as never)`,
        ),
      ),
      ['detail'],
    )
  })

  it('offers no members of an application that are for types alone', async () => {
    const members = await editor.complete(`${HEAD}createApp(defineModule({})).‸`)
    assert.ok(members.includes('inject'), members.join())
    assert.deepEqual(
      members.filter((name) => !/^[a-z]+$/i.test(name)),
      [],
    )
  })

  it('completes the options of inject alone', async () => {
    const options = await editor.complete(`${HEAD}createApp(defineModule({})).inject({ ‸ })`)
    for (const name of ['url', 'json', 'version']) assert.ok(options.includes(name), options.join())
    assert.ok(!options.includes('hash') && !options.includes('toJSON'), options.join())
  })

  it('says that a guard needs after to read an identity', async () => {
    const guard = `defineGuard({ name: 'IsAdmin', canActivate: ({ identity }) => identity.role === 'admin' })`
    const found = await mistakes(`${HEAD}${guard}`)
    assert.deepEqual(found.at(-1), [
      'role',
      `Property 'role' does not exist on type 'UnknownIdentityUseAfter'.`,
    ])
  })

  const reshaped = (options: string): string =>
    `import { absent, model, reshape } from 'octavo/changes'
import { z } from 'zod'
const Auto = model('Auto', { id: z.string(), brand: z.string() })
reshape({ of: Auto, ${options} })`

  it('says of a field that its model does not have it', async () => {
    for (const [fields, place] of [
      [`brnad: { was: z.number(), up: (old) => String(old) }`, 'up'],
      [`brnad: { was: 'make' }`, 'brnad'],
      [`brnad: { was: absent }`, 'brnad'],
    ] as const) {
      const [[at, message] = ['', ''], ...more] = await mistakes(
        reshaped(`fields: { ${fields} }, down: () => ({}) as never`),
      )
      assert.deepEqual([at, more], [place, []])
      assert.match(message, /'brnad' is no field of Auto: (?:id, brand|brand, id)">?'\.$/)
    }
    const [[, message] = ['', '']] = await mistakes(reshaped(`fields: { brnad: { was: z.number() } }`))
    assert.match(message, /^Property 'down' is missing .* 'MakesEarlier<"'brnad' is no field of Auto">'\.$/)
  })

  it('completes the fields of a model and their members in a reshape', async () => {
    assert.deepEqual((await editor.complete(reshaped(`fields: { ‸ }`))).toSorted(), ['brand', 'id'])
    const members = await editor.complete(reshaped(`fields: { brand: { ‸ } }`))
    assert.deepEqual(members.toSorted(), ['accepted', 'down', 'narrowed', 'up', 'was'])
    // values can be kept of a field that the model no longer has
    const removed = await editor.complete(reshaped(`fields: { make: { was: z.string(), ‸ } }, down: () => 1`))
    assert.deepEqual(removed.toSorted(), ['accepted', 'down', 'kept', 'narrowed', 'up'])
  })

  it('says what to write instead of a function or option that has no effect on a field', async () => {
    const up = `up: () => ({ brand: '' })`
    for (const [options, place, sentence] of [
      [
        `fields: { brand: { was: absent, up: () => '' } }`,
        'up',
        'write up beside fields: it makes all fields that did not exist',
      ],
      [
        `fields: { brand: { was: absent, down: () => '' } }, ${up}`,
        'down',
        'remove down: older versions did not have the field',
      ],
      [
        `fields: { brand: { was: absent, narrowed: true } }, ${up}`,
        'narrowed',
        'remove narrowed: it is for an earlier schema of the same type',
      ],
      [
        `fields: { brand: { was: 'make', up: () => '' } }`,
        'up',
        'remove up: a renamed field keeps its value',
      ],
      [
        `fields: { brand: { was: z.number(), up: String, down: Number, narrowed: true } }`,
        'narrowed',
        'remove narrowed: it is for an earlier schema of the same type',
      ],
      [
        `fields: { brand: { was: z.number(), up: String, down: Number, accepted: true } }`,
        'accepted',
        'remove accepted: it is for requests with an earlier schema of the same type',
      ],
      [
        `fields: { brand: { was: absent } }, ${up}, down: () => ({})`,
        'down',
        'remove down: no field existed only then',
      ],
      [
        `fields: { brand: { was: absent } }, up: () => ({ brand: '', id: '' })`,
        'up',
        'name the field in fields, or remove it here',
      ],
    ] as const) {
      const [[at, message] = ['', ''], ...more] = await mistakes(reshaped(options))
      assert.deepEqual([at, more], [place, []], options)
      assert.ok(message.endsWith(`is not assignable to type '"${sentence}"'.`), message)
    }
  })

  it('lists the declared statuses if a handler replies with another', async () => {
    const response = `response: { 200: Car, 404: z.string() }`
    const message = `Property '[DECLARED_STATUS]' is missing in type 'Reply<418, string>' but required in type 'ReplyWithOneOf<200 | 404>'.`
    const handlers = [
      `() => reply(418, 'tea')`,
      `({ params }) => { if ('x' in params) return reply(418, 'tea'); return reply(404, 'no') }`,
      `() => reply(404, 7)`,
    ]
    assert.deepEqual(await mistakes(routes(handlers.map((handler) => `${response}, handler: ${handler}`))), [
      [`reply(418, 'tea')`, message],
      ['handler', message],
      ['reply(404, 7)', `Type 'number' is not assignable to type 'string'.`],
    ])
  })

  it('knows that handlers, guards and interceptors have a route', async () => {
    assert.deepEqual(
      await mistakes(
        `${route(`path: '/x', handler: (_input, context) => context.route.name`)}
export const guard = defineGuard({ name: 'Guard', canActivate: (context) => context.route.name !== '' })`,
      ),
      [],
    )
  })
})
