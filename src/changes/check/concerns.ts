import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { modelOf } from '../chain.ts'
import { operationsOf, versionIndexOf, toReached, type HistoryParts } from '../expand.ts'
import type { ChangeConcern } from '../internals.ts'
import { modelName } from '../model.ts'

/** Lists the subjects of the changes of versions, newest first. Previews, and changes that are internal or not released, are left out. */
export function toConcerns(parts: HistoryParts, routes: readonly ResolvedRoute[]): readonly ChangeConcern[] {
  const operations = operationsOf(parts.changes)
  const newest = new Set(routes.map((route) => route.newest ?? route))
  const reached = [...newest]
    .filter(({ includeInSchema }) => includeInSchema)
    .map((route) => toReached(route, operations, parts.plans))
  return parts.changes.flatMap((change, order): readonly ChangeConcern[] => {
    const version = parts.versions[versionIndexOf(change, parts)]
    if (version === undefined || change.internal === true) return []
    const { id, title, description } = change
    const models = change.change.flatMap((part) => modelName(modelOf(part)) ?? [])
    const operationIds = reached
      .filter(({ orders }) => orders.includes(order))
      .flatMap(({ route }) => toOperationIds(route))
    return [
      {
        version,
        id,
        title,
        description,
        models: [...new Set(models)],
        operationIds: [...new Set(operationIds)],
      },
    ]
  })
}

/** The ids of a route in documents: one, or one for each of its methods. */
function toOperationIds({ operationId, name, methods }: ResolvedRoute): readonly string[] {
  const id = operationId ?? name
  return methods.length === 1 ? [id] : methods.map((method) => `${id}.${method.toLowerCase()}`)
}
