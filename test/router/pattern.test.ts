import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineParamType } from 'octavo'

import { joinPaths, normalizePrefix, parsePattern, patternShape } from '../inside/parts.ts'

/** A pattern in one line: its segments, and what else is known of it. */
function read(text: string): unknown {
  const pattern = parsePattern(text)
  if (!('segments' in pattern)) return pattern.map(({ code, fix }) => `${code}: ${fix}`)
  return [
    pattern.segments.map((segment) => segment.kind).join(' '),
    patternShape(pattern, true),
    pattern.params.map(({ name, type }) => `${name}:${type.name}`).join(' '),
  ]
}

describe('a path pattern', () => {
  const cases: readonly (readonly [pattern: string, expected: unknown])[] = [
    ['/', ['', '/', '']],
    ['/car', ['literal', '/car', '']],
    ['/car/', ['literal', '/car/', '']],
    ['/Café/a b', ['literal literal', '/Café/a b', '']],
    ['/car/{id}', ['literal param', '/car/:str', 'id:str']],
    ['/{a:int}/{b:float}/{c:uuid}', ['param param param', '/:int/:float/:uuid', 'a:int b:float c:uuid']],
    ['/files/{rest:path}', ['literal rest', '/files/**', 'rest:path']],
    ['/files/{rest:path}/', ['literal rest', '/files/**', 'rest:path']],
    ['/{name}.json', ['mixed', '/:~{str}.json', 'name:str']],
    ['/{from:int}-{to}/', ['mixed', '/:~{int}-{str}/', 'from:int to:str']],
    ['/{constructor}', ['param', '/:str', 'constructor:str']],
  ]
  for (const [pattern, expected] of cases) {
    it(`reads ${pattern}`, () => assert.deepEqual(read(pattern), expected))
  }
})

describe('a path pattern that cannot be read', () => {
  const cases: readonly (readonly [pattern: string, ...problems: string[]])[] = [
    ['car', 'invalid_pattern: write "/car"'],
    ['/a//b', 'invalid_pattern: remove one'],
    ['//', 'invalid_pattern: remove one'],
    ['/:id', 'foreign_pattern: write "{id}"'],
    ['/[id]', 'foreign_pattern: write "{id}"'],
    ['/*', 'foreign_pattern: write "{rest:path}" as the last segment'],
    ['/*all', 'foreign_pattern: write "{all:path}" as the last segment'],
    [
      '/%41',
      'foreign_pattern: write the character itself instead of "%41": patterns are not percent-encoded',
    ],
    ['/a?b', 'invalid_pattern: remove it from the path'],
    ['/..', 'invalid_pattern: remove it from the path'],
    ['/{id', 'invalid_pattern: write "{name}" or "{name:type}"'],
    [
      '/{1}',
      'invalid_pattern: write "{name}" or "{name:type}"; a name has letters, digits and _, and is not __proto__',
    ],
    [
      '/{__proto__}',
      'invalid_pattern: write "{name}" or "{name:type}"; a name has letters, digits and _, and is not __proto__',
    ],
    ['/{x}/{x}', 'duplicate_param: give each parameter a name of its own'],
    ['/{x:path}/a', 'invalid_pattern: let "{name:path}" be the whole last segment'],
    ['/a{x:path}', 'invalid_pattern: let "{name:path}" be the whole last segment'],
    ['/{x}{y}', 'invalid_pattern: write a text between them, as in "{from}-{to}"'],
    ['/:a/*', 'foreign_pattern: write "{a}"', 'foreign_pattern: write "{rest:path}" as the last segment'],
  ]
  for (const [pattern, ...problems] of cases) {
    it(`is refused with its repair: ${pattern}`, () => {
      assert.deepEqual(read(pattern), problems)
    })
  }
})

describe('a parameter of an unknown type', () => {
  it('is refused with the types that there are, those of the application included', () => {
    defineParamType({ name: 'plate', pattern: /[A-Z]+/ })
    // tests that ran before have added theirs
    const fix =
      /^unknown_param_type: use one of uuid, int, float, str, path, (?:\w+, )*plate, or add the type with defineParamType$/
    const [problem, ...others] = [read('/{x:number}')].flat()
    assert.match(String(problem), fix)
    assert.deepEqual(others, [])
  })
})

describe('prefixes', () => {
  for (const [prefix, path, joined] of [
    ['', '/', '/'],
    ['/', '/', '/'],
    ['/car', '/', '/car/'],
    ['/car/', '/{id}', '/car/{id}'],
    ['/car', '', '/car'],
    ['/car/', '', '/car'],
    ['', '', '/'],
  ] as const) {
    it(`${JSON.stringify(prefix)} and ${JSON.stringify(path)} are ${joined}`, () => {
      assert.equal(joinPaths(normalizePrefix(prefix), path), joined)
    })
  }
})
