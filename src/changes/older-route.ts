import { atDefinition, type DefinitionProblem } from '../base/definition-error.ts'
import { parsePattern, patternShape, type Pattern } from '../router/path/pattern.ts'
import type { ResolvedRoute, VersionLayer } from '../routes/resolved-route.ts'
import type { ResponseKey, Schema } from '../schema/schema.ts'
import { toSourcePlan } from '../schema/coercion.ts'
import { SOURCES, type DeclaredSource, type SourceName } from '../schema/sources.ts'
import type { Reached } from './check-used.ts'
import {
  documentHeaders,
  toHeaders,
  NAMED_SOURCES,
  namesOf,
  renameParams,
  sourceBefore,
  type SourceConverter,
} from './operations/parameters.ts'
import { inputBefore, inputChanges } from './operations/whole-input.ts'
import { createBodyConversion, planOfBody } from './operations/body-layer.ts'
import { createVersionLayer, statusesBefore, type RequestState } from './version-layer.ts'
import { bodyBefore, bodyChanges, bodySchema, type BodyChange } from './operations/bodies.ts'
import { errorsBefore, problemsBefore, responsesBefore } from './operations/errors.ts'
import { pathBefore, type AppliedOperation } from './operations/operation.ts'
import type { Plans } from './convert/plans.ts'
import { zod } from './zod.ts'

/** The operations of a route that a version of an age lacks, newest first. */
export function appliedAt(
  { operations }: Pick<Reached, 'operations'>,
  age: number,
): readonly AppliedOperation[] {
  return operations
    .filter(({ order }) => order < age)
    .map(({ operation, change }) => ({ ...operation, change }))
}

/** The members that a route has of its own in an older version, besides its address. */
const DIFFERING = [
  'sources',
  'status',
  'stream',
  'responses',
  'problems',
  'problemsBefore',
  'openapi',
  'layer',
  'shownPattern',
] as const
type Differing = Required<Pick<ResolvedRoute, (typeof DIFFERING)[number]>>

/** A route as operations alone leave it. Its states with equal operations share it. */
export interface OperatedRoute {
  readonly route: ResolvedRoute
  readonly plans: Plans
  /** The operations, newest first. */
  readonly applied: readonly AppliedOperation[]
  readonly address: Address
  /** The members of its states, without those that are made when they are first read. */
  readonly shared: Omit<ResolvedRoute, keyof Differing>
}

/** Applies operations to a route. `applied` are newest first. */
export function operatedRoute(
  route: ResolvedRoute,
  applied: readonly AppliedOperation[],
  plans: Plans,
  problems: DefinitionProblem[],
): OperatedRoute {
  const address = addressOf(route, applied, problems)
  const { pattern, methods } = address
  const removed = new Set(applied.flatMap(({ withoutGuards = [] }) => withoutGuards))
  const guards = route.layers.guards.filter(({ given }) => !removed.has(given))
  const layers = { ...route.layers, guards }
  const shown = shownBefore(route, applied)
  const shared = { ...withoutDiffering(route), ...shown, pattern, methods, layers, newest: route }
  return { route, plans, applied, address, shared }
}

function withoutDiffering({
  sources: _sources,
  status: _status,
  stream: _stream,
  responses: _responses,
  problems: _problems,
  problemsBefore: _problemsBefore,
  openapi: _openapi,
  layer: _layer,
  shownPattern: _shownPattern,
  ...same
}: ResolvedRoute): OperatedRoute['shared'] {
  return same
}

/** The key of what an older route is made of. */
const STATE = Symbol('state')

interface State {
  readonly operated: OperatedRoute
  readonly age: number
  made: Differing | undefined
}

/** Writes a route out for the versions of a state. An application has thousands, so what differs is made when it is first read. */
export function olderRoute(operated: OperatedRoute, age: number, version: readonly string[]): ResolvedRoute {
  const state: State = { operated, age, made: undefined }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- LATER has the members that are missing
  return Object.defineProperties(
    { ...operated.shared, version, [STATE]: state },
    LATER,
  ) as unknown as ResolvedRoute
}

/** Returns what differs in an older route. */
function differing({ [STATE]: state }: { readonly [STATE]: State }): Differing {
  return (state.made ??= toDiffering({ ...state.operated, age: state.age }))
}

/** The members that are made later. All routes share the getters, which keeps the routes small. */
const LATER = Object.fromEntries(
  DIFFERING.map((key): [string, PropertyDescriptor & ThisType<{ readonly [STATE]: State }>] => [
    key,
    {
      enumerable: true,
      get() {
        return differing(this)[key]
      },
    },
  ]),
)

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

interface OlderParts extends Omit<OperatedRoute, 'shared'> {
  readonly age: number
}

const NO_CONVERTER: SourceConverter = {
  plan: undefined,
  names: undefined,
  whole: undefined,
  shown: new Map(),
  converted: new Set(),
}

/**
 * Returns the requests of a route in a version. Each of its sources is converted to the oldest change that describes it as a whole. `isMade`
 * says that functions made them.
 */
function requestBefore(
  route: ResolvedRoute,
  { age, plans, applied }: Pick<OlderParts, 'age' | 'plans' | 'applied'>,
  isMade = false,
): Omit<RequestState, 'inputs'> {
  const converters = new Map<SourceName, SourceConverter>()
  const inputs = inputChanges(applied)
  const timeOf = (operation: Pick<AppliedOperation, 'change'> | undefined): number =>
    operation === undefined ? 0 : plans.timeOf(plans.orderOf(operation))
  const operationsOn = (source: SourceName): readonly AppliedOperation[] =>
    inputBefore(source, inputs)?.older ?? applied
  const bodies = bodyChanges('body', operationsOn('body'))
  const ofBody = inputBefore('body', inputs)
  const newestBody = ofBody?.schema ?? bodySchema(route, 'body')
  const whole =
    newestBody === undefined || bodies.length === 0
      ? undefined
      : createBodyConversion(newestBody, bodies, age, plans, timeOf(ofBody))
  const older = olderSources(route, operationsOn, bodies, inputs)
  // what a function makes may hold values that older versions accept
  const before = isMade ? older.map((each) => ({ ...each, schema: plans.widen(each.schema) })) : older
  const sources = before.map((source): DeclaredSource => {
    const { name } = source
    const newer = timeOf(inputBefore(name, inputs))
    const range = { newer, older: age, origin: newer }
    const body =
      name === 'body' && bodies.length > 0 ? planOfBody(source.schema, bodies, age, plans) : undefined
    const names = sourceBefore(source, operationsOn(name), range, plans)
    const plan = names === undefined ? (body ?? plans.planIn(source.schema, range)) : names.converter.plan
    // the parameters of the further pages are ours, which an API behind gets in place of those that were sent
    const isPaged = name === 'query' && applied.some(({ paged }) => paged !== undefined)
    if (names !== undefined || plan !== undefined || isPaged)
      converters.set(name, { ...NO_CONVERTER, ...names?.converter, plan })
    const schema = names?.schema ?? plan?.parse ?? source.schema
    return schema === source.schema ? source : { ...source, schema, plan: toSourcePlan(schema) }
  })
  // what did not exist is made of nothing
  if (whole !== undefined) converters.set('body', { ...(converters.get('body') ?? NO_CONVERTER), whole })
  for (const source of inputs.flatMap((each) => each.sources))
    converters.set(source, converters.get(source) ?? NO_CONVERTER)
  return { converters, pattern: addressOf(route, applied, []).pattern, sources, before }
}

/** The changes that describe input as a whole, oldest first, with the requests of their versions. */
function inputsOf(
  route: ResolvedRoute,
  { plans, applied }: Pick<OlderParts, 'plans' | 'applied'>,
): RequestState['inputs'] {
  return inputChanges(applied).map((own) => {
    const age = plans.timeOf(plans.orderOf(own))
    const newer = applied.filter((operation) => plans.orderOf(operation) < age)
    return { own, newer: requestBefore(route, { age, plans, applied: newer }, true) }
  })
}

function toDiffering({ route, age, plans, applied, address }: OlderParts): Differing {
  const request = {
    ...requestBefore(route, { age, plans, applied }),
    inputs: inputsOf(route, { plans, applied }),
  }
  const { converters, sources } = request
  const errors = errorsBefore(applied)
  const problems = problemsBefore(route, errors, age, plans)
  const headers = toHeaders(applied)
  const statuses = statusesBefore(applied, route)
  const own = { request, errors, problems, headers, statuses }
  const layer = createVersionLayer({ route, age, plans, applied, ...own, address: address.changes })
  const older = new Map<ResponseKey, Schema>(
    [...route.responses].map(([key, schema]) => [
      typeof key === 'number' ? (statuses.get(key)?.was ?? key) : key,
      layer.response(key)?.schema ?? schema,
    ]),
  )
  const status = statuses.get(route.status)?.was ?? route.status
  const declared = [...older.keys()].filter((each) => each === 'default' || Number(each) < 300).map(String)
  const success = declared.length > 0 ? declared : [status === 200 ? '2XX' : String(status)]
  return {
    sources,
    status,
    stream: streamBefore(route.stream, layer),
    responses: responsesBefore(older, errors),
    ...shownProblems(route, problems),
    openapi: documentHeaders(route.openapi, headers, success),
    layer,
    shownPattern: renameParams(address.pattern, converters.get('params')?.plan?.names ?? new Map()),
  }
}

/** The problems of a route as documents and clients show them. */
function shownProblems(
  { problems }: ResolvedRoute,
  before: ReturnType<typeof problemsBefore>,
): Pick<Differing, 'problems' | 'problemsBefore'> {
  const olderOf = new Map([...before].map(([problem, { older }]) => [problem, older]))
  return { problems: problems.map((problem) => olderOf.get(problem) ?? problem), problemsBefore: olderOf }
}

function streamBefore(
  stream: ResolvedRoute['stream'],
  { items, events }: VersionLayer,
): ResolvedRoute['stream'] {
  if (stream === undefined || items.size + events.size === 0) return stream
  const schemas = [...stream.schemas].map(
    ([name, schema]) => [events.get(name)?.was ?? name, items.get(name)?.schema ?? schema] as const,
  )
  return { ...stream, schemas: new Map(schemas) }
}

/** The sources of a route as older versions read them before models are converted, with those that only older versions read. */
function olderSources(
  { sources: newest }: ResolvedRoute,
  operationsOn: (source: SourceName) => readonly AppliedOperation[],
  bodies: readonly BodyChange[],
  inputs: ReturnType<typeof inputChanges>,
): readonly DeclaredSource[] {
  const described = [...new Set(inputs.flatMap((each) => each.sources))]
  const whole = described.flatMap((name): readonly DeclaredSource[] => {
    const schema = inputBefore(name, inputs)?.schema
    return schema === undefined ? [] : [{ name, schema, plan: toSourcePlan(schema) }]
  })
  const known = [...newest.filter(({ name }) => !described.some((each) => each === name)), ...whole]
  const sources = known.flatMap((source): readonly DeclaredSource[] => {
    if (source.name !== 'body' || bodies.length === 0) return [source]
    const schema = bodyBefore(source.schema, bodies)
    return schema === undefined ? [] : [{ name: 'body', schema, plan: toSourcePlan(schema) }]
  })
  const read = NAMED_SOURCES.filter(
    (name) =>
      operationsOn(name).some((operation) => namesOf(name, operation) !== undefined) &&
      !sources.some((source) => source.name === name),
  )
  return [
    ...sources,
    ...read.map((name) => ({ name, schema: zod.object({}), plan: toSourcePlan(zod.object({})) })),
  ].toSorted((one, other) => SOURCES.indexOf(one.name) - SOURCES.indexOf(other.name))
}

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
  const isMade = inputBefore('params', inputChanges(operations)) !== undefined
  const needed = isMade ? [] : route.pattern.params
  const pattern = parsePattern(route.prefix + path)
  const wrong = 'params' in pattern ? paramProblems(needed, pattern) : pattern
  problems.push(...wrong.map(({ message, fix }) => wrongPath(route, path, message, fix)))
  if (!('params' in pattern) || wrong.length > 0) return unmoved
  const isMoved = patternShape(pattern, false) !== patternShape(route.pattern, false)
  return { pattern, methods, changes: isMoved ? [moving.change.id, ...changes] : changes }
}

/** The parameters of today's path that an earlier path lacks, or whose values the handler does not expect. */
function paramProblems(
  newest: Pattern['params'],
  older: Pattern,
): readonly Pick<DefinitionProblem, 'message' | 'fix'>[] {
  const missing = newest.filter(({ name }) => !older.params.some((each) => each.name === name))
  const names = missing.map(({ name }) => `{${name}}`).join(', ')
  const retyped = newest.filter(({ name, type }) =>
    older.params.some(
      (each) =>
        each.name === name &&
        each.type.name !== type.name &&
        NARROWER[type.name]?.includes(each.type.name) !== true,
    ),
  )
  return [
    ...(missing.length === 0
      ? []
      : [{ message: `it lacks ${names}`, fix: 'write the same parameters in both paths' }]),
    ...retyped.map(({ name, type }) => ({
      message: `its {${name}} is of another type than today`,
      fix: `write {${name}${type.name === 'str' ? '' : `:${type.name}`}}, or convert it by input`,
    })),
  ]
}

/** The types of parameters whose values are values of another type too. */
const NARROWER: Readonly<Record<string, readonly string[]>> = {
  str: ['uuid'],
  float: ['int'],
  path: ['str', 'uuid'],
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
