import { METHODS } from '../../../http/http.ts'
import type { Variants } from '../../../router/compile-trie.ts'
import { createTree, type Endpoints, type PathInfo, type PathShape } from '../../../router/node.ts'
import { overlaps } from '../../../router/overlap.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import {
  createSelect,
  isVersioned,
  type FallbackKinds,
  type VersionClaim,
} from '../../../versioning/version.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { TableRoute, Versions } from './table.ts'
import { atDefinition, labelBeside, type DefinitionProblem } from '../../../base/definition-error.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'

/** Chooses the route that answers at each path shape, and notes conflicts. */
export interface LeafChooser {
  readonly withoutVersion: (shape: PathShape<TableRoute>) => Endpoints<Endpoint> | null
  /** Of every version, wherever a request names it. */
  readonly versions: (shape: PathShape<TableRoute>) => Variants<Endpoints<Endpoint>>
  readonly defaults: (shape: PathShape<TableRoute>) => Variants<Endpoints<Endpoint>>
  readonly other: (shape: PathShape<TableRoute>) => Endpoints<Endpoint> | null
  readonly union: (shape: PathShape<TableRoute>) => Endpoints<Endpoint> | null
  readonly infoOf: InfoOf
  readonly problems: () => readonly DefinitionProblem[]
  /** The rows that nothing leads to. */
  readonly unused: () => ReadonlySet<TableRoute>
}

/** Prepares the choice for the rows of a table; under `strict` a trailing slash makes another path. */
export function createLeaves(
  rows: readonly TableRoute[],
  strict: boolean,
  versioning: Versioning,
  versions: Versions,
): LeafChooser {
  const { known, defaultVersion } = versions
  const notes = createNotes(true)
  const infoOf = createInfo(rows, strict, versioning, versions)
  const leafFor = createLeafFor(notes, infoOf)
  const { required } = versioning.common
  const variants = createVariants(known, leafFor)
  const isDefault = (version: string | null): boolean => version !== null && version === defaultVersion
  return {
    withoutVersion: (shape) =>
      required && isVersioned(shape.routes) ? null : leafFor(shape, versions.defaultAt(shape.routes), ALL),
    versions: (shape) => {
      const opted = isVersioned(shape.routes)
      return variants(
        shape,
        (version, isClaimed) => isClaimed || (opted && isDefault(version)),
        (version) => (!opted || isDefault(version) ? ALL : NAMED),
      )
    },
    defaults: (shape) =>
      variants(
        shape,
        (_, isClaimed) => isClaimed,
        () => ALL,
      ),
    other: (shape) =>
      isVersioned(shape.routes) || shape.routes.some(isForwarded) ? null : leafFor(shape, null, ALL),
    union: (shape) => {
      const inOrder = shape.routes.toSorted((a, b) => Number(isRest(a)) - Number(isRest(b)))
      const methods = METHODS.map((method) =>
        inOrder.find(({ endpoints }) => endpoints.has(method))?.endpoints.get(method),
      )
      methods[HEAD] ??= methods[GET]
      return { methods, shape: infoOf(shape) }
    },
    infoOf,
    problems: notes.problems,
    unused: () => new Set(rows.filter((row) => !notes.isUsed(row))),
  }
}

function isRest({ route }: TableRoute): boolean {
  return route.mount?.isRest === true
}

/** Whether an API behind answers, which serves its newest version for unknown versions. */
function isForwarded({ route }: TableRoute): boolean {
  return route.forward !== undefined
}

const ALL: FallbackKinds = { unversioned: true, neutral: true }
const NAMED: FallbackKinds = { unversioned: false, neutral: true }

type ToVariants = (
  shape: PathShape<TableRoute>,
  isNamed: (version: string, isClaimed: boolean) => boolean,
  answersFor: (version: string | null) => FallbackKinds,
) => Variants<Endpoints<Endpoint>>

/** Creates the function that chooses what answers at a path shape in every version. */
function createVariants(known: Versions['known'], leafFor: LeafFor): ToVariants {
  const positions = new Map(known.list.map((version, position) => [version, position]))
  return (shape, isNamed, answersFor) => {
    const claims = claimsOf(shape.routes, positions)
    const leaves = new Map<string, Endpoints<Endpoint> | null>()
    const namedAt = known.list.map((version, position) => isNamed(version, claims[position] !== undefined))
    // where every known version is named, nobody asks for the rest
    const rest = namedAt.includes(false) ? leafFor(shape, null, answersFor(null)) : null
    let last: { readonly claim: string | undefined; readonly answers: FallbackKinds } | undefined
    let leaf: Endpoints<Endpoint> | null = null
    const at = known.list.map((version, position) => {
      if (namedAt[position] !== true) return rest
      const claim = claims[position]
      const answers = answersFor(version)
      if (last?.claim === claim && last?.answers === answers) return leaf
      last = { claim, answers }
      // Routes with equal claims share one leaf
      const key = `${claim ?? ''}${answers.unversioned}`
      const made = leaves.get(key)
      leaf = made === undefined ? leafFor(shape, version, answers) : made
      leaves.set(key, leaf)
      return leaf
    })
    return { rest, at: at.every((each) => each === rest) ? undefined : at }
  }
}

/** For the place of each version, which of the routes claim it and how: one text for versions that are claimed alike. */
function claimsOf(
  rows: readonly TableRoute[],
  places: ReadonlyMap<string, number>,
): readonly (string | undefined)[] {
  const texts = Array.from<string | undefined>({ length: places.size })
  for (const [index, { spec }] of rows.entries()) {
    let last: VersionClaim | undefined
    let text = ''
    for (const [version, claim] of spec.claims) {
      const position = places.get(version)
      if (position === undefined) continue
      if (claim !== last) text = `${index}:${claim.strength}:${claim.low}:${claim.high},`
      last = claim
      const other = texts[position]
      texts[position] = other === undefined ? text : other + text
    }
  }
  return texts
}

export type InfoOf = (shape: PathShape<TableRoute>) => PathInfo

/** Creates the function that describes a path shape, each once. */
function createInfo(
  rows: readonly TableRoute[],
  strict: boolean,
  versioning: Versioning,
  versions: Versions,
): InfoOf {
  const versionedRows = rows.filter((row) => isVersioned([row]))
  const versionedTree =
    versioning.defaultVary.length > 0 && versionedRows.length > 0
      ? createTree(versionedRows, strict)
      : undefined
  const shapes = new Map<PathShape<TableRoute>, PathInfo>()
  return (shape) => {
    const info = shapes.get(shape) ?? {
      pattern: shape.pattern.text,
      varies: versionedTree !== undefined && overlaps(versionedTree, shape.pattern),
      versions: versions.servedAt(shape.routes),
      defaultVersion: versions.defaultAt(shape.routes),
    }
    shapes.set(shape, info)
    return info
  }
}

type LeafFor = (
  shape: PathShape<TableRoute>,
  version: string | null,
  answers: FallbackKinds,
) => Endpoints<Endpoint> | null

/** Creates the function that chooses what answers at a path shape in one version. */
function createLeafFor(notes: LeafNotes, infoOf: InfoOf): LeafFor {
  const choices = new Map<PathShape<TableRoute>, RouteChoice>()
  return (shape, version, answers) => {
    const choice = choices.get(shape) ?? createChoice(shape, infoOf(shape))
    choices.set(shape, choice)
    const methods = choice.selects.map(({ method, select }) => {
      const [chosen, ...rivals] = select(version, answers)
      if (chosen === undefined) return undefined
      for (const rival of rivals) notes.duplicate(chosen.route, rival.route, method, version)
      const endpoint = chosen.endpoints.get(method)
      if (endpoint !== undefined) notes.use(endpoint)
      return endpoint
    })
    return choice.leafOf(methods)
  }
}

/** The routes that can answer at one path shape. */
interface RouteChoice {
  readonly selects: readonly {
    readonly method: string
    readonly select: ReturnType<typeof createSelect<TableRoute>>
  }[]
  /** One leaf for the same endpoints, so that versions that answer alike share it. */
  readonly leafOf: (methods: (Endpoint | undefined)[]) => Endpoints<Endpoint> | null
}

function createChoice(shape: PathShape<TableRoute>, info: PathInfo): RouteChoice {
  const ids = new Map<Endpoint | undefined, number>()
  const leaves = new Map<string, Endpoints<Endpoint>>()
  return {
    selects: METHODS.map((method) => ({
      method,
      select: createSelect(shape.routes.filter(({ endpoints }) => endpoints.has(method))),
    })),
    leafOf: (methods) => {
      if (methods.every((endpoint) => endpoint === undefined)) return null
      // HEAD answers from GET unless it is declared
      methods[HEAD] ??= methods[GET]
      for (const endpoint of methods) if (!ids.has(endpoint)) ids.set(endpoint, ids.size)
      const key = methods.map((endpoint) => ids.get(endpoint)).join()
      const leaf = leaves.get(key) ?? { methods, shape: info }
      leaves.set(key, leaf)
      return leaf
    },
  }
}

const GET = METHODS.indexOf('GET')
const HEAD = METHODS.indexOf('HEAD')

/** Collects conflicts and used specifications while leaves are chosen. */
export interface LeafNotes {
  readonly duplicate: (a: ResolvedRoute, b: ResolvedRoute, method: string, version: string | null) => void
  readonly use: (endpoint: Endpoint) => void
  readonly isUsed: (row: TableRoute) => boolean
  readonly problems: () => readonly DefinitionProblem[]
}

/** `isEnabled`: whether versioning is enabled. */
export function createNotes(isEnabled: boolean): LeafNotes {
  const problems = new Map<string, DefinitionProblem>()
  const used = new Set<Endpoint>()
  return {
    duplicate: (a, b, method, version) => {
      const key = `${a.label}\n${b.label}\n${method}`
      if (problems.has(key)) return
      const versions = isEnabled && version !== null ? ` for version ${version}` : ''
      const problem: DefinitionProblem = {
        code: 'duplicate_route',
        where: b.label,
        message: `${labelBeside(a, b)} answers ${method} on the same path${versions} too`,
        fix:
          !isEnabled && (a.version !== undefined || b.version !== undefined)
            ? 'call app.enableVersioning: their versions do not count before'
            : 'change the path, the method or the version of one of them',
      }
      problems.set(key, atDefinition(problem, ...b.definitions))
    },
    use: (endpoint) => void used.add(endpoint),
    isUsed: ({ endpoints }) => [...endpoints.values()].some((endpoint) => used.has(endpoint)),
    problems: () => [...problems.values()],
  }
}
