import type { Schema } from '../../schema/schema.ts'
import { isMadeTogether, type FieldChange, type FieldId } from '../chain.ts'
import type { AnyReshape } from '../change.ts'
import { takesAbsent } from '../was.ts'
import type { AppliedStep } from './modelled-fields.ts'
import {
  acceptSent,
  createMadeCheck,
  RefusedError,
  type Direction,
  type FieldExtra,
  type Identified,
  type LoadedExtra,
  type Plan,
  type Loader,
} from './converter.ts'
import { isObject, isPromise, isString } from '../../base/values.ts'
import { isProduction } from '../../base/platform.ts'

/** Checks a value that a change made, and returns the parsed value. */
type Check = (value: unknown) => unknown

/** A member of an object, and the register that holds its value. */
export interface NamedRegister {
  readonly name: string
  readonly register: number
}

/** One thing that a change does to the registers of an object. */
export type Instruction =
  | {
      readonly kind: 'convert'
      readonly change: Identified
      readonly fields: readonly string[]
      readonly register: number
      readonly call: ((value: unknown, extra: FieldExtra) => unknown) | undefined
      readonly check: Check | undefined
      /** The fields that `call` gets besides the value. */
      readonly reads: readonly NamedRegister[]
      /** Without these, nothing is made of a value. */
      readonly required: readonly RequiredRegister[]
      readonly loader: LoadInstruction | undefined
      /** Whether an absent value stays absent. */
      readonly skipsAbsent: boolean
      /** The values that are not given to `call`, because the object allows them and the model does not. */
      readonly passThrough: { readonly absent: boolean; readonly null: boolean }
    }
  | {
      readonly kind: 'group'
      readonly change: Identified
      readonly fields: readonly string[]
      readonly call: ((values: object, extra: LoadedExtra<unknown>) => unknown) | undefined
      readonly loader: LoadInstruction | undefined
      readonly args: readonly NamedRegister[]
      readonly made: readonly (NamedRegister & {
        readonly check: Check | undefined
        /** Whether the register keeps its value if the function returns none for it. */
        readonly stays: boolean
      })[]
      /** Without these nothing is made. */
      readonly required: RequiredGroup | undefined
    }
  | LoadInstruction
  /** Keeps the values of fields that existed only then, for the handler. */
  | {
      readonly kind: 'keep'
      readonly change: Identified
      readonly args: readonly NamedRegister[]
    }
  /** Converts what is inside of a member to the time of the change whose functions get it next. */
  | {
      readonly kind: 'inner'
      readonly register: number
      readonly plan: Plan
      /** The members of the older version that the value comes from. */
      readonly names: readonly string[]
    }
  /** Reports that the change alters something, if the register has a value. */
  | {
      readonly kind: 'note'
      readonly change: Identified
      readonly register: number
      /** Whether only the name differs. */
      readonly isName: boolean
    }

/** Loads what the functions of a change get, with the values of all objects. */
export interface LoadInstruction extends Loader {
  readonly kind: 'load'
  readonly fields: readonly string[]
  readonly args: readonly NamedRegister[]
  /** Without these, nothing is loaded. */
  readonly required: readonly RequiredRegister[]
}

export type InstructionOf<K extends Instruction['kind']> = Extract<Instruction, { readonly kind: K }>

/** A register, and the names of the members that its value comes from, as the client knows them. */
export interface RequiredRegister {
  readonly names: readonly string[]
  readonly register: number
}

/** The members that functions of a whole object need, in an object of which every member may be left out. */
export interface RequiredGroup {
  /** If none of these was sent, nothing is made and nothing is missing. `undefined` if it is never a mistake to leave some out. */
  readonly sent: readonly RequiredRegister[] | undefined
  readonly all: readonly RequiredRegister[]
}

type RegisterOf = (fieldId: FieldId) => number

/** The instructions of a step on the way to the older version. */
export function downInstructions(own: AppliedStep, site: Site): readonly Instruction[] {
  const { step, fieldChanges, isGroup, isPartial } = own
  const { registerOf } = site
  const { change, newer } = step
  const removed = fieldChanges.flatMap((fieldChange) =>
    fieldChange.kind === 'removed'
      ? [{ name: fieldChange.name, register: registerOf(fieldChange.fieldId) }]
      : [],
  )
  const stay = stayingIn(own, 'down')
  const isMade = isGroup && removed.length + stay.length > 0
  const together = requiredRegisters(
    [
      ...ofKind('added', fieldChanges),
      ...stay.map(({ fieldId }) => fieldId),
      ...step.reads.map(([, fieldId]) => fieldId),
    ],
    site,
  )
  const retyped = retypedIn(fieldChanges, 'down').filter(({ field }) => field.down !== undefined)
  const required = isPartial && isMade ? together : undefined
  const loader = loaderOf(own, 'down', isMade || retyped.length > 0, site, required)
  // fields that only the newer version has are dropped, and those that only the older one has are made
  const instructions: Instruction[] = [...notes(['added', 'renamed'], own, registerOf), ...asList(loader)]
  if (isMade) {
    instructions.push({
      kind: 'group',
      change,
      fields: [...removed, ...stay].map(({ name }) => name),
      call: withoutStrays(step, 'down'),
      loader,
      args: namedRegisters(newer, registerOf),
      made: [
        ...removed.map((each) => ({ ...each, check: undefined, stays: false })),
        ...toStaying(stay, registerOf),
      ],
      required: isPartial ? { sent: undefined, all: together } : undefined,
    })
  }
  for (const fieldChange of retyped) {
    instructions.push({
      ...toConvert(own, fieldChange, 'down', site, loader),
      check: undefined,
      // an older version that demands the field has none without `down`
      skipsAbsent: isPartial || takesAbsent(fieldChange.was),
    })
  }
  return [...instructions, ...notes(['removed'], own, registerOf)]
}

/** The part of an instruction on one field that both directions have. */
function toConvert(
  { step: { change, reads }, isPartial }: AppliedStep,
  { name, fieldId, field }: Extract<FieldChange, { readonly kind: 'retyped' }>,
  direction: Direction,
  site: Site,
  loader: LoadInstruction | undefined,
): Omit<InstructionOf<'convert'>, 'check' | 'skipsAbsent'> {
  const { isAround, registerOf } = site
  const call = field[direction]
  // a function without a second argument needs nothing but its value
  const hasMore = call !== undefined && call.length > 1
  const read = hasMore ? reads : []
  const loaded = hasMore ? loader : undefined
  const fieldIds = read.map(([, each]) => each)
  const others = isPartial ? [...requiredRegisters(fieldIds, site), ...(loaded?.required ?? [])] : []
  return {
    kind: 'convert',
    change,
    fields: [name],
    register: registerOf(fieldId),
    call,
    reads: namedRegisters(read, registerOf),
    required: others.length === 0 ? [] : [...requiredRegisters([fieldId], site), ...others],
    loader: loaded,
    // the values that are not given to `call`
    passThrough: { absent: isAround(fieldId, OPTIONAL), null: isAround(fieldId, NULLABLE) },
  }
}

/** The instruction that loads what functions of a step get, if it loads something and they are called. */
function loaderOf(
  { step: { change, reshape, newer, older, reads }, fieldChanges, isPartial }: AppliedStep,
  direction: Direction,
  isUsed: boolean,
  site: Site,
  required: readonly RequiredRegister[] | undefined,
): LoadInstruction | undefined {
  const load = isUsed ? loadIn(reshape, direction) : undefined
  if (load === undefined) return undefined
  const own = requiredRegisters(
    [...ofKind('retyped', fieldChanges), ...reads.map(([, fieldId]) => fieldId)],
    site,
  )
  return {
    kind: 'load',
    change,
    fields: ['load'],
    load,
    tokens: reshape.inject ?? {},
    args: namedRegisters(direction === 'up' ? older : newer, site.registerOf),
    // a function of the object that needs nothing is always called
    required: required ?? (isPartial ? own : []),
  }
}

/** The function with which a reshape loads something in a direction. One function alone loads for responses. */
export function loadIn({ load }: Pick<AnyReshape, 'load'>, direction: Direction): Loader['load'] | undefined {
  if (typeof load === 'function') return direction === 'down' ? load : undefined
  return load?.[direction]
}

function asList<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}

/** The parts of an object that both directions use. */
export interface Site {
  /** Whether the object puts a wrapper of one of these types around the field of the model. */
  readonly isAround: (fieldId: FieldId, types: ReadonlySet<string>) => boolean
  readonly registerOf: RegisterOf
  /** The members of the older version that the value of a field comes from. */
  readonly sentOf: (fieldId: FieldId) => readonly string[]
}

const NULLABLE = new Set(['nullable'])
const OPTIONAL = new Set(['optional', 'default', 'prefault'])

/** The registers of fields. If two have one name, the last one counts. */
function namedRegisters(
  fields: AppliedStep['step']['reads'],
  registerOf: RegisterOf,
): readonly NamedRegister[] {
  return [...new Map(fields)].map(([name, fieldId]) => ({ name, register: registerOf(fieldId) }))
}

/** The parts of an object that are used on the way to the newest version. */
export interface UpSite extends Site {
  /** The schema that a field has on the newer side of the step, at the time of the step. */
  readonly newerSchema: (fieldId: FieldId) => Schema | undefined
}

/** The instructions of a step on the way to the newest version. Values that a change makes are checked at once. */
export function upInstructions(own: AppliedStep, site: UpSite): readonly Instruction[] {
  const { step, fieldChanges, isGroup, isPartial } = own
  const { change, reshape, older } = step
  const { newerSchema, registerOf } = site
  const made = fieldChanges.flatMap((fieldChange) => {
    const schema = fieldChange.kind === 'added' && isGroup ? newerSchema(fieldChange.fieldId) : undefined
    if (fieldChange.kind !== 'added' || schema === undefined) return []
    const { name, fieldId } = fieldChange
    const check = createMadeCheck(schema, change, name)
    return [{ name, register: registerOf(fieldId), check, stays: false }]
  })
  const stay = stayingIn(own, 'up')
  const removed = fieldChanges.filter((fieldChange) => fieldChange.kind === 'removed')
  const required = isPartial ? requiredGroup([...removed, ...stay], step, site) : undefined
  const isUsed =
    made.length + stay.length > 0 ||
    fieldChanges.some((fieldChange) => fieldChange.kind === 'retyped' && fieldChange.field.up !== undefined)
  const together = isGroup && required?.sent.length !== 0 ? required?.all : undefined
  const loader = loaderOf(own, 'up', isUsed, site, together)
  const instructions: Instruction[] = [
    ...notes(['removed', 'renamed'], own, registerOf),
    ...refinement(own, site),
    ...keeping(own, site),
    ...asList(loader),
  ]
  if (isGroup)
    instructions.push({
      kind: 'group',
      change,
      fields: [...made, ...stay].map(({ name }) => name),
      call: withoutStrays(step, 'up'),
      loader,
      args: reshape.up === undefined ? [] : namedRegisters(older, registerOf),
      // what stays is checked where it is converted
      made: [...made, ...toStaying(stay, registerOf)],
      required,
    })
  for (const fieldChange of retypedIn(fieldChanges, 'up')) {
    const schema = newerSchema(fieldChange.fieldId)
    if (schema === undefined) continue
    const { name, fieldId, field } = fieldChange
    const sent = field.narrowed === true ? site.sentOf(fieldId) : undefined
    const check = createMadeCheck(schema, change, name, sent, field.up === undefined)
    instructions.push({
      ...toConvert(own, fieldChange, 'up', site, loader),
      check: field.accepted === true ? acceptSent(check) : check,
      skipsAbsent: isPartial,
    })
  }
  return [...instructions, ...notes(['added'], own, registerOf)]
}

/** The refinement of an object of the older side. It refuses the object, because a client may have other names for its members. */
function refinement({ step, isRefined, isPartial }: AppliedStep, site: Site): readonly Instruction[] {
  const { change, reshape, older } = step
  const { refine } = reshape
  if (refine === undefined || !isRefined) return []
  const all = requiredRegisters(
    older.map(([, fieldId]) => fieldId),
    site,
  )
  return [
    {
      kind: 'group',
      change,
      fields: [],
      call: (old, extra) => {
        const answer = refine(old, extra)
        if (isPromise(answer) || (answer && !isString(answer))) return answer
        const message = isString(answer) ? answer : 'Invalid input'
        throw new RefusedError([{ code: 'custom', path: [], message }])
      },
      loader: undefined,
      args: namedRegisters(older, site.registerOf),
      made: [],
      required: isPartial ? { sent: undefined, all } : undefined,
    },
  ]
}

function keeping({ step: { change }, fieldChanges }: AppliedStep, site: Site): readonly Instruction[] {
  const args = fieldChanges.flatMap((fieldChange) =>
    fieldChange.kind === 'removed' && fieldChange.isKept
      ? [{ name: fieldChange.name, register: site.registerOf(fieldChange.fieldId) }]
      : [],
  )
  return args.length === 0 ? [] : [{ kind: 'keep', change, args }]
}

/** The instructions that report members which are there. */
function notes(
  kinds: readonly FieldChange['kind'][],
  { step: { change }, fieldChanges }: AppliedStep,
  registerOf: RegisterOf,
): readonly Instruction[] {
  return fieldChanges
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, fieldId }) => ({
      kind: 'note',
      change,
      register: registerOf(fieldId),
      isName: kind === 'renamed',
    }))
}

/** The members that `up` of a whole object needs. What older objects could leave out, it takes as absent. */
function requiredGroup(
  sources: readonly Extract<FieldChange, { readonly was: Schema }>[],
  { reads, fieldChanges }: AppliedStep['step'],
  site: Site,
): RequiredGroup & { readonly sent: readonly RequiredRegister[] } {
  const registers = (some: typeof sources): readonly RequiredRegister[] =>
    requiredRegisters(
      some.map(({ fieldId }) => fieldId),
      site,
    )
  const added = new Set(ofKind('added', fieldChanges))
  const read = requiredRegisters(
    reads.flatMap(([, fieldId]) => (added.has(fieldId) ? [] : [fieldId])),
    site,
  )
  return {
    sent: registers(sources),
    all: [...registers(sources.filter(({ was }) => !takesAbsent(was))), ...read],
  }
}

/** The function of a whole object. Outside production it may not return what it does not make, which would be lost without a word. */
function withoutStrays(
  { reshape, fieldChanges }: AppliedStep['step'],
  direction: Direction,
): InstructionOf<'group'>['call'] {
  const call = reshape[direction]
  if (call === undefined || isProduction()) return call
  const made = new Set(
    fieldChanges.flatMap((each) =>
      each.kind !== 'renamed' && (each.kind === MADE[direction] || isMadeTogether(each, reshape, direction))
        ? [each.name]
        : [],
    ),
  )
  return (values: object, extra: LoadedExtra<unknown>) => {
    const results = call(values, extra)
    for (const [name, result] of isObject(results) ? Object.entries(results) : [])
      if (!made.has(name) && result !== undefined && !Object.is(result, Reflect.get(values, name)))
        throw new TypeError(
          `${direction} beside fields returned ${name}, which it does not make. Name it in fields with was and without functions, or remove it`,
        )
    return results
  }
}

/** The fields that functions of the whole object make in each direction. */
const MADE = { up: 'added', down: 'removed' } as const

/** The fields that stay and are made by the function of the whole object. */
function stayingIn({ step, fieldChanges, isGroup }: AppliedStep, direction: Direction): readonly Retyped[] {
  return fieldChanges.filter(
    (fieldChange): fieldChange is Retyped => isGroup && isMadeTogether(fieldChange, step.reshape, direction),
  )
}

type Retyped = Extract<FieldChange, { readonly kind: 'retyped' }>

/** The fields with other schemas, in the order in which functions that read others get those of the newer version. */
function retypedIn(fieldChanges: readonly FieldChange[], direction: Direction): readonly Retyped[] {
  const retyped = fieldChanges.filter((each): each is Retyped => each.kind === 'retyped')
  const isReading = ({ field }: Retyped): boolean => (field[direction]?.length ?? 0) > 1
  const [reading, others] = [retyped.filter(isReading), retyped.filter((each) => !isReading(each))]
  return direction === 'down' ? [...reading, ...others] : [...others, ...reading]
}

function toStaying(fieldChanges: readonly Retyped[], registerOf: RegisterOf): InstructionOf<'group'>['made'] {
  return fieldChanges.map(({ name, fieldId }) => {
    return { name, register: registerOf(fieldId), check: undefined, stays: true }
  })
}

function requiredRegisters(
  fieldIds: readonly FieldId[],
  { registerOf, sentOf }: Site,
): readonly RequiredRegister[] {
  return fieldIds.map((fieldId) => ({ names: sentOf(fieldId), register: registerOf(fieldId) }))
}

function ofKind(kind: FieldChange['kind'], fieldChanges: readonly FieldChange[]): readonly FieldId[] {
  return fieldChanges.filter((fieldChange) => fieldChange.kind === kind).map(({ fieldId }) => fieldId)
}
