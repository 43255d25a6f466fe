import { subscribe } from 'node:diagnostics_channel'

import { isFunction, isRecord, isString, toRecord } from '../../base/values.ts'
import { defOf, isSchema, metaOf } from '../../schema/schema.ts'
import { findExported } from '../gate/host-routes.ts'
import { reportFiles } from '../report-files.ts'
import {
  readConstants,
  toHostDocument,
  type HostApp,
  type HostDescription,
  type HostOperation,
} from './host-document.ts'

/**
 * Loads the module of an app of `@hono/zod-openapi` or `fastify-type-provider-zod`, and describes its routes.
 *
 * @throws `CommandError` for a module that exports neither
 */
export async function readHost(url: string, label: string): Promise<HostDescription> {
  const files = new Set<string>()
  const reporter = reportFiles((path) => void files.add(path))
  const routesOf = new Map<unknown, unknown[]>()
  subscribe('fastify.initialization', (message) => {
    const { fastify } = Object(message)
    const routes: unknown[] = []
    routesOf.set(fastify, routes)
    fastify.addHook('onRoute', (route: unknown) => void routes.push(route))
  })
  const exported: object = await import(url)
  const host = await findExported(exported, label, OF, async (value) => {
    if (value === undefined || value === null) return undefined
    return toHonoApp(value) ?? (await toFastifyApp(value, routesOf.get(value)))
  })
  reporter.flush()
  const constants = await readConstants([...files], exported)
  return { framework: host.framework, own: host.own, ...toHostDocument(host, constants) }
}

const OF = '@hono/zod-openapi or Fastify'

function toHonoApp(value: unknown): HostApp | undefined {
  const { openAPIRegistry, getOpenAPI31Document, _basePath } = Object(value)
  if (!isFunction(getOpenAPI31Document)) return undefined
  const own: object = Reflect.apply(getOpenAPI31Document, value, [
    { openapi: '3.1.0', info: { title: 'API', version: '1' } },
  ])
  const base = isString(_basePath) ? _basePath.replace(/\/$/, '') : ''
  const definitions: readonly unknown[] = openAPIRegistry.definitions
  const operations = definitions.flatMap((definition) => {
    const { type, route } = Object(definition)
    if (type !== 'route') return []
    const { method, path, request, responses, middleware: _middleware, hide, ...head } = route
    const { params, query, headers, cookies, body } = Object(request)
    const inputs = { path: params, query, header: headers, cookie: cookies }
    return hide === true ? [] : [{ method, path: base + path, head, inputs, body, responses }]
  })
  const { securitySchemes } = toRecord(toRecord(own)['components'])
  return { framework: 'hono', operations, own, securitySchemes: toRecord(securitySchemes) }
}

async function toFastifyApp(value: unknown, routes?: readonly unknown[]): Promise<HostApp | undefined> {
  if (routes === undefined) return undefined
  const app = Object(value)
  await app.ready()
  const made = isFunction(app.swagger) ? toRecord(Reflect.apply(app.swagger, app, [])) : undefined
  const own = made && { ...made, paths: withoutSlashes(toRecord(made['paths'])) }
  const operations = routes.flatMap((route): readonly HostOperation[] => {
    const { method, url, schema = {} } = Object(route)
    if (schema.hide === true || String(url).includes('*')) return []
    const { params, querystring, query = querystring, headers, body, response, ...head } = schema
    const path = withoutSlash(String(url)).replaceAll(/:(\w+)(?:\([^)]*\))?/g, '{$1}')
    const inputs = { path: params, query, header: headers }
    const responses = Object.entries(toRecord(response)).map(([status, answer]) => [
      status,
      toContent(answer),
    ])
    const methods: readonly string[] = [method].flat()
    const described = methods.filter((each) => each !== 'HEAD' && each !== 'OPTIONS')
    return described.map((each) => ({
      method: each,
      path,
      head,
      inputs,
      body: body && { required: !(isSchema(body) && defOf(body).type === 'optional'), ...toContent(body) },
      responses: Object.fromEntries(responses),
    }))
  })
  const { securitySchemes } = toRecord(toRecord(own)['components'])
  return { framework: 'fastify', operations, own, securitySchemes: toRecord(securitySchemes) }
}

/** The path `/` below a prefix answers without a slash too, as all paths of Octavo do. */
function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, '')
}

function withoutSlashes(paths: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(paths).map(([path, own]) => [withoutSlash(path), own]))
}

const JSON_TYPE = 'application/json'

/** The content of a body or response of Fastify, which may be a schema alone. */
function toContent(given: unknown): { readonly description?: unknown; readonly content: unknown } {
  const { content, properties, description } = Object(given)
  if (!isSchema(given) && isRecord(content)) return { description, content }
  const schema = isSchema(properties) ? properties : given
  const isEmpty = isSchema(schema) && ['undefined', 'void', 'null', 'never'].includes(defOf(schema).type)
  return {
    description: isSchema(given) ? metaOf(given)['description'] : description,
    content: isEmpty ? undefined : { [JSON_TYPE]: { schema } },
  }
}
