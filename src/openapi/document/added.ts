import { documentedOf, type Documented, type Middleware } from '../../define/layers.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Method } from '../../http/http.ts'
import type { Parameter, ResponseObject } from './types.ts'

/** Returns the documentation of all that runs before the handler of a route. `middleware` is that of the application. */
export function addedTo(
  { layers }: Pick<ResolvedRoute, 'layers'>,
  middleware: readonly Middleware[],
  method?: Method,
): readonly Documented[] {
  const placed = [...layers.guards, ...layers.interceptors].map(({ part }) => part)
  return documentedOf([...new Set([...middleware, ...layers.middleware, ...placed])], method)
}

/** The parameters of a route with the headers that are added to it and that it does not declare itself. */
export function withAddedHeaders(
  parameters: readonly Parameter[],
  added: readonly Documented[],
): readonly Parameter[] {
  const declared = new Set(parameters.map(({ in: place, name }) => `${place} ${name.toLowerCase()}`))
  const headers = added
    .flatMap(({ requestHeaders = [] }) => requestHeaders)
    .filter(({ name }) => !declared.has(`header ${name.toLowerCase()}`))
    .map((header): Parameter => ({ ...header, in: 'header' }))
  return headers.length === 0 ? parameters : [...parameters, ...headers]
}

/** The headers that are added to a successful response. `isObject` is whether its result may be one. */
export function addedResponseHeaders(
  added: readonly Documented[],
  isObject: boolean,
): NonNullable<ResponseObject['headers']> {
  const sent = added.filter(({ marksObjects = false }) => isObject || !marksObjects)
  return Object.assign({}, ...sent.map(({ responseHeaders = {} }) => responseHeaders))
}
