import { Ajv2020 } from 'ajv/dist/2020.js'
import { createApp, defineController, defineModule, VersioningSchemes, DefinitionError } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  asIs,
  defineVersionChange,
  defineVersions,
  fits,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import type { VersionChange } from 'octavo/changes'
import { z } from 'zod'

import { isRecord } from '../inside/parts.ts'
import {
  compareSources,
  prepareSource,
  toChangeText,
  toDrafts,
  toPlainJson,
  toZodText,
} from '../inside/tools.ts'
import {
  ADDITIONS,
  DEMANDS,
  LOSSES,
  NARROWINGS,
  pick,
  REPLACEMENTS,
  WIDENINGS,
  type SchemaEdit,
} from '../gate/edits.ts'
import { createRandom, generate } from '../gate/generate.ts'

type Json = Record<string, unknown>

/** An API of named objects, with one operation whose bodies use them. */
interface Api {
  readonly schemas: Record<string, Json>
  readonly bodies: { request: Json; response: Json }
}

const NAMES = ['Address', 'Box', 'Car', 'Door']
const FIELDS = ['id', 'kind', 'name', 'size', 'items', 'owner', 'state']
const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

function randomSchema(random: () => number, known: readonly string[], depth = 0): Json {
  const inner = (): Json => randomSchema(random, known, depth + 1)
  const named = pick(known, random)
  const plain: readonly (() => Json)[] = [
    () => ({ type: 'string' }),
    () => ({ type: 'integer' }),
    () => ({ type: 'number', minimum: 0 }),
    () => ({ type: 'boolean' }),
    () => ({ type: 'string', enum: ['a', 'b', 'c'] }),
    () => ({ type: 'string', maxLength: 8 }),
    ...(named === undefined ? [] : [() => refTo(named), () => refTo(named)]),
  ]
  const held: readonly (() => Json)[] = [
    () => ({ type: 'array', items: inner() }),
    () => ({ type: 'object', additionalProperties: inner() }),
    () => ({ anyOf: [inner(), { type: 'null' }] }),
    () => ({ anyOf: [inner(), inner()] }),
    () => randomObject(random, known, depth + 1),
  ]
  return (pick(depth > 2 ? plain : [...plain, ...held], random) ?? inner)()
}

function randomObject(random: () => number, known: readonly string[], depth = 0): Json {
  const names = FIELDS.filter(() => random() < 0.45)
  const properties = Object.fromEntries(
    [...names, 'id'].map((name) => [name, randomSchema(random, known, depth)] as const),
  )
  return { type: 'object', properties, required: Object.keys(properties).filter(() => random() < 0.5) }
}

function randomApi(random: () => number): Api {
  const schemas: Record<string, Json> = {}
  for (const name of NAMES) schemas[name] = randomObject(random, Object.keys(schemas))
  const body = (): Json => {
    const named = refTo(pick(NAMES, random) ?? 'Box')
    const list = { type: 'array', items: named }
    const page = {
      type: 'object',
      properties: { data: list, total: { type: 'integer' } },
      required: ['data'],
    }
    return pick<Json>([named, list, page, randomObject(random, NAMES)], random) ?? named
  }
  return { schemas, bodies: { request: body(), response: body() } }
}

const EDITS: Readonly<Record<string, SchemaEdit>> = {
  ...WIDENINGS,
  ...NARROWINGS,
  ...ADDITIONS,
  ...DEMANDS,
  ...LOSSES,
  ...REPLACEMENTS,
  'another value': (schema) =>
    Array.isArray(schema['enum']) ? { ...schema, enum: [...schema['enum'], 'd'] } : undefined,
  'another alternative': (schema) =>
    Array.isArray(schema['anyOf']) ? { anyOf: [...schema['anyOf'], { type: 'boolean' }] } : undefined,
  'one alternative less': (schema) =>
    Array.isArray(schema['anyOf']) ? { anyOf: schema['anyOf'].slice(1) } : undefined,
  'another reference': (schema) => (schema['$ref'] === undefined ? undefined : refTo('Address')),
  envelope: (schema) => ({ type: 'object', properties: { data: schema }, required: ['data'] }),
  list: (schema) => ({ type: 'array', items: schema }),
  nullable: (schema) => ({ anyOf: [schema, { type: 'null' }] }),
  'an optional property less': (schema) => {
    const { properties, required } = schema
    const name = Object.keys(isRecord(properties) ? properties : {}).find(
      (each) => !Array.isArray(required) || !required.includes(each),
    )
    if (!isRecord(properties) || name === undefined) return undefined
    const { [name]: _, ...rest } = properties
    return Object.keys(rest).length === 0 ? undefined : { ...schema, properties: rest }
  },
  'another name': (schema) => {
    const { properties } = schema
    if (!isRecord(properties) || properties['name'] === undefined) return undefined
    const { name, ...rest } = properties
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    return {
      ...schema,
      properties: { ...rest, title: name },
      required: required.map((each: unknown) => (each === 'name' ? 'title' : each)),
    }
  },
}

/** The places of all schemas in a schema, itself included. */
function placesIn(holder: Json, key: string): readonly (readonly [Json, string])[] {
  const schema = holder[key]
  if (!isRecord(schema)) return []
  const inner = Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties' || Array.isArray(value))
      return isRecord(value) || keyword === 'anyOf'
        ? Object.keys(Object(value)).flatMap((name) => placesIn(value as Json, name))
        : []
    return ['items', 'additionalProperties'].includes(keyword) ? placesIn(schema, keyword) : []
  })
  return [[holder, key], ...inner]
}

/** The places of all schemas of an API. */
function placesOf(api: Api): readonly (readonly [Json, string])[] {
  const fields = NAMES.flatMap((name) => {
    const properties = Object(api.schemas[name]?.['properties'])
    return Object.keys(properties).flatMap((field) => placesIn(properties, field))
  })
  const roots = NAMES.map((name) => [api.schemas as Json, name] as const)
  return [
    ...fields,
    ...roots,
    ...Object.keys(api.bodies).flatMap((side) => placesIn(Object(api.bodies), side)),
  ]
}

function isModel({ type, properties }: Json): boolean {
  return type === 'object' && Object.keys(Object(properties)).length > 0
}

/** Edits one to three schemas. Returns what it did. */
function edit(api: Api, random: () => number): readonly string[] {
  const done: string[] = []
  for (let tried = 0; tried < 20 && done.length < 1 + Math.floor(random() * 3); tried++) {
    const [holder, key] = pick(placesOf(api), random) ?? []
    const [name, apply] = pick(Object.entries(EDITS), random) ?? []
    if (holder === undefined || key === undefined) continue
    const edited = apply?.(holder[key] as Json, { document: {}, random })
    const isRoot = holder === (api.schemas as unknown)
    if (edited === undefined || (isRoot && !isModel(edited))) continue
    // a component that holds itself is no model here
    if (name === 'another reference' && holder !== (api.bodies as unknown)) continue
    holder[key] = edited
    done.push(`${isRoot ? key : ''} ${name ?? ''}`.trim())
  }
  return done
}

function evaluate(text: string, scope: Json): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code that the command writes
  return new Function(...Object.keys(scope), `return (${text})`)(...Object.values(scope))
}

interface Calls {
  answer: unknown
  got: unknown
}

/** The application of an API, with the changes that code says. */
function createFor({ schemas, bodies }: Api, codes: readonly string[], calls: Calls): App {
  const names = {
    components: schemas,
    isNoted: true,
    modelOf: (name: string) => name,
  }
  const models: Json = {}
  for (const name of NAMES) {
    const fields = toZodText(schemas[name], names).replace(/^z\.\w+\(/, '')
    models[name] = evaluate(`model('${name}', ${fields}`, { z, model, ...models })
  }
  const schemaOf = (schema: Json): z.ZodType =>
    evaluate(toZodText(schema, names), { z, ...models }) as z.ZodType
  const scope = { z, absent, asIs, defineVersionChange, fits, operation, reshape, fillIn, ...models }
  const changes = codes.map((code) => evaluate(code, scope) as VersionChange<'next'>)
  const history = defineVersions({
    versions: ['1'],
    next: '2',
    models: models as Parameters<typeof defineVersions>[0]['models'],
    changes,
  })
  const things = defineController({
    name: 'thing',
    prefix: '/thing',
    routes: [
      {
        method: 'POST',
        name: 'save',
        status: 200,
        input: { body: schemaOf(bodies.request) },
        response: schemaOf(bodies.response),
        validateResponses: false,
        handler: ({ body }) => {
          calls.got = body
          return calls.answer
        },
      },
    ],
  })
  return createApp(defineModule({ controllers: [things] }), {
    logger: false,
    docs: { info: { title: 'Things' } },
    versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version', history },
  })
}

class Open extends Error {}

/** Stands for a value that nobody has filled in. */
function fillIn(type: string): never {
  throw new Open(type)
}

/** Writes the changes between two APIs, and leaves out those that the application refuses. */
async function write(
  older: Api,
  newer: Api,
  calls: Calls,
): Promise<{ readonly app: App; readonly codes: readonly string[] }> {
  const documentOf = async (api: Api): Promise<unknown> => {
    const app = createFor(api, [], { answer: undefined, got: undefined })
    await app.ready()
    const document = toPlainJson(app.openapi({ version: '1' }))
    await app.close()
    return document
  }
  const [base, revision] = [await documentOf(older), await documentOf(newer)]
  const findings = compareSources(prepareSource(base), prepareSource(revision)).findings
  const schemasIn = (document: unknown): Record<string, unknown> =>
    Object(Object(Object(document)['components'])['schemas'])
  const { drafts } = toDrafts(
    findings.map((finding) => ({ ...finding, version: '1' })),
    ({ level }) => level === 'breaking' || level === 'warning',
    {
      base,
      revision,
      known: {
        isNoted: true,
        models: NAMES.map((name) => ({
          name,
          fields: Object.keys(Object(newer.schemas[name]?.['properties'])).map((field) => ({
            name: field,
            isOptional: !JSON.stringify(newer.schemas[name]?.['required'] ?? []).includes(`"${field}"`),
          })),
        })),
        objects: [],
        routes: [
          {
            name: 'thing.save',
            operationId: 'thing.save',
            path: '/thing',
            bodies: (['body', 200] as const).map((key) => ({
              key,
              text: undefined,
              names: [],
              isPlain: true,
              change: undefined,
            })),
          },
        ],
      },
    },
  )
  const modelOf = (name: string): string | undefined =>
    NAMES.find((each) => [each, `${each}Input`, `${each}Output`].includes(name))
  const namesOf = (document: unknown) => ({ components: schemasIn(document), isNoted: true, modelOf })
  const writing = {
    base: namesOf(base),
    revision: namesOf(revision),
    modelName: (name: string) => name,
    isOpen: true,
    isForwarding: true,
  }
  let texts = drafts.flatMap((draft) => toChangeText(draft, writing) ?? [])
  const seen = new Set<string>()
  texts = texts.filter(({ title }) => !seen.has(title) && seen.add(title))
  for (;;) {
    try {
      const codes = texts.map(({ code }) => code)
      const app = createFor(newer, codes, calls)
      await app.ready()
      app.openapi({ version: '1' })
      return { app, codes }
    } catch (error) {
      if (texts.length === 0) throw error
      const told =
        error instanceof DefinitionError
          ? error.errors.map(({ where, message, fix }) => where + message + fix).join()
          : ''
      const kept = texts.filter(({ title }) => !told.includes(toId(title)))
      texts = kept.length < texts.length ? kept : texts.slice(0, -1)
    }
  }
}

function toId(title: string): string {
  return `"${title
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join('-')}"`
}

/** The paths of members that one value has and another one lacks, as far as a schema declares them. */
function lost(from: unknown, to: unknown, schema: unknown, schemas: Json, path = ''): readonly string[] {
  if (!isRecord(from) && !Array.isArray(from))
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [path]
  return Object.entries(from).flatMap(([name, value]) => {
    const declared = memberOf(schema, name, schemas)
    if (declared.length === 0) return []
    const member: unknown = Reflect.get(Object(to), name)
    return member === undefined
      ? [`${path}.${name}`]
      : lost(value, member, { anyOf: declared }, schemas, `${path}.${name}`)
  })
}

/** The schemas that a member may have. */
function memberOf(schema: unknown, name: string, schemas: Json): readonly unknown[] {
  const { $ref, anyOf, properties, items, additionalProperties } = Object(schema)
  if (typeof $ref === 'string') return memberOf(schemas[$ref.split('/').at(-1) ?? ''], name, schemas)
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => memberOf(each, name, schemas))
  const own: unknown = Object.hasOwn(Object(properties), name)
    ? Reflect.get(Object(properties), name)
    : undefined
  return [own, items, isRecord(properties) ? undefined : additionalProperties].filter(
    (each) => each !== undefined,
  )
}

function createFitting({ schemas }: Api): (schema: unknown, value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const known = new Map<unknown, (value: unknown) => boolean>()
  return (schema, value) => {
    const found =
      known.get(schema) ??
      ajv.compile({ ...Object(structuredClone(schema)), components: { schemas: structuredClone(schemas) } })
    known.set(schema, found)
    return found(value)
  }
}

/** Values of a schema that the validator takes. */
function valuesOf(schema: Json, api: Api, random: () => number): readonly unknown[] {
  const isFitting = createFitting(api)
  return Array.from({ length: 12 }, () => generate(schema, api.schemas, random)).filter((value) =>
    isFitting(schema, value),
  )
}

/** Makes up two releases of an API, writes the changes, and lists what worked without them and fails or loses a member with them. */
export async function findHarm(
  seed: number,
): Promise<{ readonly harm: readonly string[]; readonly count: number }> {
  const random = createRandom(seed)
  const older = randomApi(random)
  const newer = structuredClone(older)
  const edits = edit(newer, random)
  const calls: Calls = { answer: undefined, got: undefined }
  const { app, codes } = await write(older, newer, calls)
  const [fitsOlder, fitsNewer] = [createFitting(older), createFitting(newer)]
  const requests = valuesOf(older.bodies.request, older, random)
  const answers = valuesOf(newer.bodies.response, newer, random)
  const harm: string[] = []
  const send = async (version: string, payload: unknown) => {
    calls.got = undefined
    const headers = { 'x-version': version, 'content-type': 'application/json' }
    const response = await app.inject({
      method: 'POST',
      url: '/thing',
      headers,
      body: JSON.stringify(payload),
    })
    return { status: response.statusCode, body: response.body, got: calls.got }
  }
  const tell = (what: string, value: unknown, found: unknown): void => {
    harm.push(
      `seed ${seed}: ${edits.join(', ')}: ${what}\n  ${JSON.stringify(value)}\n  ${JSON.stringify(found)}\n  ${codes.join('\n  ')}`,
    )
  }
  calls.answer = answers.find((answer) => fitsOlder(older.bodies.response, answer))
  for (const request of calls.answer === undefined ? [] : requests) {
    if (!fitsNewer(newer.bodies.request, request)) continue
    const [direct, through] = [await send('2', request), await send('1', request)]
    if (direct.status !== 200) continue
    if (through.status !== 200) tell('a request fails', request, through.body)
    const [before, after] = [direct.got, through.got].map((value) => structuredClone(value))
    const gone = lost(before, after, newer.bodies.request, newer.schemas)
    if (gone.length > 0) tell(`a request loses ${gone.join()}`, before, after)
  }
  const [request] = requests.filter((each) => fitsNewer(newer.bodies.request, each))
  for (const answer of request === undefined ? [] : answers) {
    if (!fitsOlder(older.bodies.response, answer)) continue
    calls.answer = answer
    const { status, body } = await send('1', request)
    if (status !== 200) {
      tell('a response fails', answer, body)
      continue
    }
    const found: unknown = JSON.parse(body)
    if (!fitsOlder(older.bodies.response, found)) tell('a response no longer fits', answer, found)
    const gone = lost(answer, found, older.bodies.response, older.schemas)
    if (gone.length > 0) tell(`a response loses ${gone.join()}`, answer, found)
  }
  await app.close()
  return { harm, count: codes.length }
}
