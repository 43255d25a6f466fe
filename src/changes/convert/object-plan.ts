import { cloneSchema } from '../zod.ts'
import type { ModelledFields, AppliedStep } from './modelled-fields.ts'
import { interpretLoading } from './loading.ts'
import {
  convertAt,
  copyPlan,
  type Plan,
  type Direction,
  type InnerPlans,
  type Identified,
  type Converter,
  type Range,
} from './converter.ts'
import { createRefine } from './refine.ts'
import { interpret, type Member, type Program } from './program.ts'
import { statesOf, type FieldAt } from './field-states.ts'
import { compileProgram } from './program-code.ts'
import { downInstructions, upInstructions, type Instruction, type UpSite } from './instructions.ts'
import { defOf, schemaOf, schemasOf, type Schema } from '../../schema/schema.ts'
import { isMadeTogether, type FieldId } from '../chain.ts'

/** The plans of what is inside of an object, and the states between which it is converted. */
export interface ObjectRange extends InnerPlans, Range {
  readonly isLoading: (direction: Direction) => boolean
}

/** Plans an object schema. `steps` are those that the older state lacks, newest first. */
export function planObject(
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
  range: ObjectRange,
): Plan {
  const from = steps.filter(({ order }) => order < range.newer).length
  const states = statesOf(schema, modelled, steps, range)
  const fields = states.at(-1) ?? []
  const catchall = schemaOf(defOf(schema)['catchall'])
  const toConverter = (direction: Direction): Converter => {
    const site = {
      schema,
      modelled,
      range,
      states: states.slice(from),
      steps: steps.slice(from),
      others: catchall && range.between(catchall, range.newer, range.older, range.origin),
    }
    const around = aroundOf(site)
    const program = direction === 'down' ? toDown(site, around) : toUp(site, around)
    return range.isLoading(direction)
      ? interpretLoading(program)
      : (compileProgram(program) ?? interpret(program))
  }
  const named = steps.findLast((step) => step.named !== undefined)?.named
  const toSchema = (form: 'wire' | 'parse'): Schema => {
    const others = catchall && range.planOf(catchall, range.older, range.origin)
    const members = {
      shape: toShape(fields, form, range),
      // functions take values of the age of their schema
      ...(range.older !== range.origin && { checks: [] }),
      ...(others && { catchall: others[form] }),
    }
    return cloneSchema(schema, members, named)
  }
  return {
    get wire() {
      return toSchema('wire')
    },
    get parse() {
      return toSchema('parse')
    },
    names: new Map(fields.flatMap(({ key, name }) => (key === undefined ? [] : [[key, name]]))),
    get down() {
      return toConverter('down')
    },
    get up() {
      return toConverter('up')
    },
  }
}

/** Returns what the instructions of both directions read of an object. */
function aroundOf(site: Site): Around {
  const { modelled } = site
  const keys = new Map([...modelled.fieldIds].map(([key, fieldId]) => [fieldId, key]))
  return {
    isAround: (fieldId, types) =>
      modelled.wrappers.get(keys.get(fieldId) ?? '')?.some((each) => types.has(defOf(each).type)) === true,
    sentOf: createSentOf(site),
  }
}

/** The registers of fields. */
class Registers {
  readonly numbers = new Map<FieldId, number>()

  readonly of = (fieldId: FieldId): number => {
    const register = this.numbers.get(fieldId) ?? this.numbers.size
    this.numbers.set(fieldId, register)
    return register
  }

  fieldsIn(registers: ReadonlySet<number>): readonly FieldId[] {
    return [...this.numbers].flatMap(([fieldId, register]) => (registers.has(register) ? [fieldId] : []))
  }
}

/** Creates the function that finds the members of the older version that the value of a field comes from. */
function createSentOf({ states, steps }: Site): (fieldId: FieldId) => readonly string[] {
  // a change can read a field that it adds
  const sentOf = (fieldId: FieldId, seen: readonly FieldId[] = []): readonly string[] => {
    if (seen.includes(fieldId)) return []
    const field = fieldIn(states.at(-1), fieldId)
    if (field !== undefined) return [field.name]
    const maker = steps.findLast(({ fieldChanges }) =>
      fieldChanges.some((fieldChange) => fieldChange.kind === 'added' && fieldChange.fieldId === fieldId),
    )
    if (maker === undefined) return []
    const removed = maker.fieldChanges.flatMap((fieldChange) =>
      fieldChange.kind === 'removed' || isMadeTogether(fieldChange, maker.step.reshape, 'up')
        ? [fieldChange.fieldId]
        : [],
    )
    const sources = removed.length > 0 ? removed : maker.step.reads.map(([, each]) => each)
    return [...new Set(sources.flatMap((each) => sentOf(each, [...seen, fieldId])))]
  }
  return (fieldId) => sentOf(fieldId)
}

function toShape(
  fields: readonly FieldAt[],
  form: 'wire' | 'parse',
  { planOf, older }: ObjectRange,
): Record<string, Schema> {
  const shape: Record<string, Schema> = {}
  for (const { name, schema, origin } of fields)
    // read late, for a schema may hold itself
    Object.defineProperty(shape, name, {
      enumerable: true,
      get: () => planOf(schema, older, origin)?.[form] ?? schema,
    })
  return shape
}

interface Site {
  readonly schema: Schema
  readonly modelled: ModelledFields
  readonly range: ObjectRange
  /** The fields on the newer side of the first step, and on the older side of each. */
  readonly states: readonly (readonly FieldAt[])[]
  readonly steps: readonly AppliedStep[]
  /** The conversion of members that no version declares. */
  readonly others: Plan | undefined
}

type Around = Pick<UpSite, 'isAround' | 'sentOf'>

function toDown(site: Site, around: Around): Program {
  const { steps, states, range, others } = site
  const registers = new Registers()
  const [newer = [], fields = []] = [states[0], states.at(-1)]
  const ages = new Map(newer.map(({ fieldId }) => [fieldId, range.newer]))
  const instructions = steps.flatMap((own, index) => {
    const time = range.timeOf(own.order)
    const made = downInstructions(own, { ...around, registerOf: registers.of })
    const used = new Set([...registers.fieldsIn(new Set(made.flatMap(inputsOf))), ...retypedIn(own)])
    const before = [...used].flatMap((fieldId) => {
      const plan = planFor(fieldIn(states[index], fieldId), ages, (schema, age, origin) =>
        range.between(schema, age, time, origin),
      )
      ages.set(fieldId, time)
      return plan === undefined ? [] : [toInner(registers.of(fieldId), plan, around.sentOf(fieldId))]
    })
    for (const { kind, fieldId } of own.fieldChanges) if (kind === 'removed') ages.set(fieldId, time)
    return [...before, ...made]
  })
  const inputs = new Set(instructions.flatMap(inputsOf))
  return {
    direction: 'down',
    registerCount: registers.numbers.size,
    loads: newer.flatMap(({ name, fieldId, schema }) => {
      const register = fieldId === undefined ? undefined : registers.numbers.get(fieldId)
      if (register === undefined) return []
      // what was loaded may be found by the very object that the handler returned
      const isCopied = inputs.has(register) && !range.isLoading('down')
      return [{ name, register, plan: isCopied ? copyPlan(schema) : undefined }]
    }),
    instructions,
    members: fields.map((field): Member => {
      const { fieldId, name, schema } = field
      const now = newer.find((each) => isSameField(each, field))
      return {
        to: name,
        from: now?.name ?? '',
        register: fieldId === undefined ? undefined : registers.numbers.get(fieldId),
        plan: planFor(field, ages, (own, age, origin) => range.between(own, age, range.older, origin)),
        schema,
        // a newest result is completed by its own schema
        fallback: now?.schema === schema ? undefined : fallbackOf(schema),
        shaper: shaperOf(fieldId, steps),
      }
    }),
    others: findOthers(site, others?.down),
    refine: undefined,
  }
}

/** The plan that takes a field from the age that it has. */
function planFor(
  field: FieldAt | undefined,
  ages: ReadonlyMap<FieldId | undefined, number>,
  plan: (schema: Schema, age: number, origin: number) => Plan | undefined,
): Plan | undefined {
  if (field === undefined) return undefined
  return plan(field.schema, ages.get(field.fieldId) ?? 0, field.origin)
}

function toInner(register: number, plan: Plan, names: readonly string[]): Instruction {
  return { kind: 'inner', register, plan, names }
}

function fieldIn(fields: readonly FieldAt[] | undefined, fieldId: FieldId): FieldAt | undefined {
  return fields?.find((each) => each.fieldId === fieldId)
}

function isSameField(one: FieldAt, other: FieldAt): boolean {
  return one.fieldId === other.fieldId && one.key === other.key
}

function retypedIn({ fieldChanges }: AppliedStep): readonly FieldId[] {
  return fieldChanges.flatMap(({ kind, fieldId }) => (kind === 'retyped' ? [fieldId] : []))
}

/** The change that says which schema a field had. */
function shaperOf(fieldId: FieldId | undefined, steps: readonly AppliedStep[]): Identified | undefined {
  return steps.findLast(({ fieldChanges }) =>
    fieldChanges.some(
      (fieldChange) =>
        fieldChange.fieldId === fieldId && (fieldChange.kind === 'retyped' || fieldChange.kind === 'removed'),
    ),
  )?.step.change
}

function toUp(site: Site, around: Around): Program {
  const { schema, states, range, others } = site
  const registers = new Registers()
  const [newer = [], fields = []] = [states[0], states.at(-1)]
  const { instructions, first, unread } = toUpInstructions(site, around, registers)
  return {
    direction: 'up',
    registerCount: registers.numbers.size,
    loads: fields.flatMap(({ fieldId, name }) => {
      const register = fieldId === undefined ? undefined : registers.numbers.get(fieldId)
      if (fieldId === undefined || register === undefined) return []
      return [{ name, register, plan: first.get(fieldId) }]
    }),
    instructions,
    members: newer.map((field): Member => {
      const { fieldId, name, schema: own } = field
      const was = fields.find((each) => isSameField(each, field))
      const isConverted = was === undefined || (fieldId !== undefined && !unread.has(fieldId))
      return {
        to: name,
        from: was?.name ?? name,
        register: fieldId === undefined ? undefined : registers.numbers.get(fieldId),
        plan: isConverted ? undefined : range.between(was.schema, range.newer, range.older, was.origin),
        schema: own,
        fallback: undefined,
        shaper: undefined,
      }
    }),
    others: findOthers(site, others?.up),
    refine: range.newer === range.origin ? createRefine(schemasOf(defOf(schema)['checks'])) : undefined,
  }
}

interface UpInstructions {
  readonly instructions: readonly Instruction[]
  /** The first conversions of fields: what a client sent is converted on its way into a register. */
  readonly first: ReadonlyMap<FieldId, Plan>
  /** The fields that no function got. They are converted when they are written. */
  readonly unread: ReadonlySet<FieldId | undefined>
}

function toUpInstructions(
  { steps, states, range }: Site,
  around: Around,
  registers: Registers,
): UpInstructions {
  const [newer = [], fields = []] = [states[0], states.at(-1)]
  const ages = new Map(fields.map(({ fieldId }) => [fieldId, range.older]))
  const first = new Map<FieldId, Plan>()
  const unread = new Set(fields.map(({ fieldId }) => fieldId))
  const bring = (field: FieldAt | undefined, time: number): readonly Instruction[] => {
    const plan = planFor(field, ages, (own, age, origin) => range.between(own, time, age, origin))
    if (field?.fieldId === undefined) return []
    const { fieldId } = field
    const isFirst = unread.delete(fieldId)
    ages.set(fieldId, time)
    if (plan === undefined) return []
    if (!isFirst) return [toInner(registers.of(fieldId), plan, around.sentOf(fieldId))]
    first.set(fieldId, plan)
    return []
  }
  const instructions = [...steps.entries()].toReversed().flatMap(([index, own]) => {
    const time = range.timeOf(own.order)
    const made = upInstructions(own, {
      ...around,
      registerOf: registers.of,
      newerSchema: (fieldId) => {
        const field = fieldIn(states[index], fieldId)
        if (field === undefined) return undefined
        // widened before it is planned, because changes name fields as they are in newest schemas
        const widened = range.widen(field.schema)
        return range.planOf(widened, time, field.origin)?.parse ?? widened
      },
    })
    const used = registers.fieldsIn(new Set(made.flatMap(inputsOf)))
    const before = used.flatMap((fieldId) => bring(fieldIn(states[index + 1], fieldId), time))
    for (const { kind, fieldId } of own.fieldChanges) if (kind === 'added') ages.set(fieldId, time)
    return [...before, ...made]
  })
  const last = newer.flatMap((field) => (unread.has(field.fieldId) ? [] : bring(field, range.newer)))
  return { instructions: [...instructions, ...last], first, unread }
}

/** Returns the registers that an instruction reads for functions. */
function inputsOf(instruction: Instruction): readonly number[] {
  switch (instruction.kind) {
    case 'note':
    case 'inner':
      return []
    case 'keep':
      return instruction.args.map(numberOf)
    case 'convert':
      return [instruction.register, ...instruction.reads.map(numberOf)]
    case 'group':
    case 'load':
      return instruction.args.map(numberOf)
  }
}

function numberOf({ register }: { readonly register: number }): number {
  return register
}

/** Copies or converts the members that no version declares, if the object keeps them. */
function findOthers({ schema, states }: Site, convert: Converter | undefined): Program['others'] {
  const catchall = schemaOf(defOf(schema)['catchall'])
  if (catchall === undefined || defOf(catchall).type === 'never') return undefined
  const known = new Set([states[0], states.at(-1)].flatMap((fields = []) => fields.map(({ name }) => name)))
  return (made, source, extra) => {
    for (const key of Object.keys(source)) {
      if (known.has(key)) continue
      // not assigned, because `__proto__` may be a key
      const given: unknown = Reflect.get(source, key)
      const value = convert === undefined ? given : convertAt(convert, key, given, extra)
      const member = { value, enumerable: true, writable: true, configurable: true }
      Object.defineProperty(made, key, member)
    }
  }
}

/** Returns the value of an older response where nothing was made: the default that the field had. */
function fallbackOf(schema: Schema): (() => unknown) | undefined {
  const def = defOf(schema)
  if (def.type === 'default' || def.type === 'prefault') return () => def['defaultValue']
  const inner = def.type === 'nullable' || def.type === 'readonly' ? schemaOf(def['innerType']) : undefined
  return inner === undefined ? undefined : fallbackOf(inner)
}
