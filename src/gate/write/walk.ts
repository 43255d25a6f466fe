import { isRecord, isString } from '../../base/values.ts'
import type { Node } from '../document/source.ts'

/** An object schema on the way to the place of a finding. */
export interface Spot {
  /** The steps of its JSON pointer. */
  readonly pointer: readonly string[]
  readonly node: Node
  /** The name of its place, as `octavo versions --explain` has it. */
  readonly place: string
  /** Whether no alternative of a union has the same place. */
  readonly isAlone: boolean
}

/** Where a finding leads in one document: the objects at each distance from its end, the innermost last. */
export interface Way {
  readonly spots: Map<number, readonly Spot[]>
  /** The members of these objects through which the way leads. */
  readonly fields: Map<number, ReadonlySet<string>>
}

/** A schema, before references and alternatives are followed. */
export interface Start {
  readonly pointer: readonly string[]
  readonly place: string
  readonly isAlone: boolean
}

/** The steps of a JSON pointer. */
export function toSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the target of a pointer, or `undefined` if there is none. */
export function pick(document: unknown, steps: readonly string[]): unknown {
  let value = document
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

/** Follows the steps of a finding, such as `pets/items/(Cat)/name`, from a schema. Names of members may have slashes, so all readings are followed. */
export function walk(document: unknown, start: Start, path: string): Way {
  const way: Way = { spots: new Map(), fields: new Map() }
  follow(document, start, path, way)
  return way
}

function follow(document: unknown, start: Start, path: string, way: Way): void {
  const found = toAlternatives(document, start.pointer)
  const [chosen, rest] = choose(found, path)
  if (rest === '') return
  const objects = found.filter(({ node }) => isRecord(node['properties']))
  const isAlone = start.isAlone && objects.length < 2
  for (const { pointer, node } of chosen)
    enter(document, { pointer, place: start.place, isAlone, node }, rest, way)
}

function enter(document: unknown, at: Spot, rest: string, way: Way): void {
  const { node } = at
  const properties = isRecord(node['properties']) ? node['properties'] : undefined
  if (properties !== undefined || node['type'] === 'object')
    way.spots.set(rest.length, [...(way.spots.get(rest.length) ?? []), at])
  for (const name of Object.keys(properties ?? {})) {
    const inner = after(name, rest)
    if (inner === undefined) continue
    way.fields.set(rest.length, new Set([...(way.fields.get(rest.length) ?? []), name]))
    if (inner !== '') follow(document, within(at, ['properties', name], `.${name}`), inner, way)
  }
  for (const [step, keywords, name] of stepsOf(node, rest)) {
    const inner = after(step, rest)
    if (inner !== undefined && inner !== '') follow(document, within(at, keywords, name), inner, way)
  }
}

function within({ pointer, place, isAlone }: Spot, keywords: readonly string[], name: string): Start {
  return { pointer: [...pointer, ...keywords], place: place + name, isAlone }
}

/** Returns the rest behind a step, or `undefined` if the path does not begin with it. */
function after(step: string, path: string): string | undefined {
  if (path === step) return ''
  return path.startsWith(`${step}/`) ? path.slice(step.length + 1) : undefined
}

/** The steps into a list or the other members of an object: in findings, in the document, in names of places. */
function stepsOf(node: Node, path: string): readonly (readonly [string, readonly string[], string])[] {
  const prefix = Array.isArray(node['prefixItems']) ? node['prefixItems'].length : 0
  const [, index] = /^(\d+)(?:\/|$)/.exec(path) ?? []
  return [
    ...(isRecord(node['items']) ? [['items', ['items'], '[]'] as const] : []),
    ...(index !== undefined && Number(index) < prefix
      ? [[index, ['prefixItems', index], `[${index}]`] as const]
      : []),
    ...(isRecord(node['additionalProperties']) ? [['*', ['additionalProperties'], '{}'] as const] : []),
  ]
}

/** A schema without reference, and the name that findings have for it among others. */
interface Alternative {
  readonly pointer: readonly string[]
  readonly node: Node
  readonly name: string | undefined
}

/** The schemas that a schema consists of. */
function toAlternatives(
  document: unknown,
  pointer: readonly string[],
  above: readonly unknown[] = [],
): readonly Alternative[] {
  const node = pick(document, pointer)
  if (!isRecord(node) || above.includes(node)) return []
  const { $ref, title } = node
  if (isString($ref)) {
    const steps = toSteps($ref)
    const name = steps.at(-1)
    return toAlternatives(document, steps, [...above, node]).map((each) => ({ ...each, name }))
  }
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
    Array.isArray(node[keyword])
      ? node[keyword].flatMap((_, index) =>
          toAlternatives(document, [...pointer, keyword, String(index)], [...above, node]),
        )
      : [],
  )
  const name = isString(title) ? title : undefined
  return inner.length > 0 && !isRecord(node['properties']) ? inner : [{ pointer, node, name }, ...inner]
}

/** The alternatives that a step in parentheses names, and what is left of the path. */
function choose(found: readonly Alternative[], path: string): readonly [readonly Alternative[], string] {
  if (!path.startsWith('(')) return [found, path]
  const named = found.find(({ name }) => name !== undefined && after(`(${name})`, path) !== undefined)?.name
  if (named !== undefined)
    return [found.filter(({ name }) => name === named), after(`(${named})`, path) ?? '']
  const rest = /^\([^/]*\)\/?(.*)$/s.exec(path)?.[1] ?? ''
  // alternatives without names have numbers, and a name may be that of the other document
  return [/^\(\d+\)/.test(path) ? found.filter(({ name }) => name === undefined) : found, rest]
}
