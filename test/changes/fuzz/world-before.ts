/* oxlint-disable complexity, max-depth -- each part of a world is looked at */
import { Reference } from './reference.ts'
import type {
  Entry,
  Kind,
  ObjectSpec,
  OperationSpec,
  ResponseSpec,
  RouteSpec,
  StepSpec,
  World,
} from './world.ts'

/**
 * A history before its newest changes. Its newest version is that at the place `at`, and its changes are the older ones: those of routes have the
 * names and statuses of that version, and those of models are written against the models as they are then.
 */
export interface WorldBefore {
  /** The history with the newer changes, without those that no handler of the other one can show. */
  readonly after: World
  readonly before: World
}

/** Splits a history, or returns `undefined` if a part had no definition of its own in an older version. */
export function worldBefore(drawn: World, at: number): WorldBefore | undefined {
  const after: World = {
    ...drawn,
    routes: drawn.routes.map((route) => tame(route, at, drawn.versions.length)),
  }
  const reference = new Reference(after)
  const objects: ObjectSpec[] = []
  for (const object of after.objects) {
    const made = objectBefore(after, reference, object, at)
    if (made === undefined) return undefined
    objects.push(made)
  }
  const literals = objects.flatMap(({ entries }) => entries.filter(({ kind }) => kind.t === 'literal'))
  const hasSeveral = new Set(literals.map(({ name }) => name)).size > 1
  // the alternatives of a union had discriminators with different names
  if (hasSeveral && JSON.stringify(after).includes('"t":"choice"')) return undefined
  const steps = after.steps.filter(({ version }) => version >= at)
  const known = new Set<string | undefined>(steps.map(({ change }) => change))
  const before: World = {
    ...after,
    versions: after.versions.slice(at),
    objects,
    steps: steps.map((step): StepSpec => ({
      ...step,
      version: step.version - at,
      before: known.has(step.before) ? step.before : undefined,
    })),
    routes: after.routes.map((route) => routeBefore(reference, route, at)),
  }
  return { after, before }
}

/** A route without what older versions have again that the newest version of the other history lacks. */
function tame(route: RouteSpec, at: number, versions: number): RouteSpec {
  const hasHeader = headerAt(route, at) !== undefined
  const operations = route.operations
    .map((each): OperationSpec => {
      if (each.version >= at) return hasHeader ? each : { ...each, header: undefined }
      // a function that makes nothing useful fails in every call
      return each.limit === 'bad' ? { ...each, limit: 'absent' } : each
    })
    .filter(({ version: _version, change: _change, ...said }) =>
      Object.values(said).some((each) => each !== undefined),
    )
  return {
    ...route,
    operations,
    isHidden: route.isHidden && operations.some(({ version }) => version >= at),
    hasHand: route.hasHand && versions - at > 1,
  }
}

/** The object as a team would have written it at a version. */
function objectBefore(
  { objects }: World,
  reference: Reference,
  object: ObjectSpec,
  at: number,
): ObjectSpec | undefined {
  const { id, model, guest, isCopy, isPartial, isRest } = object
  const isPart = id !== model
  const fields = reference.fields(id, at)
  const entries: Entry[] = []
  for (const entry of fields) {
    const origin = object.entries.find(({ slot }) => slot === entry.slot && slot !== undefined)
    const isTurned = origin?.kind !== entry.kind
    // a default of the older field does not complete what a part may leave out
    if (isTurned && isWrapper(entry.kind) && (isPartial || isCopy === true || entry.wrap !== 'none'))
      return undefined
    if (isCopy === true && isWrapper(entry.kind)) return undefined
    const owner = entry.isGuest === true ? guest : model
    const own = owner === undefined ? undefined : reference.fields(owner, at)
    const field = own?.find(({ slot }) => slot === entry.slot)
    const isSame = field?.name === entry.name && field.kind === entry.kind
    // a newer change does not reach the part
    if (isPart && entry.slot !== undefined && !isSame) return undefined
    entries.push(entry.wrap === 'default' && isTurned ? { ...entry, wrap: 'maybe' } : entry)
  }
  const hasAll = (own: readonly Entry[], of: readonly Entry[]): boolean =>
    of.every(({ slot }) => own.some((each) => each.slot === slot))
  const whole = objects[model]?.entries ?? []
  const isWhole = hasAll(object.entries, whole)
  if (isPart && isRest !== true && isWhole !== hasAll(fields, reference.fields(model, at))) return undefined
  const { refined, ...others } = object
  const slot = object.entries.find(({ name }) => name === refined)?.slot
  const name = refined === undefined ? undefined : entries.find((each) => each.slot === slot)?.name
  return { ...others, entries, ...(name === undefined ? {} : { refined: name }) }
}

function isWrapper({ t }: Kind): boolean {
  return t === 'default' || t === 'maybe'
}

function routeBefore(reference: Reference, route: RouteSpec, at: number): RouteSpec {
  const newer = route.operations.filter(({ version }) => version < at)
  const path = newer.findLast((each) => each.path !== undefined)?.path ?? `/c${route.path}`
  const params = route.params === undefined ? [] : reference.fields(route.params, at)
  const renamed = (pattern: string): string => {
    let place = 0
    return pattern.replaceAll(/\{\w+\}/g, () => `{${params[place++]?.name ?? ''}}`)
  }
  const header = headerAt(route, at)
  const code = newer.findLast(({ error }) => error?.was !== undefined)?.error?.was
  const limit = route.operations.find((each) => each.limit !== undefined)
  const body = newer.findLast((each) => each.body !== undefined)?.body?.was
  return {
    ...route,
    method: newer.findLast(({ method }) => method !== undefined)?.method ?? route.method,
    path: renamed(path),
    isWholePath: true,
    body: body ?? route.body,
    responses: route.responses.map((response): ResponseSpec => {
      const status = statusAt(route, response.status, at)
      return {
        status,
        key: response.key === response.status ? status : response.key,
        kind: newer.findLast(({ answer }) => isAnswer(answer, response))?.answer?.was ?? response.kind,
      }
    }),
    page: {
      name: route.operations.some(({ parameter }) => parameter !== undefined)
        ? (newer.findLast(({ parameter }) => parameter !== undefined)?.parameter?.was ?? 'page')
        : undefined,
      limit: limit === undefined ? undefined : limit.version < at ? limit.limit : 'newest',
    },
    operations: route.operations
      .filter(({ version }) => version >= at)
      .map((each): OperationSpec => ({
        ...each,
        version: each.version - at,
        path: each.path === undefined ? undefined : renamed(each.path),
        status: each.status && { ...each.status, now: statusAt(route, each.status.now, at) },
        header: each.header && header !== undefined ? { ...each.header, now: header } : undefined,
        answer: each.answer && { ...each.answer, status: statusAt(route, each.answer.status, at) },
        error: each.error && { ...each.error, ...(code === undefined ? {} : { now: code }) },
      })),
  }
}

/** Whether a whole body is one of a response. */
export function isAnswer(answer: OperationSpec['answer'], { status, key }: ResponseSpec): boolean {
  return answer?.status === status && key === status
}

/** The name that the header of responses has in a version. */
export function headerAt({ operations }: RouteSpec, version: number): string | undefined {
  const moved = operations.findLast(({ header, version: at }) => header !== undefined && at < version)?.header
  return moved === undefined ? 'x-new' : moved.was
}

/** The number that a status has in a version. */
export function statusAt({ operations }: RouteSpec, status: number, version: number): number {
  let found = status
  for (const { status: moved, version: at } of operations)
    if (moved !== undefined && at < version && moved.now === status) found = moved.was
  return found
}

/** The history with the fields of its objects in the given order. */
export function withOrder(world: World, orderOf: (id: number) => readonly string[]): World {
  return {
    ...world,
    objects: world.objects.map((object) => {
      const order = orderOf(object.id)
      const place = ({ name }: Entry): number => order.indexOf(name)
      return { ...object, entries: object.entries.toSorted((a, b) => place(a) - place(b)) }
    }),
  }
}
