import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, text, VersioningSchemes } from 'octavo'
import type { ExecutionContext, HeaderOptions, VersionSpec } from 'octavo'
import { z } from 'zod'

import { ask, malformed, ok, serve, unspecified, unsupported, varying } from './support.ts'
import type { Answer, Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['GET', '/cars', '2.1-Beta', 'cars'],
  ['POST', '/cars', '1', 'create'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/old', '1', 'old'],
  ['GET', '/health', undefined, 'health'],
]
const ALL = ['1', '2', '2.1-Beta']
const mediaType = 'application/vnd.shop.v{version}+json'
const type = (version: string): string => `application/vnd.shop.v${version}+json`
const vary = (answer: Answer): Answer => varying('accept', answer)
const missing = vary(unspecified(400, ALL))
const unknown = (requested: string): Answer => vary(unsupported(406, requested, ALL))

describe('HEADER, mediaType: the version is in the name of the media type', () => {
  const app = serve(ROUTES, HEADER, { mediaType })
  const cases: readonly (readonly [title: string, accept: string | undefined, expected: Answer])[] = [
    ['a type of the template is a version', type('2'), vary(ok('cars@2'))],
    [
      'the parameter of the bare type of the template counts',
      'application/vnd.shop+json;version=2',
      vary(ok('cars@2')),
    ],
    ['the parameter of another type counts', 'application/json;version=2', vary(ok('cars@2'))],
    ['types match in any case', 'Application/VND.Shop.V2+JSON', vary(ok('cars@2'))],
    ['versions in types match in any case', type('2.1-BETA'), vary(ok('cars@2.1-Beta'))],
    ['versions in parameters match in any case too', 'a/b;version=2.1-bEtA', vary(ok('cars@2.1-Beta'))],
    ['a type of the template without version is no version', type(''), missing],
    [
      'a type of the template without version may have the parameter',
      `${type('')};version=2`,
      vary(ok('cars@2')),
    ],
    ['the version in the name wins over the parameter', `${type('2')};version=1`, vary(ok('cars@2'))],
    ['parameters after q do not matter', `${type('2')};q=0.4;profile="a,b"`, vary(ok('cars@2'))],
    ['a type with q=0 is excluded', `${type('2')};q=0, ${type('1')};q=0.1`, vary(ok('cars@1'))],
    ['a type with a malformed weight is ignored', `${type('2')};q=2`, missing],
    ['the type of more weight comes first', `${type('1')};q=0.5, ${type('2')}`, vary(ok('cars@2'))],
    ['types of equal weight come in their order', `${type('2')}, ${type('1')}`, vary(ok('cars@2'))],
    [
      'types and parameters are ordered by weight',
      `${type('1')};q=0.5, a/b;version=2;q=0.6`,
      vary(ok('cars@2')),
    ],
    ['other types name no version', `application/json, ${type('9')}, */*`, unknown('9')],
    ['no type of the template is no version', 'application/json, application/*, */*', missing],
    ['no header is no version', undefined, missing],
    ['another suffix is no version', 'application/vnd.shop.v2+xml', missing],
    ['another vendor is no version', 'application/vnd.other.v2+json', missing],
    ['another top level is no version', 'text/vnd.shop.v2+json', missing],
    ['text before the type is no version', 'application/x-vnd.shop.v2+json', missing],
    ['the first version that exists answers', `${type('9')}, ${type('1')}`, vary(ok('cars@1'))],
    ['versions that do not exist are unsupported', `${type('8')}, ${type('9')}`, unknown('8, 9')],
    ['5,000 characters are cut to 64 in the answer', type('9'.repeat(5000)), unknown('9'.repeat(64))],
    ['__proto__', type('__proto__'), unknown('__proto__')],
  ]
  for (const [title, accept, expected] of cases) {
    it(`${title}: ${String(accept).slice(0, 50)}`, async () => {
      const headers = accept === undefined ? {} : { accept }
      assert.deepEqual(await ask(app, { url: '/cars', headers }), expected)
      assert.deepEqual(await ask(app, { url: '/cars', headers }), expected)
    })
  }
  it('the first version that is served at the path answers', async () => {
    const headers = { accept: `${type('2')}, ${type('1')};q=0.1` }
    assert.deepEqual(await ask(app, { url: '/old', headers }), vary(ok('old@1')))
  })
  it('a parameter of another name can be chosen', async () => {
    const other = serve(ROUTES, HEADER, { mediaType, versionParameter: 'v' })
    const accepts = [type('2'), 'application/json;v=2', 'application/json;version=2']
    const answers = accepts.map((accept) => ask(other, { url: '/cars', headers: { accept } }))
    assert.deepEqual(await Promise.all(answers), [vary(ok('cars@2')), vary(ok('cars@2')), missing])
  })
  it('the version at either end of the subtype, and replacement patterns are data', async () => {
    const asked = [
      ['application/v{version}', 'application/v2'],
      ['application/{version}+json', 'application/2+json'],
      ["application/$&{version}$'", "application/$&2$'"],
    ] as const
    const answers = asked.map(async ([template, accept]) => {
      const other = serve(ROUTES, HEADER, { mediaType: template })
      return [
        await ask(other, { url: '/cars', headers: { accept } }),
        await ask(other, { url: '/cars', version: '2' }),
      ]
    })
    const expected = [vary(ok('cars@2')), vary(ok('cars@2'))]
    assert.deepEqual(await Promise.all(answers), [expected, expected, expected])
  })
})

/** Answers with the `Accept` header of the request. */
function echoing(options: HeaderOptions) {
  const echo = defineController({
    prefix: '/',
    version: ['1', '2'],
    routes: [{ method: 'GET', name: 'echo', handler: (_input, { request }) => request.header('accept') }],
  })
  const app = createApp(defineModule({ controllers: [echo] }), { logger: false })
  app.enableVersioning(HEADER, { defaultVersion: '1', ...options })
  return app
}

describe('HEADER, Accept: what inject({ version }) writes', () => {
  const cases = [
    ['the parameter', {}, undefined, '2', '*/*; version=2'],
    ['beside a type', {}, 'application/json', '2', 'application/json; version=2'],
    ['to each of several', {}, 'a/b;q=0.5, c/d', '2', 'a/b; q=0.5; version=2, c/d; version=2'],
    [
      'instead of another version',
      {},
      'a/b;Version=1;x="a;version=3"',
      '2',
      'a/b; x="a;version=3"; version=2',
    ],
    ['to an empty header', {}, '', '2', '*/*; version=2'],
    ['quoted', {}, undefined, 'a"b\\c', '*/*; version="a\\"b\\\\c"'],
    ['under another name', { versionParameter: 'v' }, 'a/b; v=1', '2', 'a/b; v=2'],
    ['the type of the template', { mediaType }, undefined, '2', type('2')],
    ['the type before a given one', { mediaType }, 'application/json', '2', `${type('2')}, application/json`],
    [
      'the type instead of others',
      { mediaType },
      `${type('1')}, a/b;version=3, c/d`,
      '2',
      `${type('2')}, c/d`,
    ],
  ] as const
  for (const [title, options, accept, version, expected] of cases) {
    it(`${title}: ${String(accept)}`, async () => {
      const app = echoing(options)
      const headers = accept === undefined ? {} : { accept }
      const { body, statusCode } = await app.inject({ url: '/', version, headers })
      // an unknown version is refused before anything could answer
      if (statusCode === 406) assert.equal(JSON.parse(body).requested, version)
      else assert.equal(JSON.parse(body), expected)
      assert.equal(statusCode, version === '2' ? 200 : 406)
    })
  }
})

describe("echo: 'contentType' tells the version in the content type", () => {
  /** A route that sets its content type. */
  const typed = (name: string, contentType: string) => ({
    method: 'GET' as const,
    path: `/${name}` as const,
    name,
    handler: (_input: object, { response }: ExecutionContext) => {
      response.headers.set('content-type', contentType)
      return { a: 1 }
    },
  })
  const create = (version: VersionSpec) =>
    defineController({
      prefix: '/',
      version,
      routes: [
        { method: 'GET', path: '/json', name: 'json', handler: () => ({ a: 1 }) },
        { method: 'GET', path: '/text', name: 'text', handler: () => text('x') },
        typed('charset', 'Application/JSON; charset=utf-8'),
        typed('told', 'application/json; Version=7'),
        typed('vendor', 'application/vnd.shop.v7+json'),
        { method: 'GET', path: '/none', name: 'none', handler: () => undefined },
      ],
    })
  const plain = { accept: 'a/b;version=2' }
  const quoted = { accept: 'a/b;version="a[b"' }
  const cases = [
    ['a parameter', {}, '/json', plain, 'application/json; version=2'],
    ['a parameter of text', {}, '/text', plain, 'text/plain; charset=utf-8; version=2'],
    ['a quoted parameter', {}, '/json', quoted, 'application/json; version="a[b"'],
    ['another name', { versionParameter: 'v' }, '/json', { accept: 'a/b;v=2' }, 'application/json; v=2'],
    ['what a handler tells stays', {}, '/told', plain, 'application/json; Version=7'],
    ['nothing without body', {}, '/none', plain, undefined],
    ['no problem documents', {}, '/json', { accept: 'a/b;version=9' }, 'application/problem+json'],
  ] as const
  const templated = [
    ['JSON has the type of the template', '/json', type('2')],
    ['its parameters stay', '/charset', `${type('2')}; charset=utf-8`],
    ['other types have the parameter', '/text', 'text/plain; charset=utf-8; version=2'],
    ['a type of the template stays', '/vendor', type('7')],
  ] as const
  const told = async (options: object, url: string, headers: Record<string, string>) => {
    const controller = create('mediaType' in options ? '2' : ['2', 'a[b'])
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    app.enableVersioning(HEADER, { echo: 'contentType', ...options })
    const response = await app.inject({ url, headers })
    return response.headers['content-type']
  }
  for (const [title, options, url, headers, expected] of cases) {
    it(`${title}: ${url}`, async () => assert.equal(await told(options, url, headers), expected))
  }
  for (const [title, url, expected] of templated) {
    it(`${title}: ${url}`, async () => {
      assert.equal(await told({ mediaType }, url, { accept: type('2') }), expected)
    })
  }
})

describe('contentType: true reads the version of the body too', () => {
  const bodies = defineController({
    prefix: '/cars',
    version: ['1', '2'],
    routes: [
      {
        method: 'POST',
        name: 'create',
        status: 200,
        input: { body: z.strictObject({ wheels: z.int() }) },
        handler: ({ body }, { version }) => `${body.wheels}@${version}`,
      },
      { method: 'GET', name: 'list', handler: (_input, { version }) => `list@${version}` },
    ],
  })
  const create = (options: object) => {
    const app = createApp(defineModule({ controllers: [bodies] }), { logger: false })
    app.enableVersioning(HEADER, { contentType: true, ...options })
    return app
  }
  const VARY = 'accept, content-type'
  const refused = (status: number, requested: string): Answer =>
    varying(VARY, unsupported(status, requested, ['1', '2']))
  const contradictory = (...sources: (readonly [name: string, value: string])[]): Answer =>
    varying(VARY, {
      status: 400,
      body: {
        type: 'urn:octavo:problem:ambiguous-version',
        title: 'Ambiguous API version',
        status: 400,
        detail: 'The request names several versions',
        code: 'ambiguous_version',
        sources: sources.map(([name, value]) => ({ in: 'header', name, value })),
        supported: ['1', '2'],
      },
    })
  const served = (version: string): Answer => varying(VARY, ok(`4@${version}`))
  const cases: readonly (readonly [
    title: string,
    accept: string | undefined,
    content: string | string[],
    expected: Answer,
  ])[] = [
    ['the parameter', undefined, 'application/json; version=2', served('2')],
    [
      'the parameter quoted, after another',
      undefined,
      'application/json;charset="utf-8";version="2"',
      served('2'),
    ],
    ['the type of the template', undefined, type('2'), served('2')],
    ['another type with +json', undefined, 'application/vnd.other+json;version=2', served('2')],
    ['the same as in Accept', 'a/b;version=2', 'application/json; version=2', served('2')],
    [
      'one that Accept lists',
      'a/b;version=1, a/b;version=2;q=0.1',
      'application/json;version=2',
      served('2'),
    ],
    ['only in Accept', 'a/b;version=2', 'application/json', served('2')],
    ['in neither: the default', undefined, 'application/json', served('1')],
    ['Accept takes anything', '*/*', type('2'), served('2')],
    [
      'another than in Accept',
      'a/b;version=1',
      'application/json;version=2',
      contradictory(['accept', '1'], ['content-type', '2']),
    ],
    [
      'none that Accept lists',
      'a/b;version=1, a/b;version=3',
      type('2'),
      contradictory(['accept', '1'], ['accept', '3'], ['content-type', '2']),
    ],
    [
      'unknown, another than in Accept',
      'a/b;version=1',
      type('9'),
      contradictory(['accept', '1'], ['content-type', '9']),
    ],
    ['unknown and alone', undefined, 'application/json;version=9', refused(415, '9')],
    ['unknown in the type and alone', '*/*', type('9'), refused(415, '9')],
    ['unknown in Accept alone', 'a/b;version=9', 'application/json', refused(406, '9')],
    [
      'long and unknown',
      undefined,
      `application/json;version=${'9'.repeat(5000)}`,
      refused(415, '9'.repeat(64)),
    ],
    [
      'repeated and equal',
      undefined,
      ['application/json;version=2', 'application/json;version=2'],
      malformed('The request has several Content-Type headers'),
    ],
    [
      'repeated and different',
      undefined,
      ['application/json;version=1', 'application/json;version=2'],
      malformed('The request has several Content-Type headers'),
    ],
    [
      'malformed types name none',
      'a/b;version=2',
      'application/json;;version',
      {
        status: 415,
        vary: VARY,
        body: {
          type: 'urn:octavo:problem:unsupported-media-type',
          title: 'Unsupported Media Type',
          status: 415,
          detail: 'Send the body as application/json',
          code: 'unsupported_media_type',
        },
      },
    ],
  ]
  const app = create({ mediaType, defaultVersion: '1' })
  for (const [title, accept, content, expected] of cases) {
    it(`${title}: ${String(content).slice(0, 40)}`, async () => {
      const headers = { 'content-type': content, ...(accept === undefined ? {} : { accept }) }
      const answer = await ask(app, { method: 'POST', url: '/cars', headers, body: '{"wheels":4}' })
      assert.deepEqual(answer, expected)
    })
  }
  it('without the option, Content-Type names no version', async () => {
    const without = create({ contentType: false, defaultVersion: '1' })
    const headers = { 'content-type': 'application/json;version=2' }
    const request = { method: 'POST', url: '/cars', headers, body: '{"wheels":4}' }
    assert.deepEqual(await ask(without, request), varying('accept', ok('4@1')))
  })
  it('it counts without a body too', async () => {
    const headers = { 'content-type': 'application/json;version=2' }
    assert.deepEqual(await ask(app, { url: '/cars', headers }), varying(VARY, ok('list@2')))
  })
  it('without version and default, the statuses are those of the scheme', async () => {
    const strict = create({ statusCodes: { unspecified: 412, ambiguous: 409, unsupported: 404 } })
    const post = (accept: string, content: string) =>
      strict.inject({
        method: 'POST',
        url: '/cars',
        headers: { accept, 'content-type': content },
        body: '{"wheels":4}',
      })
    const statuses = [
      (await post('*/*', 'application/json')).statusCode,
      (await post('a/b;version=1', 'application/json;version=2')).statusCode,
      (await post('a/b;version=9', 'application/json')).statusCode,
      (await post('*/*', 'application/json;version=9')).statusCode,
    ]
    assert.deepEqual(statuses, [412, 409, 404, 404])
  })
  it('a preflight may ask for Content-Type, whose version is still to come', async () => {
    const headers = { origin: 'https://b.test', 'access-control-request-method': 'POST' }
    const { statusCode, headers: answered } = await app.inject({ method: 'OPTIONS', url: '/cars', headers })
    assert.deepEqual([statusCode, answered['allow']], [204, 'GET, HEAD, POST, OPTIONS'])
  })
  it('beside other schemes, all of them have to agree', async () => {
    const several = createApp(defineModule({ controllers: [bodies] }), { logger: false })
    several.enableVersioning([[URL], [QUERY], [HEADER, { contentType: true }]])
    const post = (url: string, content: string) =>
      several.inject({ method: 'POST', url, headers: { 'content-type': content }, body: '{"wheels":4}' })
    const agreed = await post('/v2/cars?version=2', 'application/json;version=2')
    const contradicted = await post('/v2/cars', 'application/json;version=1')
    assert.deepEqual(
      [agreed.body, contradicted.statusCode, JSON.parse(contradicted.body).sources],
      [
        '"4@2"',
        400,
        [
          { in: 'path', name: 'v', value: '2' },
          { in: 'header', name: 'content-type', value: '1' },
        ],
      ],
    )
  })
})

describe('HEADER: wrong options are definition errors', () => {
  const mistakes = async (options: object, version = '1'): Promise<unknown> => {
    const app = serve([['GET', '/cars', version, 'cars']], HEADER, options)
    const thrown: unknown = await app.ready().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (thrown === undefined) return []
    assert.ok(thrown instanceof DefinitionError)
    return thrown.errors.map(({ code, message }) => [code, message])
  }
  const bad = (given: unknown): readonly string[] => [
    'invalid_option',
    `mediaType is ${JSON.stringify(given)}`,
  ]
  const cases: readonly (readonly [title: string, options: object, expected: readonly unknown[]])[] = [
    ['no placeholder', { mediaType: 'application/json' }, [bad('application/json')]],
    ['two placeholders', { mediaType: 'a/{version}.{version}' }, [bad('a/{version}.{version}')]],
    ['a placeholder in the type', { mediaType: 'v{version}/json' }, [bad('v{version}/json')]],
    ['a parameter', { mediaType: 'a/b; version={version}' }, [bad('a/b; version={version}')]],
    ['a parameter besides', { mediaType: 'a/v{version};q=1' }, [bad('a/v{version};q=1')]],
    ['no subtype', { mediaType: '{version}' }, [bad('{version}')]],
    ['two slashes', { mediaType: 'a/b/{version}' }, [bad('a/b/{version}')]],
    ['a wildcard', { mediaType: 'a/*{version}' }, [bad('a/*{version}')]],
    ['line ends', { mediaType: 'a/{version}\r\n' }, [bad('a/{version}\r\n')]],
    ['no text', { mediaType: 7 }, [bad(7)]],
    ['contentType that is no flag', { contentType: 'yes' }, [['invalid_option', 'contentType is "yes"']]],
    [
      'media type options of a custom header',
      { headerParameter: 'X-Version', contentType: true },
      [['invalid_option', 'contentType needs the headerParameter "accept", not "x-version"']],
    ],
    [
      'mediaType of a custom header',
      { headerParameter: 'X-Version', mediaType },
      [['invalid_option', 'mediaType needs the headerParameter "accept", not "x-version"']],
    ],
    [
      'the weight as name of the version',
      { versionParameter: 'Q' },
      [['invalid_option', 'the versionParameter "q" is the weight of a media range']],
    ],
    ['contentType: false of a custom header', { headerParameter: 'X-Version', contentType: false }, []],
    ['a weight of a custom header', { headerParameter: 'X-Version', versionParameter: 'q' }, []],
    ['Accept in any case', { headerParameter: 'ACCEPT', mediaType, contentType: true }, []],
  ]
  for (const [title, options, expected] of cases) {
    it(title, async () => assert.deepEqual(await mistakes(options), expected))
  }
  it('a version that no media type holds', async () => {
    const expected = [
      [
        'version_not_encodable',
        'the version "a[b" cannot travel in the scheme HEADER: a media type holds letters, digits and the characters of tokens only',
      ],
    ]
    assert.deepEqual(
      [await mistakes({ mediaType, contentType: true }, 'a[b'), await mistakes({}, 'a[b')],
      [expected, []],
    )
  })
  it('versions that differ by case only, where they may stand in a media type', async () => {
    const rows: readonly Row[] = [
      ['GET', '/cars', 'beta', 'cars'],
      ['GET', '/cars', 'Beta', 'cars'],
    ]
    const codes = async (options: object): Promise<unknown> => {
      const error: unknown = await serve(rows, HEADER, options)
        .ready()
        .catch((thrown: unknown) => thrown)
      return error instanceof DefinitionError ? error.errors.map(({ code }) => code) : []
    }
    assert.deepEqual(
      [await codes({ mediaType, contentType: true }), await codes({})],
      [['version_not_encodable'], []],
    )
  })
})
