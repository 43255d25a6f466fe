import { hasPart } from './check.ts'
import { typeOf } from './shape.ts'
import type { ObjectPart, Alternative, Property } from './shape.ts'

/** Whether no value can be in two of several shapes, as far as types, values and required properties with values tell. */
export function areDisjoint(shapes: readonly (readonly Alternative[])[]): boolean {
  return shapes.every((parts, at) =>
    shapes
      .slice(at + 1)
      .every((others) => parts.every((one) => others.every((other) => arePartsDisjoint(one, other)))),
  )
}

function arePartsDisjoint(one: Alternative, other: Alternative): boolean {
  if (typeOf(one) !== typeOf(other)) return true
  if (one.kind === 'value') return hasPart(other, one.value) === false
  if (other.kind === 'value') return hasPart(one, other.value) === false
  return one.kind === 'object' && other.kind === 'object' && areTold(one, other)
}

/** Whether a property that both require has other values in each. */
function areTold(one: ObjectPart, other: ObjectPart): boolean {
  return [...one.properties].some(([name, own]) => {
    const its = other.properties.get(name)
    if (its === undefined || !own.isRequired || !its.isRequired) return false
    const [values, others] = [valuesOf(own), valuesOf(its)]
    return values !== undefined && others !== undefined && !values.some((value) => others.includes(value))
  })
}

/** The values of a property that has nothing but some, or `undefined` for others. Reads no further than it has to. */
export function valuesOf({ shape }: Property): readonly unknown[] | undefined {
  const { parts } = shape()
  if (parts.length === 0 || parts.length > 64) return undefined
  const values = parts.flatMap((part) => (part.kind === 'value' ? [part.value] : []))
  return values.length === parts.length ? values : undefined
}
