import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { toFreeName } from './refs.ts'
import { mergeOperations } from './merge.ts'
import type { ErrorAnswers } from './problems.ts'
import type { Operation, Parameter, PathItem } from './types.ts'
export interface PlacedOperation {
  readonly path: string
  /** The member of the path item: in lower case, or `x-query`. */
  readonly method: string
  readonly operation: Operation
  readonly route: ResolvedRoute
}

/** The paths of a document. */
export interface Paths {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly problems: readonly DefinitionProblem[]
}

/**
 * Puts operations at their paths. Paths that differ only in the names of their parameters are one (OpenAPI 3.1 section 4.8.8.2): the
 * first names them, and operations of the same method there become one.
 */
export function toPaths(placed: readonly PlacedOperation[], answers: ErrorAnswers): Paths {
  const { operations, problems } = withUniqueIds(placed)
  const byShape = new Map<string, { readonly path: string; readonly methods: Map<string, Operation[]> }>()
  for (const { path, method, operation } of operations) {
    const shape = path.replaceAll(/\{[^{}]*\}/g, '{}')
    const known = byShape.get(shape) ?? { path, methods: new Map<string, Operation[]>() }
    byShape.set(shape, known)
    const here = path === known.path ? operation : withNames(operation, namesIn(path), namesIn(known.path))
    known.methods.set(method, [...(known.methods.get(method) ?? []), here])
  }
  const items = [...byShape.values()].map(({ path, methods }): readonly [string, PathItem] => [
    path,
    Object.fromEntries(
      [...methods].map(([method, found]) => [
        method,
        mergeOperations(
          found.map((operation) => ({ operation })),
          answers,
        ),
      ]),
    ),
  ])
  return { paths: Object.fromEntries(items), problems }
}

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
}

/** An operation whose path parameters have other names. */
function withNames(operation: Operation, own: readonly string[], names: readonly string[]): Operation {
  if (own.join() === names.join()) return operation
  const rename = (parameter: Parameter): Parameter => {
    const index = parameter.in === 'path' ? own.indexOf(parameter.name) : -1
    const name = names[index] ?? parameter.name
    return name === parameter.name
      ? parameter
      : { ...parameter, name, description: parameter.description ?? `The ${parameter.name}` }
  }
  return { ...operation, parameters: (operation.parameters ?? []).map(rename) }
}

/** Ids that several operations have: those made of names are numbered, those that were given are mistakes. */
function withUniqueIds(placed: readonly PlacedOperation[]): {
  readonly operations: readonly PlacedOperation[]
  readonly problems: readonly DefinitionProblem[]
} {
  const taken = new Set<string>()
  const owners = new Map<string, PlacedOperation>()
  const problems: DefinitionProblem[] = []
  const operations = placed.map((each): PlacedOperation => {
    const wanted = each.operation.operationId
    const other = owners.get(wanted)
    if (other === undefined) owners.set(wanted, each)
    else if (each.route.operationId !== undefined) problems.push(duplicateId(each, other))
    const operationId = toFreeName(wanted, taken)
    return operationId === wanted ? each : { ...each, operation: { ...each.operation, operationId } }
  })
  return { operations, problems }
}

function duplicateId({ route, operation }: PlacedOperation, other: PlacedOperation): DefinitionProblem {
  return {
    code: 'duplicate_operation_id',
    where: route.label,
    message: `${other.route.label} has the operationId "${operation.operationId}" too`,
    fix: 'give one of them another operationId, or none: it is made of the name',
  }
}
