import { isRecord } from '../../values.ts'
import type { Node } from '../document/source.ts'
import type { Finding } from '../finding.ts'
import type { Known, Side } from './draft.ts'

/** An object in two documents that has fields of a model, and the field that a finding is about. */
export interface Owned {
  readonly model: string
  readonly field: string
  readonly side: Side
  /** Where the object stands in the newer document. */
  readonly at: string
  readonly base: Node
  readonly revision: Node
}

/** The steps of a JSON pointer. */
export function toSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What a pointer leads to; `undefined` if there is none. */
export function pick(document: unknown, steps: readonly string[]): unknown {
  let value = document
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

/** The side that a finding is about. */
export function sideOf({ at }: Pick<Finding, 'at'>): Side {
  return at.startsWith('responses/') ? 'response' : 'request'
}

/** The object with fields of a model that a finding is in; `undefined` if it is in none. */
export function findOwned(
  finding: Finding,
  base: unknown,
  revision: unknown,
  known: Known,
): Owned | undefined {
  const steps = toSteps(finding.revision.pointer)
  const older = toSteps(finding.base.pointer)
  const direct = inUnion(finding, [base, revision], [older, steps], known)
  if (direct !== undefined) return direct
  for (let end = steps.length; end >= 3; end--) {
    const model = modelAt(steps.slice(0, end), finding, known)
    if (model === undefined) continue
    const found = toPair(steps, end, older)
    const [was, now] = [pick(base, found?.older ?? []), pick(revision, steps.slice(0, end))]
    if (found === undefined || !isRecord(was) || !isRecord(now)) continue
    // a schema behind a reference is another object
    if (!hasField(was, found.field) && !isAddition(finding)) continue
    const at = steps.slice(0, end).join('/')
    return { model, field: found.field, side: sideOf(finding), at, base: was, revision: now }
  }
  return undefined
}

/** A field that came or went in a named model of a union: the other document has no place but that of the union. */
function inUnion(
  finding: Finding,
  [base, revision]: readonly [unknown, unknown],
  [older, newer]: readonly [readonly string[], readonly string[]],
  known: Known,
): Owned | undefined {
  const [own, other] = isAddition(finding) ? [newer, older] : [older, newer]
  const [at, keyword, field] = [own.slice(0, 3), own[3], own[4]]
  if (own.length !== 5 || keyword !== 'properties' || field === undefined) return undefined
  const model = own[0] === 'components' ? modelAt(at, finding, known) : undefined
  if (model === undefined || modelAt(other.slice(0, 3), finding, known) === model) return undefined
  const [was, now] = [pick(base, at), pick(revision, at)]
  if (!isRecord(was) || !isRecord(now) || hasField(was, field) === hasField(now, field)) return undefined
  return { model, field, side: sideOf(finding), at: at.join('/'), base: was, revision: now }
}

function hasField({ properties }: Node, field: string): boolean {
  return isRecord(properties) && Object.hasOwn(properties, field)
}

function isAddition({ rule }: Finding): boolean {
  return /^new-|-added$/.test(rule)
}

/** The field that a finding is about, and where the object stands in the older document. */
function toPair(
  steps: readonly string[],
  end: number,
  older: readonly string[],
): { readonly field: string; readonly older: readonly string[] } | undefined {
  const rest = steps.slice(end)
  if (rest.length === 0) {
    const field = older.at(-1)
    return field === undefined || older.at(-2) !== 'properties'
      ? undefined
      : { field, older: older.slice(0, -2) }
  }
  const [keyword, field] = rest
  if (keyword !== 'properties' || field === undefined) return undefined
  const at = older.findLastIndex((step, index) => step === field && older[index - 1] === 'properties')
  return { field, older: at === -1 ? older : older.slice(0, at - 1) }
}

/** The model whose fields an object has. */
function modelAt(steps: readonly string[], finding: Finding, { models, objects, routes }: Known) {
  const [section, kind, name = ''] = steps
  if (section === 'components' && kind === 'schemas' && steps.length === 3)
    return models.find((model) => [model.name, `${model.name}Output`, `${model.name}Input`].includes(name))
      ?.name
  const places = toPlaces(steps)
  const route = routes.find(({ operationId }) => operationId === finding.route)?.name
  const own = objects.filter((object) => object.route === route)
  return (
    own.find(({ place }) => places.includes(place)) ??
    // the status of a response may be left to the route
    own.find(({ place }) =>
      places.some((each) => isResult(each) && isResult(place) && tailOf(each) === tailOf(place)),
    )
  )?.model
}

/** Whether a place is in a result. What is declared for errors is never that of another status. */
function isResult(place: string): boolean {
  return /^response (?![45]|default)/.test(place)
}

function tailOf(place: string): string {
  return place.replace(/^response [\w.-]*?(?=[.[{]|$)/, '')
}

/** The names of a place of an operation, as `octavo versions --explain` has them. */
function toPlaces(steps: readonly string[]): readonly string[] {
  const schema = steps.indexOf('schema')
  if (steps[0] !== 'paths' || schema === -1) return []
  const tail = toTail(steps.slice(schema + 1))
  if (steps[3] === 'requestBody') return [`body${tail}`, `form${tail}`]
  return steps[3] === 'responses' ? [`response ${steps[4] ?? ''}${tail}`] : []
}

function toTail(steps: readonly string[]): string {
  const [keyword, name = '', ...others] = steps
  switch (keyword) {
    case undefined:
      return ''
    case 'properties':
      return `.${name}${toTail(others)}`
    case 'prefixItems':
      return `[${name}]${toTail(others)}`
    case 'items':
      return `[]${toTail(steps.slice(1))}`
    case 'additionalProperties':
      return `{}${toTail(steps.slice(1))}`
    default:
      return toTail(others)
  }
}
