import { isString } from '../../base/values.ts'
import { suggestion, type DefinitionProblem } from '../../base/definition-error.ts'
import type { AnyProblem } from '../../define/problem.ts'
import { problemsOf, type ResolvedRoute } from '../../routes/resolved-route.ts'
import { codesIn } from '../../schema/body-types.ts'
import { isSchema, objectShape } from '../../schema/schema.ts'
import { changeProblem, type AnyChange } from '../chain.ts'
import { isRequired, isSameSchema, plainKind } from '../convert/compare.ts'
import type { Plans } from '../convert/plans.ts'
import { reparsedProblem } from './bodies.ts'
import { inputBefore, inputChanges } from './whole-input.ts'
import { fieldsOf, namedKey, type OperationField } from './operation-kinds.ts'
import { NAMED_SOURCES, isSameName, namesOf, toParameters } from './parameters.ts'
import {
  isAbout,
  pathBefore,
  precision,
  routeLabel,
  type AppliedOperation,
  type Operation,
} from './operation.ts'
import { absent, takesAbsent } from '../was.ts'

/** An operation, and the position of its change among all changes, newest first. */
export interface OrderedOperation {
  readonly order: number
  readonly change: AnyChange
  readonly operation: Operation
}

/** Operations about routes and parameters that do not exist. `operations` are all of them, newest first. */
export function operationProblems(
  operations: readonly OrderedOperation[],
  routes: readonly ResolvedRoute[],
): readonly DefinitionProblem[] {
  /** The parameters that only older versions have, by route and source. */
  const earlier = new Map<string, string[]>()
  const twice = touchedTwice(operations, routes)
  const wrong = operations.flatMap(({ change, operation }, index): readonly DefinitionProblem[] => {
    const own = routes.filter(({ name }) => isAbout(operation, name))
    const unknown = [operation.route]
      .flat()
      .filter((route) => !routes.some(({ name }) => isAbout({ ...operation, route }, name)))
    const found =
      unknown.length > 0
        ? unknown.map(
            (route) =>
              [
                `operation names the route ${route}, which does not exist`,
                'give the name of a route as urlFor knows it',
              ] as const,
          )
        : [
            ...wrongGuards(operation, own),
            ...wrongStart(operation, own),
            ...unknownErrors(operation, own),
            ...wrongProblems(operation, own, operations.slice(0, index)),
            ...unknownEvents(operation, own),
            ...NAMED_SOURCES.flatMap((source) => unknownNames(operation, source, own, earlier)),
          ]
    return found.map(([message, fix]) => changeProblem(change, message, fix))
  })
  if (wrong.length > 0) return [...wrong, ...twice]
  return [...twice, ...idleOperations(operations, routes)]
}

/** Finds operations without effect: those that change nothing of any route, and empty ones. */
function idleOperations(
  operations: readonly OrderedOperation[],
  routes: readonly ResolvedRoute[],
): readonly DefinitionProblem[] {
  /** The fields that an operation leaves as they are, for the routes so far. */
  const idle = new Map<Operation, ReadonlyMap<string, OperationField>>()
  for (const route of routes) {
    const newer = new Map(newestOf(route))
    for (const { operation } of operations.filter((each) => isAbout(each.operation, route.name))) {
      const fields = fieldsOf(operation, route)
      const known = idle.get(operation) ?? fields
      const changed = [...fields].filter(
        ([key, field]) => !known.has(key) || !isUnchanged(newer.get(key), field),
      )
      // the name of a parameter and its schema are one
      const labels = new Set(changed.map(([, { label }]) => label))
      idle.set(operation, new Map([...fields].filter(([, { label }]) => !labels.has(label))))
      for (const [key, { was }] of fields) newer.set(key, was)
    }
  }
  return operations.flatMap(({ change, operation }): readonly DefinitionProblem[] => {
    const isEmpty = Object.keys(operation).every((key) => ['kind', 'route', 'before', 'inject'].includes(key))
    const same = new Set([...(idle.get(operation)?.values() ?? [])].map(({ label }) => label))
    const messages = isEmpty
      ? [`operation says nothing of ${routeLabel(operation)}`]
      : [...same].map((label) => `operation says that ${label} of ${routeLabel(operation)} was what it is`)
    return messages.map((message) =>
      changeProblem(change, message, 'write what it was before the change, or remove it'),
    )
  })
}

/** The fields of a route in the newest version, by the keys of {@link fieldsOf}. */
function newestOf({
  methods,
  pattern,
  prefix,
  sources,
}: ResolvedRoute): readonly (readonly [string, unknown])[] {
  return [
    ['path', pattern.text.slice(prefix.length)],
    ['method', methods.join()],
    ...sources.flatMap(({ name: source, schema }) =>
      Object.entries(objectShape(schema)).map(
        ([name, field]) => [`${namedKey(source, name)} schema`, field] as const,
      ),
    ),
  ]
}

/** Whether an operation describes a field that was equal on the newer side. */
function isUnchanged(newer: unknown, { was, newest, hasFunction }: OperationField): boolean {
  const now = newer ?? newest
  return isSchema(now) && isSchema(was) ? hasFunction !== true && isSameSchema(now, was) : now === was
}

/**
 * Lists operations of one version that change one and the same field of a route. Only one would count. A name and a schema are two fields,
 * because `was` takes one of them.
 */
function touchedTwice(
  operations: readonly OrderedOperation[],
  routes: readonly ResolvedRoute[],
): readonly DefinitionProblem[] {
  const found = new Map<string, DefinitionProblem>()
  for (const route of routes) {
    const touched = new Map<string, OrderedOperation>()
    const own = operations.filter(({ operation }) => isAbout(operation, route.name))
    const claims = own.flatMap((ordered) =>
      [...fieldsOf(ordered.operation, route)].map(([key, { label }]) => ({ key, label, ordered })),
    )
    for (const { key: field, label, ordered } of claims) {
      const key = JSON.stringify([ordered.change.version, field])
      const first = touched.get(key)
      touched.set(key, ordered)
      if (first === undefined || precision(ordered.operation) > precision(first.operation)) continue
      const problem = twiceProblem(label, first, ordered)
      found.set(`${problem.where} ${problem.message}`, problem)
    }
  }
  return [...found.values()]
}

function twiceProblem(
  label: string,
  first: OrderedOperation,
  { change, operation }: OrderedOperation,
): DefinitionProblem {
  const by = first.change === change ? 'another operation' : `the change "${first.change.id}"`
  const message = `${label} of ${routeLabel(operation)} is touched by ${by} of the same version too`
  const fix = 'keep one of the two, or give the older one an older version'
  return changeProblem(change, message, fix, 'field_touched_twice')
}

function wrongGuards(
  { route, withoutGuards = [] }: Operation,
  own: readonly ResolvedRoute[],
): readonly (readonly [message: string, fix: string])[] {
  const names = [route].flat().join(', ')
  return withoutGuards
    .filter((guard) => !own.some(({ layers }) => layers.guards.some(({ given }) => given === guard)))
    .map((guard) => [
      `operation.withoutGuards names ${guard.name}, which does not guard ${names}`,
      'name a guard of the route, its controller, a router or module above it, or the application',
    ])
}

function wrongStart(
  { path, route }: Operation,
  own: readonly ResolvedRoute[],
): readonly (readonly [message: string, fix: string])[] {
  if (path === undefined) return []
  const group = [route].flat().find((each) => each.endsWith('.*'))
  if (group !== undefined && path.now === undefined)
    return [['operation.path.now is missing', `write what the paths of ${group} begin with`]]
  return own
    .filter((each) => pathBefore(each, path) === undefined)
    .map(({ label }) => [
      `the path of ${label} does not begin with "${path.now ?? ''}"`,
      'write the prefix that all routes have',
    ])
}

/** Codes that no route of an operation declares, if all of them declare problems. */
function unknownErrors(
  operation: Operation,
  own: readonly ResolvedRoute[],
): readonly (readonly [message: string, fix: string])[] {
  const { errors = {} } = operation
  if (!own.every(({ problems }) => problems.length > 0)) return []
  const declared = own.flatMap((route) => [
    ...problemsOf(route).map(({ code }) => code),
    ...[...route.responses.values()].flatMap(codesIn),
  ])
  const known = [...new Set(declared)]
  return Object.keys(errors)
    .filter((code) => !known.includes(code))
    .map((code) => [
      `operation.errors names ${code}, which ${routeLabel(operation)} does not declare`,
      `${suggestion(code, known)} (errors have their newest codes)`,
    ])
}

/** Errors whose `now` is neither the problem of a route nor what the operation before, which is newer, says that it was. */
function wrongProblems(
  { errors = {} }: Operation,
  own: readonly ResolvedRoute[],
  newer: readonly OrderedOperation[],
): readonly (readonly [message: string, fix: string])[] {
  const isOther = (code: string, now: AnyProblem, route: ResolvedRoute): boolean => {
    const said = newer.filter(({ operation }) => isAbout(operation, route.name))
    const before = said.flatMap(({ operation }) => operation.errors?.[code]?.was ?? []).at(-1)
    const known = before ?? problemsOf(route).find((problem) => problem.code === code)
    return known !== undefined && !isString(known) && known !== now
  }
  return Object.entries(errors)
    .filter(([code, { now }]) => now !== undefined && own.some((route) => isOther(code, now, route)))
    .map(([code]) => [
      `operation.errors.${code}.now is not the problem that the route has`,
      'give the problem of the route, or what a newer change says that it was',
    ])
}

/** Events that no route of an operation declares, and older names that two events of a route would share. */
function unknownEvents(
  { events = {}, ...operation }: Operation,
  own: readonly ResolvedRoute[],
): readonly (readonly [message: string, fix: string])[] {
  const known = own.flatMap(({ stream }) => (stream?.kind === 'events' ? [...stream.schemas.keys()] : []))
  return Object.entries(events).flatMap(([name, { was }]) => {
    if (!known.includes(name))
      return [
        [
          `operation.events names ${name}, which ${routeLabel(operation)} does not declare`,
          known.length === 0
            ? 'declare events: { name: schema } of the route'
            : `${suggestion(name, known)} (events have their newest names)`,
        ],
      ]
    const isTaken = known.some((other) => other !== name && (events[other]?.was ?? other) === was)
    return isTaken
      ? [[`operation.events.${name} was called ${was}, as another event`, 'give the name that it had']]
      : []
  })
}

function unknownNames(
  operation: Operation,
  source: (typeof NAMED_SOURCES)[number],
  routes: readonly ResolvedRoute[],
  earlier: Map<string, string[]>,
): readonly (readonly [message: string, fix: string])[] {
  const route = routeLabel(operation)
  const declared = routes
    .flatMap(({ sources }) => sources.filter(({ name }) => name === source))
    .flatMap(({ schema }) => Object.keys(objectShape(schema)))
  const added = earlier.get(`${source} ${route}`) ?? []
  earlier.set(`${source} ${route}`, added)
  const whole = operation.input?.was[source]
  const problems = Object.entries(namesOf(source, operation) ?? {}).flatMap(([name, { was }]) => {
    const names = [...declared, ...added]
    if (names.some((each) => isSameName(source, each, name))) return []
    if (isSchema(was)) {
      added.push(name)
      return []
    }
    const fix =
      names.length === 0
        ? `declare it in input.${source} of the route, or write was: schema if it existed only then`
        : `${suggestion(name, names)} (parameters have their newest names)`
    return [[`operation.${source} names ${name}, which ${route} does not declare`, fix]] as const
  })
  // older operations are about what this one says that there was
  if (whole !== undefined) added.push(...Object.keys(objectShape(whole)))
  return problems
}

/** The functions that parameters of a route lack. `applied` are its operations, newest first. */
export function parameterProblems(
  route: ResolvedRoute,
  applied: readonly AppliedOperation[],
  age: number,
  plans: Plans,
): readonly DefinitionProblem[] {
  const inputs = inputChanges(applied)
  return route.sources.flatMap((source) => {
    const before = inputBefore(source.name, inputs)
    const known = before?.schema === undefined ? source : { ...source, schema: before.schema }
    const operations = before?.older ?? applied
    // a plan of a source that no operation describes is made by its first request
    const isDescribed = operations.some((operation) => namesOf(source.name, operation) !== undefined)
    const newer = before === undefined ? 0 : plans.timeOf(plans.orderOf(before))
    const range = { newer, older: age, origin: newer }
    const parameters = isDescribed ? (toParameters(known, operations, range, plans) ?? []) : []
    const since = applied.filter((operation) => plans.orderOf(operation) < newer)
    const newest =
      since.length === 0 ? [] : parameterProblems({ ...route, sources: [source] }, since, newer, plans)
    const own = parameters.flatMap(({ key, steps }) =>
      steps.flatMap(({ change, was, up, accepted, newer: { schema: now } }): readonly DefinitionProblem[] => {
        const label = `operation.${source.name}.${key}`
        const found = accepted === true ? undefined : reparsedProblem(label, now, was)
        if (found !== undefined) return [changeProblem(change, ...found)]
        if (up !== undefined) return []
        const [kindNow, kind] = [plainKind(now), isSchema(was) ? plainKind(was) : undefined]
        const isOther = kindNow !== undefined && kind !== undefined && kindNow !== kind
        const isAbsent = was === absent || (accepted === true && isSchema(was) && takesAbsent(was))
        if (!isOther && !(isAbsent && isRequired(now))) return []
        const why = isOther
          ? `it was a ${kind} and is a ${kindNow}`
          : `it ${was === absent ? 'did not exist' : 'could be left out'}, and ${route.name} requires it`
        return [changeProblem(change, `${label} lacks up: ${why}`, 'write up beside was')]
      }),
    )
    return [...newest, ...own]
  })
}
