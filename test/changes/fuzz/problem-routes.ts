/* oxlint-disable complexity -- it chooses among everything that problems may have been */
import { defineProblem } from 'octavo'
import { operation } from 'octavo/changes'
import { z } from 'zod'

import type { Reference } from './reference.ts'
import type { BuiltPart, Note, Place, Source, Trial } from './trial.ts'
import type { Kind } from './world.ts'

interface DeclaredSpec {
  readonly code: string
  readonly status: number
  readonly title: string
  /** The schema of its members. `undefined` for a problem without any. */
  readonly members: Kind | undefined
}

/** A route that throws a problem which it declares. */
export interface ProblemSpec {
  readonly t: 'problem'
  readonly name: string
  readonly declared: DeclaredSpec
  /** The newest path with its prefix, if newer operations changed it before. */
  readonly path?: string
  /** Newest first. */
  readonly operations: readonly ProblemOperation[]
}

interface ProblemOperation {
  readonly version: number
  readonly change: string
  readonly was: string | DeclaredSpec | undefined
  readonly status: number | undefined
  /** Whether its function adds a member that no schema declares. */
  readonly isMarked: boolean
  /** What turns the members into those of the older problem. */
  readonly turn: 'wrap' | 'unwrap' | undefined
  readonly path: string | undefined
}

/** Makes a random route with a problem that had other codes, statuses and members. */
export function makeProblem(at: number, { random, versions, whole, outer }: Source): ProblemSpec {
  const newest = random.chance(0.2)
    ? undefined
    : random.chance(0.5)
      ? whole()
      : ({ t: 'envelope', of: outer() } as const)
  const declared = { code: `gone${at}`, status: 409, title: 'It is gone', members: newest }
  const operations: ProblemOperation[] = []
  let members: Kind | undefined = newest
  for (let version = 0; version < versions - 1; version++) {
    if (!random.chance(0.6)) continue
    const status = random.pick([undefined, undefined, 400, 404, 422])
    const path = random.chance(0.2) ? `/was${version}/e${at}` : undefined
    const common = { version, change: `e${at}-${version}`, path }
    const kind = random.below(3)
    if (kind === 0 && members !== undefined) {
      const turn =
        members.t === 'envelope' && members.of.t === 'object' && random.chance(0.7) ? 'unwrap' : 'wrap'
      members = turn === 'unwrap' && members.t === 'envelope' ? members.of : { t: 'envelope', of: members }
      const was = {
        code: `gone${at}_${version}`,
        status: status ?? 410,
        title: `It was gone ${version}`,
        members,
      }
      operations.push({
        ...common,
        was,
        status: random.chance(0.3) ? 418 : undefined,
        isMarked: random.chance(0.2),
        turn,
      })
      continue
    }
    const was = random.chance(0.6) ? `lost${at}_${version}` : undefined
    const isMarked = (was === undefined && status === undefined) || random.chance(0.3)
    operations.push({ ...common, was, status, isMarked, turn: undefined })
  }
  return { t: 'problem', name: `e${at}`, declared, operations }
}

type Untyped = (...given: readonly unknown[]) => never
type Values = Readonly<Record<string, unknown>>

/** Makes the route and the parts of its changes. */
export function buildProblem(
  { name, declared, path: own, operations }: ProblemSpec,
  of: (kind: Kind) => z.ZodType,
  note: Note,
): {
  readonly route: { readonly path: string }
  readonly parts: readonly BuiltPart[]
  readonly create: (members: unknown) => unknown
} {
  const toProblem = ({ members, ...options }: DeclaredSpec): never =>
    (defineProblem as Untyped)({ ...options, ...(members && { members: of(members) }) })
  const problem: unknown = toProblem(declared)
  const route = {
    method: 'GET',
    path: own ?? `/c/${name}`,
    name,
    problems: [problem],
    response: z.object({ ok: z.boolean() }),
  }
  const parts = operations.map((each): BuiltPart => {
    const { version, change, was, status, path } = each
    const down = (body: Values): Values => {
      note(change, body)
      return downOf(each, body)
    }
    const errors = {
      [declared.code]: {
        ...(was === undefined ? {} : { was: typeof was === 'string' ? was : toProblem(was) }),
        ...(status === undefined ? {} : { status }),
        ...(each.isMarked || each.turn !== undefined ? { down } : {}),
      },
    }
    const part: unknown = (operation as Untyped)({
      route: `c.${name}`,
      errors,
      ...(path === undefined ? {} : { path: { was: path } }),
    })
    return { version, change, part }
  })
  return { route, parts, create: (members) => (problem as Untyped)('It is gone for good', members) }
}

const OWN = ['type', 'title', 'status', 'detail', 'code'] as const

function downOf({ turn, isMarked, change }: ProblemOperation, body: Values): Values {
  const mark = isMarked ? { [change]: true } : {}
  if (turn === undefined) return { ...body, ...mark }
  const members = { ...body } as Record<string, unknown>
  const own: Record<string, unknown> = {}
  for (const key of OWN) {
    own[key] = members[key]
    delete members[key]
  }
  return { ...own, ...(turn === 'wrap' ? { data: members } : Object(members['data'])), ...mark }
}

/** The route as a team would have written it at a version. */
export function problemBefore({ operations, ...spec }: ProblemSpec, at: number): ProblemSpec {
  let { declared, path } = spec
  for (const { version, was, status, path: own } of operations) {
    if (version >= at) continue
    path = own ?? path
    if (typeof was === 'object') declared = was
    else if (was !== undefined) declared = { ...declared, code: was }
    if (status !== undefined) declared = { ...declared, status }
  }
  const older = operations.filter(({ version }) => version >= at)
  return {
    ...spec,
    declared,
    ...(path === undefined ? {} : { path }),
    operations: older.map((each) => ({ ...each, version: each.version - at })),
  }
}

/** The route without members that newer operations add, which no problem of an older handler can declare. */
export function tameProblem({ operations, ...spec }: ProblemSpec, at: number): ProblemSpec {
  const tamed = operations
    .map((each) => (each.version < at ? { ...each, isMarked: false } : each))
    .filter(({ was, status, isMarked }) => was !== undefined || status !== undefined || isMarked)
  return { ...spec, operations: tamed }
}

/** The members of a problem in the version at a place. */
function membersAt(spec: ProblemSpec, given: unknown, at: number, reference: Reference): unknown {
  const { members } = problemBefore(spec, at).declared
  if (spec.declared.members === undefined || members === undefined) return undefined
  let body: Values = { ...Object(reference.parse(spec.declared.members, given, 0)) }
  for (const each of spec.operations)
    if (each.version < at && each.turn !== undefined) body = downOf(each, body)
  const own = Object.entries(body).filter(([key]) => OWN.every((each) => each !== key))
  return reference.parse(members, reference.down(members, Object.fromEntries(own), at), at)
}

/** Makes a call of a version. `create` makes the problem of its members. */
export function tryProblem(
  spec: ProblemSpec,
  { random, reference, version }: Place,
  create: (name: string, members: unknown) => unknown,
): Trial {
  const { name, declared, operations } = spec
  const older = operations.filter((each) => each.version < version)
  const given = declared.members === undefined ? undefined : reference.value(random, declared.members, 0)
  const path = older.findLast((each) => each.path !== undefined)?.path ?? `/c/${name}`
  const call = {
    method: 'GET',
    path,
    query: {},
    headers: {},
    body: undefined,
    result: () => {
      throw create(name, given)
    },
    resultAt: (at: number, createAt: typeof create) => () => {
      throw createAt(name, membersAt(spec, given, at, reference))
    },
  }
  let shown = declared
  let { code, status } = declared
  let isMade = false
  let body: Values = {
    type: 'about:blank',
    title: declared.title,
    detail: 'It is gone for good',
    ...Object(declared.members === undefined ? {} : reference.parse(declared.members, given, 0)),
  }
  const oldest = older.reduce((known, each) => {
    const { was } = each
    const problem = typeof was === 'object' ? was : undefined
    code = typeof was === 'string' ? was : (problem?.code ?? code)
    status = each.status ?? problem?.status ?? status
    isMade = problem === undefined && (isMade || each.isMarked)
    return problem ?? known
  }, shown)
  shown = oldest
  body = { ...body, title: shown.title, code, status }
  for (const each of older) if (each.isMarked || each.turn !== undefined) body = downOf(each, body)
  if (shown.members !== undefined) {
    const own = Object.fromEntries(Object.entries(body).filter(([key]) => OWN.some((each) => each === key)))
    const marks = Object.fromEntries(
      Object.entries(body).filter(([key]) => operations.some(({ change }) => change === key)),
    )
    const members = Object.fromEntries(
      Object.entries(body).filter(([key]) => !(key in own) && !(key in marks)),
    )
    // what an open schema does not declare stays
    const isOpen = shown.members.t === 'object' && reference.isOpen(shown.members.object)
    const converted = reference.parse(shown.members, reference.down(shown.members, members, version), version)
    body = { ...own, ...Object(converted), ...(isMade || isOpen ? marks : {}) }
  }
  return { ...call, expected: { status, body } }
}
