import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { defineController, FileStream } from 'octavo'
import type { InjectOptions, InputSpec } from 'octavo'
import { z } from 'zod'

import { createTestApp } from '../node/support.ts'
import { createFolder, fieldPart, filePart, MULTIPART, toBytes } from './uploads-support.ts'
import type { PartText } from './uploads-support.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])

/** A file as an answer tells of it. */
async function describeFile(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(describeFile))
  return value instanceof File ? [value.name, value.type, await value.text()] : value
}

async function describeAll(values: object): Promise<unknown> {
  const entries = Object.entries(values).map(async ([name, value]) => [name, await describeFile(value)])
  return Object.fromEntries(await Promise.all(entries))
}

const handler = async (input: object): Promise<unknown> => {
  const { form, files } = input as { form?: object; files?: object } // oxlint-disable-line typescript/no-unsafe-type-assertion -- by name, for tables of schemas
  return {
    ...(form === undefined ? {} : { form }),
    ...(files === undefined ? {} : { files: await describeAll(files) }),
  }
}

type Multipart = NonNullable<InjectOptions['multipart']>
type Input = Pick<InputSpec, 'form' | 'files'>

async function post(input: Input, options: Partial<InjectOptions>) {
  const app = createTestApp(defineController({ prefix: '/up', routes: [{ method: 'POST', input, handler }] }))
  const response = await app.inject({ method: 'POST', url: '/up', ...options })
  await app.close()
  return response
}

type Row = readonly [title: string, input: Input, multipart: Multipart, expected: unknown]

/** The expected value is what the handler gives; a number is a status. */
function table(rows: readonly Row[]): void {
  for (const [title, input, multipart, expected] of rows) {
    it(title, async () => {
      const response = await post(input, { multipart })
      if (typeof expected === 'number') assert.equal(response.statusCode, expected, response.body)
      else assert.deepEqual(response.json(), expected)
    })
  }
}

const text = (name: string, content = name, type = 'text/plain'): File => new File([content], name, { type })

describe('files', () => {
  table([
    [
      'are web files with name, type and bytes',
      { files: { a: z.file() } },
      { a: text('a.txt', 'hé') },
      { files: { a: ['a.txt', 'text/plain', 'hé'] } },
    ],
    [
      'can be lists',
      { files: { a: z.array(z.file()) } },
      { a: [text('1'), text('2')] },
      {
        files: {
          a: [
            ['1', 'text/plain', '1'],
            ['2', 'text/plain', '2'],
          ],
        },
      },
    ],
    [
      'are a list of one when one is sent',
      { files: { a: z.array(z.file()) } },
      { a: text('1') },
      { files: { a: [['1', 'text/plain', '1']] } },
    ],
    [
      'are refused in a number that the schema refuses',
      { files: { a: z.array(z.file()).max(1) } },
      { a: [text('1'), text('2')] },
      422,
    ],
    [
      'are refused when several are sent for one',
      { files: { a: z.file() } },
      { a: [text('1'), text('2')] },
      422,
    ],
    [
      'can be one or several',
      { files: { a: z.union([z.file(), z.array(z.file())]) } },
      { a: text('1') },
      { files: { a: ['1', 'text/plain', '1'] } },
    ],
    ['are refused when they are missing', { files: { a: z.file() } }, { b: 'text' }, 422],
    ['can be optional', { files: { a: z.file().optional() } }, { b: 'text' }, { files: {} }],
    [
      'can be null by default',
      { files: { a: z.file().nullable().default(null) } },
      { b: 'text' },
      { files: { a: null } },
    ],
    [
      'are refused when they are too large for their schema',
      { files: { a: z.file().max(3) } },
      { a: text('1', 'four') },
      422,
    ],
    [
      'can be a schema of their own',
      { files: z.object({ a: z.file() }) },
      { a: text('1'), b: text('2') },
      { files: { a: ['1', 'text/plain', '1'] } },
    ],
    [
      'are dropped when they are not declared',
      { files: { a: z.file() } },
      { a: text('1'), b: text('2') },
      { files: { a: ['1', 'text/plain', '1'] } },
    ],
    [
      'are refused by a strict object when they are not declared',
      { files: z.strictObject({ a: z.file() }) },
      { a: text('1'), b: text('2') },
      422,
    ],
    [
      'can be a record of any names',
      { files: z.record(z.string(), z.file()) },
      { x: text('1'), y: text('2') },
      { files: { x: ['1', 'text/plain', '1'], y: ['2', 'text/plain', '2'] } },
    ],
    [
      'can be refined',
      { files: z.object({ a: z.file().optional(), b: z.file().optional() }).refine(({ a, b }) => a ?? b) },
      { c: 'text' },
      422,
    ],
    [
      'can be transformed',
      { files: { a: z.file().transform(async (file) => file.text()) } },
      { a: text('1', 'inside') },
      { files: { a: 'inside' } },
    ],
    [
      'can have names that every object inherits',
      { files: { constructor: z.file() } },
      { constructor: text('1') },
      { files: { constructor: ['1', 'text/plain', '1'] } },
    ],
    ['are not texts', { files: { a: z.file() } }, { a: 'text' }, 422],
  ])

  it('are absent when a browser sends an input that was left empty', async () => {
    const body = toBytes([filePart('a', '', '')])
    const response = await post({ files: { a: z.file().optional() } }, { headers: MULTIPART, body })
    assert.deepEqual(response.json(), { files: {} })
  })

  it('have no name when the client gives none', async () => {
    const body = toBytes([
      {
        head: ['Content-Disposition: form-data; name=a', 'Content-Type: application/octet-stream'],
        body: 'x',
      },
    ])
    const response = await post({ files: { a: z.file() } }, { headers: MULTIPART, body })
    assert.deepEqual(response.json(), { files: { a: ['', 'application/octet-stream', 'x'] } })
  })
})

describe('a form', () => {
  table([
    [
      'can be multipart',
      { form: { a: z.string(), n: z.number() } },
      { a: 'é', n: '5' },
      { form: { a: 'é', n: 5 } },
    ],
    ['repeats into lists', { form: { a: z.array(z.number()) } }, { a: ['1', '2'] }, { form: { a: [1, 2] } }],
    ['is a list of names', { form: ['a', 'b'] }, { a: '1', b: '' }, { form: { a: '1', b: '' } }],
    ['takes a blank text for absent', { form: { n: z.number().optional() } }, { n: '' }, { form: {} }],
    [
      'comes with files out of one body',
      { form: { a: z.boolean() }, files: { f: z.file() } },
      { a: 'yes', f: text('1') },
      { form: { a: true }, files: { f: ['1', 'text/plain', '1'] } },
    ],
    [
      'drops what is not declared',
      { form: { a: z.string() } },
      { a: '1', b: '2', c: text('3') },
      { form: { a: '1' } },
    ],
    [
      'refuses what a strict schema does not declare',
      { form: z.strictObject({ a: z.string() }) },
      { a: '1', b: '2' },
      422,
    ],
    [
      'can have names that every object inherits',
      { form: { constructor: z.string() } },
      { constructor: '1' },
      { form: { constructor: '1' } },
    ],
    [
      'has no member of the names that every object inherits',
      { form: z.object({ toString: z.string().optional() }) },
      { a: '1' },
      { form: {} },
    ],
    ['is not a file', { form: { a: z.string() } }, { a: text('1') }, 422],
    [
      'takes any name for a record',
      { form: z.record(z.string(), z.string()) },
      { x: '1' },
      { form: { x: '1' } },
    ],
  ])

  it('keeps __proto__ a name like any other', async () => {
    const body = toBytes([fieldPart('__proto__', 'x'), filePart('__proto__', 'f', 'y'), fieldPart('a', '1')])
    const input = { form: z.record(z.string(), z.string()), files: z.looseObject({}) }
    const response = await post(input, { headers: MULTIPART, body })
    assert.equal(response.statusCode, 200, response.body)
    assert.equal(Reflect.get({}, 'x'), undefined)
    assert.equal(Reflect.get({}, 'name'), undefined)
  })

  it('reports the problems of both in one answer', async () => {
    const response = await post(
      { form: { a: z.string() }, files: { f: z.file() } },
      { multipart: { b: '1' } },
    )
    assert.deepEqual(
      Reflect.get(Object(response.json()), 'errors').map((entry: object) => [
        Reflect.get(entry, 'in'),
        Reflect.get(entry, 'path'),
      ]),
      [
        ['form', ['a']],
        ['files', ['f']],
      ],
    )
  })

  it('takes 415 for a body of another type', async () => {
    const form = await post({ form: ['a'] }, { json: { a: 1 } })
    assert.equal(form.statusCode, 415)
    assert.equal(
      Reflect.get(Object(form.json()), 'detail'),
      'Send the body as application/x-www-form-urlencoded or multipart/form-data',
    )
    for (const options of [
      { form: { a: '1' } },
      { json: {} },
      { body: 'x' },
      { headers: { 'content-type': 'multipart/mixed; boundary=b' }, body: 'x' },
    ]) {
      const files = await post({ form: ['a'], files: { f: z.file() } }, options)
      assert.equal(files.statusCode, 415, files.body)
    }
  })
})

describe('a request without a body', () => {
  it('is accepted if every field and file is optional', async () => {
    const optional = { form: { a: z.string().optional() }, files: { f: z.file().optional() } }
    assert.equal((await post(optional, {})).statusCode, 200)
    assert.equal((await post({ files: { f: z.array(z.file()).default([]) } }, {})).statusCode, 200)
  })

  it('is a 422 that names the missing files', async () => {
    const response = await post({ files: { f: z.file() } }, {})
    assert.equal(response.statusCode, 422)
    assert.match(response.body, /"in":"files","path":\["f"\]/)
  })
})

describe('the type of a file', () => {
  const image = { files: { a: z.file().mime(['image/png']) } }
  const asked = (type: string) => ({ files: { a: z.file().mime([type]) } })
  const bytes = (...values: readonly (string | number)[]): Uint8Array =>
    Buffer.concat(
      values.map((value) =>
        typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from([value]),
      ),
    )
  const zip = bytes('PK', 3, 4, 20, 0)
  const rows: readonly (readonly [string, Input, Uint8Array, string, number])[] = [
    ['is what the content shows', image, PNG, 'image/png', 200],
    ['is what the content shows where the client does not know', image, PNG, 'application/octet-stream', 200],
    ['is what the content shows where the client is wrong', image, PNG, 'text/plain', 200],
    ['is not what the client says of a program', image, bytes('MZ', 0x90, 0), 'image/png', 422],
    ['is not what the client says of text', image, bytes('<script>'), 'image/png', 422],
    ['is not what the client says of another image', image, bytes('GIF89a'), 'image/png', 422],
    ['is not what the client says of nothing', image, bytes(''), 'image/png', 422],
    ['is not what the client says of other bytes', image, bytes(1, 2, 3), 'image/png', 422],
    [
      'keeps a name that is in use beside that of the standard',
      asked('image/vnd.microsoft.icon'),
      bytes(0, 0, 1, 0),
      'image/vnd.microsoft.icon',
      200,
    ],
    [
      'is that of a document that is a zip file',
      asked('application/vnd.oasis.opendocument.text'),
      zip,
      'application/vnd.oasis.opendocument.text',
      200,
    ],
    ['is zip for an image that is a zip file', asked('application/zip'), zip, 'image/png', 200],
    ['stays as declared for text', asked('text/csv'), bytes('a,b'), 'text/csv', 200],
    [
      'stays as declared for text that begins like something else',
      asked('text/csv'),
      bytes('BMW,2'),
      'text/csv',
      200,
    ],
    ['is contradicted by bytes that no text has', asked('text/csv'), bytes('a', 0, 'b'), 'text/csv', 422],
    [
      'stays as declared where there is no signature',
      asked('application/x-own'),
      bytes(9, 0, 9),
      'application/x-own',
      200,
    ],
    [
      'is that of a program whatever is declared',
      asked('application/x-own'),
      bytes(0x7f, 'ELF', 2, 1),
      'application/x-own',
      422,
    ],
    [
      'looks through bytes of any value',
      asked('image/webp'),
      bytes('RIFF', 1, 2, 3, 4, 'WEBPVP8 '),
      'image/webp',
      200,
    ],
    [
      'is of the kind that a container is declared as',
      asked('audio/mp4'),
      bytes(0, 0, 0, 0x18, 'ftypM4A '),
      'audio/mp4',
      200,
    ],
    [
      'can be looked up behind the start',
      asked('application/vnd.ms-fontobject'),
      bytes('x'.repeat(34), 'LP'),
      'application/vnd.ms-fontobject',
      200,
    ],
  ]
  for (const [title, input, content, type, status] of rows) {
    it(title, async () => {
      const file = new File([Uint8Array.from(content)], 'a', { type })
      const response = await post(input, { multipart: { a: file } })
      assert.equal(response.statusCode, status, response.body)
    })
  }

  it('is what the client says where no schema asks', async () => {
    const response = await post(
      { files: { a: z.file() } },
      { multipart: { a: text('a', 'GIF89a', 'image/png') } },
    )
    assert.deepEqual(response.json(), { files: { a: ['a', 'image/png', 'GIF89a'] } })
  })
})

describe('the name of a file', () => {
  const rows: readonly (readonly [title: string, parameters: string, expected: string])[] = [
    ['has no folders', 'filename="../../etc/passwd"', 'passwd'],
    ['has no folders of Windows', String.raw`filename="..\temp\a.txt"`, 'a.txt'],
    ['is no folder', 'filename=".."', ''],
    ['has no control characters', 'filename="a\u0000b\u0007\t.txt"', 'ab.txt'],
    ['has no escaped line breaks', 'filename="a%0D%0Ab"', 'ab'],
    ['has no marks that turn the direction', "filename*=UTF-8''a%E2%80%AEgpj.exe", 'agpj.exe'],
    ['is UTF-8', `filename="${Buffer.from('naïve €.txt').toString('latin1')}"`, 'naïve €.txt'],
    ['can have quotes as browsers escape them', 'filename="a%22b"', 'a"b'],
    ['can have quotes as other clients escape them', String.raw`filename="a\"b"`, 'a"b'],
    ['can have semicolons', 'filename="a;b"', 'a;b'],
    ['keeps percent signs', 'filename="50%20off"', '50%20off'],
    ['needs no quotes', 'filename=a.txt', 'a.txt'],
    [
      'is that of filename* where there is one',
      'filename="x"; filename*=UTF-8\'en\'na%C3%AFve.txt',
      'naïve.txt',
    ],
    ['can be of filename* alone, in Latin-1', "filename*=ISO-8859-1''%E9", 'é'],
    ['is that of filename where filename* cannot be read', 'filename="x"; filename*=UTF-8\'\'%E9', 'x'],
    ['has no folders in filename* either', "filename*=UTF-8''..%2Fb", 'b'],
  ]
  for (const [title, parameters, expected] of rows) {
    it(title, async () => {
      const part = { head: [`Content-Disposition: form-data; name="a"; ${parameters}`], body: 'x' }
      const response = await post({ files: { a: z.file() } }, { headers: MULTIPART, body: toBytes([part]) })
      assert.deepEqual(response.json(), { files: { a: [expected, 'application/octet-stream', 'x'] } })
    })
  }
})

describe('a multipart body that is malformed', () => {
  const good = filePart('a', 'f', 'x')
  const disposition = (value: string): PartText => ({ head: [`Content-Disposition: ${value}`], body: 'x' })
  const withLine = (line: string): PartText => ({
    head: ['Content-Disposition: form-data; name="b"', line],
    body: 'x',
  })
  const rows: readonly (readonly [title: string, body: Uint8Array, type?: string])[] = [
    ['has no boundary', toBytes([good]), 'multipart/form-data'],
    ['has a boundary that is too long', toBytes([good]), `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['has an empty boundary', toBytes([good]), 'multipart/form-data; boundary=""'],
    ['has another boundary than it says', toBytes([good]), 'multipart/form-data; boundary=other'],
    ['is empty', Buffer.alloc(0)],
    ['ends before its last boundary', toBytes([good], '')],
    ['ends in its last boundary', toBytes([good], '--bound-')],
    ['ends in a header', toBytes([good], '--bound\r\nContent-Disposition: form-data')],
    ['ends in a part', toBytes([good], '--bound\r\nContent-Disposition: form-data; name=a\r\n\r\nx')],
    ['has a part without header', toBytes([good], '--bound\r\n\r\nx\r\n--bound--')],
    ['has a part whose header does not end', toBytes([good], '--bound\r\nA: b\r\n--bound--')],
    ['has a part without disposition', toBytes([{ head: ['A: b'], body: 'x' }])],
    ['has a part that is no form-data', toBytes([disposition('attachment; name="a"')])],
    ['has a part without name', toBytes([disposition('form-data')])],
    ['has a part with two names', toBytes([disposition('form-data; name=a; name=b')])],
    ['has a quote that does not end', toBytes([disposition('form-data; name="a')])],
    ['has a name that is not UTF-8', toBytes([disposition('form-data; name="\u00ff"')])],
    ['has two dispositions', toBytes([withLine('Content-Disposition: form-data; name="c"')])],
    ['has a name that is too long', toBytes([disposition(`form-data; name="${'n'.repeat(201)}"`)])],
    ['has a file name that is too long', toBytes([filePart('a', 'n'.repeat(201), 'x')])],
    ['has a header that is too long', toBytes([withLine(`X-Long: ${'x'.repeat(20_000)}`)])],
    [
      'has a header with too many lines',
      toBytes([{ head: [...good.head, ...Array.from({ length: 40 }, (_, at) => `X-${at}: y`)], body: 'x' }]),
    ],
    ['has a multipart body in it', toBytes([withLine('Content-Type: multipart/mixed; boundary=inner')])],
    ['has a transfer encoding', toBytes([withLine('Content-Transfer-Encoding: base64')])],
    ['has another charset', toBytes([withLine('Content-Type: text/plain; charset=utf-16')])],
    ['has a field that is not UTF-8', toBytes([fieldPart('b', '\u00ff')])],
  ]
  for (const [title, body, type] of rows) {
    it(`${title}: 400`, async () => {
      const headers = type === undefined ? MULTIPART : { 'content-type': type }
      const response = await post({ form: { b: z.string() }, files: { a: z.file() } }, { headers, body })
      assert.deepEqual(
        [response.statusCode, Reflect.get(Object(response.json()), 'code')],
        [400, 'malformed_multipart'],
      )
      assert.doesNotMatch(response.body, /x{3}|n{3}/, 'nothing is echoed')
    })
  }
})

describe('a multipart body that is unusual', () => {
  const input = { form: { b: z.string() } }
  const rows: readonly (readonly [title: string, body: Uint8Array, type?: string])[] = [
    [
      'has text before its first boundary',
      Buffer.concat([Buffer.from('hello\r\n'), toBytes([fieldPart('b', 'x')])]),
    ],
    [
      'has text behind its last boundary',
      Buffer.concat([toBytes([fieldPart('b', 'x')]), Buffer.from('bye')]),
    ],
    [
      'has a boundary in quotes',
      toBytes([fieldPart('b', 'x')]),
      'Multipart/Form-Data; charset=utf-8; boundary="bound"',
    ],
    [
      'has a boundary that should be in quotes',
      Buffer.from(
        toBytes([fieldPart('b', 'x')])
          .toString()
          .replaceAll('bound', 'a=b:c'),
      ),
      'multipart/form-data; boundary=a=b:c',
    ],
    [
      'says that it is not encoded',
      toBytes([
        {
          head: [
            ...fieldPart('b', '').head,
            'Content-Transfer-Encoding: 8bit',
            'Content-Type: text/plain; charset=UTF-8',
          ],
          body: 'x',
        },
      ]),
    ],
    ['has a header in capitals', toBytes([{ head: ['CONTENT-DISPOSITION: FORM-DATA; NAME=b'], body: 'x' }])],
  ]
  for (const [title, body, type] of rows) {
    it(title, async () => {
      const headers = type === undefined ? MULTIPART : { 'content-type': type }
      const response = await post(input, { headers, body })
      assert.deepEqual(response.json(), { form: { b: 'x' } })
    })
  }

  it('may have spaces and tabs behind each boundary, wherever its chunks end', async () => {
    const content = 'x\r\n--boun  d\r\n -'
    const body = Buffer.from(
      `--bound \t\r\nContent-Disposition: form-data; name="b"\r\n\r\n${content}\r\n--bound  \r\n` +
        'Content-Disposition: form-data; name="c"\r\n\r\ny\r\n--bound--  \r\n',
    )
    const both = { form: { b: z.string(), c: z.string() } }
    for (const size of [1, 2, 3, 7, 8, 9, body.length]) {
      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
      }
      const response = await post(both, { headers: MULTIPART, body: chunks() })
      assert.deepEqual(response.json(), { form: { b: content, c: 'y' } }, `in chunks of ${size}`)
    }
  })

  it('can have no parts', async () => {
    const response = await post(
      { files: { a: z.file().optional() } },
      { headers: MULTIPART, body: '--bound--\r\n' },
    )
    assert.deepEqual(response.json(), { files: {} })
  })

  it('can have boundaries in its content that are none', async () => {
    const content = '\r\n--boun\r\n-bound\r\n--\r\n\r\n--boun d'
    const response = await post(input, { headers: MULTIPART, body: toBytes([fieldPart('b', content)]) })
    assert.deepEqual(response.json(), { form: { b: content } })
  })
})

describe('a limit of uploads', () => {
  const input = { form: { b: z.string().optional() }, files: { a: z.array(z.file()).optional() } }
  const rows: readonly (readonly [
    title: string,
    limits: object,
    multipart: Multipart,
    code: string | null,
  ])[] = [
    ['is for the bytes of a file', { fileSize: 3 }, { a: text('1', 'four') }, 'body_too_large'],
    ['lets a file of just as many bytes pass', { fileSize: 4 }, { a: text('1', 'four') }, null],
    ['is for files that are not declared too', { fileSize: 3 }, { x: text('1', 'four') }, 'body_too_large'],
    ['is for the bytes of a field', { fieldSize: 3 }, { b: 'four' }, 'body_too_large'],
    ['lets a field of just as many bytes pass', { fieldSize: 4 }, { b: 'four' }, null],
    ['is for the number of files', { files: 1 }, { a: [text('1'), text('2')] }, 'too_many_parts'],
    ['lets just as many files pass', { files: 2 }, { a: [text('1'), text('2')] }, null],
    ['is for the number of fields', { fields: 1 }, { b: '1', c: '2' }, 'too_many_parts'],
    ['is for files apart from fields', { fields: 5, files: 0 }, { a: text('1') }, 'too_many_parts'],
    ['is for the bytes of names', { nameSize: 3 }, { four: '1' }, 'malformed_multipart'],
  ]
  for (const [title, uploads, multipart, code] of rows) {
    it(title, async () => {
      const ofApp = createTestApp(
        defineController({ prefix: '/up', routes: [{ method: 'POST', input, handler }] }),
        { uploads },
      )
      const ofRoute = createTestApp(
        defineController({ prefix: '/up', routes: [{ method: 'POST', input, uploads, handler }] }),
        {
          uploads: { files: 9 },
        },
      )
      for (const app of [ofApp, ofRoute]) {
        const response = await app.inject({ method: 'POST', url: '/up', multipart })
        assert.equal(Reflect.get(Object(response.json()), 'code') ?? null, code, response.body)
        await app.close()
      }
    })
  }

  it('is 100 fields and 10 files where none is set', async () => {
    const many = (part: (at: number) => PartText, count: number): Partial<InjectOptions> => ({
      headers: MULTIPART,
      body: toBytes(Array.from({ length: count }, (_, at) => part(at))),
    })
    const field = (at: number): PartText => fieldPart(`f${at}`, 'x')
    const file = (at: number): PartText => filePart('a', `${at}`, 'x')
    const statuses = [
      many(field, 100),
      many(field, 101),
      many(field, 5000),
      many(file, 10),
      many(file, 11),
    ].map(async (options) => (await post(input, options)).statusCode)
    assert.deepEqual(await Promise.all(statuses), [200, 413, 413, 200, 413])
  })

  it('of the whole body holds first', async () => {
    const app = createTestApp(
      defineController({ prefix: '/up', routes: [{ method: 'POST', input, bodyLimit: 100, handler }] }),
    )
    const response = await app.inject({
      method: 'POST',
      url: '/up',
      multipart: { a: text('1', 'x'.repeat(200)) },
    })
    assert.equal(Reflect.get(Object(response.json()), 'code'), 'body_too_large')
  })

  it('is a definition error when it is no number', () => {
    for (const uploads of [{ files: -1 }, { files: 1.5 }, { directory: 5 }, { memory: '1' }, { parts: 1 }])
      assert.throws(
        () => createTestApp(defineController({ prefix: '/up', routes: [] }), { uploads: uploads as object }),
        /uploads\.(files|directory|memory|parts) is/,
      )
  })
})

describe('temporary files', () => {
  const folder = createFolder()
  after(folder.remove)
  const uploads = { memory: 10, directory: folder.path }
  const content = 'x'.repeat(100)
  let seen: readonly string[] = []
  const app = createTestApp(
    defineController({
      prefix: '/up',
      routes: [
        {
          method: 'POST',
          input: { form: { fails: z.boolean().optional() }, files: { a: z.array(z.file()) } },
          handler: async ({ form, files }) => {
            seen = folder.list()
            if (form.fails === true) throw new Error('as asked')
            const [first] = files.a
            const slice = await first?.slice(1, 3).text()
            return { texts: await Promise.all(files.a.map((file) => file.text())), slice, type: first?.type }
          },
        },
        {
          method: 'POST',
          path: '/later',
          input: { files: { a: z.file() } },
          handler: ({ files }) => files.a.stream(),
        },
        {
          method: 'POST',
          path: '/invalid',
          input: { files: { a: z.file().max(5) } },
          handler: () => 'never',
        },
      ],
    }),
    { uploads },
  )
  after(() => app.close())
  const send = (url: string, multipart: Multipart) => app.inject({ method: 'POST', url, multipart })

  it('hold what is more than the memory for files', async () => {
    const response = await send('/up', { a: [text('1', content), text('2', content)] })
    assert.deepEqual(response.json(), { texts: [content, content], slice: 'xx', type: 'text/plain' })
    assert.equal(seen.length, 2)
    assert.deepEqual(folder.list(), [])
  })

  it('do not hold small files', async () => {
    await send('/up', { a: [text('1', 'small'), text('2', 'tiny')] })
    assert.deepEqual(seen, [])
  })

  it('hold the last of many small files', async () => {
    await send('/up', { a: [text('1', 'small'), text('2', 'small'), text('3', 'small')] })
    assert.equal(seen.length, 1)
  })

  it('are there until a response that is made of them has ended', async () => {
    const response = await send('/up/later', { a: text('1', content) })
    assert.equal(response.body, content)
    assert.deepEqual(folder.list(), [])
  })

  const rows: readonly (readonly [title: string, url: string, multipart: Multipart, status: number])[] = [
    ['the handler throws', '/up', { a: text('1', content), fails: 'yes' }, 500],
    ['validation fails', '/up/invalid', { a: text('1', content) }, 422],
    ['another part is too large', '/up', { a: text('1', content), fails: 'x'.repeat(70_000) }, 413],
  ]
  for (const [title, url, multipart, status] of rows) {
    it(`are removed when ${title}`, async () => {
      assert.equal((await send(url, multipart)).statusCode, status)
      assert.deepEqual(folder.list(), [])
    })
  }

  it('are removed when the body ends early', async () => {
    const body = toBytes([filePart('a', '1', content), filePart('a', '2', content)], '')
    const response = await app.inject({ method: 'POST', url: '/up', headers: MULTIPART, body })
    assert.equal(response.statusCode, 400)
    assert.deepEqual(folder.list(), [])
  })

  it('cannot be made where there is no folder: 500, and the reason is not sent', async () => {
    const lost = createTestApp(
      defineController({
        prefix: '/up',
        routes: [{ method: 'POST', input: { files: { a: z.file() } }, handler: () => 'done' }],
      }),
      {
        uploads: { memory: 0, directory: `${folder.path}/missing` },
      },
    )
    const response = await lost.inject({ method: 'POST', url: '/up', multipart: { a: text('1') } })
    assert.equal(response.statusCode, 500)
    assert.doesNotMatch(response.body, /missing/)
  })
})

describe('the request', () => {
  it('has no bytes any more when its body was a multipart one', async () => {
    const app = createTestApp(
      defineController({
        prefix: '/up',
        routes: [
          {
            method: 'POST',
            input: { files: { a: z.file() } },
            handler: async (_input, { request }) => {
              try {
                await request.bytes()
                return 'kept'
              } catch (error) {
                return String(error)
              }
            },
          },
        ],
      }),
    )
    const response = await app.inject({ method: 'POST', url: '/up', multipart: { a: text('1') } })
    assert.match(response.body, /read as it arrived/)
  })

  it('takes files that a test made', async () => {
    async function* source() {
      yield Buffer.from('ab')
      yield Buffer.from('c')
    }
    const file = new FileStream('a', 'text/plain', source())
    let bytes = ''
    for await (const chunk of file) bytes += `${chunk.length}/${file.bytesRead} `
    assert.equal(bytes, '2/2 1/3 ')
    assert.throws(() => file[Symbol.asyncIterator](), /read once/)
  })
})
