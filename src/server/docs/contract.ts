import type { Contract, ContractRoute } from '../../openapi/document/contract.ts'
import type { Generator } from '../../openapi/document/generate.ts'
import type { Parameter } from '../../openapi/document/types.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { headerName } from '../../http/headers.ts'
import { defOf } from '../../schema/schema.ts'
import { UNNAMED } from '../../schema/streams.ts'
import type { DocumentSource } from './documented.ts'
import { visibleRoutes } from './route-map.ts'

/** Returns the requests and responses of a version, or of those that name none, or `undefined` for an unknown version. */
export function toContract(
  source: DocumentSource,
  version: string | undefined,
  made: Pick<Generator, 'conversion' | 'webhooks'>,
): Contract | undefined {
  const visible = visibleRoutes(source, version, 'shown')
  if (visible === undefined) return undefined
  const conversion = made.conversion(visible.version)
  const routes = new Map<string, ContractRoute>()
  for (const { entry } of visible.routes) {
    const { route, methods } = entry
    const converted = conversion.routes.get(route)
    if (converted === undefined || routes.has(route.name)) continue
    routes.set(route.name, {
      name: route.name,
      summary: route.summary,
      deprecated: route.deprecated,
      methods,
      sources: route.sources.map(({ name }) => name),
      parameters: withKeys(converted.parameters, route),
      body: converted.body,
      responses: [...converted.responses].map(([status, { content }]) => [status, content]),
      stream: route.stream && { kind: route.stream.kind, schemas: [...converted.stream] },
      isOneResponse: route.isOneResponse,
    })
  }
  const webhooks = made.webhooks(visible.version).map((documented) => ({
    name: documented.name,
    summary: documented.webhook.summary,
    data: conversion.routes.get(documented)?.stream.get(UNNAMED)?.schema,
  }))
  return {
    version: visible.version,
    routes: [...routes.values()],
    webhooks,
    components: conversion.components,
  }
}

/** Headers under the keys that the input of the route has, which clients write. */
function withKeys(parameters: readonly Parameter[], { sources }: ResolvedRoute): readonly Parameter[] {
  const headers = sources.find(({ name }) => name === 'headers')
  if (headers === undefined) return parameters
  const keys = new Map(
    Object.keys(Object(defOf(headers.schema)['shape'])).map((key) => [headerName(key), key]),
  )
  return parameters.map((parameter) =>
    parameter.in === 'header'
      ? { ...parameter, name: keys.get(parameter.name) ?? parameter.name }
      : parameter,
  )
}
