import {
  isResponseKey,
  correct,
  MARK,
  errorSchemasOf,
  headerSchemasOf,
  toErrorPlace,
  toSchemaPlaces,
  type SchemaSide,
  type SchemaPlace,
} from './markers.ts'
import { createRegistry } from 'zod-openapi/api'
import { createSchema } from 'zod-openapi'

import { metaOf, toObjectSchema, toZod, withoutIds, type Schema } from '../../schema/schema.ts'
import { messageOf, toRecord } from '../../base/values.ts'
import {
  descriptionMember,
  toRequestBody,
  toResponseContent,
  toForm,
  toStreamed,
  type Converted,
  type Referred,
} from './bodies.ts'
import { takeInventory, type Inventory } from './component-names.ts'
import {
  finishAll,
  findMarked,
  findUndocumented,
  type FinishedSchemas,
  type MarkedSchemas,
} from './finish.ts'
import { resolve, type Components } from '../../base/json-schema.ts'
import type { ConvertSchemas, ConvertedRoute, Convertible, SchemaObject } from '../document/types.ts'
import { problemsOf } from '../../routes/resolved-route.ts'
import { toRouteParameters } from './route-parameters.ts'
import { findReferences, schemasIn } from '../document/refs.ts'

/**
 * Converts the schemas of routes, all at once, by zod-openapi, which is used by this file alone. It never throws: what no document can
 * show is a warning. zod has to be loaded.
 */
export const convert: ConvertSchemas = (routes, named, formats) => {
  const byRoute = new Map(routes.map((route) => [route, toSchemaPlaces(route)]))
  const errorPlaces = formats.map((format) => ({ format, place: toErrorPlace(format) }))
  const places = [...byRoute.values(), errorPlaces.map(({ place }) => place)].flat()
  // an id of the schema and names of modules win
  const errorName = errorPlaces.map(({ place: { schema } }) => ({
    name: 'Error',
    schema,
    where: 'errorFormat',
  }))
  const inventory = takeInventory(places, [...named, ...errorName])
  const shown = { input: showAll('input', inventory), output: showAll('output', inventory) }
  const rawOf = (place: SchemaPlace): SchemaObject =>
    shown[place.io].schemas[inventory.keys.get(place) ?? ''] ?? {}
  const hidden = new Set<SchemaObject>()
  const warnings = places.flatMap((place) => findUndocumented(place, rawOf(place), shown[place.io], hidden))
  const finished = finishAll(shown, inventory, hidden)
  const converted = new Map(
    [...byRoute].map(([route, own]) => [route, toConvertedRoute(route, own, { rawOf, shown, finished })]),
  )
  const errors = new Map(
    errorPlaces.map(({ format, place }) => [
      format.schema,
      { [format.contentType]: { schema: finished.finish(rawOf(place), 'output') } },
    ]),
  )
  const schemas = [...converted.values()].flatMap(routeSchemasOf)
  return {
    routes: converted,
    errors,
    components: schemasIn(findReferences([schemas, ...errors.values()]), finished.components),
    problems: [...inventory.problems, ...finished.problems],
    warnings,
  }
}

/** Converts everything in one direction: many at once, or, when that fails, one by one to find out what it is. */
function showAll(io: SchemaSide, inventory: Inventory): MarkedSchemas {
  const tasks = inventory.tasks.filter((task) => task.io === io)
  try {
    return withoutIds(inventory.refused, () =>
      mergeParts(portionsOf(tasks, inventory).map((some) => toMarkedPart(io, some, inventory))),
    )
  } catch {
    return mergeParts(tasks.map((task) => showOne(task, inventory)))
  }
}

/**
 * Divides schemas into portions that are converted at once. Where no schema is named, and nothing is shared, that is a few: zod makes much
 * on the way, and what is soon let go of costs less.
 */
function portionsOf(
  tasks: Inventory['tasks'],
  { components, failures }: Inventory,
): readonly Inventory['tasks'][] {
  if (components.size > 0 || failures.size > 0) return [tasks]
  const count = Math.ceil(tasks.length / PORTION)
  return Array.from({ length: count }, (_, index) => tasks.slice(index * PORTION, (index + 1) * PORTION))
}

const PORTION = 50

function mergeParts(parts: readonly MarkedPart[]): MarkedSchemas {
  const components: Components = Object.assign({}, ...parts.map((part) => part.components))
  const hasMarks = parts.some((part) => part.hasMarks)
  return {
    schemas: Object.assign({}, ...parts.map(({ schemas }) => schemas)),
    components,
    hasMarks,
    marked: hasMarks ? findMarked(components) : new Set(),
  }
}

function showOne(task: Inventory['tasks'][number], inventory: Inventory): MarkedPart {
  try {
    const alone = { ...inventory, components: new Map<string, Schema>() }
    return withoutIds(inventory.refused, () => toMarkedPart(task.io, [task], alone))
  } catch (error) {
    const reason = messageOf(inventory.failures.get(task.key) ?? error)
    const mark = { [MARK]: `a schema that zod does not convert (${reason})` }
    return { schemas: { [task.key]: mark }, components: {}, hasMarks: true }
  }
}

type MarkedPart = Omit<MarkedSchemas, 'marked'>

function toMarkedPart(
  io: SchemaSide,
  tasks: Inventory['tasks'],
  { components: named, elements }: Inventory,
): MarkedPart {
  let hasMarks = false
  const whole = toObjectSchema(Object.fromEntries(tasks.map(({ key, schema }) => [key, schema])))
  const { schema, components } = createSchema(toZod(whole), {
    io,
    openapiVersion: '3.1.1',
    registry: createRegistry({
      schemas: Object.fromEntries(
        [...named].flatMap(([name, each]) => {
          // zod makes a component of such a schema by itself; it takes `schema1` for a name of its own making
          const isFoundById = metaOf(each)['id'] === name && !/^schema\d+$/.test(name)
          return isFoundById ? [] : [[name, toZod(each)]]
        }),
      ),
    }),
    opts: {
      allowEmptySchema: ALL_EMPTY,
      override: ({ zodSchema, jsonSchema }) => {
        correct(zodSchema, jsonSchema, io, elements)
        hasMarks ||= MARK in jsonSchema
      },
    },
  })
  const { properties } = toRecord(schema)
  return { schemas: toSchemaRecord(properties), components: toSchemaRecord(components), hasMarks }
}

/** The settings by which zod-openapi refuses nothing: marks say what cannot be shown. */
const ALL_EMPTY = Object.fromEntries(
  `any array bigint boolean catch custom date default enum file function int intersection lazy literal map nan never nonoptional
  null nullable number object optional pipe prefault promise readonly record set string success symbol template_literal transform
  tuple undefined union unknown void`
    .split(/\s+/)
    .map((type) => [type, true] as const),
)

interface ConvertedSchemas {
  readonly rawOf: (place: SchemaPlace) => SchemaObject
  readonly shown: Readonly<Record<SchemaSide, MarkedSchemas>>
  readonly finished: FinishedSchemas
}

function toConvertedRoute(
  route: Convertible,
  places: readonly SchemaPlace[],
  { rawOf, shown, finished }: ConvertedSchemas,
): ConvertedRoute {
  const { components, finish } = finished
  const bySource = new Map(
    places.map((place): readonly [SchemaPlace['source'], Converted] => {
      const raw = rawOf(place)
      return [place.source, { zod: place.schema, raw, schema: finish(raw, place.io) }]
    }),
  )
  const body = bySource.get('body')
  const input: Referred = { raw: shown.input.components, finished: components }
  const output: Referred = { raw: shown.output.components, finished: components }
  const schemas = new Map([...bySource].map(([source, { schema }]) => [source, schema]))
  return {
    parameters: toRouteParameters(route, schemas, components),
    body:
      body === undefined
        ? toForm(bySource.get('form'), bySource.get('files'), input)
        : toRequestBody(body, input),
    responses: new Map(
      [...bySource].flatMap(([status, response]) =>
        isResponseKey(status)
          ? [
              [
                status,
                {
                  description: descriptionMember(resolve(response.schema, components)).description,
                  content: toResponseContent(response, status, output),
                },
              ] as const,
            ]
          : [],
      ),
    ),
    problems: problemsOf(route).map((problem) => ({
      problem,
      members: schemas.get(`problem ${problem.code}`),
    })),
    errors: errorSchemasOf(route).flatMap(({ source, status }) => {
      const response = bySource.get(source)
      const content = response && toResponseContent(response, status, output)
      return content === undefined ? [] : [{ status, content }]
    }),
    stream: new Map(
      [...(route.stream?.schemas.keys() ?? [])].flatMap((name) => {
        const part = bySource.get(`stream ${name}`)
        return part === undefined ? [] : [[name, toStreamed(part, output)] as const]
      }),
    ),
    headers: new Map(
      headerSchemasOf(route.openapi).map(({ source, schema }) => [schema, schemas.get(source) ?? {}]),
    ),
  }
}

/** All schemas of a route. */
function routeSchemasOf({
  parameters,
  body,
  responses,
  problems,
  errors,
  stream,
  headers,
}: ConvertedRoute): readonly SchemaObject[] {
  const contents = [body, ...responses.values(), ...errors].map((each) => each?.content)
  return [
    ...parameters.map(({ schema }) => schema),
    ...headers.values(),
    ...problems.flatMap(({ members }) => (members === undefined ? [] : [members])),
    ...[...stream.values()].flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
    ...contents.flatMap((content) =>
      Object.values(content ?? {}).flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
    ),
  ]
}

function toSchemaRecord(value: unknown): Components {
  return Object.fromEntries(Object.entries(toRecord(value)).map(([name, schema]) => [name, toRecord(schema)]))
}
