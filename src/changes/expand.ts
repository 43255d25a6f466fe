import { atDefinition, DefinitionError, type DefinitionProblem } from '../base/definition-error.ts'
import { patternShape } from '../router/path/pattern.ts'
import type { ResolvedRoute, ExpandRoutes } from '../routes/resolved-route.ts'
import {
  createSelect,
  coveredBy,
  expandSpec,
  isRange,
  specEntries,
  type KnownVersions,
} from '../versioning/version.ts'
import { describeValue, isString } from '../base/values.ts'
import type { AnyChange } from './chain.ts'
import { stepProblems } from './check-steps.ts'
import { createUnionProblems } from './check-unions.ts'
import {
  createDefaultProblems,
  createSchemaProblems,
  keptProblems,
  messageProblems,
  noteUsed,
  sentBy,
  unusedParts,
  type Reached,
  type Used,
} from './check-used.ts'
import { operationProblems, parameterProblems, type OrderedOperation } from './operations/check-operations.ts'
import { bodyProblems, wasSchemas } from './operations/bodies.ts'
import { inputProblems } from './operations/whole-input.ts'
import { pagedProblems } from './operations/paged.ts'
import { errorFormatProblems, errorSchemas } from './operations/errors-before.ts'
import { isAbout, isOperation } from './operations/operation.ts'
import type { Plans } from './convert/plans.ts'
import { appliedAt, olderRoute, operatedRoute, type OperatedRoute } from './older-route.ts'
import type { Schema } from '../schema/schema.ts'

/** The parts of a history, for code that does not ask which one it is. */
export interface HistoryParts {
  /** Newest first. */
  readonly versions: readonly string[]
  /** Other texts that stand for versions. */
  readonly spellings: ReadonlyMap<string, string>
  /** The version of changes that are not released, or `undefined` if no version has them. */
  readonly next: string | undefined
  /** Newest first. */
  readonly changes: readonly AnyChange[]
  /** For each version, by each of its texts, the number of changes that are newer. */
  readonly ages: ReadonlyMap<string, number>
  readonly plans: Plans
  readonly problems: readonly DefinitionProblem[]
  /** Schemas that are converted without a route. */
  readonly messages: readonly Schema[]
}

/** The index of the first version that has a change in the list of versions; before all of them if none has. */
export function versionIndexOf(
  { version }: AnyChange,
  { versions, next }: Pick<HistoryParts, 'versions' | 'next'>,
): number {
  return version === 'next' && next !== undefined ? versions.indexOf(next) : versions.indexOf(version)
}

/** For each version the number of changes that are newer. */
export function toAges(
  parts: Pick<HistoryParts, 'versions' | 'spellings' | 'next' | 'changes'>,
): ReadonlyMap<string, number> {
  const indices = parts.changes.map((change) => versionIndexOf(change, parts))
  const ages = new Map<string, number>()
  for (const [own, version] of parts.versions.entries()) {
    const older = indices.findIndex((index) => index >= own)
    ages.set(version, older === -1 ? indices.length : older)
  }
  for (const [spelling, version] of parts.spellings) ages.set(spelling, ages.get(version) ?? 0)
  return ages
}

/** The operations of changes, newest first. */
export function operationsOf(changes: readonly AnyChange[]): readonly OrderedOperation[] {
  return changes.flatMap((change, order) =>
    change.change.filter(isOperation).map((operation) => ({ order, change, operation })),
  )
}

/** Creates the function that writes routes out for the versions of a history. */
export function createExpand(parts: HistoryParts): ExpandRoutes {
  const { versions, spellings, changes, plans, next = `>${versions[0] ?? ''}` } = parts
  const operations = operationsOf(changes)
  return (given, knownOf, errors) => {
    const routes = given.map((route) => withNext(widenResponses(route, plans), next))
    const known = knownOf(routes)
    const problems = [...spelledRoutes(routes, spellings), ...operationProblems(operations, routes)]
    const all = routes.flatMap((route, index): readonly Reached[] => {
      const reached = toReached(route, operations, plans)
      // an application adds such routes itself, for example its documents
      const isUnversioned =
        !route.includeInSchema && route.version === undefined && reached.orders.length === 0
      // the check of versions reports ranges that match no version
      const ranges = specEntries(given[index]?.version).filter(isString).filter(isRange)
      const hasEmptyRange = ranges.some((range) => (coveredBy(range, known) ?? []).length === 0)
      return isUnversioned || hasEmptyRange ? [] : [reached]
    })
    const answered = answeredVersions(
      all.map(({ route }) => route),
      known,
      versions,
    )
    const reachedBy = new Map(all.map((reached) => [reached.route, reached]))
    const used: Used = { steps: new Set(), sent: new Set(), handled: new Set(), operations: new Set() }
    const statesOf = createStatesOf(parts)
    const schemaProblems = createSchemaProblems(plans)
    const unionProblems = createUnionProblems(plans)
    const defaultProblems = createDefaultProblems(plans)
    const expanded = routes.flatMap((route): readonly ResolvedRoute[] => {
      const own = answered.get(route)
      const reached = reachedBy.get(route)
      if (own === undefined || reached === undefined) return [route]
      noteUsed(reached, own, parts, used)
      const states = statesOf(own, reached.orders)
      if (reached.orders.length > 0)
        problems.push(
          ...schemaProblems(reached),
          ...unionProblems(route, states),
          ...defaultProblems(route, states),
        )
      return [...writeOut(reached, states, parts, problems), ...inOtherVersions(route, own, known)]
    })
    const told = new Set(parts.messages.flatMap((schema) => [...plans.stepsIn(schema)]))
    const ofErrors = errorSchemas(errors, changes).flatMap((schema) => [...plans.stepsIn(schema)])
    for (const step of [...told, ...ofErrors]) used.steps.add(step)
    // what parts of models are wrong is found while they are looked for
    problems.push(...errorFormatProblems(errors, parts), ...parts.problems, ...messageProblems(parts))
    problems.push(...stepProblems(plans.chains.values(), { ...used, told }))
    // another deployment may serve a version that needs the unused parts
    if (problems.length === 0 && !versions.some(known.isElsewhere)) problems.push(...unusedParts(parts, used))
    if (problems.length > 0) throw new DefinitionError(problems)
    return expanded
  }
}

/** Routes that name a version by another of its texts: types know its name alone. */
function spelledRoutes(
  routes: readonly ResolvedRoute[],
  spellings: HistoryParts['spellings'],
): readonly DefinitionProblem[] {
  return routes.flatMap(({ label, version, definitions }) =>
    specEntries(version)
      .filter(isString)
      .flatMap((text): readonly DefinitionProblem[] => {
        const name = spellings.get(text)
        if (name === undefined) return []
        const message = `the version "${text}" is another text for "${name}"`
        const problem = { code: 'invalid_version', where: label, message, fix: `write '${name}'` } as const
        return [atDefinition(problem, ...definitions)]
      }),
  )
}

/** A route with the version of unreleased changes for `'next'`: one that exists, or a range that begins after the newest one. */
function withNext(route: ResolvedRoute, next: string): ResolvedRoute {
  const entries = specEntries(route.version)
  if (!entries.includes('next')) return route
  return { ...route, version: entries.map((entry) => (entry === 'next' ? next : entry)) }
}

/** A route whose responses take the values that older versions accept. */
function widenResponses(route: ResolvedRoute, { widen }: Plans): ResolvedRoute {
  const sent = sentBy(route)
  if (sent.every((schema) => widen(schema) === schema)) return route
  const { responses, stream } = route
  return {
    ...route,
    responses: new Map([...responses].map(([status, schema]) => [status, widen(schema)])),
    stream: stream && {
      ...stream,
      schemas: new Map([...stream.schemas].map(([name, schema]) => [name, widen(schema)])),
    },
  }
}

export function toReached(
  route: ResolvedRoute,
  all: readonly OrderedOperation[],
  { reachOf }: Plans,
): Reached {
  const operations = all.filter(({ operation }) => isAbout(operation, route.name))
  const schemas = [...route.sources.map(({ schema }) => schema), ...sentBy(route), ...wasSchemas(operations)]
  const orders = new Set([...schemas.flatMap(reachOf), ...operations.map(({ order }) => order)])
  return { route, operations, orders: [...orders].toSorted((a, b) => a - b) }
}

/**
 * The versions of the history that each route answers. A route without a version answers those that no other one of its path and method
 * names. Routes that speak the newest models in every version are not in it.
 */
function answeredVersions(
  routes: readonly ResolvedRoute[],
  known: KnownVersions,
  versions: readonly string[],
): ReadonlyMap<ResolvedRoute, readonly string[]> {
  const answered = new Map<ResolvedRoute, Set<string>>()
  const own = versions.filter((version) => !known.isElsewhere(version))
  const all = new Set(own)
  for (const rows of byAddress(routes, known)) {
    const [only] = rows
    // most paths have one route
    if (only !== undefined && rows.length === 1 && only.spec.unversioned) {
      answered.set(only.route, all)
      continue
    }
    const select = createSelect(rows)
    for (const { route, spec } of rows)
      if (!spec.neutral) answered.set(route, answered.get(route) ?? new Set())
    for (const version of own)
      for (const { route } of select(version, { unversioned: true, neutral: true }))
        answered.get(route)?.add(version)
  }
  return new Map(
    [...answered].map(([route, found]) => [
      route,
      found === all ? own : own.filter((version) => found.has(version)),
    ]),
  )
}

/** The route with the versions that it names beside those of the history. It speaks the newest models there. */
function inOtherVersions(
  route: ResolvedRoute,
  own: readonly string[],
  known: KnownVersions,
): readonly ResolvedRoute[] {
  const version = specEntries(route.version).filter(
    (entry) => isString(entry) && !isRange(entry) && !own.includes(known.find(entry) ?? ''),
  )
  return version.length === 0 ? [] : [{ ...route, version }]
}

/** A route with the versions that it names. */
interface Answering {
  readonly route: ResolvedRoute
  readonly spec: ReturnType<typeof expandSpec>
}

/** The routes of each path and method. */
function byAddress(routes: readonly ResolvedRoute[], known: KnownVersions): Iterable<readonly Answering[]> {
  const addresses = new Map<string, Answering[]>()
  for (const route of routes) {
    const spec = expandSpec(route.version, known)
    for (const method of route.methods) {
      const key = `${method} ${patternShape(route.pattern, false)}`
      const rows = addresses.get(key) ?? []
      rows.push({ route, spec })
      addresses.set(key, rows)
    }
  }
  return addresses.values()
}

/** One route for each state that it had, newest first. */
function writeOut(
  reached: Reached,
  states: readonly State[],
  parts: HistoryParts,
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  const { route } = reached
  const oldest = Math.max(0, ...states.map(({ age }) => age))
  const applied = appliedAt(reached, oldest)
  problems.push(
    ...bodyProblems(route, applied, parts.plans.widen),
    ...pagedProblems(route, applied),
    ...inputProblems(route, applied),
    ...parameterProblems(route, applied, oldest, parts.plans),
    ...keptProblems(route, parts.plans),
  )
  let operated: OperatedRoute | undefined
  return states.map(({ count, age, version }): ResolvedRoute => {
    if (count === 0) return { ...route, version }
    const length = reached.operations.filter(({ order }) => order < age).length
    if (operated?.applied.length !== length)
      operated = operatedRoute(route, applied.slice(0, length), parts.plans, problems)
    return olderRoute(operated, age, version)
  })
}

/** A state that routes had: with how many of their changes undone, and the versions that have it, newest first. */
interface State {
  readonly count: number
  readonly age: number
  readonly version: readonly string[]
}

/** Finds the states of a route, newest first, by its versions and the positions of the changes that reach it. */
type StatesOf = (own: readonly string[], orders: readonly number[]) => readonly State[]

/** Routes with equal changes share their states, because building tables reads the versions of a state many times. */
function createStatesOf({ ages }: HistoryParts): StatesOf {
  const known = new Map<string, readonly State[]>()
  return (own, orders) => {
    const key = `${orders.join()}/${own.join()}`
    const states = known.get(key) ?? toStates(own, orders, ages)
    known.set(key, states)
    return states
  }
}

function toStates(
  own: readonly string[],
  orders: readonly number[],
  ages: HistoryParts['ages'],
): readonly State[] {
  const states: (State & { readonly version: string[] })[] = []
  let count = 0
  for (const version of own) {
    const age = ages.get(version) ?? 0
    while ((orders[count] ?? Infinity) < age) count++
    const last = states.at(-1)
    if (last?.count === count) last.version.push(version)
    else states.push({ count, age, version: [version] })
  }
  return states
}

/** The number of changes that are newer than a version. @throws `DefinitionError` for a version that the history does not have. */
export function ageOf({ ages, versions }: HistoryParts, version: string): number {
  const age = ages.get(version)
  if (age !== undefined) return age
  const message = `there is no version ${describeValue(version, true)}`
  const fix = `write one of ${versions.join(', ')}`
  throw new DefinitionError([{ code: 'version_not_listed', where: 'history', message, fix }])
}
