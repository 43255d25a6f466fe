import { atDefinition, type DefinitionProblem } from '../base/definition-error.ts'
import type { Schema } from '../schema/schema.ts'
import type { ResolvedRoute } from '../routes/resolved-route.ts'
import type { AnyChange, Step } from './chain.ts'
import type { OrderedOperation } from './operations/check-operations.ts'
import type { Plans } from './convert/plans.ts'
import { isRequest, wasSchemas } from './operations/bodies.ts'
import { isOperation, routeLabel, type Operation } from './operations/operation.ts'

/** A route with the changes that reach it. */
export interface Reached {
  readonly route: ResolvedRoute
  /** The positions of the changes, newest first. */
  readonly orders: readonly number[]
  readonly operations: readonly OrderedOperation[]
}

/** The schemas of what a route sends. */
export function sentBy({ responses, stream }: ResolvedRoute): readonly Schema[] {
  return [...responses.values(), ...(stream?.schemas.values() ?? [])]
}

/** The parts of changes that have an effect. */
export interface Used {
  readonly steps: Set<Step>
  /** Those in requests. */
  readonly sent: Set<Step>
  readonly operations: Set<Operation>
}

/** Notes which parts of changes reach a route in a version that is older than they are. */
export function noteUsed(
  { route, operations }: Reached,
  own: readonly string[],
  { levels, plans }: { readonly levels: ReadonlyMap<string, number>; readonly plans: Plans },
  used: Used,
): void {
  const level = Math.max(0, ...own.map((version) => levels.get(version) ?? 0))
  for (const { order, operation } of operations) if (order < level) used.operations.add(operation)
  const note = (schemas: readonly Schema[], steps: Set<Step>): void => {
    for (const step of schemas.flatMap((schema) => [...plans.stepsIn(schema)]))
      if (plans.orderOf(step) < level) steps.add(step)
  }
  const sources = route.sources.map(({ schema }) => schema)
  const sent = [...sources, ...wasSchemas(operations, isRequest)]
  note(sent, used.sent)
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
      const problem: DefinitionProblem = {
        code: 'unused_change',
        where: `change "${change.id}"`,
        message: `${isWhole ? 'it' : `its ${part}`} reaches no route of an older version`,
        fix: 'use its models in input and response, made with omit, pick, extend or derive; list schemas without a route in messages',
      }
      return atDefinition(problem, change)
    })
  })
}
