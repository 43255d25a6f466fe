import type { DefinitionProblem } from '../base/definition-error.ts'
import { atDefinition } from '../base/source-location.ts'
import type { Schema } from '../schema/schema.ts'
import { shapeOf } from './chain.ts'
import { isAlike, isNarrower, isRequired, plainKind } from './convert/compare.ts'
import { loadIn } from './convert/work.ts'
import type { Chain, FieldChange, FieldId, Step } from './chain.ts'

/** The functions that changes lack, and those that are never called. Types say the same to those who write TypeScript. */
export function stepProblems(chains: Iterable<Chain>): readonly DefinitionProblem[] {
  return [...chains].flatMap((chain) => {
    const shape = shapeOf(chain.model)
    /** The schemas that fields have on the newer side of a step. */
    const schemas = new Map<FieldId, Schema | undefined>(
      [...chain.slots].map(([key, slot]) => [slot, shape[key]]),
    )
    return chain.steps.flatMap((step) => {
      const found = [
        ...lacking(chain.name, step, schemas),
        ...idle(chain.name, step),
        ...unchanged(chain.name, step, schemas),
      ]
      for (const move of step.moves)
        if (move.kind === 'turn' || move.kind === 'born') schemas.set(move.slot, move.was)
      return found.map(([message, fix]) => {
        const where = `change "${step.change.id}"`
        return atDefinition({ code: 'invalid_change', where, message, fix }, step.change)
      })
    })
  })
}

type Found = readonly (readonly [message: string, fix: string])[]

function lacking(
  name: string,
  { reshape, moves }: Step,
  schemas: ReadonlyMap<FieldId, Schema | undefined>,
): Found {
  const born = namesOf(moves, ({ kind }) => kind === 'born')
  const gone = namesOf(moves, ({ kind, slot }) => kind === 'gone' && isRequired(schemas.get(slot)))
  return [
    ...(reshape.down === undefined && born.length > 0
      ? [toLacking('down', name, born, 'existed only then')]
      : []),
    ...(reshape.up === undefined && gone.length > 0
      ? [toLacking('up', name, gone, 'did not exist then')]
      : []),
    ...moves.flatMap((move) => (move.kind === 'turn' ? unturned(name, move, schemas.get(move.slot)) : [])),
  ]
}

/** The functions that a field lacks whose kinds of values have nothing in common. */
function unturned(
  name: string,
  move: FieldChange & { readonly kind: 'turn' },
  now: Schema | undefined,
): Found {
  const [older, newer] = [plainKind(move.was), now && plainKind(now)]
  if (older === undefined || newer === undefined || older === newer) return []
  return (['up', 'down'] as const)
    .filter((side) => move.field[side] === undefined)
    .map((side) => [
      `${name}.${move.name} lacks ${side}: it was a ${older} and is a ${newer}`,
      `write ${side} beside was`,
    ])
}

function toLacking(
  side: 'up' | 'down',
  name: string,
  fields: readonly string[],
  reason: string,
): Found[number] {
  const given = side === 'up' ? 'old' : 'now'
  return [
    `${side} is missing: ${fields.map((field) => `${name}.${field}`).join(', ')} ${reason}`,
    `write ${side}: (${given}) => ({ ${fields.map((field) => `${field}: …`).join(', ')} }) beside fields`,
  ]
}

function namesOf(moves: readonly FieldChange[], test: (move: FieldChange) => boolean): readonly string[] {
  return moves.filter(test).map(newestName)
}

function newestName(move: FieldChange): string {
  return move.kind === 'rename' ? move.now : move.name
}

function idle(name: string, { reshape, moves }: Step): Found {
  const made = moves.some(({ kind }) => kind === 'born')
  return [
    ...idleLoads({ reshape, moves }),
    ...moves.flatMap((move): Found => {
      if (move.kind === 'turn') return []
      const field = reshape.fields[newestName(move)]
      const given = (['up', 'down', 'narrowed'] as const).find((key) => field?.[key] !== undefined)
      if (given === undefined) return []
      return [[`${name}.${newestName(move)}.${given} has no effect: ${WHY[move.kind]}`, FIX[move.kind]]]
    }),
    ...(reshape.down === undefined || made
      ? []
      : [
          [
            `down has no effect: no field of ${name} existed only then`,
            'write down beside was of the field that it turns',
          ] as const,
        ]),
  ]
}

/** Fields that were the same. */
function unchanged(name: string, { moves }: Step, schemas: ReadonlyMap<FieldId, Schema | undefined>): Found {
  return moves.flatMap((move): Found => {
    if (move.kind === 'rename' && move.now === move.was)
      return [
        [`${name}.${move.now} was called ${move.was} too`, 'give the name that the field had, or remove it'],
      ]
    if (move.kind !== 'turn') return []
    const { up, down } = move.field
    const newer = schemas.get(move.slot)
    if (up !== undefined || down !== undefined || newer === undefined || !isAlike(newer, move.was)) return []
    return [[`${name}.${move.name} had the same schema`, 'give the schema that the field had, or remove it']]
  })
}

/** The fields whose older values may not fit the newer schema, though no function turns them. They matter in requests alone. */
export function unfitProblems(
  chains: Iterable<Chain>,
  isSent: (step: Step) => boolean,
): readonly DefinitionProblem[] {
  return [...chains].flatMap(({ model, name, slots, steps }) => {
    const shape = shapeOf(model)
    const schemas = new Map<FieldId, Schema | undefined>([...slots].map(([key, slot]) => [slot, shape[key]]))
    return steps.flatMap((step) =>
      step.moves.flatMap((move): readonly DefinitionProblem[] => {
        if (move.kind !== 'turn' && move.kind !== 'born') return []
        const newer = schemas.get(move.slot)
        schemas.set(move.slot, move.was)
        if (move.kind !== 'turn' || newer === undefined || !isSent(step)) return []
        const { up, narrowed } = move.field
        if (up !== undefined || narrowed === true || !isNarrower(newer, move.was)) return []
        const problem: DefinitionProblem = {
          code: 'unfit',
          where: `change "${step.change.id}"`,
          message: `${name}.${move.name} had values that the newer schema refuses, and there is no up`,
          fix: 'write up, or narrowed: true if such values are mistakes of the client',
        }
        return [atDefinition(problem, step.change)]
      }),
    )
  })
}

/** Finds data that is loaded for functions that the change does not have. */
function idleLoads({ reshape, moves }: Pick<Step, 'reshape' | 'moves'>): Found {
  return (['up', 'down'] as const).flatMap((side): Found => {
    const isUsed =
      reshape[side] !== undefined ||
      moves.some((move) => move.kind === 'turn' && move.field[side] !== undefined)
    if (isUsed || loadIn(reshape, side) === undefined) return []
    const where = typeof reshape.load === 'function' ? 'load' : `load.${side}`
    return [[`${where} has no effect: no ${side} gets its result`, `write ${side}, or remove it`]]
  })
}

const WHY = {
  rename: 'the field only had another name',
  gone: 'the field did not exist then',
  born: 'the field existed only then',
}

const FIX = {
  rename: 'remove it',
  gone: 'write up beside fields, it makes all fields that did not exist',
  born: 'write down beside fields, it makes all fields that existed only then',
}
