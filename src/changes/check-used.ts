import { atDefinition, type DefinitionProblem } from '../base/definition-error.ts'
import { problemsOf, type ResolvedRoute } from '../routes/resolved-route.ts'
import { changeProblem, type AnyChange, type FieldChange, type Step } from './chain.ts'
import type { OrderedOperation } from './operations/check-operations.ts'
import { isRequest, wasSchemas, bodiesOf, bodyLabel } from './operations/bodies.ts'
import { NAMED_SOURCES } from './operations/parameters.ts'
import { isOperation, routeLabel, type Operation } from './operations/operation.ts'
import { defOf, isSchema, schemaOf, childrenOf, type Schema } from '../schema/schema.ts'
import { messageOf } from '../base/values.ts'
import { namedModel } from './model.ts'
import { schemasIn } from './convert/compare.ts'
import { bareOf, type AppliedStep } from './convert/modelled-fields.ts'
import type { Plans } from './convert/plans.ts'
import { splitChecks } from './convert/refine.ts'
import { isConvertible } from './convert/schema-plan.ts'

/** A route with the changes that reach it. */
export interface Reached {
  readonly route: ResolvedRoute
  /** The positions of the changes, newest first. */
  readonly orders: readonly number[]
  readonly operations: readonly OrderedOperation[]
}

export function sentBy(route: ResolvedRoute): readonly Schema[] {
  const { responses, stream } = route
  const members = problemsOf(route).flatMap((problem) => problem.members ?? [])
  return [...responses.values(), ...(stream?.schemas.values() ?? []), ...members]
}

/** The parts of changes that have an effect. */
export interface Used {
  readonly steps: Set<Step>
  /** Those in requests. */
  readonly sent: Set<Step>
  /** Those in requests that handlers get, and no API behind. */
  readonly handled: Set<Step>
  readonly operations: Set<Operation>
}

/** Notes which parts of changes reach a route in a version that is older than they are. */
export function noteUsed(
  { route, operations }: Reached,
  own: readonly string[],
  { ages, plans }: { readonly ages: ReadonlyMap<string, number>; readonly plans: Plans },
  used: Used,
): void {
  const age = Math.max(0, ...own.map((version) => ages.get(version) ?? 0))
  for (const { order, operation } of operations) if (order < age) used.operations.add(operation)
  const note = (schemas: readonly Schema[], steps: Set<Step>): void => {
    for (const schema of schemas)
      for (const step of plans.stepsIn(schema))
        if (!steps.has(step) && plans.orderOf(step) < age) steps.add(step)
  }
  const sources = route.sources.map(({ schema }) => schema)
  const sent = [...sources, ...wasSchemas(operations, isRequest)]
  note(sent, used.sent)
  if (route.forward === undefined) note(sent, used.handled)
  note([...sent, ...sentBy(route), ...wasSchemas(operations)], used.steps)
}

/** The changes that have no effect, and of the others, the parts that have none. */
export function unusedParts(
  { changes, plans }: { readonly changes: readonly AnyChange[]; readonly plans: Plans },
  used: Used,
): readonly DefinitionProblem[] {
  const steps = [...plans.chains.values()].flatMap((chain) =>
    chain.steps.map((step) => ({ step, of: chain.name })),
  )
  return changes.flatMap((change): readonly DefinitionProblem[] => {
    const idle = [
      ...steps.flatMap(({ step, of }) =>
        step.change === change && !used.steps.has(step) ? [`reshape of ${of}`] : [],
      ),
      ...change.change
        .filter(isOperation)
        .flatMap((operation) =>
          used.operations.has(operation) ? [] : [`operation of ${routeLabel(operation)}`],
        ),
    ]
    const isWhole = idle.length === change.change.length
    return (isWhole ? idle.slice(0, 1) : idle).map((part) => {
      const message = `${isWhole ? 'it' : `its ${part}`} reaches no route of an older version`
      const fix =
        'use its models in input and response, made with omit, pick, extend or derive; list schemas without a route in messages'
      return changeProblem(change, message, fix, 'unused_change')
    })
  })
}

/** A schema of a route. */
interface Position {
  /** Such as `body` or `response 200`. */
  readonly position: string
  readonly schema: Schema
  /** Whether the route sends its values. */
  readonly isSent: boolean
}

/** The schemas of a route by their positions. `before` stands before the names of sources. */
export function positionsOf(route: ResolvedRoute, before = ''): readonly Position[] {
  const { sources, responses, stream } = route
  const isItems = stream?.kind === 'items'
  return [
    ...sources.map(({ name, schema }) => ({ position: before + name, schema, isSent: false })),
    ...[...responses].map(([status, schema]) => ({ position: `response ${status}`, schema, isSent: true })),
    ...[...(stream?.schemas ?? [])].map(([name, schema]) => ({
      position: isItems ? 'items' : `events.${name}`,
      schema,
      isSent: true,
    })),
    ...problemsOf(route).flatMap(({ code, members }) =>
      members === undefined ? [] : [{ position: `problem ${code}`, schema: members, isSent: true }],
    ),
  ]
}

/** Creates the function that lists the parts of a route that a change reaches and nothing can convert. */
export function createSchemaProblems(plans: Plans): (reached: Reached) => readonly DefinitionProblem[] {
  const stuckIn = createStuckIn(plans)
  return (reached) => schemaProblems(reached, stuckIn)
}

/** Finds the types of schema in which nothing can convert a model. */
type StuckIn = (schema: Schema, isSent: boolean) => readonly Stuck[]

/** A schema in which nothing can convert a model, and the ids of the changes that reach it. */
interface Stuck {
  readonly type: string
  readonly changes: readonly string[]
}

export function createStuckIn(plans: Plans): StuckIn {
  // each model is looked into once for requests and once for responses, however many routes have it
  const [sent, got] = [new Set<Schema>(), new Set<Schema>()]
  return (schema, isSent) => {
    const seen = isSent ? sent : got
    const stuck = findStuck(schema, plans, isSent, seen)
    // each route is told of its own
    if (stuck.length > 0) seen.clear()
    return stuck
  }
}

function schemaProblems({ route, operations }: Reached, stuckIn: StuckIn): readonly DefinitionProblem[] {
  const positions = [
    ...positionsOf(route, 'input.'),
    ...operations.flatMap(({ operation }) =>
      [...bodiesOf(operation)].flatMap(([key, { was }]) =>
        isSchema(was) ? [{ position: `${bodyLabel(key)}.was`, schema: was, isSent: !isRequest(key) }] : [],
      ),
    ),
    ...operations.flatMap(({ operation }) =>
      Object.entries(operation.input?.was ?? {}).flatMap(([name, schema]) =>
        isSchema(schema) ? [{ position: `input.was.${name}`, schema, isSent: false }] : [],
      ),
    ),
    ...operations.flatMap(({ operation }) =>
      NAMED_SOURCES.flatMap((source) =>
        Object.entries(operation[source] ?? {}).flatMap(([name, { was }]) =>
          isSchema(was) ? [{ position: `${source}.${name}.was`, schema: was, isSent: false }] : [],
        ),
      ),
    ),
  ]
  return positionProblems(positions, route, stuckIn)
}

/** Lists the messages that a change reaches and nothing can convert. */
export function messageProblems({
  messages,
  plans,
}: {
  readonly messages: readonly Schema[]
  readonly plans: Plans
}): readonly DefinitionProblem[] {
  const positions = messages.map((schema, at) => ({ position: `messages[${at}]`, schema, isSent: true }))
  return positionProblems(positions, { label: 'defineVersions', definitions: [] }, createStuckIn(plans))
}

/** Lists the schemas of a route, or of something else, that a change reaches and nothing can convert. */
export function positionProblems(
  positions: readonly Position[],
  { label, definitions }: Pick<ResolvedRoute, 'label' | 'definitions'>,
  stuckIn: StuckIn,
): readonly DefinitionProblem[] {
  return positions.flatMap(({ position, schema, isSent }) => {
    const types = new Map<string, Set<string>>()
    for (const { type, changes } of stuckIn(schema, isSent))
      types.set(type, new Set([...(types.get(type) ?? []), ...changes]))
    return [...types].map(([type, changes]) =>
      atDefinition(
        {
          code: 'unconvertible_schema',
          where: label,
          message: `${position} holds a model inside ${WORDS[type] ?? `z.${type}()`}, and a change reaches it`,
          fix: `${FIXES[type] ?? 'hold the model in an object, a list, a record, a tuple or a union'}; ${reachText([...changes])} it`,
        },
        ...definitions,
      ),
    )
  })
}

/** Names the changes that reach a schema. */
export function reachText(ids: readonly string[]): string {
  const names = ids.map((id) => `"${id}"`).join(', ')
  return ids.length === 1 ? `the change ${names} reaches` : `the changes ${names} reach`
}

function appliedTo(schema: Schema, plans: Plans): readonly AppliedStep[] {
  return defOf(schema).type === 'object' ? plans.modelledFieldsOf(schema).steps : []
}

/** The schemas that fields of an object had. */
function earlierIn(schema: Schema, plans: Plans): readonly Schema[] {
  return appliedTo(schema, plans).flatMap(({ fieldChanges }) =>
    fieldChanges.flatMap((each) => (each.kind === 'removed' || each.kind === 'retyped' ? [each.was] : [])),
  )
}

/** Fields that are kept in a model of which a source can hold several, or in one below another object. A handler would get one of them. */
export function keptProblems({ sources, label }: ResolvedRoute, plans: Plans): readonly DefinitionProblem[] {
  const stepsOf = (schema: Schema): readonly AppliedStep[] => appliedTo(schema, plans)
  return sources.flatMap(({ name, schema }) => {
    if (![...plans.stepsIn(schema)].some(({ fieldChanges }) => fieldChanges.some(isKept))) return []
    const root = bareOf(schema)
    // a model may hold itself
    const inside = [...childrenOf(root).map((child) => child.schema), ...earlierIn(root, plans)]
    const below = new Map(
      inside
        .flatMap((each) => [...schemasIn(each)].flatMap(stepsOf))
        .flatMap(({ step, fieldChanges }) => {
          const kept = fieldChanges.find(isKept)
          return kept === undefined ? [] : [[step, kept] as const]
        }),
    )
    return [...below].map(([{ change }, kept]) => {
      const message = `${kept.name} is kept, and ${label} has it below input.${name}`
      return changeProblem(change, message, 'use the model as the whole source, or list its part in not')
    })
  })
}

function isKept(change: FieldChange): change is Extract<FieldChange, { kind: 'removed' }> {
  return change.kind === 'removed' && change.isKept
}

/**
 * Creates the function that lists the defaults of a route that no change can convert into those of an older version. Each is converted once
 * for each change that reaches it, whatever routes and versions have it.
 */
export function createDefaultProblems({
  defaultsIn,
  planOf,
  reachOf,
}: Plans): (
  route: ResolvedRoute,
  states: readonly { readonly age: number }[],
) => readonly DefinitionProblem[] {
  const reasons = new Map<Schema, Map<number, string | undefined>>()
  const convert = (schema: Schema, age: number): string | undefined => {
    const { innerType, defaultValue } = defOf(schema)
    const inner = schemaOf(innerType)
    try {
      if (inner !== undefined) planOf(inner, age)?.down(defaultValue, {})
      return undefined
    } catch (error) {
      return reasonOf(error)
    }
  }
  const reasonsIn = (schema: Schema, states: readonly { readonly age: number }[]): readonly string[] => {
    const known = reasons.get(schema) ?? new Map<number, string | undefined>()
    reasons.set(schema, known)
    const reach = reachOf(schema)
    let count = 0
    return states.flatMap(({ age }) => {
      while ((reach[count] ?? Infinity) < age) count++
      if (!known.has(count)) known.set(count, convert(schema, age))
      return known.get(count) ?? []
    })
  }
  return (route, states) => {
    const schemas = new Set([...route.sources.map(({ schema }) => schema), ...sentBy(route)])
    const defaults = new Set([...schemas].flatMap((schema) => [...defaultsIn(schema)]))
    const found = new Set([...defaults].flatMap((schema) => reasonsIn(schema, states)))
    return [...found].map((reason) => {
      const problem: DefinitionProblem = {
        code: 'invalid_change',
        where: route.label,
        message: `a default cannot be converted into that of an older version: ${reason}`,
        fix: 'correct the change, or write a default that it can convert',
      }
      return atDefinition(problem, ...route.definitions)
    })
  }
}

function reasonOf(error: unknown): string {
  const own = messageOf(error)
  return error instanceof Error && error.cause !== undefined ? `${own}: ${messageOf(error.cause)}` : own
}

const WORDS: Readonly<Record<string, string>> = {
  intersection: 'an intersection',
  pipe: 'a transform',
  transform: 'a transform',
  keys: 'the keys of a record',
  preprocess: 'z.preprocess or at the end of a pipe',
  prefault: 'a prefault of a transform',
  union: 'a union without a discriminator and with a transform',
  refine: 'a refinement that takes time',
}

const FIXES: Readonly<Record<string, string>> = {
  intersection: 'write one object with extend',
  keys: 'hold names of fields in a list or in values',
  preprocess: 'put the model first, such as Car.transform(…), or preprocess its fields',
  pipe: 'return the result of the transform, and declare that as the response',
  prefault: 'write the prefault before the transform, such as Car.prefault(…).transform(…)',
  union: 'tell the options apart by a field in z.discriminatedUnion, or transform the whole union',
  refine: 'check the value in the handler or in a transform behind the model, which may be async',
}

/** Whether a function or schema of the newest version gets values of a model before they can be converted. */
function isConvertedLate(schema: Schema, plans: Plans): boolean {
  const [first, last] = [schemaOf(defOf(schema)['in']), schemaOf(defOf(schema)['out'])]
  return (
    first !== undefined &&
    last !== undefined &&
    plans.reachOf(first).length === 0 &&
    plans.reachOf(last).length > 0
  )
}

/** Whether parsed values of a request no longer show what has to be converted: they are chosen or completed before a transform. */
function isLost(schema: Schema, plans: Plans): boolean {
  const { type, discriminator } = defOf(schema)
  const isUnclear = type === 'union' && discriminator === undefined
  if (type !== 'prefault' && !isUnclear) return false
  const pipes = [...schemasIn(schema)].filter((each) => defOf(each).type === 'pipe')
  return isUnclear ? pipes.length > 0 : pipes.some((each) => plans.reachOf(each).length > 0)
}

/** Schemas that a request cannot have, though their values can be converted. */
function failingIn(schema: Schema, plans: Plans): string | undefined {
  const { type } = defOf(schema)
  // what a pipe makes is checked as it is parsed
  if (type === 'pipe') return isConvertedLate(schema, plans) ? 'preprocess' : undefined
  if (isLost(schema, plans)) return type
  return splitChecks(schema).functions.some(takesTime) ? 'refine' : undefined
}

/** Whether the function of a check is async. Values of older versions are converted and checked at once. */
function takesTime(check: Schema): boolean {
  const { fn } = defOf(check)
  return typeof fn === 'function' && fn.constructor.name === 'AsyncFunction'
}

function findStuck(schema: Schema, plans: Plans, isSent: boolean, seen: Set<Schema>): readonly Stuck[] {
  if (seen.has(schema) || namedModel(schema) !== undefined || plans.reachOf(schema).length === 0) return []
  seen.add(schema)
  const { type, keyType } = defOf(schema)
  const stuck = (kind: string): readonly Stuck[] => [
    { type: kind, changes: [...new Set([...plans.stepsIn(schema)].map(({ change }) => change.id))] },
  ]
  const keys = schemaOf(keyType)
  if (keys !== undefined && plans.reachOf(keys).length > 0) return stuck('keys')
  // a transform takes values that are converted at once
  const isHeld = type === 'pipe' && (isSent || plans.isLoading(schema, Infinity, 'up'))
  if (!isConvertible(type) || isHeld) return stuck(type)
  const failing = isSent ? undefined : failingIn(schema, plans)
  if (failing !== undefined) return stuck(failing)
  const inside = [...childrenOf(schema).map((child) => child.schema), ...earlierIn(schema, plans)]
  return inside.flatMap((each) => findStuck(each, plans, isSent, seen))
}
