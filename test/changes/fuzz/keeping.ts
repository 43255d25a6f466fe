import type { Random } from '../../fault/fuzz/random.ts'
import { Reference } from './reference.ts'
import type { Kind, StepSpec, World } from './world.ts'

/**
 * Has handlers get some fields that only older versions have, of models of which no source of a route can hold several. `others` are the sources
 * of further routes.
 */
export function keeping(world: World, others: readonly Kind[], random: Random): World {
  const { steps, routes, objects, versions } = world
  const sources = routes.flatMap(({ body, form, query, headers, params }) => [
    body,
    form,
    query,
    headers,
    params,
  ])
  const roots = [...sources, ...others].flatMap((source): readonly Kind[] =>
    source === undefined ? [] : [typeof source === 'number' ? { t: 'object', object: source } : source],
  )
  const inner = innerModels(world, roots)
  const reference = new Reference(world)
  // an oldest version that is written by hand has no conversion
  const hasHand = routes.some((route) => route.hasHand)
  const isSent = ({ change, model }: StepSpec): boolean =>
    roots.some(
      (root) =>
        root.t === 'object' &&
        objects[root.object]?.model === model &&
        reference.bears(root.object, change, versions.length - (hasHand ? 2 : 1)),
    )
  const kept = steps.map((step): StepSpec => {
    if (inner.has(step.model) || !isSent(step) || !random.chance(0.5)) return step
    return {
      ...step,
      moves: step.moves.map((move) => (move.t === 'born' ? { ...move, isKept: true } : move)),
    }
  })
  return { ...world, steps: kept }
}

/** The models that stand below others, or of which there may be several. */
function innerModels({ objects, steps }: World, roots: readonly Kind[]): ReadonlySet<number> {
  const inner = new Set<number>()
  const seen = new Set<number>()
  const visit = (kind: Kind, isRoot: boolean): void => {
    for (const id of objectsIn(kind)) {
      const object = objects[id]
      if (object === undefined) continue
      if (!isRoot || kind.t !== 'object') inner.add(object.model)
      if (object.guest !== undefined) inner.add(object.guest)
      if (seen.has(id)) continue
      seen.add(id)
      for (const entry of object.entries) visit(entry.kind, false)
      const own = steps.filter(({ model }) => model === object.model || model === object.guest)
      for (const move of own.flatMap(({ moves }) => moves))
        if (move.t !== 'rename') visit(move.t === 'turn' ? move.was : move.kind, false)
    }
  }
  for (const root of roots) visit(root, true)
  return inner
}

/** The objects that stand in a kind. */
function objectsIn(kind: Kind): readonly number[] {
  switch (kind.t) {
    case 'object':
    case 'either':
      return [kind.object]
    case 'choice':
      return kind.options
    case 'tuple':
      return [...kind.items, ...(kind.rest === undefined ? [] : [kind.rest])].flatMap(objectsIn)
    default:
      return 'of' in kind ? objectsIn(kind.of) : []
  }
}
