import { isObject } from '../../base/values.ts'
import { zod, cloneSchema } from '../zod.ts'
import type { ModelledFields, AppliedStep } from './modelled-fields.ts'
import { interpretLoading } from './loading.ts'
import {
  convertAt,
  type Plan,
  type PlanOf,
  type Direction,
  type Identified,
  type Converter,
} from './converter.ts'
import { createRefine } from './refine.ts'
import { interpret, type Member, type Program } from './program.ts'
import { compileProgram } from './program-code.ts'
import { downInstructions, upInstructions, type Instruction } from './instructions.ts'
import { defOf, schemaOf, schemasOf, toZod, objectShape, type Schema } from '../../schema/schema.ts'
import { isMadeTogether, type FieldId, type Step } from '../chain.ts'

/** Plans an object schema for the version before the last of these steps. */
export function planObject(
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
  { planOf, isLoading }: { readonly planOf: PlanOf; readonly isLoading: (direction: Direction) => boolean },
): Plan {
  const fields = oldFields(schema, modelled, steps, planOf)
  const catchall = schemaOf(defOf(schema)['catchall'])
  const others = catchall && planOf(catchall)
  const toConverter = (direction: Direction): Converter => {
    const site = { schema, modelled, fields, steps, others, isLoading: isLoading('down') }
    const program = direction === 'down' ? downProgram(site) : upProgram(site)
    return isLoading(direction) ? interpretLoading(program) : (compileProgram(program) ?? interpret(program))
  }
  const named = steps.findLast((step) => step.named !== undefined)?.named
  const toSchema = (form: 'wire' | 'parse'): Schema => {
    const members = { shape: toShape(fields, form), checks: [], ...(others && { catchall: others[form] }) }
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

function downProgram(site: Site): Program {
  // a member that only one direction needs makes no object of the other one wait
  const registers = new Map<FieldId, number>()
  const around = { ...aroundOf(site), registerOf: numbering(registers) }
  const downs = site.steps.flatMap((step) => downInstructions(step, around))
  return toDown({ ...site, registers }, downs)
}

function upProgram(site: Site): Program {
  const { schema, modelled, steps } = site
  const registers = new Map<FieldId, number>()
  const around = { ...aroundOf(site), registerOf: numbering(registers) }
  const ups = steps.toReversed().flatMap((step) =>
    upInstructions(step, {
      ...around,
      newerSchema: (fieldId) => newerSchema(fieldId, step.step, schema, modelled, steps),
    }),
  )
  return toUp({ ...site, registers }, ups)
}

/** Returns what the instructions of both directions read of an object. */
function aroundOf(site: Site): Pick<Parameters<typeof downInstructions>[1], 'isAround' | 'sentOf'> {
  const { modelled } = site
  const keys = new Map([...modelled.fieldIds].map(([key, fieldId]) => [fieldId, key]))
  return {
    isAround: (fieldId, types) =>
      modelled.wrappers.get(keys.get(fieldId) ?? '')?.some((each) => types.has(defOf(each).type)) === true,
    sentOf: createSentOf(site),
  }
}

function numbering(registers: Map<FieldId, number>): (fieldId: FieldId) => number {
  return (fieldId) => {
    const register = registers.get(fieldId) ?? registers.size
    registers.set(fieldId, register)
    return register
  }
}

/** Creates the function that finds the members of the older version that the value of a field comes from. */
function createSentOf({ fields, steps }: Site): (fieldId: FieldId) => readonly string[] {
  // a change can read a field that it adds
  const sentOf = (fieldId: FieldId, seen: readonly FieldId[] = []): readonly string[] => {
    if (seen.includes(fieldId)) return []
    const field = fields.find((each) => each.fieldId === fieldId)
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

function toShape(fields: readonly OldField[], form: 'wire' | 'parse'): Record<string, Schema> {
  const shape: Record<string, Schema> = {}
  for (const { name, schema, plan } of fields)
    // read late, for a schema may hold itself
    Object.defineProperty(shape, name, { enumerable: true, get: () => plan?.[form] ?? schema })
  return shape
}

interface Site {
  readonly schema: Schema
  readonly modelled: ModelledFields
  readonly fields: readonly OldField[]
  readonly steps: readonly AppliedStep[]
  /** The conversion of members that no version declares. */
  readonly others: Plan | undefined
  /** Whether changes load data for responses. */
  readonly isLoading: boolean
}

interface RegisteredSite extends Site {
  readonly registers: ReadonlyMap<FieldId, number>
}

function toDown(
  { schema, modelled, fields, steps, registers, others, isLoading }: RegisteredSite,
  instructions: readonly Instruction[],
): Program {
  const shape = objectShape(schema)
  const used = new Set(instructions.flatMap(usedIn))
  return {
    direction: 'down',
    registerCount: registers.size,
    loads: [...modelled.fieldIds].flatMap(([name, fieldId]) => {
      const register = registers.get(fieldId)
      if (register === undefined) return []
      const own = shape[name]
      // what was loaded may be found by the very object that the handler returned
      const isCopied = own !== undefined && used.has(register) && !isLoading && !SCALARS.has(defOf(own).type)
      return [
        {
          name,
          register,
          plan: isCopied ? { wire: own, parse: own, up: copyData, down: copyData } : undefined,
        },
      ]
    }),
    instructions,
    members: fields.map((field): Member => {
      const { fieldId, key = '', name, plan, schema: own } = field
      return {
        to: name,
        from: key,
        register: fieldId === undefined ? undefined : registers.get(fieldId),
        plan,
        schema: own,
        // a newest result is completed by its own schema
        fallback: field.key !== undefined && objectShape(schema)[key] === own ? undefined : fallbackOf(own),
        shaper: shaperOf(fieldId, steps),
      }
    }),
    others: findOthers(schema, fields, others?.down),
    refine: undefined,
  }
}

const SCALARS: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'bigint',
  'enum',
  'literal',
  'date',
])

/** Copies lists and plain objects, so that a function of a change that sorts a list sorts none of the handler. */
function copyData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyData)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyData(member)]))
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

function toUp(
  { schema, modelled, fields, registers, others }: RegisteredSite,
  instructions: readonly Instruction[],
): Program {
  const byKey = new Map(fields.map((field) => [field.key, field]))
  // the rest is only noted, so that no object waits for it
  const used = new Set(instructions.flatMap(usedIn))
  return {
    direction: 'up',
    registerCount: registers.size,
    loads: fields.flatMap(({ fieldId, name, plan }) => {
      const register = fieldId === undefined ? undefined : registers.get(fieldId)
      return register === undefined ? [] : [{ name, register, plan: used.has(register) ? plan : undefined }]
    }),
    instructions,
    members: Object.entries(objectShape(schema)).map(([key, own]): Member => {
      const fieldId = modelled.fieldIds.get(key)
      const field = byKey.get(key)
      const register = fieldId === undefined ? undefined : registers.get(fieldId)
      // what functions use was converted on its way into its register
      const plan = register === undefined || !used.has(register) ? field?.plan : undefined
      return {
        to: key,
        from: field?.name ?? key,
        register,
        plan,
        schema: own,
        fallback: undefined,
        shaper: undefined,
      }
    }),
    others: findOthers(schema, fields, others?.up),
    refine: createRefine(schemasOf(defOf(schema)['checks'])),
  }
}

/** Returns the registers that an instruction reads or writes for functions. */
function usedIn(instruction: Instruction): readonly number[] {
  switch (instruction.kind) {
    case 'note':
      return []
    case 'keep':
      return instruction.args.map(numberOf)
    case 'convert':
      return [instruction.register, ...[...instruction.reads, ...instruction.required].map(numberOf)]
    case 'group':
      return [...instruction.args, ...instruction.made, ...(instruction.required?.all ?? [])].map(numberOf)
    case 'load':
      return [...instruction.args, ...instruction.required].map(numberOf)
  }
}

function numberOf({ register }: { readonly register: number }): number {
  return register
}

/** Copies or converts the members that no version declares, if the object keeps them. */
function findOthers(
  schema: Schema,
  fields: readonly OldField[],
  convert: Converter | undefined,
): Program['others'] {
  const catchall = schemaOf(defOf(schema)['catchall'])
  if (catchall === undefined || defOf(catchall).type === 'never') return undefined
  const known = new Set([...Object.keys(objectShape(schema)), ...fields.map(({ name }) => name)])
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

/** A field of an object in an older version. */
interface OldField {
  /** `undefined` for a field of no model. */
  readonly fieldId: FieldId | undefined
  /** Its name in the newest version, if it has one. */
  readonly key: string | undefined
  readonly name: string
  readonly schema: Schema
  /** How its own values travel. */
  readonly plan: Plan | undefined
}

/** The older fields of an object, in the order of its newest ones. Fields that existed only then take the place of their replacements. */
function oldFields(
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
  planOf: PlanOf,
): readonly OldField[] {
  const fields = Object.entries(objectShape(schema)).map(([key, field]): Omit<OldField, 'plan'> => ({
    fieldId: modelled.fieldIds.get(key),
    key,
    name: key,
    schema: field,
  }))
  for (const { fieldChanges, isPartial } of steps) {
    const replaced = new Set(fieldChanges.flatMap(({ kind, fieldId }) => (kind === 'added' ? [fieldId] : [])))
    const from = fields.findIndex(({ fieldId }) => fieldId !== undefined && replaced.has(fieldId))
    const restored = fieldChanges.flatMap(({ fieldId, ...fieldChange }) =>
      fieldChange.kind === 'removed'
        ? [
            {
              fieldId,
              key: undefined,
              name: fieldChange.name,
              schema: removedSchema(fieldChange.was, isPartial),
            },
          ]
        : [],
    )
    fields.splice(from === -1 ? fields.length : from, 0, ...restored)
    for (const fieldChange of fieldChanges) {
      const index = fields.findIndex(({ fieldId }) => fieldId === fieldChange.fieldId)
      const field = fields[index]
      if (field === undefined) continue
      if (fieldChange.kind === 'added') fields.splice(index, 1)
      else if (fieldChange.kind === 'renamed') fields[index] = { ...field, name: fieldChange.was }
      else if (fieldChange.kind === 'retyped')
        fields[index] = { ...field, schema: wrapAgain(fieldChange.was, field.key, modelled, isPartial) }
    }
  }
  return fields.map((field) => ({ ...field, plan: planOf(field.schema) }))
}

/** The schema that a field has on the newer side of a step. */
function newerSchema(
  fieldId: FieldId,
  step: Step,
  schema: Schema,
  modelled: ModelledFields,
  steps: readonly AppliedStep[],
): Schema | undefined {
  const key = [...modelled.fieldIds].find(([, each]) => each === fieldId)?.[0]
  let found = key === undefined ? undefined : objectShape(schema)[key]
  for (const own of steps) {
    if (own.step === step) return found
    for (const fieldChange of own.fieldChanges) {
      if (fieldChange.fieldId !== fieldId) continue
      if (fieldChange.kind === 'retyped') found = wrapAgain(fieldChange.was, key, modelled, own.isPartial)
      if (fieldChange.kind === 'removed') found = removedSchema(fieldChange.was, own.isPartial)
    }
  }
  return found
}

function removedSchema(was: Schema, isPartial: boolean): Schema {
  return isPartial ? toOptional(was) : was
}

/** An optional schema. What an object leaves open is not completed by a default that the field itself had. */
function toOptional(schema: Schema): Schema {
  const { type, innerType } = defOf(schema)
  if (type === 'optional') return schema
  const inner = type === 'default' || type === 'prefault' ? schemaOf(innerType) : undefined
  return inner === undefined ? zod.optional(toZod(schema)) : toOptional(inner)
}

/**
 * Puts around an older schema what the object puts around the newest one. A default is a value of the newest version, which it completes
 * after values are converted.
 */
function wrapAgain(
  was: Schema,
  key: string | undefined,
  modelled: ModelledFields,
  isPartial: boolean,
): Schema {
  const around = key === undefined ? undefined : modelled.wrappers.get(key)
  if (around === undefined) return removedSchema(was, isPartial)
  return around.toReversed().reduce<Schema>((inner, wrapper) => {
    const { type } = defOf(wrapper)
    return type === 'default' || type === 'prefault' || type === 'optional'
      ? toOptional(inner)
      : cloneSchema(wrapper, { innerType: inner })
  }, was)
}

/** Returns the value of an older response where nothing was made: the default that the field had. */
function fallbackOf(schema: Schema): (() => unknown) | undefined {
  const def = defOf(schema)
  if (def.type === 'default' || def.type === 'prefault') return () => def['defaultValue']
  const inner = def.type === 'nullable' || def.type === 'readonly' ? schemaOf(def['innerType']) : undefined
  return inner === undefined ? undefined : fallbackOf(inner)
}
