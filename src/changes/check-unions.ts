import { atDefinition, type DefinitionProblem } from '../base/definition-error.ts'
import type { ResolvedRoute } from '../routes/resolved-route.ts'
import { defOf, lazyInner, objectShape, schemaOf, schemasOf, type Schema } from '../schema/schema.ts'
import { positionsOf, reachText } from './check-used.ts'
import { isRequired, plainKind, schemasIn, valuesOf } from './convert/compare.ts'
import { bareOf } from './convert/modelled-fields.ts'
import type { Plans } from './convert/plans.ts'

/** Finds the unions of a route in the states that it had, newest first. */
type UnionProblems = (route: ResolvedRoute, states: readonly State[]) => readonly DefinitionProblem[]

interface State {
  readonly age: number
  readonly version: readonly string[]
}

/**
 * Creates the function that finds unions whose options tell values apart in the newest version and not in an older one, so that a value would
 * be taken for that of another option: in requests before it is converted, and in responses when the older schema shapes it.
 */
export function createUnionProblems(plans: Plans): UnionProblems {
  // routes share unions, and versions share what changes leave of them
  const known = new Map<Schema, Map<number, readonly string[]>>()
  const blurredBy = (union: Schema, age: number): readonly string[] => {
    const states = known.get(union) ?? new Map<number, readonly string[]>()
    known.set(union, states)
    const key = plans.reachOf(union).filter((order) => order < age).length
    const found = states.get(key) ?? findBlurring(union, age, plans)
    states.set(key, found)
    return found
  }
  const unionsIn = new Map<Schema, readonly Schema[]>()
  const find = (schema: Schema): readonly Schema[] => {
    const unions =
      unionsIn.get(schema) ??
      (plans.reachOf(schema).length === 0 ? [] : [...schemasIn(schema)].filter(isUnion))
    unionsIn.set(schema, unions)
    return unions
  }
  return (route, states) =>
    positionsOf(route, 'input.').flatMap(({ position, schema }) => {
      const unions = find(schema)
      if (unions.length === 0) return []
      for (const { age, version } of states) {
        const changes = new Set(unions.flatMap((union) => blurredBy(union, age)))
        if (changes.size === 0) continue
        const problem: DefinitionProblem = {
          code: 'unconvertible_schema',
          where: route.label,
          message: `${position} holds a union whose options take values of each other in version ${version[0] ?? ''}`,
          fix: `give the options a field of one name whose values differ in every version; ${reachText([...changes])} them`,
        }
        return [atDefinition(problem, ...route.definitions)]
      }
      return []
    })
}

function isUnion(schema: Schema): boolean {
  return defOf(schema).type === 'union'
}

/** The ids of the changes by which options of a union that were told apart take values of each other. */
function findBlurring(union: Schema, age: number, plans: Plans): readonly string[] {
  const isExclusive = defOf(union)['inclusive'] === false
  const options = schemasOf(defOf(union)['options'])
  const older = options.map((option) => plans.planOf(option, age)?.wire ?? option)
  const changesOf = (option: Schema): readonly string[] => {
    const own = plans.modelledFieldsOf(bareOf(option)).steps.filter(({ order }) => order < age)
    return own.map(({ step }) => step.change.id)
  }
  return options.flatMap((newest, at) =>
    options.flatMap((other, index) => {
      const [then, otherThen] = [older[at], older[index]]
      // a value that two options take is that of the first one
      if (at === index || (at > index && !isExclusive) || then === undefined || otherThen === undefined)
        return []
      if (!refuses(newest, other) || refuses(then, otherThen)) return []
      const own = [...changesOf(newest), ...changesOf(other)]
      return own.length > 0 ? own : [...plans.stepsIn(union)].map(({ change }) => change.id)
    }),
  )
}

/** Whether a schema refuses the values of another one, as far as their kinds, literals and required fields tell. */
function refuses(one: Schema, other: Schema, within: ReadonlySet<Schema> = new Set()): boolean {
  const [own, others] = [contentOf(one), contentOf(other)]
  // what holds itself tells nothing more
  if (within.has(own)) return false
  const inside = new Set([...within, own])
  const [values, otherValues] = [valuesOf(own), valuesOf(others)]
  if (values.size > 0 && otherValues.size > 0) return ![...values].some((each) => otherValues.has(each))
  const [def, otherDef] = [defOf(own), defOf(others)]
  const shape = otherDef.type === 'object' ? Object.entries(objectShape(others)) : []
  const valueType = schemaOf(def['valueType'])
  if (def.type === 'record' && valueType !== undefined)
    return shape.some(([, value]) => isRequired(value) && refuses(valueType, value, inside))
  const [kind, otherKind] = [plainKind(own), plainKind(others)]
  if (kind === undefined || kind !== otherKind) return kind !== undefined && otherKind !== undefined
  const [element, otherElement] = [schemaOf(def['element']), schemaOf(otherDef['element'])]
  if (element !== undefined && otherElement !== undefined) return refuses(element, otherElement, inside)
  return kind === 'object' && refusesMembers(own, others, inside)
}

function refusesMembers(own: Schema, others: Schema, inside: ReadonlySet<Schema>): boolean {
  const [shape, otherShape] = [objectShape(own), objectShape(others)]
  const [rest, otherRest] = [own, others].map((each) => schemaOf(defOf(each)['catchall']))
  const isStrict = rest !== undefined && defOf(rest).type === 'never'
  if (isStrict && Object.entries(otherShape).some(([name, value]) => !(name in shape) && isRequired(value)))
    return true
  return Object.entries(shape).some(([name, field]) => {
    const value = otherShape[name]
    if (value === undefined) return isRequired(field) && otherRest === undefined
    return (isRequired(field) || isRequired(value)) && refuses(field, value, inside)
  })
}

/** The schema of the values behind wrappers. */
function contentOf(schema: Schema): Schema {
  const bare = bareOf(schema)
  const inner = defOf(bare).type === 'lazy' ? lazyInner(bare) : undefined
  return inner === undefined ? bare : contentOf(inner)
}
