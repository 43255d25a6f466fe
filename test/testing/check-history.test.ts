import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { absent, before, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import type { AnyModel, Reshape } from 'octavo/changes'
import { checkHistory } from 'octavo/testing'
import type { HistoryFinding } from 'octavo/testing'
import { z } from 'zod'

import { history as example } from '../../examples/history/changes.ts'

/** The findings of one reshape of one model. */
function findings(of: AnyModel, change: Reshape, options = {}): readonly HistoryFinding[] {
  const made = defineVersionChange({ version: '2', title: 'A change', change: [change] })
  return checkHistory(defineVersions({ versions: ['2', '1'], models: { of }, changes: [made] }), options)
}

const brief = (found: readonly HistoryFinding[]) =>
  found.map(({ code, fields }) => `${code} ${fields.join()}`)

const User = model('User', {
  id: z.string(),
  number: z.string().regex(/^(?:0|[1-9]\d{0,5})$/),
  firstName: z.string(),
  lastName: z.string(),
  status: z.enum(['active', 'paused']),
  age: z.number().int().min(0).max(200),
})
const Named = { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } } as const
const split = ({ name }: { name: string }) => {
  const [firstName = '', ...rest] = name.split(' ')
  return { firstName, lastName: rest.join(' ') }
}
const join = ({ firstName, lastName }: { firstName: string; lastName: string }) => ({
  name: `${firstName} ${lastName}`,
})

describe('checkHistory', () => {
  it('finds nothing in what comes back', () => {
    assert.deepEqual(
      findings(
        User,
        reshape({
          of: User,
          fields: {
            number: { was: z.number().int().min(0).max(999_999), up: String, down: Number },
            lastName: { was: 'surname' },
          },
        }),
      ),
      [],
    )
  })

  it('finds fields that do not come back, with the place, a value and the fix', () => {
    const [found, ...others] = findings(
      User,
      reshape({
        of: User,
        fields: { status: { was: z.enum(['active']), down: () => 'active' as const } },
      }),
    )
    assert.deepEqual(others, [])
    assert.deepEqual(
      { ...found, at: found?.at?.replace(/.*\//, '').replace(/:\d+$/, '') },
      {
        code: 'lost',
        change: 'a-change',
        model: 'User',
        fields: ['status'],
        message: "User.status does not come back from now → down → up: 'paused' becomes 'active'",
        fix: 'List `status` in `lossy`, or return it from `up`.',
        at: 'check-history.test.ts',
      },
    )
  })

  it('finds loss in groups on both sides, unless it is listed', () => {
    const lossy = (...names: string[]) =>
      brief(findings(User, reshape({ of: User, fields: Named, up: split, down: join, lossy: names })))
    assert.deepEqual(lossy().toSorted(), ['lost firstName', 'lost lastName', 'lost name'])
    assert.deepEqual(lossy('firstName', 'lastName', 'name'), [])
    assert.deepEqual(lossy('firstName', 'lastName', 'name', 'middleName'), ['unknown_field middleName'])
  })

  it('finds numbers that are rounded, also to thousandths', () => {
    const Walk = model('Walk', { meters: z.int().min(0).max(5000) })
    const inUnits = (units: number) =>
      reshape({
        of: Walk,
        fields: {
          meters: { was: absent },
          length: {
            was: z
              .number()
              .min(0)
              .max(5000 / units),
          },
        },
        up: ({ length }) => ({ meters: Math.round(length * units) }),
        down: ({ meters }) => ({ length: meters / units }),
      })
    for (const units of [10, 1000]) assert.deepEqual(brief(findings(Walk, inUnits(units))), ['lost length'])
  })

  it('finds nothing in fractions that only rounding changes', () => {
    const Trip = model('Trip', {
      price: z.int().min(0).max(1e8),
      heat: z.number().min(-90).max(90),
      metres: z.number().min(0).max(1e18),
      parts: z.array(z.number().min(-90).max(90)),
    })
    const toCelsius = (old: number): number => (old - 32) / 1.8
    const toFahrenheit = (now: number): number => now * 1.8 + 32
    const changed = reshape({
      of: Trip,
      fields: {
        price: {
          was: z.number().min(0).max(1e6).multipleOf(0.01),
          up: (euro: number) => Math.round(euro * 100),
          down: (cents: number) => cents / 100,
        },
        heat: { was: z.number().min(-130).max(194), up: toCelsius, down: toFahrenheit },
        metres: {
          was: z.number().min(0).max(1e15),
          up: (old: number) => old * 1000,
          down: (now: number) => now / 1000,
        },
        parts: {
          was: z.array(z.number().min(-130).max(194)),
          up: (old: number[]) => old.map(toCelsius),
          down: (now: number[]) => now.map(toFahrenheit),
        },
      },
    })
    const found = checkHistory(
      defineVersions({
        versions: ['2', '1'],
        models: { Trip },
        changes: [defineVersionChange({ version: '2', title: 'Units', change: [changed] })],
      }),
    )
    assert.deepEqual(
      found.map(({ message }) => message),
      [],
    )
  })

  it('finds a was that is narrower than the schema of today and has no down', () => {
    const cases: readonly (readonly [was: z.ZodType<number>, expected: readonly string[]])[] = [
      [z.number().int().min(0).max(150), ['narrower age']],
      [z.number().int().min(1).max(200), ['narrower age']],
      [z.number().multipleOf(2), ['narrower age']],
      [z.number().min(0), []],
    ]
    for (const [was, expected] of cases)
      assert.deepEqual(
        brief(findings(User, reshape({ of: User, fields: { age: { was, narrowed: true } } }))),
        expected,
      )
    const texts: readonly (readonly [was: z.ZodType<string>, expected: readonly string[]])[] = [
      [z.string().max(500), ['narrower id']],
      [z.string().min(2), ['narrower id']],
      [z.email(), ['narrower id']],
      [z.string().regex(/^u\d+$/), ['narrower id']],
      [z.string(), []],
    ]
    for (const [was, expected] of texts)
      assert.deepEqual(brief(findings(User, reshape({ of: User, fields: { id: { was } } }))), expected)
  })

  it('finds values that functions make and schemas refuse, and functions that throw', () => {
    const old = z.number()
    const age = (up: (value: number) => number) =>
      brief(findings(User, reshape({ of: User, fields: { age: { was: old, up } }, lossy: ['age'] })))
    assert.deepEqual(
      age((value) => value),
      ['unfit age'],
    )
    assert.deepEqual(
      age((value) => Math.min(200, Math.max(0, Math.trunc(value)))),
      [],
    )
    assert.deepEqual(
      age(() => {
        throw new RangeError('no')
      }),
      ['failed age'],
    )
    assert.deepEqual(brief(findings(User, reshape({ of: User, fields: { age: { was: old } } }))), [
      'unfit age',
    ])
    assert.deepEqual(
      brief(findings(User, reshape({ of: User, fields: { age: { was: old, narrowed: true } } }))),
      [],
    )
    assert.deepEqual(
      brief(findings(User, reshape({ of: User, fields: { age: { was: old, accepted: true } } }))),
      [],
    )
  })

  it('finds members that functions of a whole object return and no side has', () => {
    const stray = { nmae: 'Ann', name: 'Ann' }
    // @ts-expect-error -- 'nmae' is no field
    const down = findings(User, reshape({ of: User, fields: Named, up: split, down: () => stray }))
    const up = findings(
      User,
      // @ts-expect-error -- 'fullName' is no field
      reshape({ of: User, fields: Named, up: (old) => ({ ...split(old), fullName: '' }), down: join }),
    )
    for (const [name, found] of [
      ['nmae', down],
      ['fullName', up],
    ] as const) {
      assert.equal(found[0]?.code, 'failed')
      assert.match(found[0].message, new RegExp(`returned ${name}, which it does not make`))
    }
  })

  it('compares examples in both directions', () => {
    const check = (old: object, now: object) =>
      brief(
        findings(
          User,
          reshape({
            of: User,
            fields: Named,
            up: split,
            down: join,
            lossy: ['name', 'firstName', 'lastName'],
            examples: [{ old, now }],
          }),
        ),
      )
    assert.deepEqual(check({ name: 'Ann Lee' }, { firstName: 'Ann', lastName: 'Lee' }), [])
    assert.deepEqual(check({ name: 'Ann Lee' }, { firstName: 'Ann', lastName: 'Leigh' }), [
      'wrong_example lastName',
      'wrong_example name',
    ])
    assert.deepEqual(check({ nom: 'Ann Lee' }, { firstName: 'Ann' }), ['unknown_field nom'])
  })

  it('leaves out absent fields in arguments, as requests and results do', () => {
    const Pet = model('Pet', { label: z.string() })
    const change = reshape({
      of: Pet,
      fields: { label: { was: absent }, nick: { was: z.string().optional() } },
      up: (old) => ({ label: 'nick' in old ? `${old.nick}` : 'none' }),
      down: ({ label }) => (label === 'none' ? {} : { nick: label }),
    })
    assert.deepEqual(findings(Pet, change), [])
  })

  it('follows fields that changed names with each other', () => {
    const Pair = model('Pair', { a: z.string(), b: z.number() })
    const examples = [{ old: { a: 7, b: 'x' }, now: { a: 'x', b: 7 } }]
    const swapped = reshape({ of: Pair, fields: { a: { was: 'b' }, b: { was: 'a' } }, examples })
    assert.deepEqual(findings(Pair, swapped), [])
  })

  it('reads the state that a change is written against', () => {
    const was = z.number().int().min(0).max(999_999)
    const first = defineVersionChange({
      version: '3',
      title: 'Numbers are text',
      change: [reshape({ of: User, fields: { number: { was, up: String, down: Number } } })],
    })
    const second = defineVersionChange({
      version: '2',
      title: 'Numbers are numbers',
      change: [
        reshape({
          of: before(first, User),
          fields: { number: { was: z.boolean(), up: Number, down: Boolean } },
        }),
      ],
    })
    const history = defineVersions({ versions: ['3', '2', '1'], models: { User }, changes: [second, first] })
    const found = checkHistory(history)
    assert.deepEqual(
      found.map(({ change, code, fields }) => `${change} ${code} ${fields.join()}`),
      ['numbers-are-numbers lost number'],
    )
  })

  it('uses the values of examples where it can make none, and says so without any', () => {
    const Secret = model('Secret', { code: z.string().refine((text) => text === 'open sesame') })
    const was = z.string().refine((text) => text === 'sesame')
    const turn = { was, up: (old: string) => `open ${old}`, down: (now: string) => now.slice(5) }
    assert.deepEqual(brief(findings(Secret, reshape({ of: Secret, fields: { code: turn } }))), [
      'unchecked code',
    ])
    const examples = [{ old: { code: 'sesame' }, now: { code: 'open sesame' } }]
    assert.deepEqual(findings(Secret, reshape({ of: Secret, fields: { code: turn }, examples })), [])
  })

  it('makes values of every kind of schema', () => {
    const kinds = {
      email: z.email(),
      uuid: z.uuid(),
      url: z.url(),
      when: z.iso.datetime(),
      day: z.iso.date(),
      code: z.string().regex(/^[A-Z]{2}-\d{3,5}(?:-(?:a|b)+)?$/),
      template: z.templateLiteral(['v', z.number().int()]),
      list: z.array(z.string().min(2)).min(2).max(3),
      record: z.record(z.string(), z.number()),
      pair: z.tuple([z.string(), z.boolean()]),
      either: z.union([z.string(), z.null()]),
      tagged: z.discriminatedUnion('type', [
        z.object({ type: z.literal('a'), a: z.number() }),
        z.object({ type: z.literal('b'), b: z.string() }),
      ]),
      both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      date: z.date().min(new Date('2026-01-01')),
      big: z.bigint().min(5n),
      set: z.set(z.string()),
      map: z.map(z.string(), z.number()),
      even: z.number().gt(3).lt(50).multipleOf(2),
      exact: z.string().length(4),
      trimmed: z.string().trim().min(1),
      coded: z.string().transform((value) => value.length),
      start: z.string().startsWith('ab'),
      flag: z.stringbool(),
      optional: z.string().optional(),
      nullish: z.number().nullish(),
      fallback: z.string().default('a'),
    }
    const names = Object.keys(kinds)
    const Kind = model('Kind', Object.fromEntries(names.map((name) => [name, z.unknown()])))
    const fields = Object.entries(kinds).map(
      ([name, schema]) => [name, { was: schema, down: () => assert.fail('unreached') }] as const,
    )
    const found = findings(Kind, reshape({ of: Kind, fields: Object.fromEntries(fields) }))
    assert.deepEqual(
      found.filter(({ code }) => code === 'unchecked'),
      [],
    )
  })

  it('reaches the edges of each schema in one run, in whatever the field stands', () => {
    const edges: readonly (readonly [name: string, schema: z.ZodType, isEdge: (value: never) => boolean])[] =
      [
        ['a large number', z.number(), (value: number) => value >= 1e15],
        ['a large whole number', z.int(), (value: number) => value <= -1e15],
        ['the greatest number', z.number().max(7.5), (value: number) => value === 7.5],
        ['an empty text', z.string(), (value: string) => value === ''],
        ['a long text', z.string(), (value: string) => value.length >= 1000],
        ['the longest text', z.string().max(333), (value: string) => value.length === 333],
        ['an astral character', z.string(), (value: string) => /[\u{10000}-\u{10FFFF}]/u.test(value)],
        [
          'an alternative',
          z.enum(Array.from({ length: 300 }, (_, at) => `v${at}`)),
          (value: string) => value === 'v299',
        ],
        ['null', z.string().nullable(), (value: unknown) => value === null],
        ['a date before 1970', z.date(), (value: Date) => value.getTime() < 0],
        ['the last day', z.iso.date(), (value: string) => value === '9999-12-31'],
        ['an empty list', z.array(z.string()), (value: string[]) => value.length === 0],
        ['the longest list', z.array(z.int()).max(30), (value: number[]) => value.length === 30],
        ['a large bigint', z.bigint(), (value: bigint) => value > 2n ** 63n],
      ]
    const wrappers: readonly ((schema: z.ZodType) => readonly [z.ZodType, (value: never) => unknown])[] = [
      (schema) => [schema, (value) => value],
      (schema) => [z.object({ a: z.string(), b: schema }), (value: { b: unknown }) => value.b],
      (schema) => [z.array(z.object({ b: schema })), (value: { b: unknown }[]) => value[0]?.b],
      (schema) => [
        z.union([z.object({ c: z.literal(1) }), z.object({ b: schema })]),
        (value: { b: unknown }) => value.b,
      ],
      (schema) => [z.record(z.string(), schema).optional(), (value: object) => Object.values(value ?? {})[0]],
      (schema) => [z.tuple([z.string(), schema]), (value: unknown[]) => value[1]],
    ]
    const missed = edges.flatMap(([name, schema, isEdge]) =>
      wrappers.flatMap((wrap, index) => {
        const [now, read] = wrap(schema)
        const Model = model('Edge', { field: now })
        const up = (value: unknown): unknown => {
          const inner = read(value as never)
          if (inner !== undefined && isEdge(inner as never)) throw new Error('edge')
          return value
        }
        const found = findings(
          Model,
          reshape({
            of: Model,
            fields: { field: { was: now, up, down: (value: unknown) => value } },
          }),
          { runs: 1 },
        )
        return found.some(({ code }) => code === 'failed') ? [] : [`${name} in wrapper ${index}`]
      }),
    )
    assert.deepEqual(missed, [])
  })

  it('makes the same values of a seed', () => {
    const change = reshape({ of: User, fields: Named, up: split, down: join })
    assert.deepEqual(findings(User, change, { seed: 7 }), findings(User, change, { seed: 7 }))
  })

  it('finds nothing in the example', () => {
    assert.deepEqual(checkHistory(example), [])
  })

  it('wants a history', () => {
    assert.throws(() => checkHistory({}), {
      name: 'TypeError',
      message: 'checkHistory: pass the result of defineVersions',
    })
  })
})

describe('checkHistory of several changes', () => {
  const Order = model('Order', {
    id: z.string(),
    count: z.number().int().min(0).max(999_999_999_999),
    note: z.string(),
  })
  const texts = defineVersionChange({
    version: '3',
    title: 'Counts are numbers',
    change: [
      reshape({
        of: Order,
        fields: {
          count: { was: z.string().regex(/^(?:0|[1-9]\d{0,11})$/), up: Number, down: String },
        },
      }),
    ],
  })
  const older = (change: object): readonly HistoryFinding[] => {
    const made = defineVersionChange({
      version: '2',
      title: 'Counts were short',
      change: [
        reshape({
          of: before(texts, Order),
          // the types would take each of them
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          ...(change as { fields: { count: { was: z.ZodString; up: (old: string) => string } } }),
        }),
      ],
    })
    return checkHistory(
      defineVersions({ versions: ['3', '2', '1'], models: { Order }, changes: [texts, made] }),
    )
  }
  // one value, which the newest schema has at its edge and texts at random hardly have
  const edge = '999999999999'
  const lose = (now: string): string => (now === edge ? '0' : now)

  it('finds newest values that do not come back from an older version', () => {
    const [found, ...others] = older({
      fields: { count: { was: z.string(), up: (old: string) => old, down: lose, narrowed: true } },
    })
    assert.deepEqual(others, [])
    assert.deepEqual([found?.code, found?.change, found?.fields], ['lost', 'counts-were-short', ['count']])
    assert.equal(
      found?.message,
      'Order.count does not come back from the newest version → before "counts-were-short" → the newest version: 999999999999 becomes 0',
    )
  })

  it('finds steps that cannot convert what others make', () => {
    const fail = (now: string): string => {
      if (now === edge) throw new Error('too many')
      return now
    }
    const [found, ...others] = older({
      fields: { count: { was: z.string(), up: (old: string) => old, down: fail, narrowed: true } },
    })
    assert.deepEqual(others, [])
    assert.deepEqual([found?.code, found?.change], ['failed', 'counts-were-short'])
    assert.match(found?.message ?? '', /it threw: too many/)
  })

  it('finds functions that fail on the way through all changes, as they are served', () => {
    const Car = model('Car', { colour: z.string().optional() })
    const red = defineVersionChange({
      version: '3',
      title: 'Cars are red',
      change: [
        reshape({ of: Car, fields: { colour: { was: z.string().default('red') } }, lossy: ['colour'] }),
      ],
    })
    const long = defineVersionChange({
      version: '2',
      title: 'Colours are long',
      change: [
        reshape({
          of: before(red, Car),
          // no default is completed between two changes
          fields: { colour: { was: z.number(), up: String, down: (now) => now.length } },
          lossy: ['colour'],
        }),
      ],
    })
    const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [red, long] })
    assert.throws(() => history.migrate(Car, {}, { to: '1' }), /"colours-are-long" failed/)
    const [found, ...others] = checkHistory(history)
    assert.deepEqual(others, [])
    assert.deepEqual([found?.code, found?.change, found?.fields], ['failed', 'colours-are-long', ['colour']])
  })

  it('finds nothing in what an older change says that it loses', () => {
    assert.deepEqual(
      older({
        lossy: ['count'],
        fields: { count: { was: z.string(), up: (old: string) => old, down: lose, narrowed: true } },
      }),
      [],
    )
  })
})
