import type { Certainty } from '../schema/includes-parts.ts'
import { hasPart } from '../schema/check-value.ts'
import { ANY_STRING, isAny, toAlone, type Alternative, type ValueSet } from '../schema/shape.ts'

/** Whether a parameter is written with several values. */
export function isCompound({ parts }: ValueSet): boolean {
  return parts.some(({ kind }) => kind === 'array' || kind === 'object')
}

type IsIn = (part: ValueSet, whole: ValueSet) => Certainty

/**
 * Whether all values of one parameter are accepted by another one as they are sent. Outside of JSON everything is text: what takes any
 * text takes numbers, `true` is the text `true`, and nothing is sent for `null`.
 */
export function isInOnWire(part: ValueSet, whole: ValueSet, isIn: IsIn): boolean {
  const [own, its] = [sentParts(part), sentParts(whole)]
  return own.every(
    (one) => its.some((other) => isPartInOnWire(one, other, isIn)) || isIn(toAlone(one), whole) === 'yes',
  )
}

/** The values that are sent. A schema that says nothing takes any text. */
function sentParts(shape: ValueSet): readonly Alternative[] {
  if (isAny(shape)) return [ANY_STRING]
  const parts = shape.parts.filter((part) => part.kind !== 'value' || part.value !== null)
  return parts.length === 0 ? shape.parts : parts
}

function isPartInOnWire(part: Alternative, whole: Alternative, isIn: IsIn): boolean {
  if (part.kind === 'array' && whole.kind === 'array')
    return (
      part.minItems >= whole.minItems &&
      part.maxItems <= whole.maxItems &&
      (part.isUnique || !whole.isUnique) &&
      part.prefix.length + whole.prefix.length === 0 &&
      isInOnWire(part.items(), whole.items(), isIn)
    )
  if (part.kind === 'array' || part.kind === 'object') return false
  if (isPlainText(whole)) return true
  if (part.kind !== 'value') return false
  const text = String(part.value)
  return whole.kind === 'value'
    ? String(whole.value) === text
    : readings(text).some((value) => hasPart(whole, value) === true)
}

/** The values that a text can be read as. */
function readings(text: string): readonly unknown[] {
  return [text, ...(text.trim() !== '' && Number.isFinite(Number(text)) ? [Number(text)] : [])]
}

function isPlainText(part: Alternative): boolean {
  return (
    part.kind === 'string' &&
    part.minLength <= 1 &&
    part.maxLength === Number.POSITIVE_INFINITY &&
    part.patterns.length + part.formats.length + part.rules.length === 0
  )
}
