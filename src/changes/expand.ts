import { DefinitionError } from '../base/definition-error.ts'
import type { DefinitionProblem } from '../base/definition-error.ts'
import { parsePattern, shapeOf } from '../router/path/pattern.ts'
import { atDefinition } from '../base/source-location.ts'
import type { ResolvedRoute, VersionAdapter } from '../routes/resolved-route.ts'
import type { ExpandRoutes } from '../routes/history.ts'
import type { ResponseKey } from '../schema/responses.ts'
import type { Schema } from '../schema/schema.ts'
import { toSourcePlan } from '../schema/coercion.ts'
import type { DeclaredSource, SourceName } from '../schema/sources.ts'
import { createSelect } from '../versioning/select.ts'
import { coveredBy, expandSpec } from '../versioning/known.ts'
import { isRange, toEntries } from '../versioning/spec.ts'
import type { KnownVersions, VersionEntry } from '../versioning/spec.ts'
import { isString } from '../base/values.ts'
import type { AnyChange, Step } from './chain.ts'
import { stepProblems, unfitProblems } from './check-steps.ts'
import { noteUsed, sentBy, unusedParts } from './check-used.ts'
import type { Reached, Used } from './check-used.ts'
import { operationProblems, parameterProblems, pathBefore } from './operations/check-operations.ts'
import type { OrderedOperation } from './operations/check-operations.ts'
import { defaultProblems, schemaProblems } from './convert/convertible.ts'
import { documentHeaders, toHeaders } from './operations/response-headers.ts'
import { createMigration } from './migration.ts'
import { isAbout, isOperation } from './operations/operation.ts'
import type { AppliedOperation } from './operations/operation.ts'
import { NAMED_SOURCES, namesOf, renameParams, sourceBefore } from './operations/parameters.ts'
import type { SourceConverter } from './operations/parameters.ts'
import type { Plans } from './convert/plans.ts'
import { zod } from './zod.ts'

/** The parts of a history, for code that does not ask which one it is. */
export interface HistoryParts {
  /** Newest first. */
  readonly versions: readonly string[]
  /** The version of changes that are not released, or `undefined` if no version has them. */
  readonly next: string | undefined
  /** Newest first. */
  readonly changes: readonly AnyChange[]
  /** For each version the number of changes that are newer. */
  readonly levels: ReadonlyMap<string, number>
  readonly plans: Plans
  readonly problems: readonly DefinitionProblem[]
  /** Schemas that are converted without a route. */
  readonly messages: readonly Schema[]
}

/** The index of the first version that has a change in the list of versions; before all of them if none has. */
export function versionIndexOf(
  { version, preview }: AnyChange,
  { versions, next }: Pick<HistoryParts, 'versions' | 'next'>,
): number {
  if (preview !== undefined) return -1
  return version === 'next' && next !== undefined ? versions.indexOf(next) : versions.indexOf(version)
}

/** For each version the number of changes that are newer. */
export function toLevels(
  parts: Pick<HistoryParts, 'versions' | 'next' | 'changes'>,
): ReadonlyMap<string, number> {
  const indices = parts.changes.map((change) => versionIndexOf(change, parts))
  return new Map(
    parts.versions.map((version, own) => {
      const older = indices.findIndex((index) => index >= own)
      return [version, older === -1 ? indices.length : older]
    }),
  )
}

/** The operations of changes, newest first. */
export function operationsOf(changes: readonly AnyChange[]): readonly OrderedOperation[] {
  return changes.flatMap((change, order) =>
    change.change.filter(isOperation).map((operation): OrderedOperation => ({ order, operation })),
  )
}

/**
 * Creates the function that writes routes out for the versions of a history. A history without some of its changes is not checked,
 * because that is done with all of them.
 *
 * @param unreleased what routes of the version `'next'` answer, beside the newest version
 */
export function createExpand(
  parts: HistoryParts,
  isChecked = true,
  unreleased: '>' | '>=' = '>',
): ExpandRoutes {
  const { versions, changes, plans, next = `${unreleased}${versions[0] ?? ''}` } = parts
  const operations = operationsOf(changes)
  return (given, knownOf) => {
    const routes = given.map((route) => withNext(route, next))
    const known = knownOf(routes)
    const problems = [...operationProblems(operations, changes, routes)]
    const all = routes.flatMap((route, index): readonly Reached[] => {
      const reached = toReached(route, operations, plans)
      // what an application adds itself, such as its documents, and what the check of versions reports
      const isElse = isUnversioned(reached) || hasEmptyRange(given[index], known)
      return isElse ? [] : [reached]
    })
    const answered = answeredVersions(
      all.map(({ route }) => route),
      known,
      versions,
    )
    const reachedBy = new Map(all.map((reached) => [reached.route, reached]))
    const used: Used = { steps: new Set(), sent: new Set(), operations: new Set() }
    const statesOf = createStatesOf(parts)
    const expanded = routes.flatMap((route): readonly ResolvedRoute[] => {
      const own = answered.get(route)
      const reached = reachedBy.get(route)
      if (own === undefined || reached === undefined) return [route]
      noteUsed(reached, own, parts, used)
      if (reached.orders.length > 0) problems.push(...schemaProblems(route, plans))
      return writeOut(reached, own, { ...parts, statesOf }, problems)
    })
    for (const schema of parts.messages) for (const step of plans.stepsIn(schema)) used.steps.add(step)
    // what parts of models are wrong is found while they are looked for
    const isSent = (step: Step): boolean => used.sent.has(step)
    const chains = [...plans.chains.values()]
    problems.push(...parts.problems, ...stepProblems(chains, isSent), ...unfitProblems(chains, isSent))
    // what another deployment serves may need the others
    if (problems.length === 0 && !versions.some(known.isElsewhere)) problems.push(...unusedParts(parts, used))
    if (isChecked && problems.length > 0) throw new DefinitionError(problems)
    return expanded
  }
}

/** A route that names `'next'` has the version that unreleased changes get, or a range that begins after the newest one. */
function withNext(route: ResolvedRoute, next: string): ResolvedRoute {
  const entries = toEntries(route.version)
  if (!entries.includes('next')) return route
  return { ...route, version: entries.map((entry) => (entry === 'next' ? next : entry)) }
}

/** Whether a route is the same for every request: it is hidden, names no version, and no change reaches it. */
function isUnversioned({ route, orders }: Reached): boolean {
  return !route.includeInSchema && route.version === undefined && orders.length === 0
}

/** Whether a route names a range that cannot be read or matches no version. */
function hasEmptyRange(route: ResolvedRoute | undefined, known: KnownVersions): boolean {
  const ranges = toEntries(route?.version).filter(isString).filter(isRange)
  return ranges.some((range) => (coveredBy(range, known) ?? []).length === 0)
}

/** The changes that reach a route. */
export function toReached(
  route: ResolvedRoute,
  all: readonly OrderedOperation[],
  { reachOf }: Plans,
): Reached {
  const operations = all.filter(({ operation }) => isAbout(operation, route.name))
  const schemas = [...route.sources.map(({ schema }) => schema), ...sentBy(route)]
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
      const key = `${method} ${shapeOf(route.pattern, false)}`
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
  own: readonly string[],
  parts: HistoryParts & { readonly statesOf: StatesOf },
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  const { route, orders } = reached
  // versions that are no part of the history stay where they were
  const others = toEntries(route.version).filter((each) => !isListed(each, parts))
  const states = parts.statesOf(own, orders)
  const oldest = Math.max(0, ...states.map(({ level }) => level))
  const planOf = (schema: Schema): ReturnType<Plans['planOf']> => parts.plans.planOf(schema, oldest)
  problems.push(...parameterProblems(route, appliedAt(reached, oldest, parts), planOf))
  return states.map(({ count, level, version }): ResolvedRoute =>
    count === 0
      ? { ...route, version: others.length === 0 ? version : [...version, ...others] }
      : olderRoute({ ...reached, level, version }, parts, problems),
  )
}

/** A state that routes had: with how many of their changes undone, and the versions that have it, newest first. */
interface State {
  readonly count: number
  readonly level: number
  readonly version: readonly string[]
}

/** Finds the states of a route, newest first, by its versions and the positions of the changes that reach it. */
type StatesOf = (own: readonly string[], orders: readonly number[]) => readonly State[]

/** Routes that the same changes reach share their states, of which the versions are read many times when tables are built. */
function createStatesOf({ levels }: HistoryParts): StatesOf {
  const known = new Map<string, readonly State[]>()
  return (own, orders) => {
    const key = `${orders.join()}/${own.join()}`
    const states = known.get(key) ?? toStates(own, orders, levels)
    known.set(key, states)
    return states
  }
}

function toStates(
  own: readonly string[],
  orders: readonly number[],
  levels: HistoryParts['levels'],
): readonly State[] {
  const states = new Map<number, State & { readonly version: string[] }>()
  for (const version of own) {
    const level = levels.get(version) ?? 0
    const count = orders.filter((order) => order < level).length
    const state = states.get(count) ?? { count, level, version: [] }
    state.version.push(version)
    states.set(count, state)
  }
  return [...states.values()]
}

function isListed(entry: VersionEntry, { versions }: HistoryParts): boolean {
  return typeof entry === 'string' && (versions.includes(entry) || isRange(entry))
}

/** The operations of a route that a version with a level lacks, newest first. */
function appliedAt(
  { operations }: Reached,
  level: number,
  { changes }: Pick<HistoryParts, 'changes'>,
): readonly AppliedOperation[] {
  return operations.flatMap(({ order, operation }): readonly AppliedOperation[] => {
    const change = changes[order]
    return change === undefined || order >= level ? [] : [{ ...operation, change }]
  })
}

function olderRoute(
  { level, version, ...reached }: OlderState,
  parts: Pick<HistoryParts, 'plans' | 'changes'>,
  problems: DefinitionProblem[],
): ResolvedRoute {
  const { route } = reached
  const { plans } = parts
  const applied = appliedAt(reached, level, parts)
  const address = addressOf(route, applied, problems)
  const { pattern, methods } = address
  problems.push(...defaultProblems(route, level, plans))
  let known: Differing | undefined
  const differing = (): Differing => (known ??= toDiffering({ route, level, plans, applied, address }))
  return {
    ...route,
    ...shownBefore(route, applied),
    pattern,
    methods,
    version,
    newest: route,
    get sources() {
      return differing().sources
    },
    get status() {
      return differing().status
    },
    get stream() {
      return differing().stream
    },
    get responses() {
      return differing().responses
    },
    get migration() {
      return differing().migration
    },
    get openapi() {
      return differing().openapi
    },
  }
}

/** Returns the texts that documents showed of a route: the oldest of its operations counts. */
function shownBefore(
  { summary, description, tags, deprecated }: ResolvedRoute,
  applied: readonly AppliedOperation[],
): Pick<ResolvedRoute, 'summary' | 'description' | 'tags' | 'deprecated'> {
  const shown = { summary, description, tags, deprecated }
  for (const operation of applied) {
    if (operation.summary !== undefined) shown.summary = operation.summary.was
    if (operation.description !== undefined) shown.description = operation.description.was
    if (operation.tags !== undefined) shown.tags = operation.tags.was
    if (operation.deprecated !== undefined) shown.deprecated = operation.deprecated.was
  }
  return shown
}

/** A state that a route had. */
interface OlderState extends Reached {
  readonly level: number
  /** The versions that have it. */
  readonly version: readonly string[]
}

/** The members that a route has of its own in an older version, besides its address. */
type Differing = Pick<ResolvedRoute, 'sources' | 'status' | 'stream' | 'responses' | 'openapi'> & {
  readonly migration: VersionAdapter
}

interface OlderParts {
  readonly route: ResolvedRoute
  readonly level: number
  readonly plans: Plans
  /** The operations, newest first. */
  readonly applied: readonly AppliedOperation[]
  readonly address: Address
}

function toDiffering({ route, level, plans, applied, address }: OlderParts): Differing {
  const converters = new Map<SourceName, SourceConverter>()
  const sources = olderSources(route, applied).map((source): DeclaredSource => {
    const plan = plans.planOf(source.schema, level)
    const names = sourceBefore(source, plan, applied)
    if (names !== undefined || plan !== undefined)
      converters.set(source.name, { plan, names: names?.up, shown: names?.shown ?? new Map() })
    const schema = names?.schema ?? plan?.parse ?? source.schema
    return schema === source.schema ? source : { ...source, schema, plan: toSourcePlan(schema) }
  })
  const responses = new Map<ResponseKey, Schema>()
  for (const [status, schema] of route.responses)
    responses.set(status, plans.planOf(schema, level)?.wire ?? schema)
  const migration = createMigration({
    route,
    level,
    plans,
    applied,
    responses,
    converters,
    address: address.changes,
  })
  const status = migration.statusOf(route.status)
  const older = new Map<ResponseKey, Schema>(
    [...responses].map(([each, schema]) => [
      typeof each === 'number' ? migration.statusOf(each) : each,
      schema,
    ]),
  )
  return {
    sources,
    status,
    stream: migration.stream?.older ?? route.stream,
    responses: older,
    openapi: documentHeaders(route.openapi, toHeaders(applied), successOf(older, status)),
    migration: {
      ...migration,
      shownPattern: renameParams(address.pattern, converters.get('params')?.plan?.names ?? new Map()),
    },
  }
}

/** The sources of a route, and those that only older versions read. */
function olderSources(
  { sources }: ResolvedRoute,
  applied: readonly AppliedOperation[],
): readonly DeclaredSource[] {
  const read = NAMED_SOURCES.filter(
    (name) =>
      applied.some((operation) => namesOf(name, operation) !== undefined) &&
      !sources.some((source) => source.name === name),
  )
  return [
    ...sources,
    ...read.map((name) => ({ name, schema: zod.object({}), plan: toSourcePlan(zod.object({})) })),
  ]
}

/** The keys under which documents show the successful responses of a route. */
function successOf(responses: ReadonlyMap<ResponseKey, Schema>, status: number): readonly string[] {
  const declared = [...responses.keys()].filter((each) => each === 'default' || Number(each) < 300)
  if (declared.length > 0) return declared.map(String)
  return [status === 200 ? '2XX' : String(status)]
}

/** The address that a route had. */
interface Address extends Pick<ResolvedRoute, 'pattern' | 'methods'> {
  /** The ids of the changes that say so. */
  readonly changes: readonly string[]
}

function addressOf(
  route: ResolvedRoute,
  operations: readonly AppliedOperation[],
  problems: DefinitionProblem[],
): Address {
  const moving = operations.findLast((each) => each.path !== undefined)
  const path = moving?.path && pathBefore(route, moving.path)
  const naming = operations.findLast((each) => each.method !== undefined)
  const methods = naming?.method === undefined ? route.methods : [naming.method.was]
  const isOther = methods.some((method) => !route.methods.includes(method))
  const changes = naming !== undefined && isOther ? [naming.change.id] : []
  const unmoved = { pattern: route.pattern, methods, changes }
  if (moving === undefined || path === undefined) return unmoved
  const pattern = parsePattern(route.prefix + path)
  if ('params' in pattern) {
    const missing = route.pattern.params.filter(
      ({ name }) => !pattern.params.some((each) => each.name === name),
    )
    if (missing.length === 0) {
      const isMoved = shapeOf(pattern, false) !== shapeOf(route.pattern, false)
      return { pattern, methods, changes: isMoved ? [moving.change.id, ...changes] : changes }
    }
    const names = missing.map(({ name }) => `{${name}}`).join(', ')
    problems.push(wrongPath(route, path, `it lacks ${names}`, 'write the same parameters in both paths'))
  } else for (const { message, fix } of pattern) problems.push(wrongPath(route, path, message, fix))
  return unmoved
}

function wrongPath(route: ResolvedRoute, path: string, message: string, fix: string): DefinitionProblem {
  const problem: DefinitionProblem = {
    code: 'invalid_change',
    where: route.label,
    message: `the earlier path "${path}" cannot be used: ${message}`,
    fix,
  }
  return atDefinition(problem, ...route.definitions)
}
