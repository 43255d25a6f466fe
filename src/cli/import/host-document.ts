import { existsSync, readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

import { toRecord } from '../../base/values.ts'
import { zod } from '../../changes/zod.ts'
import { defOf, isSchema, toZod, type Schema } from '../../schema/schema.ts'
import { toDistinctName } from './import-names.ts'
import { HOST, type ImportedHost, type SchemaConstant } from './read-api.ts'

/** An app of a framework, as a document whose named schemas are constants of the app. */
export interface HostDescription {
  readonly framework: 'hono' | 'fastify'
  readonly document: object
  /** The document that the app makes. */
  readonly own: object | undefined
  /** Schemas that no module exports, as `GET /cars query`. */
  readonly unexported: readonly string[]
}

/** A route of an app, with schemas as the app gives them. */
export interface HostOperation {
  readonly method: string
  /** A template, such as `/cars/{id}`. */
  readonly path: string
  /** Members that documents have as they are. */
  readonly head: object
  /** The schemas of parameters by their place: `path`, `query`, `header` or `cookie`. */
  readonly inputs: Readonly<Record<string, unknown>>
  readonly body: object | undefined
  /** By status, with schemas in their content. */
  readonly responses: Readonly<Record<string, unknown>>
}

/** An app that was loaded. */
export interface HostApp {
  readonly framework: HostDescription['framework']
  readonly operations: readonly HostOperation[]
  readonly own: object | undefined
  readonly securitySchemes: object
}

interface ExportedSchema extends SchemaConstant {
  /** The name in the document. */
  readonly key: string
  readonly schema: Schema
}

/** Constants by the definitions of their schemas: `openapi` and `describe` make other schemas of the same definition. */
type Constants = ReadonlyMap<object, ExportedSchema>

/** The names that written files have. */
const TAKEN = ['defineController', 'defineGuard', 'derive', 'history', 'host', 'model', 'z']

/** Finds the schemas that modules export. The module of the app itself imports its versions, so they cannot import from it. */
export async function readConstants(files: readonly string[], app: object): Promise<Constants> {
  const found = new Map<object, ExportedSchema>()
  const taken = new Set(TAKEN)
  for (const path of files.filter((each) => /\.[cm]?[jt]sx?$/.test(each) && existsSync(each))) {
    const module: object = await import(pathToFileURL(path).href)
    if (module === app) continue
    const text = readFileSync(path, 'utf8')
    for (const [constant, schema] of Object.entries(module)) {
      // other modules export it again
      if (!isSchema(schema) || !text.includes(`const ${constant}`) || found.has(defOf(schema))) continue
      const key = toDistinctName(constant, taken)
      taken.add(key)
      const file = relative(process.cwd(), path).split(sep).join('/')
      found.set(defOf(schema), { key, schema, constant, file, isModel: false })
    }
  }
  return found
}

type Direction = 'input' | 'output'

interface SchemaShower {
  /** The named schemas that were shown, and their constants. */
  readonly schemas: Readonly<Record<string, object>>
  readonly constants: Readonly<Record<string, SchemaConstant>>
  readonly keyOf: (schema: unknown) => string | undefined
  readonly toJson: (schema: unknown, io: Direction) => Readonly<Record<string, unknown>>
  /** Shows a schema by its name, if it has one. */
  readonly toShown: (schema: unknown, io: Direction) => object
}

function createShower(exported: Constants): SchemaShower {
  const schemas: Record<string, object> = {}
  const constants: Record<string, SchemaConstant> = {}
  const keyOf = (schema: unknown): string | undefined =>
    isSchema(schema) ? exported.get(defOf(schema))?.key : undefined
  let unnamed = 0
  const toRef = (key: string): object => {
    const found = [...exported.values()].find((each) => each.key === key)
    if (found !== undefined && constants[key] === undefined) {
      const { constant, file, isModel, schema } = found
      constants[key] = { constant, file, isModel }
      schemas[key] = toJson(schema, 'output')
    }
    return { $ref: REF + key }
  }
  const toJson = (schema: unknown, io: Direction): Readonly<Record<string, unknown>> => {
    if (!isSchema(schema)) return toRecord(schema)
    const self = keyOf(schema)
    const metadata = Object.assign(zod.registry<Record<string, unknown>>(), {
      get: (each: Schema) => {
        const key = keyOf(each)
        return { ...zod.globalRegistry.get(toZod(each)), id: key === self ? undefined : key }
      },
    })
    const made = zod.toJSONSchema(toZod(schema), { io, metadata, unrepresentable: 'any' })
    const text = JSON.stringify(made)
      .replaceAll('__schema', `Schema${unnamed++}_`)
      .replaceAll('"$ref":"#/$defs/', `"$ref":"${REF}`)
      .replaceAll('"$ref":"#"', self === undefined ? '"type":"object"' : `"$ref":"${REF}${self}"`)
    const { $schema: _schema, $defs, id: _id, ...json } = toRecord(JSON.parse(text))
    for (const [key, own] of Object.entries(toRecord($defs))) {
      toRef(key)
      schemas[key] ??= toRecord(own)
    }
    return json
  }
  const toShown = (schema: unknown, io: Direction): object => {
    const key = keyOf(schema)
    return key === undefined ? toJson(schema, io) : toRef(key)
  }
  return { schemas, constants, keyOf, toJson, toShown }
}

const REF = '#/components/schemas/'

/** Writes the document of an app, whose named schemas are constants, and lists the schemas that no constant is. */
export function toHostDocument(
  { operations, securitySchemes }: HostApp,
  exported: Constants,
): Pick<HostDescription, 'document' | 'unexported'> {
  const shower = createShower(exported)
  const unexported = new Set<string>()
  const paths: Record<string, Record<string, object>> = {}
  for (const { method, path, head, inputs, body, responses } of operations) {
    const operation = `${method.toUpperCase()} ${path}`
    const toContent = (content: unknown, io: Direction, place: string): object | undefined =>
      content === undefined
        ? undefined
        : Object.fromEntries(
            Object.entries(toRecord(content)).map(([type, media]) => {
              const { schema, ...others } = toRecord(media)
              if (schema === undefined) return [type, others]
              const shown = shower.toShown(schema, io)
              // objects that were written out
              if (JSON.stringify(shown).includes('"properties":')) unexported.add(`${operation} ${place}`)
              return [type, { schema: shown }]
            }),
          )
    const answers = Object.entries(responses).map(([status, response]) => {
      const { content, headers: _headers, ...own } = toRecord(response)
      return [status, { ...own, content: toContent(content, 'output', status) }]
    })
    const parameters = Object.entries(inputs).flatMap(([place, schema]) => {
      if (place !== 'path' && schema !== undefined && shower.keyOf(schema) === undefined)
        unexported.add(`${operation} ${place}`)
      return toParameters(place, schema, shower)
    })
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        ...head,
        parameters,
        requestBody: body && { ...body, content: toContent(toRecord(body)['content'], 'input', 'body') },
        responses: Object.fromEntries(answers),
      },
    }
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths,
    components: { schemas: shower.schemas, securitySchemes },
    [HOST]: { constants: shower.constants } satisfies Partial<ImportedHost>,
  }
  return { document, unexported: [...unexported] }
}

function toParameters(
  place: string,
  schema: HostOperation['inputs'][string],
  { keyOf, toJson, toShown }: SchemaShower,
): readonly object[] {
  const { properties, required } = toJson(schema, 'input')
  const key = keyOf(schema)
  // a schema of the app is written by its name
  if (key !== undefined) toShown(schema, 'input')
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(toRecord(properties)).map(([name, own]) => ({
    in: place,
    name,
    required: place === 'path' || needed.includes(name),
    schema: own,
    'x-constant': key,
  }))
}
