import type { z } from 'zod'

import type { Random } from '../../fault/fuzz/random.ts'
import { buildMoving, makeMoving, movingBefore, tryMoving } from './moving-routes.ts'
import type { MovingSpec } from './moving-routes.ts'
import { buildPaged, lastPage, makePaged, pagedBefore, tryPaged } from './paged-routes.ts'
import type { PagedSpec } from './paged-routes.ts'
import { buildProblem, makeProblem, problemBefore, tameProblem, tryProblem } from './problem-routes.ts'
import type { ProblemSpec } from './problem-routes.ts'
import type { BuiltPart, Note, Place, Source, Trial } from './trial.ts'
import type { Kind, World } from './world.ts'

/** A route of its own, for what operations alone describe. */
export type ExtraSpec = MovingSpec | PagedSpec | ProblemSpec

/** Makes random routes of their own for a world. */
export function makeExtras({ versions, objects }: World, random: Random): readonly ExtraSpec[] {
  const whole = (): Kind => ({ t: 'object', object: random.below(objects.length) })
  const flat = objects.filter(({ isFlat, isKey, mode }) => isFlat && isKey !== true && mode !== 'loose')
  const source: Source = {
    random,
    versions: versions.length,
    whole,
    outer: () => {
      const own = whole()
      return random.pick<Kind>([
        own,
        own,
        { t: 'list', of: own },
        { t: 'envelope', of: own },
        { t: 'boxed', of: own },
      ])
    },
    flat: () => {
      const found = flat[random.below(flat.length)]
      return found && { t: 'object', object: found.id }
    },
  }
  return Array.from({ length: 1 + random.below(3) }, (_, at) =>
    random.pick<(at: number, source: Source) => ExtraSpec>([makeMoving, makePaged, makeProblem])(at, source),
  )
}

/** The sources of the newest requests that hold models. */
export function sourcesOf(spec: ExtraSpec): readonly Kind[] {
  if (spec.t !== 'moving' || spec.payload === undefined) return []
  return [spec.newest.payload === 'data' ? { t: 'envelope', of: spec.payload } : spec.payload]
}

interface BuiltExtra {
  readonly route: { readonly path: string }
  readonly parts: readonly BuiltPart[]
  /** Creates the problem that the route declares. */
  readonly create?: (members: unknown) => unknown
}

/** Makes the route and the parts of its changes. */
export function buildExtra(spec: ExtraSpec, of: (kind: Kind) => z.ZodType, note: Note): BuiltExtra {
  if (spec.t === 'moving') return buildMoving(spec, of, note)
  return spec.t === 'paged' ? buildPaged(spec, of, note) : buildProblem(spec, of, note)
}

/** A route with newer changes, and as a team would have written it before them. */
export function extraBefore(
  spec: ExtraSpec,
  at: number,
): { readonly before: ExtraSpec; readonly after: ExtraSpec } {
  if (spec.t === 'moving') return { before: movingBefore(spec, at), after: spec }
  if (spec.t === 'paged') return pagedBefore(spec, at)
  const after = tameProblem(spec, at)
  return { before: problemBefore(after, at), after }
}

/** Makes a call of a version. `create` makes the problem of a route, of its members. */
export function tryExtra(
  spec: ExtraSpec,
  place: Place,
  {
    isSpoiled,
    create,
  }: { readonly isSpoiled: boolean; readonly create: (name: string, members: unknown) => unknown },
): Trial | undefined {
  if (spec.t === 'moving') return tryMoving(spec, place, isSpoiled)
  return spec.t === 'paged' ? tryPaged(spec, place, isSpoiled) : tryProblem(spec, place, create)
}

/** Makes a result of the handler, whatever it is called with. */
export function resultOf(
  spec: ExtraSpec,
  { random, reference }: Pick<Place, 'random' | 'reference'>,
  create: (members: unknown) => unknown,
): unknown {
  if (spec.t === 'paged') return lastPage(spec, reference.result(random, spec.item))
  if (spec.t === 'moving' || random.chance(0.3)) return { ok: true }
  const { members } = spec.declared
  return create(members === undefined ? undefined : reference.value(random, members, 0))
}
