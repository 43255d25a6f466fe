import { isDeepStrictEqual } from 'node:util'

import type { ErrorAnswers } from './problems.ts'
import type {
  Content,
  MediaTypeObject,
  Operation,
  Parameter,
  Reference,
  RequestBody,
  ResponseObject,
  SchemaObject,
  PathItem,
} from './types.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { toFreeName } from './refs.ts'

/** An operation with the version that it is of, if any. */
export interface VersionedOperation {
  readonly operation: Operation
  readonly version?: string
}

/**
 * One operation for several at the same path and method, as versions are that a header names: each of its parts takes what any of
 * them takes. The last, which is the newest, has the words.
 */
export function mergeOperations(all: readonly VersionedOperation[], answers: ErrorAnswers): Operation {
  const operations = all.map(({ operation }) => operation)
  const [first] = operations
  const last = operations.at(-1)
  if (first === undefined || last === undefined) throw new TypeError('mergeOperations: there is no operation')
  if (operations.every((operation) => isDeepEqual(operation, first))) return first
  const { parameters: _parameters, requestBody: _body, deprecated: _deprecated, ...words } = last
  const parameters = mergeParameters(all)
  const body = mergeBodies(operations)
  // an open operation has an alternative that asks for nothing
  const securities = operations.map(({ security }) => security)
  const isOneSecurity = securities.every((security) => isDeepEqual(security, securities[0]))
  const security = isOneSecurity
    ? (securities[0] ?? [])
    : uniqueValues(securities.flatMap((each) => (each.length === 0 ? [{}] : each)))
  return {
    ...words,
    ...(operations.every(({ deprecated }) => deprecated === true) ? { deprecated: true } : {}),
    security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: mergeResponses(operations, answers),
  }
}

function mergeParameters(all: readonly VersionedOperation[]): readonly Parameter[] {
  const byKey = new Map<string, (VersionedOperation & { readonly parameter: Parameter })[]>()
  for (const each of all) {
    for (const parameter of each.operation.parameters ?? []) {
      const key = `${parameter.in} ${parameter.name}`
      byKey.set(key, [...(byKey.get(key) ?? []), { ...each, parameter }])
    }
  }
  return [...byKey.values()].map((found) => {
    const { description, ...parameter } = found.at(-1)?.parameter ?? { name: '', in: 'query', schema: {} }
    const isEverywhere = found.length === all.length
    const versions = isEverywhere ? [] : found.flatMap(({ version }) => version ?? [])
    const only = versions.length === 0 ? [] : [`Only in version ${versions.join(', ')}`]
    const text = [description ?? [], only].flat().join('. ')
    return {
      ...parameter,
      ...(text === '' ? {} : { description: text }),
      required:
        parameter.in === 'path' ||
        (isEverywhere && found.every(({ parameter: { required } }) => required === true)),
      schema: mergeSchemas(found.map((each) => each.parameter.schema)),
    }
  })
}

/** A schema for what any of several takes; of texts that are listed, the list of all. */
function mergeSchemas(schemas: readonly SchemaObject[]): SchemaObject {
  const distinct = uniqueValues(schemas)
  const [only, ...others] = distinct
  if (only === undefined || others.length === 0) return only ?? {}
  const lists = distinct.map(({ type, enum: values, default: _default, ...rest }) =>
    type === 'string' && Array.isArray(values) && Object.keys(rest).length === 0 ? values : undefined,
  )
  if (lists.includes(undefined)) return { anyOf: distinct }
  const given = distinct.find((schema) => 'default' in schema)
  return {
    type: 'string',
    enum: [...new Set(lists.flat())],
    ...(given === undefined ? {} : { default: given['default'] }),
  }
}

function mergeBodies(operations: readonly Operation[]): RequestBody | undefined {
  const bodies = operations.flatMap(({ requestBody }) => requestBody ?? [])
  const last = bodies.at(-1)
  if (last === undefined) return undefined
  const isRequired = bodies.length === operations.length && bodies.every(({ required }) => required === true)
  return { ...last, required: isRequired, content: mergeContents(bodies.map(({ content }) => content)) }
}

/** Joins the contents of several, by content type. */
export function mergeContents(all: readonly Content[]): Content {
  const contents = sharedOr(all)
  const types = new Set(contents.flatMap((content) => Object.keys(content)))
  return Object.fromEntries(
    [...types].map((type) => {
      // where one of them is open to any type, it is open to this one
      const found = contents.flatMap((content): readonly MediaTypeObject[] => {
        const media = content[type] ?? content['*/*']
        return media === undefined ? [] : [media]
      })
      const { schema: _schema, itemSchema: _item, ...media }: MediaTypeObject = found.at(-1) ?? {}
      const items = found.flatMap(({ itemSchema }) => (itemSchema === undefined ? [] : [itemSchema]))
      if (items.length === found.length) return [type, { ...media, itemSchema: mergeSchemas(items) }]
      const schemas = found.flatMap(({ schema }) => (schema === undefined ? [] : [schema]))
      const isAny =
        schemas.length < found.length || schemas.some((schema) => Object.keys(schema).length === 0)
      return [type, { ...media, ...(isAny ? {} : { schema: mergeSchemas(schemas) }) }]
    }),
  )
}

function mergeResponses(operations: readonly Operation[], answers: ErrorAnswers): Operation['responses'] {
  const all = sharedOr(operations.map(({ responses }) => responses))
  const statuses = new Set(all.flatMap((responses) => Object.keys(responses)))
  return Object.fromEntries(
    [...statuses]
      .toSorted()
      .map((status) => [
        status,
        mergeAnswers(uniqueValues(responsesFor(all, status)), answers, /^(?:[45]|default)/.test(status)),
      ]),
  )
}

/**
 * Returns the answers that any has for a status, if only by its first digit or for all others: clients look for the status itself first.
 */
function responsesFor(
  all: readonly Operation['responses'][],
  status: string,
): readonly (ResponseObject | Reference)[] {
  const own = all.flatMap((responses) => responses[status] ?? [])
  const ranges = all.flatMap((responses) =>
    responses[status] === undefined ? (responses[`${status.charAt(0)}XX`] ?? responses['default'] ?? []) : [],
  )
  // each of the shared answers takes every problem document
  const isShared = [...own, ...ranges].every((answer) => '$ref' in answer)
  return isShared ? own : [...ranges, ...own]
}

function mergeAnswers(
  found: readonly (ResponseObject | Reference)[],
  answers: ErrorAnswers,
  isError: boolean,
): ResponseObject | Reference {
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  const written = found.map((each): ResponseObject => {
    if (!('$ref' in each)) return each
    return answers[each.$ref.slice(each.$ref.lastIndexOf('/') + 1)] ?? { description: '' }
  })
  const contents = written.flatMap(({ content }) => (content === undefined ? [] : [content]))
  const headers = Object.assign({}, ...written.map((each) => each.headers ?? {}))
  // an error of which one promises nothing may hold anything
  const isOpen = isError && contents.length < written.length
  return {
    description: written.at(-1)?.description ?? '',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(contents.length === 0 || isOpen ? {} : { content: mergeContents(contents) }),
  }
}

function uniqueValues<T>(all: readonly T[]): readonly T[] {
  const values = sharedOr(all)
  if (values.length === 1) return values
  return values.filter((value, index) => values.findIndex((other) => isDeepEqual(value, other)) === index)
}

/** Documents share objects, which need not be looked into. */
function isDeepEqual(one: unknown, other: unknown): boolean {
  return one === other || isDeepStrictEqual(one, other)
}

/** One value where all are the same object; else all. */
function sharedOr<T>(values: readonly T[]): readonly T[] {
  return values.every((value) => value === values[0]) ? values.slice(0, 1) : values
}

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
  const { operations, problems } = numberIds(placed)
  const byShape = new Map<string, { readonly path: string; readonly methods: Map<string, Operation[]> }>()
  for (const { path, method, operation } of operations) {
    const shape = path.replaceAll(/\{[^{}]*\}/g, '{}')
    const known = byShape.get(shape) ?? { path, methods: new Map<string, Operation[]>() }
    byShape.set(shape, known)
    const here =
      path === known.path
        ? operation
        : renamePathParams(operation, templateParams(path), templateParams(known.path))
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

function templateParams(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
}

/** An operation whose path parameters have other names. */
function renamePathParams(operation: Operation, own: readonly string[], names: readonly string[]): Operation {
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

/** Ids that several operations have: ids made of names are numbered, given ids are mistakes. */
function numberIds(placed: readonly PlacedOperation[]): {
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
    else if (each.route.operationId !== undefined)
      problems.push({
        code: 'duplicate_operation_id',
        where: each.route.label,
        message: `${other.route.label} has the operationId "${each.operation.operationId}" too`,
        fix: 'give one of them another operationId, or none: it is made of the name',
      })
    const operationId = toFreeName(wanted, taken)
    return operationId === wanted ? each : { ...each, operation: { ...each.operation, operationId } }
  })
  return { operations, problems }
}
