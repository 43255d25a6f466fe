import type { IsSame } from '../document/deep-equal.ts'
import { toStableText } from '../json.ts'
import { PairMap } from '../pair-map.ts'
import {
  everyAnswer,
  isArrayIn,
  isObjectIn,
  isNumberIn,
  isStringIn,
  toBoundEdge,
  type Certainty,
  type Asking,
} from './includes-parts.ts'
import { areTold, has, hasPart, propertyValues } from './check-value.ts'
import { alternativeSamples, createSamples, type Samples } from './samples.ts'
import {
  areWrittenSame,
  isAny,
  alternativeRules,
  toAlone,
  toValuePart,
  alternativeType,
  type Alternative,
  type ValueSet,
} from './shape.ts'

/** Compares shapes of two documents, and remembers what it found. */
export interface Inclusion {
  /** Whether every value of `part` is in `whole`. */
  readonly isIn: (part: ValueSet, whole: ValueSet) => Certainty
  readonly isPartIn: (part: Alternative, whole: ValueSet) => Certainty
}

/** Whether one shape is in another, while that is found out. */
interface Question {
  readonly part: ValueSet
  readonly whole: ValueSet
  /** The answer so far: a pair that leads back to itself holds if nothing else speaks against it. */
  answer: Certainty
  /** The questions whose answers rest on this one. */
  readonly above: Set<Question>
  state: 'new' | 'answered' | 'doubtful'
  /** How often it is among those that are to be answered. */
  waiting: number
}

/**
 * Creates a comparison. Members that an object does not name count as absent, because clients send documented members only.
 *
 * Each pair of shapes is a question that is answered once. Answers begin with yes and can only get worse, and one that does is followed
 * by those that rest on it: so what leads back to itself costs no more than anything else, and no function calls itself.
 * @param isLenient whether an object that is closed takes members that it does not name, as clients have to for responses
 */
export function createInclusion(isLenient: boolean, isSame: IsSame): Inclusion {
  const known = new PairMap<ValueSet, Question>()
  const samples = createSamples()
  let current: Question | undefined
  let missing: Question[] = []
  const find = (part: ValueSet, whole: ValueSet): Question | Certainty => {
    const found = toAtOnce(part, whole) ?? known.get(part, whole)
    if (found !== undefined || areWrittenSame(part, whole, isSame)) return found ?? 'yes'
    const made: Question = { part, whole, answer: 'yes', above: new Set(), state: 'new', waiting: 0 }
    known.set(part, whole, made)
    return made
  }
  /** The answer so far. A new question is noted as missing. */
  const ask = (part: ValueSet, whole: ValueSet): Certainty => {
    // values lead nowhere, and sets of them are made up for a single question
    if (part.parts.every(({ kind }) => kind === 'value'))
      return everyAnswer(part.parts, (one) => isPartIn(one, whole))
    const found = find(part, whole)
    if (typeof found === 'string') return found
    if (found.state === 'new') missing.push(found)
    if (current !== undefined) found.above.add(current)
    return found.answer
  }
  const asking: Asking = { isIn: ask, isLenient }
  const isPartIn = (part: Alternative, whole: ValueSet): Certainty => {
    if (part.kind === 'value') return isValueIn(part.value, whole, isLenient)
    const possible = possiblePartners(part, whole)
    const partners = meantPartners(part, possible)
    const answers = partners.map((other) => isPlainIn(part, other, asking))
    if (answers.includes('yes')) return 'yes'
    const split = splitIntoValues(part) ?? splitByProperty(part, possible)
    if (split !== undefined) return everyAnswer(split, (one) => isPartIn(one, whole))
    if (partners.length === 0 || (partners.length === 1 && answers[0] === 'no')) return 'no'
    return guess(part, whole, partners, { isLenient, samples })
  }
  /** Answers a question as far as that is possible, and returns those that have to be asked first. */
  const answer = (question: Question): readonly Question[] => {
    missing = []
    current = question
    question.answer = everyAnswer(question.part.parts, (one) => isPartIn(one, question.whole))
    current = undefined
    return question.answer === 'no' ? [] : missing
  }
  return {
    isIn: (part, whole) => {
      const found = find(part, whole)
      if (typeof found === 'string') return found
      solve(found, answer)
      return found.answer
    },
    isPartIn: (part, whole) => {
      for (;;) {
        missing = []
        const found = isPartIn(part, whole)
        if (found === 'no' || missing.length === 0) return found
        for (const question of missing) solve(question, answer)
      }
    },
  }
}

/** The answer that needs no look into two shapes. */
function toAtOnce(part: ValueSet, whole: ValueSet): Certainty | undefined {
  if ((part.notes.unreadable ?? whole.notes.unreadable) !== undefined) return 'unknown'
  return part === whole || isAny(whole) ? 'yes' : undefined
}

/** Answers a question after the questions that it rests on, and again once one of their answers got worse. */
function solve(first: Question, answer: (question: Question) => readonly Question[]): void {
  const open: Question[] = []
  const push = (question: Question): void => {
    question.waiting++
    open.push(question)
  }
  push(first)
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const isDone = top.state === 'answered' || (top.state === 'doubtful' && top.answer === 'no')
    const before = top.answer
    top.state = 'answered'
    const others = isDone ? [] : answer(top)
    if (others.length === 0) {
      open.pop()
      top.waiting--
    } else {
      top.state = 'doubtful'
      for (const other of others) push(other)
    }
    if (top.answer === before) continue
    for (const above of top.above) {
      above.state = 'doubtful'
      if (above.waiting === 0) push(above)
    }
  }
}

/** Looks for a value of a part that the whole lacks. A doubt about what is further inside was tried with values there. */
function guess(
  part: Alternative,
  whole: ValueSet,
  partners: readonly Alternative[],
  { isLenient, samples }: { readonly isLenient: boolean; readonly samples: Samples },
): Certainty {
  const [partner, ...others] = partners
  // nothing but the schemas further inside can leave a doubt about such a list or an object
  const isMadeOfOthers =
    partner?.rules.length === 0 &&
    (partner.kind === 'array' || (partner.kind === 'object' && partner.patterns.size === 0))
  if (isMadeOfOthers && others.length === 0) return 'unknown'
  return alternativeSamples(part, samples).some((value) => has(whole, value, isLenient) === false)
    ? 'no'
    : 'unknown'
}

/** Whether no value of an object is in another one, because a member that has to be there never is, or has other values. */
function isApart(part: Alternative, other: Alternative): boolean {
  if (part.kind !== 'object' || other.kind !== 'object') return false
  const isNever = typeof part.rest === 'string' && part.patterns.size === 0
  return (
    (isNever &&
      [...other.properties].some(([name, { isRequired }]) => isRequired && !part.properties.has(name))) ||
    areTold(part, other)
  )
}

function possiblePartners(part: Alternative, whole: ValueSet): readonly Alternative[] {
  const ofKind = whole.parts.filter((other) => alternativeType(other) === part.kind)
  return ofKind.length < 2 ? ofKind : ofKind.filter((other) => !isApart(part, other))
}

/**
 * The alternatives that an object without required members can be meant as. Every open object would take it, so that clients would find none
 * of its members: these are the ones that name most of them, and those that name none at all.
 */
function meantPartners(part: Alternative, partners: readonly Alternative[]): readonly Alternative[] {
  if (part.kind !== 'object') return partners
  const written = [...part.properties].filter(([, { isForeign }]) => isForeign !== true)
  if (written.length === 0 || written.some(([, { isRequired }]) => isRequired)) return partners
  const likeness = (other: Alternative): number => {
    if (other.kind !== 'object') return 0
    const shared = written.filter(([name]) => other.properties.has(name)).length
    return shared / (written.length + other.properties.size - shared)
  }
  const most = Math.max(...partners.map(likeness))
  return partners.filter((other) => {
    const isFree =
      other.kind === 'object' && (other.properties.size === 0 || typeof other.rest === 'function')
    return isFree || (most > 0 && likeness(other) === most)
  })
}

function isPlainIn(part: Alternative, whole: Alternative, asking: Asking): Certainty {
  const plain = isTypedIn(part, whole, asking)
  if (plain !== 'yes') return plain
  const own = alternativeRules(part)
  return alternativeRules(whole).every(({ key }) => own.some((rule) => rule.key === key)) ? 'yes' : 'unknown'
}

function isTypedIn(part: Alternative, whole: Alternative, asking: Asking): Certainty {
  // the schemas behind two references are compared once, however many refer to them
  if (part.home !== undefined && whole.home !== undefined) return asking.isIn(part.home(), whole.home())
  if (part.kind === 'number' && whole.kind === 'number') return isNumberIn(part, whole)
  if (part.kind === 'string' && whole.kind === 'string') return isStringIn(part, whole)
  if (part.kind === 'array' && whole.kind === 'array') return isArrayIn(part, whole, asking)
  if (part.kind === 'object' && whole.kind === 'object') return isObjectIn(part, whole, asking)
  return 'no'
}

/** A value whose format cannot be judged is in the other if that names it, too. */
function isValueIn(value: unknown, whole: ValueSet, isLenient: boolean): Certainty {
  const answer = has(whole, value, isLenient)
  if (answer !== undefined) return answer ? 'yes' : 'no'
  const text = toStableText(value)
  const isNamed = whole.parts.some((part) => part.kind === 'value' && toStableText(part.value) === text)
  return isNamed ? 'yes' : 'unknown'
}

const MOST_INTEGERS = 64

/** The values of a short range of integers. */
function splitIntoValues(part: Alternative): readonly Alternative[] | undefined {
  if (part.kind !== 'number' || !part.isInteger || part.min === undefined || part.max === undefined)
    return undefined
  const [from, to] = [toBoundEdge(part.min, 1, true).value, toBoundEdge(part.max, -1, true).value]
  if (to - from >= MOST_INTEGERS) return undefined
  const values = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => toValuePart(from + at))
  return values.filter(({ value }) => hasPart(part, value) !== false)
}

/** An object in several, one for each value of a property that tells the others apart. */
function splitByProperty(
  part: Alternative,
  partners: readonly Alternative[],
): readonly Alternative[] | undefined {
  if (part.kind !== 'object' || partners.length < 2) return undefined
  for (const [name, property] of part.properties) {
    const isTelling = partners.some((other) => {
      const its = other.kind === 'object' ? other.properties.get(name) : undefined
      return its !== undefined && propertyValues(its) !== undefined
    })
    if (!property.isRequired || !isTelling) continue
    const values = propertyValues(property)
    if (values === undefined || values.length < 2) continue
    return values.map((value) => {
      const shape = toAlone(toValuePart(value))
      const properties = new Map(part.properties).set(name, { shape: () => shape, isRequired: true })
      return { ...part, properties }
    })
  }
  return undefined
}
