import type { DefinitionProblem } from '../base/definition-error.ts'
import { objectShape, type Schema } from '../schema/schema.ts'
import {
  changeProblem,
  isMadeTogether,
  type Chain,
  type FieldChange,
  type FieldId,
  type Step,
} from './chain.ts'
import { isAccepted } from './convert/accepted.ts'
import { isNarrower, isRequired, isSameSchema, plainKind } from './convert/compare.ts'
import { loadIn } from './convert/instructions.ts'
import { reparsedProblem } from './operations/bodies.ts'
import { takesAbsent } from './was.ts'

/** The steps that some values carry. */
interface Carried {
  /** Those in requests. Only these need functions that convert to the newest version. */
  readonly sent: ReadonlySet<Step>
  /** Those in requests that handlers get. */
  readonly handled: ReadonlySet<Step>
  /** Those in messages. */
  readonly told: ReadonlySet<Step>
}

/** Finds functions that changes lack, and functions that are never called. Types tell the same in TypeScript. */
export function stepProblems(
  chains: Iterable<Chain>,
  { sent, handled, told }: Carried,
): readonly DefinitionProblem[] {
  const isSent = (step: Step): boolean => sent.has(step)
  const unfit: DefinitionProblem[] = []
  const wrong = [...chains].flatMap(({ name, model, fieldIds, steps }) => {
    const shape = objectShape(model)
    /** The schemas that fields have on the newer side of a step. */
    const schemas: Schemas = new Map([...fieldIds].map(([key, fieldId]) => [fieldId, shape[key]]))
    return steps.flatMap((step) => {
      const found = [
        ...lacking(name, step, schemas, isSent(step) ? BOTH : RESPONSES),
        ...idle(name, step),
        ...unchanged(name, step, schemas),
        ...(isSent(step) && step.reshape.responseOnly === true
          ? [
              [
                `${name} is responseOnly, and a request carries it`,
                'remove responseOnly, and write up',
              ] as const,
            ]
          : []),
        ...(isSent(step) || told.has(step) || step.reshape.refine === undefined
          ? []
          : [[`refine has no effect: no request carries ${name}`, 'remove it'] as const]),
        ...(isSent(step) ? reparsed(name, step, schemas) : []),
        ...readingEachOther(name, step),
        ...wronglyAccepted(name, step, schemas, isSent(step) || told.has(step)),
        ...wronglyKept(name, step, handled.has(step)),
      ]
      for (const fieldChange of step.fieldChanges) {
        if (fieldChange.kind !== 'retyped' && fieldChange.kind !== 'removed') continue
        if (isSent(step)) unfit.push(...unfitProblems(name, step, fieldChange, schemas))
        schemas.set(fieldChange.fieldId, fieldChange.was)
      }
      return found.map(([message, fix]) => changeProblem(step.change, message, fix))
    })
  })
  return [...wrong, ...unfit]
}

/** Finds fields whose newest schema cannot parse what the older one has parsed. */
function reparsed(name: string, { fieldChanges }: Step, schemas: Schemas): Found {
  return fieldChanges.flatMap((fieldChange): Found => {
    const now = schemas.get(fieldChange.fieldId)
    if (fieldChange.kind !== 'retyped' || now === undefined || fieldChange.field.accepted === true) return []
    const found = reparsedProblem(`${name}.${fieldChange.name}`, now, fieldChange.was)
    return found === undefined ? [] : [found]
  })
}

/** Finds fields whose functions read others, and are read by another one: no order gives both of them the newer values. */
function readingEachOther(name: string, { fieldChanges, reads }: Step): Found {
  return BOTH.flatMap((direction): Found => {
    const reading = fieldChanges.filter(
      (fieldChange) => fieldChange.kind === 'retyped' && (fieldChange.field[direction]?.length ?? 0) > 1,
    )
    const found = reading.find(({ fieldId }) => reads.some(([, read]) => read === fieldId))
    if (found === undefined || reading.length < 2) return []
    const message = `${name}.${newestName(found)} is read by ${direction} of another field, and its own ${direction} reads fields too`
    return [[message, `convert both by ${direction} beside fields, or take away the second argument of one`]]
  })
}

/** Finds fields whose values are accepted without an effect, or without a value that the handler can get. */
function wronglyAccepted(name: string, { fieldChanges }: Step, schemas: Schemas, isSent: boolean): Found {
  return fieldChanges.flatMap((fieldChange): Found => {
    if (!isAccepted(fieldChange)) return []
    const label = `${name}.${fieldChange.name}`
    if (!isSent) return [[`${label}.accepted has no effect: no request carries ${name}`, 'remove it']]
    if (!takesAbsent(fieldChange.was) || !isRequired(schemas.get(fieldChange.fieldId))) return []
    return [[`${label} is accepted and could be left out, and ${name} requires it`, 'write up beside was']]
  })
}

/** Finds fields that are kept for no handler. */
function wronglyKept(name: string, { reshape, fieldChanges }: Step, isHandled: boolean): Found {
  return fieldChanges.flatMap((fieldChange): Found => {
    const field = newestName(fieldChange)
    if (reshape.fields[field]?.kept !== true || (fieldChange.kind === 'removed' && isHandled)) return []
    const why =
      fieldChange.kind === 'removed' ? `no handler gets ${name} from a request` : `${name} has the field`
    return [[`${name}.${field}.kept has no effect: ${why}`, 'remove it']]
  })
}

type Schemas = Map<FieldId, Schema | undefined>

const BOTH = ['up', 'down'] as const
const RESPONSES = ['down'] as const

type Found = readonly (readonly [message: string, fix: string])[]

function lacking(
  name: string,
  { reshape, fieldChanges }: Step,
  schemas: Schemas,
  directions: readonly ('up' | 'down')[],
): Found {
  // a request that lacks an older field has none to make for a response
  const removed = namesOf(
    fieldChanges,
    (fieldChange) => fieldChange.kind === 'removed' && !(fieldChange.isKept && takesAbsent(fieldChange.was)),
  )
  const added = namesOf(
    fieldChanges,
    ({ kind, fieldId }) => kind === 'added' && isRequired(schemas.get(fieldId)),
  )
  return [
    ...(reshape.down === undefined && removed.length > 0
      ? [toLacking('down', name, removed, 'existed only then')]
      : []),
    ...(reshape.up === undefined && added.length > 0 && directions.includes('up')
      ? [toLacking('up', name, added, 'did not exist then')]
      : []),
    ...fieldChanges.flatMap((fieldChange) =>
      fieldChange.kind === 'retyped'
        ? unconverted(
            name,
            fieldChange,
            schemas.get(fieldChange.fieldId),
            directions.filter((direction) => !isMadeTogether(fieldChange, reshape, direction)),
          )
        : [],
    ),
  ]
}

/** The functions that a field lacks whose kinds of values have nothing in common. */
function unconverted(
  name: string,
  fieldChange: FieldChange & { readonly kind: 'retyped' },
  now: Schema | undefined,
  directions: readonly ('up' | 'down')[],
): Found {
  const [older, newer] = [plainKind(fieldChange.was), now && plainKind(now)]
  if (older === undefined || newer === undefined || older === newer) return []
  return directions
    .filter((direction) => fieldChange.field[direction] === undefined)
    .map((direction) => [
      `${name}.${fieldChange.name} lacks ${direction}: it was a ${older} and is a ${newer}`,
      `write ${direction} beside was`,
    ])
}

function toLacking(
  direction: 'up' | 'down',
  name: string,
  fields: readonly string[],
  reason: string,
): Found[number] {
  const given = direction === 'up' ? 'old' : 'now'
  return [
    `${direction} is missing: ${fields.map((field) => `${name}.${field}`).join(', ')} ${reason}`,
    `write ${direction}: (${given}) => ({ ${fields.map((field) => `${field}: …`).join(', ')} }) beside fields`,
  ]
}

function namesOf(
  fieldChanges: readonly FieldChange[],
  test: (fieldChange: FieldChange) => boolean,
): readonly string[] {
  return fieldChanges.filter(test).map(newestName)
}

function newestName(fieldChange: FieldChange): string {
  return fieldChange.kind === 'renamed' ? fieldChange.now : fieldChange.name
}

function idle(name: string, { reshape, fieldChanges }: Step): Found {
  const made = fieldChanges.some(
    (fieldChange) => fieldChange.kind === 'removed' || isMadeTogether(fieldChange, reshape, 'down'),
  )
  return [
    ...idleLoads({ reshape, fieldChanges }),
    ...fieldChanges.flatMap((fieldChange): Found => {
      if (fieldChange.kind === 'retyped') return []
      const field = reshape.fields[newestName(fieldChange)]
      const given = (['up', 'down', 'narrowed', 'accepted'] as const).find(
        (key) => field?.[key] !== undefined,
      )
      if (given === undefined) return []
      return [
        [
          `${name}.${newestName(fieldChange)}.${given} has no effect: ${WHY[fieldChange.kind]}`,
          FIX[fieldChange.kind],
        ],
      ]
    }),
    ...(reshape.down === undefined || made
      ? []
      : [
          [
            `down has no effect: no field of ${name} existed only then`,
            'write down beside was of the field that it converts',
          ] as const,
        ]),
  ]
}

function unchanged(name: string, { reshape, fieldChanges }: Step, schemas: Schemas): Found {
  return fieldChanges.flatMap((fieldChange): Found => {
    if (fieldChange.kind === 'renamed' && fieldChange.now === fieldChange.was)
      return [
        [
          `${name}.${fieldChange.now} was called ${fieldChange.was} too`,
          'give the name that the field had, or remove it',
        ],
      ]
    if (fieldChange.kind !== 'retyped') return []
    if (isMadeTogether(fieldChange, reshape, 'up') || isMadeTogether(fieldChange, reshape, 'down')) return []
    const { up, down } = fieldChange.field
    const newer = schemas.get(fieldChange.fieldId)
    if (
      up !== undefined ||
      down !== undefined ||
      newer === undefined ||
      !isSameSchema(newer, fieldChange.was)
    )
      return []
    return [
      [`${name}.${fieldChange.name} had the same schema`, 'give the schema that the field had, or remove it'],
    ]
  })
}

/** Older values of a field that may not fit the newer schema, though no function converts them. They matter in requests alone. */
function unfitProblems(
  name: string,
  { change, reshape }: Step,
  fieldChange: FieldChange,
  schemas: Schemas,
): readonly DefinitionProblem[] {
  const newer = schemas.get(fieldChange.fieldId)
  if (fieldChange.kind !== 'retyped' || newer === undefined) return []
  if (isMadeTogether(fieldChange, reshape, 'up')) return []
  const { up, narrowed, accepted } = fieldChange.field
  if (up !== undefined || narrowed === true || accepted === true || !isNarrower(newer, fieldChange.was))
    return []
  const message = `${name}.${fieldChange.name} had values that the newer schema refuses, and there is no up`
  const fix =
    'write up, accepted: true if the handler takes such values of older clients, or narrowed: true if they are mistakes of the client'
  return [changeProblem(change, message, fix, 'unfit')]
}

/** Finds data that is loaded for functions that the change does not have. */
function idleLoads({ reshape, fieldChanges }: Pick<Step, 'reshape' | 'fieldChanges'>): Found {
  return (['up', 'down'] as const).flatMap((direction): Found => {
    const isUsed =
      reshape[direction] !== undefined ||
      fieldChanges.some(
        (fieldChange) => fieldChange.kind === 'retyped' && fieldChange.field[direction] !== undefined,
      )
    if (isUsed || loadIn(reshape, direction) === undefined) return []
    const where = typeof reshape.load === 'function' ? 'load' : `load.${direction}`
    return [[`${where} has no effect: no ${direction} gets its result`, `write ${direction}, or remove it`]]
  })
}

const WHY = {
  renamed: 'the field only had another name',
  added: 'the field did not exist then',
  removed: 'the field existed only then',
}

const FIX = {
  renamed: 'remove it',
  added: 'write up beside fields, it makes all fields that did not exist',
  removed: 'write down beside fields, it makes all fields that existed only then',
}
