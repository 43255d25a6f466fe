/* oxlint-disable complexity, max-depth -- each answer is looked at in every way */
import { isDeepStrictEqual } from 'node:util'

import { createApp, DefinitionError, reply, sse, VersioningSchemes } from 'octavo'
import type { App, InjectOptions } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { createWebhooks, defineWebhook } from 'octavo/webhooks'
import { z } from 'zod'

import { createRandom, toCaseSeed } from '../../fault/fuzz/random.ts'
import { readDocument } from '../../openapi/fuzz/document.ts'
import type { Media, ReadDocument } from '../../openapi/fuzz/document.ts'
import { controller, moduleOf } from '../../support/untyped.ts'
import { canonical } from './world.ts'
import type { Finding } from './run.ts'

type Values = Readonly<Record<string, unknown>>

const VERSIONS = ['4', '3', '2', '1'] as const
const CAR: Values = { kind: 'car', id: '7', name: 'Ann', size: '12', tags: ['a', 'b'], extra: 'x' }
const BOX = { kind: 'box', weight: 3 }

/** A change of one field, told for values alone, with the member of `fields` that says it. */
interface FieldStory {
  readonly since: string
  readonly now?: string
  readonly was?: string
  readonly down?: (now: unknown) => unknown
  readonly field: () => object
}

const STORIES: Readonly<Record<string, FieldStory>> = {
  renamed: { since: '4', now: 'name', was: 'title', field: () => ({ was: 'title' }) },
  retyped: {
    since: '3',
    now: 'size',
    was: 'size',
    down: Number,
    field: () => ({ was: z.int(), up: String, down: Number }),
  },
  listed: {
    since: '3',
    now: 'tags',
    was: 'tags',
    down: String,
    field: () => ({ was: z.string(), up: (old: string) => old.split(','), down: String }),
  },
  removed: { since: '2', was: 'old', down: () => 'gone', field: () => ({ was: z.string() }) },
  added: { since: '2', now: 'extra', field: () => ({ was: absent }) },
  kind: { since: '3', now: 'kind', was: 'type', field: () => ({ was: 'type' }) },
  literal: {
    since: '2',
    now: 'kind',
    was: 'kind',
    down: () => 'auto',
    field: () => ({ was: z.literal('auto'), up: () => 'car', down: () => 'auto' }),
  },
}

/** Whether a value has nothing of an older version, so that functions of schemas tell which values they get. */
function isOfToday(value: unknown): boolean {
  return !/"(?:title|old|type)":|"auto"|"size":\d|"tags":"/.test(JSON.stringify(value) ?? '')
}

const ALL = ['renamed', 'retyped', 'listed', 'removed', 'added']

/** The changes that an application can have. `kind` and `literal` are of one field. */
const CHANGES: readonly (readonly string[])[] = [
  ['renamed'],
  ['retyped', 'listed'],
  ['removed', 'added'],
  ['kind'],
  ['literal'],
  [...ALL, 'kind'],
  [...ALL, 'literal'],
]

type Car = ReturnType<typeof toCar>

function toCar() {
  return model('Car', {
    kind: z.literal('car'),
    id: z.string(),
    name: z.string(),
    size: z.string().regex(/^\d+$/),
    tags: z.array(z.string()),
    extra: z.string(),
  })
}

/** A part of the model: how it is made, and values of it that handlers know. */
interface PartOfCar {
  readonly of: (car: Car) => z.ZodType
  readonly values: readonly Values[]
  /** Whether older versions lack the removed field in it. */
  readonly isPicked?: boolean
  readonly isPartial?: boolean
  /** Whether the change that removed a field names it. */
  readonly isApplied?: boolean
  /** Whether it removes space from names, in requests and responses. */
  readonly isTrimmed?: boolean
}

const { extra: _extra, ...PLAIN } = CAR
const { name: _name, ...NAMELESS } = CAR

const PARTS: Readonly<Record<string, PartOfCar>> = {
  whole: { of: (car) => car, values: [CAR] },
  meta: { of: (car) => car.meta({ title: 'A car' }), values: [CAR] },
  refine: { of: (car) => car.refine(isOfToday), values: [CAR] },
  strict: { of: (car) => car.strict(), values: [CAR] },
  loose: { of: (car) => car.loose(), values: [CAR, { ...CAR, more: '1' }] },
  omit: { of: (car) => car.omit({ extra: true }), values: [PLAIN] },
  'omit and apply': { of: (car) => car.omit({ extra: true }), values: [PLAIN], isApplied: true },
  'omit another': { of: (car) => derive(car, (it) => it.omit({ name: true })), values: [NAMELESS] },
  pick: {
    of: (car) => car.pick({ kind: true, name: true, size: true }),
    values: [{ kind: 'car', name: 'Ann', size: '12' }],
    isPicked: true,
  },
  partial: { of: (car) => car.partial(), values: [CAR, { kind: 'car', name: 'Ann' }], isPartial: true },
  extend: { of: (car) => car.extend({ own: z.string() }), values: [{ ...CAR, own: 'o' }] },
  'extend over': {
    of: (car) => car.extend({ name: z.string().max(9).trim() }),
    values: [CAR],
    isTrimmed: true,
  },
}

/** The naive converter: it takes the object of the model, and walks its changes. Members keep their places. */
function convert(
  value: Values,
  version: string,
  changes: readonly string[],
  { isPicked, isPartial }: PartOfCar,
): Values {
  let members = Object.entries(value)
  for (const { since, now, was, down = same } of storiesOf(changes)) {
    if (Number(version) >= Number(since)) continue
    if (now === undefined) {
      if (isPicked !== true && (isPartial !== true || 'extra' in value)) members.push([was ?? '', down(now)])
    } else if (was === undefined) members = members.filter(([key]) => key !== now)
    else members = members.map(([key, each]) => (key === now ? [was, down(each)] : [key, each]))
  }
  return Object.fromEntries(members)
}

function storiesOf(changes: readonly string[]): readonly FieldStory[] {
  return changes.flatMap((name) => STORIES[name] ?? [])
}

/** A value around the one that a schema holds: as it is sent in a version, and as handlers get or return it. */
interface Sample {
  readonly wire: (inner: unknown) => unknown
  readonly given: (inner: unknown) => unknown
  /** Only for requests, or only for responses. */
  readonly way?: 'request' | 'response'
}

/** A schema around another. `value` is the newest value of that one, as handlers know it, and `sent` as it is sent. */
interface Wrapper {
  readonly of: (inner: z.ZodType, value: unknown, sent: unknown) => z.ZodType
  readonly samples: readonly Sample[]
  /** Whether it takes nothing but objects. */
  readonly isOfObjects?: boolean
  /** Whether it gives the first value in place of others. */
  readonly isOfFirst?: boolean
}

const same = (inner: unknown): unknown => inner
const both = (wire: Sample['wire']): Sample => ({ wire, given: wire })
const request = (wire: Sample['wire'], given: Sample['given']): Sample => ({ wire, given, way: 'request' })
const wrap = (of: Wrapper['of'], ...samples: readonly Sample[]): Wrapper => ({
  of,
  samples: samples.length === 0 ? [both(same)] : samples,
})
const or = (of: Wrapper['of'], ...values: readonly unknown[]): Wrapper =>
  wrap(of, both(same), ...values.map((value) => both(() => value)))
const listed = both((inner) => [inner])
const named = both((inner) => ({ a: inner }))
const within = both((inner) => ({ in: inner }))
const made = request(same, (inner) => ({ made: inner }))
const Box = z.object({ kind: z.literal('box'), weight: z.int() })
const Other = z.object({ other: z.int() })
const isObject = (inner: z.ZodType): z.ZodObject => inner as z.ZodObject

/** The wrappers of zod, each with values. Functions fail for values that are not of today. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  none: wrap((inner) => inner),
  optional: or((inner) => inner.optional(), undefined),
  exactOptional: or((inner) => z.exactOptional(inner), undefined),
  nullable: or((inner) => inner.nullable(), null),
  nullish: or((inner) => inner.nullish(), null, undefined),
  nonoptional: wrap((inner) => inner.optional().nonoptional()),
  default: {
    ...wrap(
      (inner, value) => inner.default(value),
      both(same),
      request(() => undefined, same),
      { wire: same, given: () => undefined, way: 'response' },
    ),
    isOfFirst: true,
  },
  prefault: {
    ...wrap(
      (inner, _, sent) => inner.prefault(sent),
      both(same),
      request(() => undefined, same),
    ),
    isOfFirst: true,
  },
  catch: {
    ...wrap(
      (inner, value) => inner.catch(value),
      request(() => 7, same),
    ),
    isOfFirst: true,
  },
  readonly: wrap((inner) => inner.readonly()),
  brand: wrap((inner) => inner.brand('Branded')),
  describe: wrap((inner) => inner.describe('a text')),
  meta: wrap((inner) => inner.meta({ title: 'A title' })),
  'meta with an id': wrap((inner) => inner.meta({ id: 'Another' })),
  refine: wrap((inner) => inner.refine(isOfToday)),
  superRefine: wrap((inner) =>
    inner.superRefine((value, context) => void (isOfToday(value) || context.addIssue('old'))),
  ),
  overwrite: wrap((inner) => inner.overwrite((value) => (isOfToday(value) ? value : undefined))),
  lazy: wrap((inner) => z.lazy(() => inner)),
  promise: wrap((inner) => z.promise(inner)),
  preprocess: wrap((inner) => z.preprocess((value) => value, inner)),
  transform: wrap((inner) => inner.transform((value) => ({ made: isOfToday(value) && value })), made),
  'object with a transform': wrap(
    (inner) => z.object({ one: inner, two: z.string().transform(Number) }),
    request(
      (one) => ({ one, two: '2' }),
      (one) => ({ one, two: 2 }),
    ),
  ),
  pipe: wrap((inner) => inner.pipe(inner)),
  'pipe into any': wrap((inner) => inner.pipe(z.any())),
  'pipe from any': wrap((inner) => z.any().pipe(inner)),
  codec: wrap(
    (inner) =>
      z.codec(inner, z.any(), {
        decode: (value) => ({ made: value }),
        encode: (value) => Object(value).made,
      }),
    made,
  ),
  array: wrap(
    (inner) => z.array(inner),
    listed,
    both((inner) => [inner, inner]),
    both(() => []),
  ),
  'array with a refine': wrap((inner) => z.array(inner).refine(isOfToday), listed),
  record: wrap(
    (inner) => z.record(z.string(), inner),
    named,
    both(() => ({})),
  ),
  'record of an enum': wrap((inner) => z.record(z.enum(['a']), inner), named),
  partialRecord: wrap((inner) => z.partialRecord(z.enum(['a', 'b']), inner), named),
  looseRecord: wrap((inner) => z.looseRecord(z.string().regex(/^a/), inner), named),
  map: wrap((inner) => z.map(z.string(), inner), named),
  set: wrap((inner) => z.set(inner), listed),
  tuple: wrap(
    (inner) => z.tuple([z.int(), inner]),
    both((inner) => [1, inner]),
  ),
  'tuple with an optional': wrap(
    (inner) => z.tuple([z.int(), inner.optional()]),
    both((inner) => [1, inner]),
    both(() => [1]),
  ),
  'tuple with a rest': wrap(
    (inner) => z.tuple([z.int()], inner),
    both((inner) => [1, inner, inner]),
  ),
  object: wrap((inner) => z.object({ in: inner }), within),
  strictObject: wrap((inner) => z.strictObject({ in: inner }), within),
  'partial object': wrap(
    (inner) => z.object({ in: inner }).partial(),
    within,
    both(() => ({})),
  ),
  'object with a refine': wrap((inner) => z.object({ in: inner }).refine(isOfToday), within),
  catchall: wrap(
    (inner) => z.object({ n: z.int() }).catchall(inner),
    both((inner) => ({ n: 1, a: inner })),
  ),
  'union with a text': or((inner) => z.union([z.string(), inner]), 'text'),
  'union with an object': or((inner) => z.union([inner, Other]), { other: 1 }),
  'union after an object': or((inner) => z.union([Other, inner]), { other: 1 }),
  'union with its list': wrap((inner) => z.union([inner, z.array(inner)]), both(same), listed),
  'union with a box': or((inner) => z.union([Box, inner]), BOX),
  'union before a box': or((inner) => z.union([inner, Box]), BOX),
  xor: or((inner) => z.xor([Box, inner]), BOX),
  discriminatedUnion: {
    ...or((inner) => z.discriminatedUnion('kind', [isObject(inner), Box] as never), BOX),
    isOfObjects: true,
  },
  intersection: {
    ...wrap(
      (inner) => z.intersection(inner, z.object({ own: z.int() })),
      both((inner) => ({ ...Object(inner), own: 1 })),
    ),
    isOfObjects: true,
  },
}

/** A place of a schema in an application. */
interface Position {
  /** The source of a request that has it, or else the application sends it. */
  readonly source?: string
  readonly isField?: boolean
  /** Whether it takes nothing but records of texts, of lists too, or of texts for each of the model's fields. */
  readonly flat?: 'texts' | 'lists' | 'path'
  /** The members of its route. */
  readonly route?: (schema: z.ZodType, result: () => unknown) => object
  readonly call?: (wire: Values) => Partial<InjectOptions> & { readonly path?: string }
  /** Returns the value in a response. */
  readonly read?: (body: string) => unknown
}

const answering = (schema: z.ZodType, result: () => unknown): object => ({
  response: { 201: schema },
  handler: () => reply(201, result() as never, { headers: { 'x-new': '1' } }),
})
const textsOf = (wire: Values): [string, string][] =>
  Object.entries(wire).flatMap(([key, value]) =>
    [value].flat().map((each): [string, string] => [key, String(each)]),
  )

const POSITIONS: Readonly<Record<string, Position>> = {
  body: { source: 'body', call: (json) => ({ json }) },
  'body field': { source: 'body', isField: true, call: (json) => ({ json }) },
  query: { source: 'query', flat: 'lists', call: (wire) => ({ query: new URLSearchParams(textsOf(wire)) }) },
  form: { source: 'form', flat: 'lists', call: (wire) => ({ form: new URLSearchParams(textsOf(wire)) }) },
  headers: {
    source: 'headers',
    flat: 'texts',
    call: (wire) => ({ headers: Object.fromEntries(textsOf(wire)) }),
  },
  params: { source: 'params', flat: 'path', call: (wire) => ({ path: Object.values(wire).join('/') }) },
  response: { route: answering },
  'response field': { isField: true, route: answering },
  items: { route: (schema, result) => ({ items: schema, handler: () => [result()] }) },
  events: {
    route: (schema, result) => ({ events: schema, handler: () => sse([{ data: result() }]) }),
    read: (body) => toJson(/^data: (.*)$/m.exec(body)?.[1] ?? body),
  },
  webhook: {},
}

/** Tried together: a part within wrappers, from the inside, and what changed. */
export interface Definition {
  readonly part: string
  readonly wrappers: readonly string[]
  readonly changes: readonly string[]
  /** Whether its operations changed too: paths, statuses, headers and whole bodies. */
  readonly hasOperations: boolean
}

export interface DefinitionReport {
  readonly findings: readonly Finding[]
  /** The names of positions. */
  readonly started: readonly string[]
  readonly refused: readonly string[]
  readonly calls: number
}

/** Every wrapper around the whole model, and every part without a wrapper, with all changes. */
export function everyDefinition(): readonly Definition[] {
  const [changes = []] = CHANGES.slice(-1)
  const all = [
    ...Object.keys(WRAPPERS).map((name) => ({ part: 'whole', wrappers: [name] })),
    ...Object.keys(PARTS).map((part) => ({ part, wrappers: [] })),
  ]
  return [false, true].flatMap((hasOperations) => all.map((each) => ({ ...each, changes, hasOperations })))
}

/** A random definition. */
export function createDefinition(seed: number, index: number): Definition {
  const random = createRandom(toCaseSeed(seed, index))
  const draw = <T>(list: readonly T[]): T => random.pick(list as readonly [T, ...T[]])
  const [first, ...more] = Array.from({ length: 1 + random.below(3) }, () => draw(Object.keys(WRAPPERS)))
  return {
    part: draw(Object.keys(PARTS)),
    // only the first one stands around an object for certain
    wrappers: [first ?? 'none', ...more.filter((name) => WRAPPERS[name]?.isOfObjects !== true)],
    changes: draw(CHANGES),
    hasOperations: random.chance(0.3),
  }
}

type Note = (text: string, detail: unknown) => void

/** Makes an application of a definition in some positions, and calls it in every version. */
export async function tryDefinition(
  definition: Definition,
  hasDocuments: boolean,
  positions: readonly string[] = Object.keys(POSITIONS),
): Promise<DefinitionReport> {
  const site = toSite(definition)
  const findings: Finding[] = []
  const note: Note = (text, detail) => {
    const { part, wrappers, changes, hasOperations } = definition
    const where = [part, ...wrappers, ...changes, ...(hasOperations ? ['operations'] : [])].join(', ')
    findings.push({ text, detail: `${where}\n${String(detail)}` })
  }
  const wanted = positions.filter((name) => site.samples.some((each) => isTaken(name, each, site)))
  const whole = await start(site, wanted, note)
  // one that is refused hides the others
  const apps: { readonly app: Started | undefined; readonly names: readonly string[] }[] = []
  if (whole !== undefined) apps.push({ app: whole, names: wanted })
  else for (const name of wanted) apps.push({ app: await start(site, [name], note), names: [name] })
  let calls = 0
  for (const { app, names } of apps) {
    if (app === undefined) continue
    for (const version of VERSIONS) {
      const document = hasDocuments ? toDocument(app.app, version, note) : undefined
      for (const name of names)
        for (const [at, sample] of site.samples.entries()) {
          const key = `${name} ${at}`
          if (!isTaken(name, sample, site) || !isSendable(name, sample, version) || site.odd.has(key))
            continue
          calls += 1
          const isRight = await trySample(site, { name, sample, version }, { ...app, document, note })
          if (!isRight && version === VERSIONS[0]) site.odd.add(key)
        }
    }
    await app.app.close()
  }
  const of = (isStarted: boolean): readonly string[] =>
    apps.flatMap(({ app, names }) => ((app !== undefined) === isStarted ? names : []))
  return { findings, started: of(true), refused: of(false), calls }
}

/** A definition with its schema and values. */
interface Site {
  readonly definition: Definition
  readonly car: Car
  /** What the change that removed a field names. */
  readonly applies: readonly z.ZodType[]
  readonly schema: z.ZodType
  readonly samples: readonly SiteSample[]
  /** The samples that the newest version takes otherwise, as wrappers around wrappers may: they say nothing of older ones. */
  readonly odd: Set<string>
  seen: unknown
  result: unknown
}

/** A value as it is sent in a version, and as handlers know it. */
interface SiteSample {
  readonly way: Sample['way']
  readonly wire: (version: string) => unknown
  readonly given: unknown
}

function toSite(definition: Definition): Site {
  const part = PARTS[definition.part] ?? { of: same as never, values: [] }
  const car = toCar()
  let schema = part.of(car)
  const applies = part.isApplied === true ? [schema] : []
  let samples: readonly SiteSample[] = part.values.map((value) => ({
    way: undefined,
    wire: (version) => convert(value, version, definition.changes, part),
    given: value,
  }))
  const spaced: Values = { ...CAR, name: ' Ann ' }
  const [before, after] = [spaced, CAR].map((value) => ({
    given: value,
    wire: (version: string) => convert(value, version, definition.changes, part),
  }))
  if (part.isTrimmed === true && before !== undefined && after !== undefined)
    samples = [
      ...samples,
      { ...before, given: CAR, way: 'request' },
      { ...after, given: spaced, way: 'response' },
    ]
  for (const name of definition.wrappers) {
    const { of, samples: around, isOfFirst } = WRAPPERS[name] ?? { of: same as never, samples: [] }
    const [first] = samples
    schema = of(schema, first?.given, first?.wire('4'))
    samples = around.flatMap(({ wire, given, way }) =>
      (isOfFirst === true ? samples.slice(0, 1) : samples)
        .filter((inner) => way === undefined || inner.way === undefined || way === inner.way)
        .map((inner) => ({
          way: way ?? inner.way,
          wire: (version) => wire(inner.wire(version)),
          given: given(inner.given),
        })),
    )
  }
  return { definition, car, applies, schema, samples, odd: new Set(), seen: undefined, result: undefined }
}

/** Whether a position takes a value. */
function isTaken(name: string, { given, way }: SiteSample, { definition, samples }: Site): boolean {
  const { source, flat } = POSITIONS[name] ?? {}
  if (given === undefined || way === (source === undefined ? 'request' : 'response')) return false
  if (flat === undefined) return true
  const isList = Array.isArray(given)
  const values = Object.values(Object(given))
  const isText = (value: unknown): boolean =>
    typeof value === 'string' || (flat === 'lists' && Array.isArray(value) && value.every(isText))
  if (typeof given !== 'object' || isList || values.length === 0 || !values.every(isText)) return false
  const keys = (value: unknown): string => Object.keys(Object(value)).join()
  return (
    flat !== 'path' || (keys(given) === keys(samples[0]?.given) && !definition.changes.includes('removed'))
  )
}

/** Whether a value can be sent in a version: nothing in a list or an object is no JSON. */
function isSendable(name: string, sample: SiteSample, version: string): boolean {
  const wire = sample.wire(version)
  if (wire === undefined) return POSITIONS[name]?.isField === true
  return isDeepStrictEqual(JSON.parse(JSON.stringify(wire)), wire)
}

interface Started {
  readonly app: App
  /** Returns the payload of a webhook in a version. */
  readonly deliver: (version: string) => Promise<unknown>
}

/** Starts an application, or returns `undefined` if it is refused as it should be. */
async function start(site: Site, names: readonly string[], note: Note): Promise<Started | undefined> {
  try {
    const started = toApp(site, names)
    await started.app.ready()
    return started
  } catch (error) {
    if (!(error instanceof DefinitionError)) note('the start fails without a DefinitionError', error)
    return undefined
  }
}

function toDocument(app: App, version: string, note: Note): ReadDocument | undefined {
  try {
    return readDocument(app.openapi({ version }))
  } catch (error) {
    note('a document is not made', `${version}\n${String(error)}`)
    return undefined
  }
}

type Untyped = (...given: readonly unknown[]) => never

const untyped = (value: unknown): Untyped => value as Untyped
const routeOf = (name: string): string => name.replace(' ', '-')

function toApp(site: Site, names: readonly string[]): Started {
  const { car, schema, samples } = site
  const at = (name: string): z.ZodType =>
    POSITIONS[name]?.isField === true ? z.object({ v: schema }) : schema
  const routes = names.flatMap((name) => {
    const { source, flat, route } = POSITIONS[name] ?? {}
    const keys = flat === 'path' ? Object.keys(Object(samples[0]?.given)) : []
    const path = [routeOf(name), ...keys.map((key) => `{${key}}`)].join('/')
    const own = { method: 'POST', path: `/${path}`, name: routeOf(name) }
    if (route !== undefined) return [{ ...own, ...route(at(name), () => site.result) }]
    if (source === undefined) return []
    const handler = (given: Values): unknown => {
      site.seen = given[source]
      return reply(201, { ok: true } as never, { headers: { 'x-new': '1' } })
    }
    const response = { 201: z.object({ ok: z.boolean() }) }
    return [{ ...own, input: { [source]: at(name) }, response, handler }]
  })
  const history = untyped(defineVersions)({
    versions: VERSIONS,
    models: { Car: car },
    changes: toChanges(site, names, at),
    messages: names.includes('webhook') ? [car, schema] : [car],
  })
  const hook = untyped(defineWebhook)({ name: 'car.made', schema })
  const of = (): unknown => VERSIONS.map((version) => ({ id: version, version }))
  const none = (): undefined => undefined
  const webhooks = createWebhooks({
    history,
    subscriptions: { of, find: none, disable: none } as never,
    outbox: { add: none },
  })
  const home = { method: 'GET', path: '/', response: car, handler: () => CAR }
  const app = untyped(createApp)(
    moduleOf({ controllers: [controller({ name: 'c', prefix: '/', routes: [home, ...routes] })] }),
    {
      logger: false,
      docs: { webhooks: names.includes('webhook') ? [hook] : [] },
      versioning: { scheme: VersioningSchemes.URL, history },
    },
  ) as App
  const deliver: Started['deliver'] = async (version) => {
    const prepared = webhooks.prepare(hook, site.result)
    const { deliveries, errors } = await prepared.catch((error) => ({ deliveries: [], errors: [error] }))
    const own = deliveries.find(({ subscription }) => subscription === version)
    return own === undefined ? String(errors[0]) : JSON.parse(own.body).data
  }
  return { app, deliver }
}

function toChanges(
  site: Site,
  names: readonly string[],
  at: (name: string) => z.ZodType,
): readonly unknown[] {
  return ['4', '3', '2'].flatMap((version) => {
    const stories = storiesOf(site.definition.changes).filter(({ since }) => since === version)
    const fields = Object.fromEntries(stories.map(({ now, was, field }) => [now ?? was, field()]))
    const isWhole = stories.some(({ now }) => now === undefined)
    const { applies } = site
    const functions = { applies, up: () => ({ extra: 'x' }), down: () => ({ old: 'gone' }) }
    const change: unknown[] =
      stories.length === 0 ? [] : [untyped(reshape)({ of: site.car, fields, ...(isWhole && functions) })]
    if (version === '3' && site.definition.hasOperations)
      for (const name of names)
        if (POSITIONS[name]?.flat !== 'path' && name !== 'webhook') change.push(toOperation(name, at(name)))
    const title = `of ${version}`
    return change.length === 0 ? [] : [untyped(defineVersionChange)({ version, title, change })]
  })
}

const hasWholeBody = (name: string): boolean => /^(?:body|response)/.test(name)

/** The path, the status, a header and the whole body of an operation were others: the body was within an envelope. */
function toOperation(name: string, now: z.ZodType): unknown {
  const route = { route: `c.${routeOf(name)}`, path: { was: `/old/${routeOf(name)}` } }
  const was = z.object({ data: now })
  const { source, read } = POSITIONS[name] ?? {}
  if (name === 'items' || read !== undefined) return untyped(operation)(route)
  const head = { status: { 201: { was: 200 } }, headers: { 'x-new': { was: 'x-old' } } }
  if (source === undefined) {
    const body = { 201: { now, was, down: (data: unknown) => ({ data }) } }
    return untyped(operation)({ ...route, response: { ...head, body } })
  }
  const body = { now, was, up: (value: unknown) => Object(value).data }
  return untyped(operation)({ ...route, response: head, ...(hasWholeBody(name) && { body }) })
}

interface Placed {
  readonly name: string
  readonly sample: SiteSample
  readonly version: string
}

interface Place extends Started {
  readonly document: ReadDocument | undefined
  readonly note: Note
}

/** Sends a value, or has it sent. */
async function trySample(
  site: Site,
  { name, sample, version }: Placed,
  { app, deliver, document, note }: Place,
): Promise<boolean> {
  const { source, flat, isField, call, read = toJson } = POSITIONS[name] ?? {}
  const inField = (value: unknown): unknown => (value === undefined ? {} : { v: value })
  const placed = isField === true ? inField : same
  const given = placed(sample.given)
  const isOld = site.definition.hasOperations && Number(version) < 3 && flat !== 'path' && name !== 'webhook'
  const bare = placed(sample.wire(version))
  const wire = isOld && hasWholeBody(name) ? { data: bare } : bare
  site.seen = undefined
  site.result = given
  const path = `/v${version}${isOld ? '/old' : ''}/${routeOf(name)}`
  const { path: values, ...sent } = (source === undefined ? undefined : call?.(wire as Values)) ?? {}
  const url = values === undefined ? path : `${path}/${values}`
  const answer = name === 'webhook' ? undefined : await app.inject({ method: 'POST', url, ...sent })
  const has = answer && {
    status: answer.statusCode,
    old: answer.headers['x-old'],
    new: answer.headers['x-new'],
  }
  const isStream = has === undefined || name === 'items' || read !== toJson
  const isHeaded = isStream || (has.status === (isOld ? 200 : 201) && (isOld ? has.old : has.new) === '1')
  const got = source === undefined ? (answer ? read(answer.body) : await deliver(version)) : site.seen
  const expected = source === undefined ? wire : given
  const isEqual =
    source === undefined ? canonical(got) === canonical(expected) : isDeepStrictEqual(got, expected)
  const text = `${name} in ${version}: ${JSON.stringify(wire)}\n${answer?.statusCode} ${answer?.body}`
  if (!isHeaded || !isEqual) {
    // wrappers around wrappers may take values otherwise in the newest version, too
    const { part, wrappers } = site.definition
    if (version !== VERSIONS[0] || wrappers.length === 0 || (part === 'whole' && wrappers.length === 1))
      note(
        source === undefined ? 'a client gets something else' : 'a handler gets something else',
        isHeaded ? `${text}\n${canonical(got)} instead of ${canonical(expected)}` : text,
      )
    return false
  }
  if (document === undefined || !hasWholeBody(name)) return true
  const found = document.operations.find((each) => each.path === path)
  const media: Media | undefined =
    source === undefined
      ? found?.answers.find(({ status }) => status.startsWith('20'))?.media[0]
      : found?.body?.media[0]
  if (media === undefined) note('a document lacks a body', text)
  else if (!document.isValid(media, wire))
    note('a document refuses what is sent', `${text}\n${document.explain(media, wire)}`)
  return true
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
