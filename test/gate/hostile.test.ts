import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'
import { SHAPES, diamondOf } from './diamonds.ts'
import { documentOf, ref, string } from './support.ts'
import { tell, tellOf, withSchema } from './hostile.ts'

const times = (text: string, count: number): string => text.repeat(count)
const DEEP = 4_000
const within = { timeout: 300_000 }

describe('documents that cannot be compared', () => {
  const cases: readonly (readonly [
    title: string,
    content: string | Uint8Array,
    expected: RegExp,
    name?: string,
  ])[] = [
    ['no text', '', /openapi is missing|has to be an object/],
    ['a text of YAML', 'hello', /has to be an object/, 'given.yaml'],
    ['a list', '[]', /has to be an object/],
    ['null', 'null', /has to be an object/],
    ['broken JSON', '{"openapi": ', /JSON/],
    ['broken YAML', 'a: [1, {b', /./, 'given.yaml'],
    ['zeros', new Uint8Array(1000), /./, 'given.yaml'],
    ['bytes', Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256), /./],
    ['another version', '{"openapi":"2.0"}', /openapi is "2\.0"/],
    ['a version that is a number', '{"openapi":3.1}', /openapi is 3\.1: use/],
    ['Swagger', '{"swagger":"2.0"}', /openapi is missing/],
    ['paths that are a list', '{"openapi":"3.1.0","paths":[1]}', /\/paths has to be an object/],
    [
      'a reference to itself',
      withSchema(JSON.stringify(ref('A')), `{"A":${JSON.stringify(ref('A'))}}`),
      /contains itself/,
    ],
    [
      'allOf in a circle',
      withSchema(
        JSON.stringify(ref('A')),
        '{"A":{"allOf":[{"$ref":"#/components/schemas/B"}]},"B":{"anyOf":[{"$ref":"#/components/schemas/A"}]}}',
      ),
      /contains itself/,
    ],
    ['a reference to another machine', withSchema('{"$ref":"http://127.0.0.1:9/a.json"}'), /is remote/],
    ['a reference to a missing file', withSchema('{"$ref":"nowhere.json#/a"}'), /file not found/],
    ['a reference to a folder', withSchema('{"$ref":"folder.json#/a"}'), /folder|directory/i],
    ['a reference that is no address', withSchema('{"$ref":"%E0%A4%A.json"}'), /./],
    ['aliases of YAML that are a bomb', bomb(), /./, 'given.yaml'],
    ['YAML in YAML', `${times('[', DEEP)}${times(']', DEEP)}`, /./, 'given.yaml'],
  ]
  for (const [title, content, expected, name] of cases)
    it(`are told in one line: ${title}`, within, async () => {
      const said = await tell(content, name)
      assert.ok(said.length >= 2, 'nothing was said')
      for (const line of said) assert.match(line, expected)
    })

  it('are told in one line: a folder, and nothing', within, async () => {
    assert.match((await tellOf('folder.json')).join(), /folder\.json: .*directory/)
    assert.match((await tellOf('nowhere.json')).join(), /nowhere\.json: file not found/)
  })
})

describe('documents that are odd', () => {
  const readable: readonly (readonly [title: string, text: string])[] = [
    ['a byte order mark', `\uFEFF${withSchema('{}')}`],
    ['a map that ends at a lesser indent', "openapi: 3.1.0\npaths:\n  /a: {\n    get: {\n  }\n}\n'x-a': 1\n"],
    ['a list at a lesser indent', 'openapi: 3.1.0\ninfo:\n  tags: [\n  a,\n b\n]\npaths: {}\n'],
    ['a text at a lesser indent', 'openapi: 3.1.0\ninfo:\n  title: "one\n\n\\"two\nthree"\npaths: {}\n'],
    ['a text in single quotes', "openapi: 3.1.0\r\ninfo:\r\n  title: 'one\r\nit''s'\r\npaths: {}\r\n"],
  ]
  for (const [title, text] of readable)
    it(`may be YAML as other readers take it: ${title}`, within, async () => {
      assert.deepEqual(await tell(text, 'given.yaml'), [])
    })

  it('may have references in values, which are none', within, async () => {
    const value = '{"$ref":"http://127.0.0.1:9/a.json"}'
    const schema = `{"example":${value},"default":${value},"properties":{"$ref":{"const":${value}}},"x-a":${value}}`
    assert.deepEqual(await tell(withSchema(schema)), [])
    for (const inner of [
      `{"properties":{"default":${value}}}`,
      `{"properties":{"properties":{"items":${value}}}}`,
    ])
      assert.match((await tell(withSchema(inner))).join(), /is remote/)
  })

  it('may begin with a byte order mark', within, async () => {
    assert.deepEqual(await tell(`\uFEFF${withSchema('{}')}`), [])
  })

  const odd: readonly (readonly [title: string, document: string])[] = [
    [
      'everything of another type',
      '{"openapi":"3.1.0","info":[],"paths":{"/a":{"get":{"parameters":{"a":1},"requestBody":"b","responses":[1],"security":"c","callbacks":[1]},"put":5,"parameters":[null,{"in":1}]},"/b":7},"components":[],"webhooks":[3],"security":{}}',
    ],
    [
      'members of responses of another type',
      '{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":{},"responses":{"200":{"content":{"a/b":5,"c/d":null},"headers":{"x":1}},"default":7}}}}}',
    ],
    [
      'names of members of objects',
      '{"openapi":"3.1.0","paths":{"/__proto__":{"__proto__":{"a":1},"get":{"responses":{"__proto__":{"description":""},"constructor":{"description":""}}}}},"components":{"schemas":{"__proto__":{"type":"string"}}}}',
    ],
    [
      'properties with such names',
      withSchema(
        '{"properties":{"__proto__":{"type":"string"},"constructor":{},"toString":{"enum":[1]}},"required":["__proto__","hasOwnProperty"]}',
      ),
    ],
    [
      'patterns that are none',
      withSchema('{"pattern":"(","patternProperties":{"[":{}},"propertyNames":{"pattern":"*"}}'),
    ],
    ['schemas of another type', withSchema('{"properties":{"a":"b","c":null,"d":[1]},"items":7,"not":5}')],
    ['a pattern that takes long', withSchema('{"pattern":"^(a+)+$","minLength":40}')],
    [
      'limits that are none',
      withSchema(
        '{"type":["x",7],"minimum":"a","maxLength":-5,"minItems":1e308,"multipleOf":0,"enum":{},"required":"a"}',
      ),
    ],
    [
      'long lists',
      withSchema('{"type":"array","minItems":1000000000,"items":{"type":"string","minLength":1000000000}}'),
    ],
  ]
  for (const [title, text] of odd)
    it(`are compared all the same: ${title}`, within, () => {
      const read = (): unknown => JSON.parse(text)
      assert.deepEqual(compareDocuments(read(), read()).findings, [])
      for (const [old, now] of [
        [documentOf({ request: string }), read()],
        [read(), documentOf({ request: string })],
      ]) {
        const { findings } = compareDocuments(old, now)
        assert.ok(Array.isArray(findings))
      }
      assert.equal(Reflect.get({}, 'a'), undefined)
    })
})

describe('schemas that lead to the same ones on many ways', () => {
  const toDocument = (shape: string, leaf: object): unknown => {
    const { top, ...schemas } = diamondOf([SHAPES[shape] ?? ((below) => below)], leaf)
    return documentOf({ request: top }, schemas)
  }
  const toLeaf = (type: string): object => ({ type: 'object', properties: { a: { type } } })
  // hostile.slow.test.ts has all shapes, and mixes of them
  for (const title of ['allOf', 'allOf with parts between', 'anyOf', 'not', 'if, then and else', 'items'])
    // each way walked by itself, 40 levels would take years
    it(`are compared once: ${title}`, within, () => {
      const base = toDocument(title, toLeaf('string'))
      assert.deepEqual(compareDocuments(base, toDocument(title, toLeaf('string'))).findings, [])
      assert.ok(Array.isArray(compareDocuments(base, toDocument(title, toLeaf('integer'))).findings))
    })

  it('are told apart however deep a rule is that leads to them', () => {
    const [base, revision] = [toDocument('not', toLeaf('string')), toDocument('not', toLeaf('integer'))]
    const { findings } = compareDocuments(base, revision)
    assert.deepEqual(
      findings.map(({ rule, level }) => `${level} ${rule}`),
      ['warning request-body-not-changed'],
    )
  })

  it('keep a union as a rule if they have too many alternatives', () => {
    const pair = (at: number, more: object = {}): object => ({
      anyOf: [{ required: [`a${at}`], ...more }, { required: [`b${at}`] }],
    })
    const toSchema = (last: object): object => ({
      type: 'object',
      allOf: [...Array.from({ length: 12 }, (_, at) => pair(at)), pair(12, last)],
    })
    const compare = (now: object): readonly string[] =>
      compareDocuments(documentOf({ request: toSchema({}) }), documentOf({ request: now })).findings.map(
        ({ rule, level }) => `${level} ${rule}`,
      )
    assert.deepEqual(compare(toSchema({})), [])
    assert.deepEqual(compare(toSchema({ minProperties: 20 })), ['warning request-property-union-changed'])
  })
})

/** A document of a few hundred bytes that holds billions of values. */
function bomb(): string {
  const lines = Array.from({ length: 12 }, (_, at) => {
    const names = at === 0 ? 'x' : times(`*a${at - 1},`, 9).slice(0, -1)
    return `a${at}: &a${at} [${names}]`
  })
  return `openapi: 3.1.0\n${lines.join('\n')}\n`
}
