import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { parse } from 'yaml'
import { toYaml } from '../inside/parts.ts'

describe('documents as YAML', () => {
  it('are written in blocks, with quotes where a text would be something else', () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Cars', description: 'Cars.\n\nAnd more:\n  cars', version: '1.0' },
      paths: {
        '/cars/{id}': {
          get: {
            tags: ['cars', 'no'],
            parameters: [{ name: 'id', in: 'path', required: true }],
            security: [],
            responses: { 200: { $ref: '#/components/responses/Car' }, 404: {} },
          },
        },
      },
      'x-limit': 1.5,
      'x-none': null,
    }
    assert.equal(
      toYaml(document),
      `openapi: "3.1.0"
info:
  title: Cars
  description: |-
    Cars.

    And more:
      cars
  version: "1.0"
paths:
  /cars/{id}:
    get:
      tags:
        - cars
        - "no"
      parameters:
        - name: id
          in: path
          required: true
      security: []
      responses:
        "200":
          $ref: "#/components/responses/Car"
        "404": {}
x-limit: 1.5
x-none: null
`,
    )
  })

  const texts = fc.oneof(
    fc.string({ unit: fc.nat(0x10ffff).map((code) => String.fromCodePoint(code)) }),
    fc.string(),
    fc.stringMatching(/^[\n\t a-c:#'"{}[\]|>%@`!&*,?~=<\\.\d-]*$/),
    fc.constantFrom(
      'yes',
      'NO',
      'null',
      '~',
      '0x1f',
      '1e3',
      '2026-01-01',
      '=',
      '<<',
      '---',
      '...',
      '- a',
      'a: b',
      'a #b',
      'x'.repeat(1200),
    ),
  )
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      texts,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(texts, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value

  for (const version of ['1.2', '1.1'] as const) {
    it(`are read as what they are by YAML ${version}`, () => {
      fc.assert(
        fc.property(json, (value) => {
          const expected: unknown = JSON.parse(JSON.stringify({ value }))
          assert.deepEqual(parse(toYaml({ value }), { version, maxAliasCount: 0 }), expected)
        }),
        { numRuns: 100 },
      )
    })
  }
})
