import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { InjectOptions } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { controller } from '../support/untyped.ts'

/** How a value reaches a source of text. */
const SENDERS: Readonly<Record<string, (text: string) => Partial<InjectOptions>>> = {
  query: (text) => ({ url: '/', query: { x: text } }),
  headers: (text) => ({ url: '/', headers: { x: text } }),
  cookies: (text) => ({ url: '/', headers: { cookie: `x=${encodeURIComponent(text)}` } }),
  form: (text) => ({ url: '/', form: { x: text } }),
  params: (text) => ({ url: `/${encodeURIComponent(text)}` }),
}

const REFUSED = Symbol('422')

/** What a handler receives of `input`, or REFUSED. */
async function receive(input: object, request: Partial<InjectOptions>): Promise<unknown> {
  let received: unknown = REFUSED
  const handler = (value: unknown) => {
    received = value
    return null
  }
  const path = 'params' in input ? '/{x}' : '/'
  const response = await serve(
    controller({ prefix: '/', routes: [{ method: 'POST', path, input, handler }] }),
  ).inject({ method: 'POST', url: '/', ...request })
  assert.equal(response.statusCode, received === REFUSED ? 422 : 200, response.body)
  return received
}

/** The value that a handler receives for the field `x`, or REFUSED. */
async function receiveField(
  source: string,
  schema: z.ZodType,
  request: Partial<InjectOptions>,
): Promise<unknown> {
  const input = await receive({ [source]: { x: schema } }, request)
  if (input === REFUSED) return REFUSED
  const { [source]: values } = input as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  return values?.['x']
}

const date = (text: string) => new Date(text)

/** What TypeScript makes of `enum Level { Low, High }`. */
const Level = { 0: 'Low', 1: 'High', Low: 0, High: 1 } as const

const accepted = [
  ['a string', z.string(), 'abc', 'abc'],
  ['digits for a string', z.string(), '007', '007'],
  ['a number', z.number(), '42', 42],
  ['a negative number', z.number(), '-42', -42],
  ['a fraction', z.number(), '1.50', 1.5],
  ['leading zeros', z.number(), '007', 7],
  ['minus zero', z.number(), '-0', -0],
  ['a number with checks', z.number().int().positive(), '3', 3],
  ['z.int()', z.int(), '3', 3],
  ['a bigint', z.bigint(), '12345678901234567890', 12_345_678_901_234_567_890n],
  ['a negative bigint', z.bigint(), '-1', -1n],
  ['true', z.boolean(), 'true', true],
  ['TRUE', z.boolean(), 'TRUE', true],
  ['1 for a boolean', z.boolean(), '1', true],
  ['Yes', z.boolean(), 'Yes', true],
  ['on', z.boolean(), 'on', true],
  ['false', z.boolean(), 'false', false],
  ['0 for a boolean', z.boolean(), '0', false],
  ['no', z.boolean(), 'no', false],
  ['OFF', z.boolean(), 'OFF', false],
  ['a date', z.date(), '2026-02-28', date('2026-02-28T00:00:00Z')],
  ['a date and time in UTC', z.date(), '2026-02-28T10:11:12Z', date('2026-02-28T10:11:12Z')],
  ['a date and time with offset', z.date(), '2026-02-28T10:11:12.5+02:00', date('2026-02-28T08:11:12.500Z')],
  ['a date and time without offset as UTC', z.date(), '2026-02-28T10:11', date('2026-02-28T10:11:00Z')],
  ['a leap day', z.date(), '2024-02-29', date('2024-02-29T00:00:00Z')],
  ['an enum', z.enum(['asc', 'desc']), 'asc', 'asc'],
  ['an enum of numbers', z.enum(Level), '1', Level.High],
  ['a literal', z.literal('on'), 'on', 'on'],
  ['a literal of a number', z.literal(7), '7', 7],
  ['a literal of a bigint', z.literal(7n), '7', 7n],
  ['a literal of a boolean', z.literal(true), 'yes', true],
  ['one of several literals', z.literal(['a', 1, false]), 'off', false],
  ['a union by its first option that fits', z.union([z.number(), z.boolean()]), '1', 1],
  ['a union by a later option', z.union([z.number(), z.boolean()]), 'yes', true],
  ['a union with a string', z.union([z.number(), z.string()]), 'x1', 'x1'],
  ['an optional number', z.number().optional(), '1', 1],
  ['a nullable number', z.number().nullable(), '1', 1],
  ['a number with default', z.number().default(5), '1', 1],
  ['a number with prefault', z.number().prefault(5), '1', 1],
  ['a readonly number', z.number().readonly(), '1', 1],
  ['a caught number', z.number().catch(5), '1', 1],
  ['a caught number that is none', z.number().catch(5), 'x', 5],
  ['a number with transform', z.number().transform((value) => value * 2), '4', 8],
  ['a number with pipe', z.number().pipe(z.number().max(9)), '4', 4],
  ['a branded number', z.number().brand('Id'), '4', 4],
  ['a lazy number', z.lazy(() => z.number()), '4', 4],
  ['raw text for z.coerce.number', z.coerce.number(), '0x10', 16],
  ['raw text for z.coerce.boolean', z.coerce.boolean(), 'false', true],
  ['raw text for z.coerce.date', z.coerce.date(), '1', date('1')],
  ['raw text for z.preprocess', z.preprocess((value) => [value], z.array(z.string())), '1', ['1']],
  ['raw text for z.stringbool', z.stringbool({ truthy: ['ja'], falsy: ['nein'] }), 'nein', false],
  [
    'raw text for a codec',
    z.codec(z.string(), z.number(), { decode: (text) => text.length, encode: String }),
    '1234',
    4,
  ],
  [
    'raw text for a string with transform',
    z.string().transform((text) => text.split(',')),
    '1,2',
    ['1', '2'],
  ],
  ['raw text for z.unknown', z.unknown(), '1', '1'],
  ['raw text for z.any', z.any(), '1', '1'],
  ['raw text for z.custom', z.custom((value) => value === '1'), '1', '1'],
  ['raw text for a template literal', z.templateLiteral(['v', z.number()]), 'v1', 'v1'],
] as const

const refused = [
  ['words for a number', z.number(), 'many'],
  ['an exponent', z.number(), '1e3'],
  ['hexadecimal', z.number(), '0x10'],
  ['octal', z.number(), '0o7'],
  ['a plus sign', z.number(), '+1'],
  ['a number with blanks', z.number(), '1 2'],
  ['a blank before a number', z.number(), '\u00a01'],
  ['a number without digits before the point', z.number(), '.5'],
  ['a number without digits after the point', z.number(), '5.'],
  ['a separator in a number', z.number(), '1_000'],
  ['NaN', z.number(), 'NaN'],
  ['Infinity', z.number(), 'Infinity'],
  ['a number too large for a double', z.number(), '9'.repeat(400)],
  ['digits of another script', z.number(), '\u0661'],
  ['a fraction for a bigint', z.bigint(), '1.5'],
  ['hexadecimal for a bigint', z.bigint(), '0x10'],
  ['an n after a bigint', z.bigint(), '1n'],
  ['a bigint of 1,001 digits', z.bigint(), '1'.repeat(1001)],
  ['2 for a boolean', z.boolean(), '2'],
  ['y for a boolean', z.boolean(), 'y'],
  ['a day that no month has', z.date(), '2026-02-30'],
  ['a leap day in another year', z.date(), '2026-02-29'],
  ['an hour that no day has', z.date(), '2026-02-28T24:00'],
  ['a date in words', z.date(), 'Sat, 28 Feb 2026'],
  ['a timestamp for a date', z.date(), '1772236800000'],
  ['a date in another order', z.date(), '28.02.2026'],
  ['an enum that lacks the text', z.enum(['asc', 'desc']), 'ASC'],
  ['an enum of numbers by its key', z.enum(Level), 'High'],
  ['a literal that is another', z.literal(7), '8'],
  ['null in words', z.number().nullable(), 'null'],
] as const

/** All rows, each in a route for each source, because an application takes longer to create than to ask. */
const rows = [...accepted, ...refused.map((row) => [...row, REFUSED] as const)]
let given: unknown = REFUSED
const routes = rows.flatMap(([, schema], at) =>
  Object.keys(SENDERS).map((source) => ({
    method: 'POST',
    path: source === 'params' ? `/${at}/params/{x}` : `/${at}/${source}`,
    input: { [source]: { x: schema } },
    handler: (input: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => {
      given = input[source]?.['x']
      return null
    },
  })),
)
const app = serve(controller({ prefix: '/', routes }))

/** The values that the handlers of a row receive for the field `x`, or REFUSED. */
async function receiveRow(at: number, text: string): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {}
  for (const source of sourcesOf(text)) {
    given = REFUSED
    const { url = '/', ...sent } = SENDERS[source]?.(text) ?? {}
    const path = source === 'params' ? `/${at}/params${String(url)}` : `/${at}/${source}`
    const response = await app.inject({ method: 'POST', url: path, ...sent })
    assert.equal(response.statusCode, given === REFUSED ? 422 : 200, response.body)
    found[source] = given
  }
  return found
}

/** A header is Latin-1 text: what it cannot carry is not sent. */
function sourcesOf(text: string): readonly string[] {
  return Object.keys(SENDERS).filter((source) => source !== 'headers' || /^[\u0020-\u00ff]*$/.test(text))
}

describe('text in query, headers, cookies, form and params', () => {
  for (const [at, [title, , text, expected]] of rows.entries()) {
    const outcome = expected === REFUSED ? 'is refused' : 'becomes the declared type'
    it(`${outcome}: ${title}`, async () =>
      assert.deepEqual(
        await receiveRow(at, text),
        Object.fromEntries(sourcesOf(text).map((source) => [source, expected])),
      ))
  }
})

describe('repeated values', () => {
  const senders = [
    ['query', (values: readonly string[]) => ({ query: { x: values } })],
    ['form', (values: readonly string[]) => ({ form: { x: values } })],
    ['headers', (values: readonly string[]) => ({ headers: { x: values } })],
  ] as const
  const cases = [
    ['are a list', z.array(z.string()), ['a', 'b'], ['a', 'b']],
    ['are a list of one', z.array(z.string()), ['a'], ['a']],
    ['are converted one by one', z.array(z.number()), ['1', '2'], [1, 2]],
    ['are refused one by one', z.array(z.number()), ['1', 'x'], REFUSED],
    ['are a set', z.set(z.number()), ['1', '2', '1'], new Set([1, 2])],
    ['are a set of one', z.set(z.boolean()), ['yes'], new Set([true])],
    ['are a tuple', z.tuple([z.string(), z.number()]), ['1', '2'], ['1', 2]],
    ['are a tuple with a rest', z.tuple([z.string()], z.number()), ['1', '2', '3'], ['1', 2, 3]],
    ['are refused by a tuple that is shorter', z.tuple([z.number()]), ['1', '2'], REFUSED],
    ['are a list of enums', z.array(z.enum(['a', 'b'])), ['b', 'a'], ['b', 'a']],
    ['are a list of unions', z.array(z.union([z.number(), z.boolean()])), ['2', 'no'], [2, false]],
    ['are a list in a default', z.array(z.number()).default([7]), ['1'], [1]],
    ['are a list with transform', z.array(z.number()).transform((list) => list.length), ['1', '2'], 2],
    ['are one of a value and a list', z.union([z.number(), z.array(z.number())]), ['1', '2'], [1, 2]],
  ] as const
  for (const [source, send] of senders) {
    for (const [title, schema, values, expected] of cases) {
      it(`of ${source} ${title}`, async () =>
        assert.deepEqual(await receiveField(source, schema, send(values)), expected))
    }
  }

  it('are split at commas in headers, whose lines proxies join, and nowhere else', async () => {
    const schema = z.array(z.string())
    for (const [source, send] of senders) {
      const expected = source === 'headers' ? ['a', 'b', 'c'] : ['a,b', 'c']
      assert.deepEqual(await receiveField(source, schema, send(['a,b', 'c'])), expected)
    }
  })

  const absent = [
    ['are refused when absent', z.array(z.string()), REFUSED],
    ['are undefined when absent and optional', z.array(z.string()).optional(), undefined],
    ['are their default when absent', z.array(z.number()).default([7]), [7]],
  ] as const
  for (const [title, schema, expected] of absent) {
    it(title, async () => assert.deepEqual(await receiveField('query', schema, {}), expected))
  }

  const single = [
    ['a value that is declared alone in the query', 'query', { query: { x: ['1', '2'] } }],
    ['a value that is declared alone in the form', 'form', { form: { x: ['1', '2'] } }],
  ] as const
  for (const [title, source, request] of single) {
    it(`are refused for ${title}`, async () =>
      assert.equal(await receiveField(source, z.number(), request), REFUSED))
  }

  it('are one of a value and a list on one side of an intersection too', async () => {
    const query = z.object({ x: z.union([z.number(), z.array(z.number())]) }).and(z.object({}))
    const queryOf = async (x: string | string[]): Promise<unknown> =>
      Object(await receive({ query }, { query: { x } })).query
    assert.deepEqual(await queryOf('1'), { x: 1 })
    assert.deepEqual(await queryOf(['1', '2']), { x: [1, 2] })
  })

  it('of a header that is declared alone are joined', async () =>
    assert.equal(await receiveField('headers', z.string(), { headers: { x: ['a', 'b'] } }), 'a, b'))

  it('of a cookie count once: the first wins', async () =>
    assert.equal(await receiveField('cookies', z.string(), { headers: { cookie: 'x=1; x=2' } }), '1'))
})

describe('blank text', () => {
  const cases = [
    ['is a string', z.string(), '', ''],
    ['is refused for a number', z.number(), REFUSED, REFUSED],
    ['is no optional number, but absent in a form', z.number().optional(), REFUSED, undefined],
    ['is no default, but absent in a form', z.number().default(5), REFUSED, 5],
    ['is no boolean, but absent in a form', z.boolean().optional(), REFUSED, undefined],
    ['is no date, but absent in a form', z.date().optional(), REFUSED, undefined],
    ['is no bigint, but absent in a form', z.bigint().optional(), REFUSED, undefined],
    ['is no member of an enum, but absent in a form', z.enum(['a']).optional(), REFUSED, undefined],
    ['is a member of an enum that has it', z.enum(['', 'a']), '', ''],
    ['is a literal that is blank', z.literal(''), '', ''],
    ['is the string of a union', z.union([z.number(), z.string()]), '', ''],
    ['is an entry of a list of strings', z.array(z.string()), [''], ['']],
    [
      'is no entry of a list of numbers, but absent in a form',
      z.array(z.number()).optional(),
      REFUSED,
      undefined,
    ],
    ['is raw text for preprocess', z.preprocess((text) => text === '', z.boolean()), true, true],
  ] as const
  for (const [title, schema, inQuery, inForm] of cases) {
    it(title, async () =>
      assert.deepEqual(
        {
          query: await receiveField('query', schema, { query: { x: '' } }),
          headers: await receiveField('headers', schema, { headers: { x: '' } }),
          form: await receiveField('form', schema, { form: { x: '' } }),
        },
        { query: inQuery, headers: inQuery, form: inForm },
      ),
    )
  }
})

describe('a declared path parameter', () => {
  const receiveParam = async (pattern: string, schema: z.ZodType, path: string) => {
    let received: unknown = REFUSED
    const handler = ({ params }: { readonly params: object }) => {
      received = { ...params }
      return null
    }
    const response = await serve(
      controller({
        prefix: '/',
        routes: [{ method: 'GET', path: pattern, input: { params: { id: schema } }, handler }],
      }),
    ).inject(path)
    return received === REFUSED ? response.statusCode : received
  }
  const cases = [
    ['gets the raw text of {id:int} as a string', '/{id:int}', z.string(), '/007', { id: '007' }],
    ['gets the number of {id:int}', '/{id:int}', z.number(), '/007', { id: 7 }],
    ['gets a bigint', '/{id:int}', z.bigint(), '/7', { id: 7n }],
    ['refines the value', '/{id:int}', z.number().max(5), '/7', 422],
    ['does not loosen the pattern', '/{id:int}', z.string(), '/x', 404],
    ['refines one of several', '/{id}/{no:int}', z.enum(['a']), '/a/7', { id: 'a', no: 7 }],
    ['gets an escaped slash', '/{id}', z.string(), '/a%2Fb', { id: 'a/b' }],
  ] as const
  for (const [title, pattern, schema, path, expected] of cases) {
    it(title, async () => assert.deepEqual(await receiveParam(pattern, schema, path), expected))
  }
})
