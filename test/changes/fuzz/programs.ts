import { inspect } from 'node:util'

import * as fc from 'fast-check'
import { z } from 'zod'
import { MigrationError, RefusedError, createMadeCheck } from '../../inside/parts.ts'
import type { Program, Converter, Instruction, Plan } from '../../inside/parts.ts'

/** Notes the arguments of each call of a function, and the changes that alter something. */
type Log = (text: string) => void
/** A part of a program, made anew for each way of running it, because functions may keep a state. */
type Make<T> = (log: Log) => T

const NAMES = ['a b', '0', '7', 'constructor', 'toString', 'then', '"\\\n', '\u2028', '`${a}`']
// most members are in the value that is converted
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') }, fc.constantFrom(...NAMES))
const scalar = fc.constantFrom(
  undefined,
  undefined,
  null,
  null,
  '',
  'text',
  'a',
  0,
  -0,
  7,
  Number.NaN,
  true,
  false,
  7n,
)
const REGISTERS = 4
const register = fc.nat({ max: REGISTERS - 1 })

class Entity {
  readonly a = 1
  get b(): string {
    return 'b of a class'
  }
}

const value = fc.oneof(
  scalar,
  fc.dictionary(name, scalar, { maxKeys: 4 }),
  fc.array(scalar, { maxLength: 2 }),
  fc.date(),
  fc.constant(Object.freeze({ a: 'frozen', b: undefined })),
)

/** Writes a value with its absent members, its classes and the order of its keys. */
export function shown(given: unknown): string {
  const options = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity }
  // numbers that node gives to promises
  return inspect(given, options).replaceAll(/async_id_symbol\)\]: \d+/g, '')
}

type Way = (values: unknown, given: { readonly made: unknown; readonly key: string }) => unknown

/** The ways in which a function makes something of values. */
const WAYS = {
  constant: (_, { made }) => structuredClone(made),
  same: (values) => values,
  spread: (values, { key }) => ({ [key]: 'spread', ...Object(values) }),
  under: (values, { made, key }) => ({ ...Object(values), [key]: structuredClone(made) }),
  keys: (values, { key }) => ({ [key]: Object.keys(Object(values)).join() }),
  entity: () => new Entity(),
  mutate: (values, { made, key }) => {
    if (typeof values === 'object' && values !== null) Reflect.set(values, key, structuredClone(made))
    return values
  },
} satisfies Record<string, Way>

/** The ways in which a function fails. */
const FAILURES = {
  getter: (_, { key }) =>
    Object.defineProperty({}, key, {
      get: () => {
        throw new Error(`no ${key}`)
      },
    }),
  throws: () => {
    throw new TypeError('thrown')
  },
  throwsNothing: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- functions may throw anything
    throw undefined
  },
  promise: (_, { made }) => Promise.resolve(made),
  rejection: () => handled(Promise.reject(Object.assign(new Error('rejected'), { stack: '' }))),
  // oxlint-disable-next-line unicorn/no-thenable -- functions may return anything
  thenable: (_, { made }) => ({ then: (done: (result: unknown) => void) => done(made) }),
  refusal: () => {
    throw new RefusedError([{ code: 'custom', path: [], message: 'refused' }])
  },
  failure: () => {
    throw new MigrationError({ id: 'inner' }, 'inner', { fields: [] })
  },
} satisfies Record<string, Way>

const ways: fc.Arbitrary<Way> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Way[]>(...Object.values(WAYS)) },
  fc.constantFrom<Way[]>(...Object.values(FAILURES)),
)

/** A function of a change, which may fail when it is called again. */
const call: fc.Arbitrary<Make<(values: unknown, extra: object) => unknown>> = fc
  .record({ way: ways, made: value, key: name, isOnce: fc.boolean() })
  .map(({ way, isOnce, ...given }) => (log: Log) => {
    let calls = 0
    return (values: unknown, extra: object): unknown => {
      log(shown([values, extra]))
      if (isOnce && calls++ > 0) throw new RangeError('only once')
      return way(values, given)
    }
  })

function handled(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => undefined)
  return promise
}

const SCHEMAS = [
  z.unknown(),
  z.string(),
  z.string().optional(),
  z.number(),
  z.string().min(3),
  z.string().default('default'),
  z.string().trim(),
  z.object({ a: z.string().optional() }),
  z.nullable(z.string()),
  z.string().refine(async () => true),
  z.string().refine(() => {
    throw new Error('no check')
  }),
]
const schema = fc.constantFrom(...SCHEMAS)
const change = fc.constantFrom({ id: 'one' }, { id: 'two "quoted"' })
const held = fc.record({ name, register })
const needed = fc.record({ names: fc.uniqueArray(name, { maxLength: 2 }), register })
const neededList = fc.array(needed, { maxLength: 4 })
const heldList = fc.uniqueArray(held, { selector: (each) => each.name, maxLength: 4 })
const check = fc.option(fc.record({ schema, isNarrowed: fc.boolean() }), { nil: undefined })

/** Creates the conversion of a program. */
export type Run = (program: Program) => Converter

/** The conversion of a member: a function, or a program of its own, also for each member of a list. */
const plan = (inner: fc.Arbitrary<(log: Log, run: Run) => Program>) =>
  fc.oneof(
    call.map((make) => (log: Log) => {
      const made = make(log)
      return (given: unknown) => made(given, {})
    }),
    inner.map((make) => (log: Log, run: Run) => run(make(log, run))),
  )

const instruction: fc.Arbitrary<(log: Log, run: Run) => Instruction> = fc.oneof(
  fc
    .record({ change, register, isName: fc.boolean() })
    .map((note) => () => ({ kind: 'note', ...note }) as const),
  fc.record({ change, args: heldList }).map((keep) => () => ({ kind: 'keep', ...keep }) as const),
  fc
    .record({
      change,
      register,
      name,
      call: fc.option(call, { nil: undefined }),
      check,
      reads: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, heldList),
      required: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, neededList),
      skipsAbsent: fc.boolean(),
      passThrough: fc.record({ absent: fc.boolean(), null: fc.boolean() }),
    })
    .map((turn) => (log: Log): Instruction => ({
      ...turn,
      kind: 'convert',
      loader: undefined,
      fields: [turn.name],
      call: turn.call?.(log),
      check:
        turn.check &&
        createMadeCheck(
          turn.check.schema,
          turn.change,
          turn.name,
          turn.check.isNarrowed ? [turn.name] : undefined,
        ),
    })),
  fc
    .record({
      change,
      call: fc.option(call, { nil: undefined }),
      args: heldList,
      made: fc.array(fc.record({ name, register, check, stays: fc.boolean() }), { maxLength: 3 }),
      required: fc.option(fc.record({ sent: fc.option(neededList, { nil: undefined }), all: neededList }), {
        nil: undefined,
      }),
    })
    .map((group) => (log: Log): Instruction => ({
      ...group,
      kind: 'group',
      loader: undefined,
      fields: group.made.map((each) => each.name),
      call: group.call?.(log),
      made: group.made.map((each) => ({
        ...each,
        check:
          each.check &&
          createMadeCheck(
            each.check.schema,
            group.change,
            each.name,
            each.check.isNarrowed ? [each.name, 'b'] : undefined,
          ),
      })),
    })),
)

function toPlan(make: ((log: Log, run: Run) => Converter) | undefined, log: Log, run: Run): Plan | undefined {
  const turn = make?.(log, run)
  const wire = z.unknown()
  return turn && { wire, parse: wire, up: turn, down: turn }
}

const STAYING: Plan = { wire: z.unknown(), parse: z.unknown(), up: (given) => given, down: (given) => given }

/** A program of one object: what it reads, does and writes, and how the values of its members are converted. */
export const program: fc.Arbitrary<(log: Log, run: Run) => Program> = fc.letrec<{
  program: (log: Log, run: Run) => Program
}>((tie) => {
  const inner = fc.option(plan(tie('program')), { nil: undefined, depthSize: 'small', maxDepth: 2 })
  const names = fc.uniqueArray(name, { maxLength: 2 })
  const converting = fc.record({ register, plan: inner, names }).map((given) => (log: Log, run: Run) => {
    return { ...given, kind: 'inner', plan: toPlan(given.plan, log, run) ?? STAYING } as const
  })
  return {
    program: fc
      .record({
        direction: fc.constantFrom('up', 'down'),
        loads: fc.array(fc.record({ name, register, plan: inner }), { maxLength: REGISTERS }),
        instructions: fc.array(fc.oneof({ weight: 3, arbitrary: instruction }, converting), { maxLength: 5 }),
        members: fc.array(
          fc.record({
            to: name,
            from: name,
            register: fc.option(register, { nil: undefined }),
            plan: inner,
            schema,
            fallback: fc.option(
              scalar.map((made) => () => made),
              { nil: undefined },
            ),
            shaper: fc.option(change, { nil: undefined }),
          }),
          { maxLength: 6 },
        ),
        isOpen: fc.boolean(),
        refine: fc.option(call, { nil: undefined, freq: 4 }),
      })
      .map(({ isOpen, ...parts }) => (log: Log, run: Run): Program => {
        const refine = parts.refine?.(log)
        return {
          ...parts,
          registerCount: REGISTERS,
          loads: parts.loads.map((each) => ({ ...each, plan: toPlan(each.plan, log, run) })),
          instructions: parts.instructions.map((make) => make(log, run)),
          members: parts.members.map((each) => ({ ...each, plan: toPlan(each.plan, log, run) })),
          others: isOpen
            ? (made, source) => {
                for (const [key, member] of Object.entries(source))
                  if (!Object.hasOwn(made, key)) Reflect.set(made, key, member)
              }
            : undefined,
          refine: refine && ((made) => refine(made, {})),
        }
      }),
  }
}).program

/** Creates the value that a program converts: any value, or an object with many of the members that it reads. */
export const source: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.dictionary(name, value, { minKeys: 4 }).map((made) => () => structuredClone(made)),
  value.map((made) => () => structuredClone(made)),
  fc.constant(() => new Entity()),
  fc.constant(() => Object.assign(Object.create(null), { a: 1, b: undefined, c: { a: 'b' } })),
)

/** Everything that can be seen of a conversion: its result or its error, the calls of functions, and the changes that are reported. */
export function observe(convert: (altered: Log) => unknown, log: readonly string[]): readonly string[] {
  const notes: string[] = []
  let outcome
  try {
    outcome = `made ${shown(convert((text) => notes.push(text)))}`
  } catch (error) {
    outcome = `threw ${shownError(error)}`
  }
  return [outcome, ...notes, ...log]
}

function shownError(error: unknown): string {
  if (!(error instanceof Error)) return shown(error)
  const { name: kind, message } = error
  const inner = 'cause' in error ? shownError(error.cause) : 'no cause'
  const own =
    error instanceof MigrationError
      ? [error.change, error.failure.fields, error.failure.unfit]
      : error instanceof RefusedError
        ? [error.path, error.issues]
        : []
  return shown([kind, message, own, inner])
}
