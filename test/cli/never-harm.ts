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
  readDefinitions,
  toPlainJson,
  toZodText,
} from '../inside/tools.ts'
import type { KnownApp } from '../inside/tools.ts'
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

/** An API of named objects, with one operation whose bodies use them. Bodies may hold parts of models, which `PART` marks. */
interface Api {
  readonly schemas: Record<string, Json>
  readonly bodies: { request: Json; response: Json }
  /** The parameters of the query. */
  readonly query: Record<string, Json>
}

/** The keyword of a schema that stands for a model without its `id`. */
const PART = 'x-without-id'
const QUERY = ['sort', 'size', 'state']

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
    ...(named === undefined
      ? []
      : [
          () => ({ anyOf: [refTo(named), refTo(pick(known, random) ?? named)] }),
          () => ({ allOf: [refTo(named), randomObject(random, [], 3)] }),
        ]),
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
  for (const name of NAMES) {
    const own = randomObject(random, Object.keys(schemas))
    // some objects can be told apart by a value, as real ones can
    const properties = { ...Object(own['properties']), kind: { type: 'string', const: name.toLowerCase() } }
    const required: readonly unknown[] = Array.isArray(own['required']) ? own['required'] : []
    schemas[name] =
      random() < 0.5 ? { ...own, properties, required: [...new Set([...required, 'kind'])] } : own
  }
  const query = Object.fromEntries(
    QUERY.filter(() => random() < 0.5).map((name) => {
      const kinds: readonly Json[] = [
        { type: 'string' },
        { type: 'integer' },
        { type: 'string', enum: ['a', 'b', 'c'] },
        { type: 'string', maxLength: 8 },
      ]
      return [name, pick(kinds, random) ?? {}]
    }),
  )
  const part = (): Json => ({ [PART]: pick(NAMES, random) ?? 'Box' })
  const body = (): Json => {
    const named = refTo(pick(NAMES, random) ?? 'Box')
    const list = { type: 'array', items: named }
    const page = {
      type: 'object',
      properties: { data: list, total: { type: 'integer' } },
      required: ['data'],
    }
    const parts: readonly Json[] = [
      part(),
      { type: 'array', items: part() },
      { anyOf: [part(), part()] },
      { type: 'object', properties: { one: { anyOf: [part(), part(), named] } }, required: ['one'] },
    ]
    return pick<Json>([named, list, page, randomObject(random, NAMES), ...parts], random) ?? named
  }
  return { schemas, bodies: { request: body(), response: body() }, query }
}

/** A body as documents show it: with the members of parts. */
function shown(schema: unknown, schemas: Record<string, Json>): Json {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (!isRecord(value) || typeof value[PART] !== 'string') return value
    const { properties, required, ...whole } = schemas[value[PART]] ?? {}
    const { id: _id, ...rest } = Object(properties)
    const names: readonly unknown[] = Array.isArray(required) ? required : []
    return { ...whole, properties: rest, required: names.filter((name) => name !== 'id') }
  })
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
  'another reference': (schema, { document, random }) =>
    schema['$ref'] === undefined ? undefined : refTo(pick(Object.keys(document), random) ?? 'Address'),
  'a reference written out': ({ $ref }, { document }) =>
    typeof $ref === 'string' ? structuredClone(document[$ref.split('/').at(-1) ?? ''] as Json) : undefined,
  'a part more': (schema) =>
    schema['type'] === 'object' && schema['properties'] !== undefined
      ? { allOf: [schema, { type: 'object', properties: { more: { type: 'string' } } }] }
      : undefined,
  'an alternative replaced': (schema, { random }) =>
    Array.isArray(schema['anyOf']) && schema['anyOf'].length > 1
      ? { anyOf: [...schema['anyOf'].slice(1), pick([{ type: 'integer' }, { type: 'string' }], random)] }
      : undefined,
  'an id more or less': (schema) => {
    const { $ref, [PART]: part } = schema
    if (typeof part === 'string') return refTo(part)
    return typeof $ref === 'string' ? { [PART]: $ref.split('/').at(-1) } : undefined
  },
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
      return isRecord(value) || keyword === 'anyOf' || keyword === 'allOf'
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
    ...Object.keys(api.query).map((name) => [api.query as Json, name] as const),
    ...Object.keys(api.bodies).flatMap((side) => placesIn(Object(api.bodies), side)),
  ]
}

function isModel({ type, properties }: Json): boolean {
  return type === 'object' && Object.keys(Object(properties)).length > 0
}

/** Edits some schemas. Returns what it did. */
function edit(api: Api, random: () => number): readonly string[] {
  const done: string[] = []
  for (let tried = 0; tried < 20 && done.length < 1 + Math.floor(random() * 4); tried++) {
    const [holder, key] = pick(placesOf(api), random) ?? []
    const [name, apply] = pick(Object.entries(EDITS), random) ?? []
    if (holder === undefined || key === undefined) continue
    const edited = apply?.(holder[key] as Json, { document: knownAt(holder, api), random })
    if (edited === undefined || !isPossible(edited, holder, api)) continue
    holder[key] = edited
    done.push(`${holder === (api.schemas as unknown) ? key : ''} ${name ?? ''}`.trim())
  }
  return done
}

/** The components that a place may refer to: those before its own, so that none holds itself. */
function knownAt(holder: Json, { schemas, bodies }: Api): Json {
  const text = JSON.stringify(holder)
  const inside =
    holder === (bodies as unknown)
      ? -1
      : NAMES.findIndex((each) => JSON.stringify(schemas[each]).includes(text))
  const known = inside < 0 ? NAMES : NAMES.slice(0, inside)
  return Object.fromEntries(known.map((each) => [each, schemas[each]]))
}

/** Whether an API may have a schema at a place. */
function isPossible(edited: Json, holder: Json, { schemas, bodies, query }: Api): boolean {
  if (holder === (schemas as unknown) && !isModel(edited)) return false
  if (holder === (query as unknown) && !['string', 'integer'].includes(String(edited['type']))) return false
  return holder === (bodies as unknown) || !JSON.stringify(edited).includes(PART)
}

function evaluate(text: string, scope: Json): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code that the command writes
  return new Function(...Object.keys(scope), `return (${text})`)(...Object.values(scope))
}

interface Calls {
  answer: unknown
  got: unknown
  query?: unknown
}

/** The application of an API, with the changes that code says. */
function createFor({ schemas, bodies, query }: Api, codes: readonly string[], calls: Calls): App {
  const names = {
    components: schemas,
    isNoted: true,
    modelOf: (name: string) => name,
    write: ({ [PART]: part }: Json) => {
      if (typeof part !== 'string') return undefined
      return Object.hasOwn(Object(schemas[part]?.['properties']), 'id') ? `${part}.omit({ id: true })` : part
    },
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
        input: {
          body: schemaOf(bodies.request),
          query: z.object(
            Object.fromEntries(
              Object.entries(query).map(([name, each]) => [name, schemaOf(each).optional()]),
            ),
          ),
        },
        response: schemaOf(bodies.response),
        validateResponses: false,
        handler: ({ body, query: sent }) => {
          calls.got = body
          calls.query = sent
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
  const read = async (api: Api): Promise<readonly [document: unknown, known: KnownApp]> => {
    const app = createFor(api, [], { answer: undefined, got: undefined })
    await app.ready()
    const document = toPlainJson(app.openapi({ version: '1' }))
    const known = await readDefinitions(app)
    await app.close()
    return [document, known]
  }
  const [[base], [revision, known]] = [await read(older), await read(newer)]
  const findings = compareSources(prepareSource(base), prepareSource(revision)).findings
  const schemasIn = (document: unknown): Record<string, unknown> =>
    Object(Object(Object(document)['components'])['schemas'])
  const { drafts } = toDrafts(
    findings.map((finding) => ({ ...finding, version: '1' })),
    ({ level }) => level === 'breaking' || level === 'warning',
    {
      base,
      revision,
      known: { ...known, isNoted: true },
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

type IsFitting = (schema: unknown, value: unknown) => boolean

/** The paths of members that one value has and another one lacks, as far as a schema declares them. */
function lost(
  from: unknown,
  to: unknown,
  schema: unknown,
  known: { readonly schemas: Json; readonly isFitting: IsFitting },
  path = '',
): readonly string[] {
  if (!isRecord(from) && !Array.isArray(from))
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [path]
  return Object.entries(from).flatMap(([name, value]) => {
    const declared = memberOf(schema, name, from, known)
    if (declared.length === 0) return []
    const member: unknown = Reflect.get(Object(to), name)
    return member === undefined
      ? [`${path}.${name}`]
      : lost(value, member, { anyOf: declared }, known, `${path}.${name}`)
  })
}

/** The schemas that a member may have in the alternatives that take the value. */
function memberOf(
  schema: unknown,
  name: string,
  value: unknown,
  known: { readonly schemas: Json; readonly isFitting: IsFitting },
): readonly unknown[] {
  const { $ref, anyOf, allOf, properties, items, additionalProperties } = Object(schema)
  if (typeof $ref === 'string')
    return memberOf(known.schemas[$ref.split('/').at(-1) ?? ''], name, value, known)
  const parts: unknown = anyOf ?? allOf
  if (Array.isArray(parts))
    return parts
      .filter((each) => known.isFitting(each, value))
      .flatMap((each) => memberOf(each, name, value, known))
  const own: unknown = Object.hasOwn(Object(properties), name)
    ? Reflect.get(Object(properties), name)
    : undefined
  return [own, items, isRecord(properties) ? undefined : additionalProperties].filter(
    (each) => each !== undefined,
  )
}

function createFitting({ schemas }: Api): IsFitting {
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

/** Counts the alternatives of a body, or of its member, that take a value. */
function countFitting(schema: Json, value: unknown, isFitting: IsFitting): number {
  const one: unknown = Object(schema['properties']).one
  if (isRecord(one)) return countFitting(one, Object(value).one, isFitting)
  return Array.isArray(schema['anyOf']) ? schema['anyOf'].filter((each) => isFitting(each, value)).length : 1
}

/** Two releases with an application that serves both. */
interface Releases {
  readonly older: Api
  readonly newer: Api
  readonly calls: Calls
  readonly send: (version: string, payload: unknown, query?: string) => Promise<Sent>
  readonly tell: (what: string, value: unknown, found: unknown) => void
  readonly random: () => number
}

interface Sent {
  readonly status: number
  readonly body: string
  readonly got: unknown
  readonly query: Json
}

function createSend(app: App, calls: Calls): Releases['send'] {
  return async (version, payload, query = '') => {
    calls.got = undefined
    calls.query = undefined
    const headers = { 'x-version': version, 'content-type': 'application/json' }
    const url = `/thing?${query}`
    const response = await app.inject({ method: 'POST', url, headers, body: JSON.stringify(payload) })
    const { statusCode: status, body } = response
    return { status, body, got: structuredClone(calls.got), query: { ...Object(calls.query) } }
  }
}

/** Calls both versions with older requests that the newer version takes. */
async function findRequestHarm(
  requests: readonly unknown[],
  { older, newer, send, tell, random }: Releases,
): Promise<void> {
  const body = shown(newer.bodies.request, newer.schemas)
  const isFitting = createFitting(newer)
  for (const request of requests) {
    const sent = Object.entries(older.query).filter(() => random() < 0.6)
    const values = Object.fromEntries(
      sent.map(([name, schema]) => [name, String(generate(schema, {}, random))] as const),
    )
    const query = new URLSearchParams(values).toString()
    const [direct, through] = [await send('2', request, query), await send('1', request, query)]
    if (direct.status !== 200) continue
    if (through.status !== 200) {
      tell('a request fails', request, through.body)
      continue
    }
    for (const name of Object.keys(older.query))
      if (name in newer.query && direct.query[name] !== through.query[name])
        tell(`the parameter ${name} is another`, query, through.query)
    const gone = lost(direct.got, through.got, body, { schemas: newer.schemas, isFitting })
    if (gone.length > 0) tell(`a request loses ${gone.join()}`, direct.got, through.got)
  }
}

/** Sends newer responses that fit the older schema to older clients. */
async function findResponseHarm(
  answers: readonly unknown[],
  request: unknown,
  { older, calls, send, tell }: Releases,
): Promise<void> {
  const body = shown(older.bodies.response, older.schemas)
  const isFitting = createFitting(older)
  for (const answer of answers) {
    calls.answer = answer
    const through = await send('1', request)
    if (through.status !== 200) {
      tell('a response fails', answer, through.body)
      continue
    }
    const found: unknown = JSON.parse(through.body)
    if (!isFitting(body, found)) tell('a response no longer fits', answer, found)
    const gone = lost(answer, found, body, { schemas: older.schemas, isFitting })
    if (gone.length > 0) tell(`a response loses ${gone.join()}`, answer, found)
  }
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
  const bodyOf = (api: Api, side: 'request' | 'response'): Json => shown(api.bodies[side], api.schemas)
  const requests = valuesOf(bodyOf(older, 'request'), older, random).filter((value) =>
    fitsNewer(bodyOf(newer, 'request'), value),
  )
  const answers = valuesOf(bodyOf(newer, 'response'), newer, random).filter(
    (value) =>
      fitsOlder(bodyOf(older, 'response'), value) &&
      // zod takes the first alternative, and drops what that one does not name
      countFitting(bodyOf(newer, 'response'), value, fitsNewer) < 2,
  )
  const harm: string[] = []
  const tell: Releases['tell'] = (what, value, found) => {
    const shownValues = [value, found].map((each) => JSON.stringify(each))
    harm.push([`seed ${seed}: ${edits.join(', ')}: ${what}`, ...shownValues, ...codes].join('\n  '))
  }
  const releases = { older, newer, calls, send: createSend(app, calls), tell, random }
  const [request] = requests
  const [answer] = answers
  calls.answer = answer
  if (answer !== undefined) await findRequestHarm(requests, releases)
  if (request !== undefined) await findResponseHarm(answers, request, releases)
  await app.close()
  return { harm, count: codes.length }
}
