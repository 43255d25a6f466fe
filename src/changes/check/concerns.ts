import { isString, toRecord } from '../../base/values.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { isSchema, objectShape, type Schema } from '../../schema/schema.ts'
import { modelOf } from '../chain.ts'
import { operationsOf, toReached, versionIndexOf, type HistoryParts } from '../expand.ts'
import type { ChangeConcern } from '../internals.ts'
import { modelName } from '../model.ts'
import { bodiesOf, isRequest } from '../operations/bodies.ts'
import { errorSchemas } from '../operations/errors-before.ts'
import { isReformat } from '../operations/reformat-errors.ts'
import { isOperation, type Operation } from '../operations/operation.ts'
import { inputSources } from '../operations/whole-input.ts'

/**
 * Lists the subjects of the changes of versions, newest first. Changes that are internal or not released are left out. `format` is the schema
 * of the error format, which every operation has.
 */
export function toConcerns(
  parts: HistoryParts,
  routes: readonly ResolvedRoute[],
  format: Schema | undefined,
): readonly ChangeConcern[] {
  const formats = errorSchemas(format, parts.changes)
  const ofErrors = new Set(formats.flatMap((schema) => parts.plans.reachOf(schema)))
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
    const isReformatted = ofErrors.has(order) || change.change.some(isReformat)
    const operationIds = reached
      .filter(({ orders }) => isReformatted || orders.includes(order))
      .flatMap(({ route: { operationId, name, methods } }) => {
        const operation = operationId ?? name
        return methods.length === 1
          ? [operation]
          : methods.map((method) => `${operation}.${method.toLowerCase()}`)
      })
    return [
      {
        version,
        id,
        title,
        description,
        models: [...new Set(models)],
        operationIds: [...new Set(operationIds)],
        names: [...new Set(change.change.flatMap(namesIn))],
        places: [
          ...new Set([
            ...change.change.filter(isOperation).flatMap(placesIn),
            ...(isReformatted ? ['responses/default'] : []),
          ]),
        ],
      },
    ]
  })
}

/** The newest and older names in a part of a change. */
function namesIn(part: unknown): readonly string[] {
  const { fields, query, headers, cookies, response, input, webhook, name, events, errors } = toRecord(part)
  const moved = Object.values(toRecord(toRecord(input)['was'])).map((was) =>
    isSchema(was) ? objectShape(was) : {},
  )
  const renamed = isString(webhook) ? { [webhook]: name } : {}
  const named = [fields, query, headers, cookies, toRecord(response)['headers'], events, errors, renamed]
  return [...named, ...moved].flatMap((each) =>
    Object.entries(toRecord(each)).flatMap(([newest, field]) => {
      const { was } = toRecord(field)
      return [newest, ...[was, Object(was)['code']].filter(isString)]
    }),
  )
}

/** The places of operations in documents that differ by what an operation describes as a whole. */
function placesIn(operation: Operation): readonly string[] {
  const isMoved = operation.path !== undefined || operation.method !== undefined
  return [
    ...(isMoved ? [''] : []),
    ...[...bodiesOf(operation).keys()].map((key) => (isRequest(key) ? 'requestBody' : `responses/${key}`)),
    ...inputSources(operation).map((source) => INPUT_PLACES[source]),
  ]
}

const INPUT_PLACES = {
  params: 'parameters/path',
  query: 'parameters/query',
  headers: 'parameters/header',
  cookies: 'parameters/cookie',
  body: 'requestBody',
} as const
