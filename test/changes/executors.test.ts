import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { absent, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { createRandom } from '../fault/fuzz/random.ts'
import type { Random } from '../fault/fuzz/random.ts'
import { toHistory, toSchema, toSchemas } from './fuzz/build.ts'
import { observe, program, shown, source } from './fuzz/programs.ts'
import type { Run } from './fuzz/programs.ts'
import { Reference } from './fuzz/reference.ts'
import { createWorld } from './fuzz/world.ts'
import type { Kind, World } from './fuzz/world.ts'
import { compileProgram, interpret } from '../inside/parts.ts'
import type { Program, Converter } from '../inside/parts.ts'

/** Runs something as on platforms that forbid to make code from text. */
function withoutCode<T>(run: () => T): T {
  z.config({ jitless: true })
  try {
    return run()
  } finally {
    z.config({ jitless: false })
  }
}

const WAYS = {
  'as compiled code': <T>(run: () => T): T => run(),
  'without generated code': withoutCode,
}

for (const [way, run] of Object.entries(WAYS))
  describe(`a conversion ${way}`, () => {
    const User = model('User', {
      id: z.string(),
      nick: z.string().optional(),
      label: z.string(),
      note: z.string().optional(),
    })
    const labels = defineVersionChange({
      version: '2',
      title: 'Users have labels',
      change: [
        reshape({
          of: User,
          fields: {
            label: { was: absent },
            text: { was: z.string().optional() },
            keys: { was: z.string() },
          },
          reads: ['nick', 'note'],
          up: (old) => ({ label: Object.values({ nick: 'none', ...old }).join() }),
          down: (now) => ({ text: { nick: 'none', ...now }.nick, keys: Object.keys(now).join() }),
        }),
      ],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [labels] })

    it('leaves out absent fields in the arguments of up and down', () => {
      const made = run(() => history.migrate(User, { id: '7', keys: 'k' }, { from: '1' }))
      assert.deepStrictEqual(made, { id: '7', label: 'none,k' })
      const old = run(() => history.migrate(User, { id: '7', label: 'a', nick: undefined }, { to: '1' }))
      assert.deepStrictEqual(old, { id: '7', text: 'none', keys: 'label' })
    })

    it('leaves out members that nothing makes', () => {
      const invalid: object = { label: 'a', note: undefined }
      const old = run(() => history.migrate(User, invalid as never, { to: '1' }))
      assert.deepStrictEqual(old, { text: 'none', keys: 'label' })
    })

    it('reads values as they are read in the newest version, those of classes included', () => {
      class Entity {
        readonly label = 'a'
        get id(): string {
          return '7'
        }
        get nick(): string {
          return 'Ann'
        }
      }
      const old = run(() => history.migrate(User, new Entity(), { to: '1' }))
      assert.deepStrictEqual(old, { id: '7', nick: 'Ann', text: 'Ann', keys: 'label,nick' })
    })
  })

describe('the compiled form of a program', () => {
  const compile = (given: Program): Converter => compileProgram(given) ?? assert.fail('it was not compiled')
  const request = { method: 'GET' } as never

  it('makes the same, calls the same functions and throws the same errors as the interpreted one', () => {
    fc.assert(
      fc.property(program, source, fc.boolean(), (make, value, isTracked) => {
        const [compiled, interpreted] = [compile, interpret].map((run: Run) => {
          const calls: string[] = []
          const turn = run(make((text) => calls.push(text), run))
          return observe((log) => {
            const altered = (change: string, isName?: boolean): void => log(`${change} ${isName}`)
            const keep = (...kept: readonly unknown[]): void => log(shown(kept))
            return turn(value(), isTracked ? { request, altered, keeper: { keep } } : { request })
          }, calls)
        })
        assert.deepEqual(compiled, interpreted)
      }),
      { numRuns: 150, includeErrorInReport: true },
    )
  })
})

type Call = (values: never) => unknown

/** A function of a change that fails or goes wrong for some values. */
function spoiled<T extends Call>(call: T): T {
  const wrong: Call = (values) => {
    const made = call(values)
    const chance = Buffer.from(shown(values)).reduce((sum, byte) => sum + byte, 0) % 16
    if (chance === 0) throw new Error('it failed')
    if (chance === 1) return undefined
    if (chance === 2) return Promise.resolve(made)
    if (typeof made !== 'object' || made === null || made instanceof Date) return made
    if (chance < 6) return { ...made, ...Object(values), other: undefined }
    return chance < 8 ? Object.fromEntries(Object.entries(made).slice(1)) : made
  }
  return wrong as T
}

function withSpoiledCalls(world: World): World {
  const both = <T extends object>(given: T): T => {
    const { up, down }: { up?: Call; down?: Call } = given
    return { ...given, ...(up && { up: spoiled(up) }), ...(down && { down: spoiled(down) }) }
  }
  return { ...world, steps: world.steps.map((step) => both({ ...step, moves: step.moves.map(both) })) }
}

/** The value with some members left out, or `undefined`. */
function withoutSome(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutSome(member, random))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (random.chance(0.05)) return []
      return [[key, random.chance(0.1) ? undefined : withoutSome(member, random)]]
    }),
  )
}

interface Migrates {
  readonly migrate: (schema: z.ZodType, value: unknown, versions: object) => unknown
}

describe('a history', () => {
  it('converts the same with compiled code and without', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const world = withSpoiledCalls(createWorld(createRandom(seed)))
        const [compiled, interpreted] = [WAYS['as compiled code'], withoutCode].map((run) => {
          const random = createRandom(seed)
          const reference = new Reference(world)
          const schemas = toSchemas(world)
          const history = toHistory(world, schemas) as Migrates
          const kinds = [
            ...world.objects.map(({ id }): Kind => ({ t: 'object', object: id })),
            ...world.routes.flatMap(({ body, responses }) => [
              ...(body === undefined ? [] : [body]),
              ...responses.map(({ kind }) => kind),
            ]),
          ]
          return kinds.flatMap((kind) =>
            world.versions.flatMap((version, at) => {
              const older = withoutSome(reference.value(random, kind, at), random)
              const newest = withoutSome(reference.value(random, kind, 0), random)
              const schema = toSchema(kind, schemas)
              return run(() => [
                ...observe(() => history.migrate(schema, older, { from: version }), []),
                ...observe(() => history.migrate(schema, newest, { to: version }), []),
              ])
            }),
          )
        })
        assert.deepEqual(compiled, interpreted)
      }),
      // a seed of its own, as random cases of the gate have; `fuzz:history` tries others
      { numRuns: 6, seed: 47, includeErrorInReport: true },
    )
  })
})
