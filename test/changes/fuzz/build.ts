/* oxlint-disable complexity -- a case for each kind of schema */
import { createApp, DefinitionError, VersioningSchemes } from 'octavo'
import type { App, ExecutionContext } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { createMemoryStore } from 'octavo/stores'
import { z } from 'zod'

import { controller, moduleOf } from '../../support/untyped.ts'
import { buildExtra } from './extras.ts'
import type { ExtraSpec } from './extras.ts'
import type { BuiltPart } from './trial.ts'
import { shown } from './world.ts'
import type { ErrorSpec, Kind, LimitKind, Move, ObjectSpec, RouteSpec, StepSpec, World } from './world.ts'

/** What the handlers of an application got, and what they answer next. */
export interface Desk {
  seen: Readonly<Record<string, unknown>> | undefined
  /** What older requests carried that the newest version does not have, by the ids of changes. */
  kept: Readonly<Record<string, unknown>>
  /** The calls of handlers. */
  calls: number
  result: (route: string, given: Readonly<Record<string, unknown>>) => unknown
  /** What functions of changes got in the last call, of routes of their own. */
  readonly given: (readonly [change: string, values: unknown])[]
  /** The loads of the last call. */
  readonly loads: string[]
}

export interface Built {
  readonly app: App
  readonly desk: Desk
  /** The fields of an object in a version, in their order. */
  readonly fieldsOf: (id: number, version: string) => readonly string[]
  /** Creates the problem that a route declares. */
  readonly problemOf: (route: string, members: unknown) => unknown
}

/** How versions are named. */
const SCHEMES = {
  url: { scheme: VersioningSchemes.URL },
  header: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-api-version' },
  query: { scheme: VersioningSchemes.QUERY, versionParameter: 'api' },
  host: { scheme: VersioningSchemes.HOST },
  several: {
    schemes: [
      [VersioningSchemes.HEADER, { headerParameter: 'x-api-version' }],
      [VersioningSchemes.QUERY, { versionParameter: 'api' }],
    ],
  },
} as const

export type Scheme = keyof typeof SCHEMES

/** The parameters that operations change. */
function pageOf({ operations, page }: RouteSpec): object | undefined {
  const hasPage = operations.some(({ parameter }) => parameter !== undefined)
  const hasLimit = operations.some(({ limit }) => limit !== undefined)
  const { name, limit } = page ?? {
    name: hasPage ? 'page' : undefined,
    limit: hasLimit ? 'newest' : undefined,
  }
  const schema = limit === undefined ? undefined : LIMIT_SCHEMAS[limit]()
  const query = {
    ...(name === undefined ? {} : { [name]: z.string().optional() }),
    ...(schema && { limit: schema }),
  }
  return Object.keys(query).length === 0 ? undefined : query
}

const LIMIT_SCHEMAS: Readonly<Record<LimitKind | 'newest', () => z.ZodType | undefined>> = {
  newest: () => z.int().max(100).default(20),
  wide: () => z.int().optional(),
  word: () => z.enum(['few', 'many']).optional(),
  absent: () => undefined,
  bad: () => z.int().optional(),
}

const LIMITS: Readonly<Record<LimitKind, () => object>> = {
  wide: () => ({ was: z.int().optional() }),
  word: () => ({ was: z.enum(['few', 'many']).optional(), up: (old: unknown) => (old === 'many' ? 99 : 10) }),
  absent: () => ({ was: absent }),
  bad: () => ({ was: z.int().optional(), up: (old: unknown) => (old === 7 ? { odd: old } : 101) }),
}

function pathOf({ path, isWholePath }: RouteSpec): string {
  return isWholePath === true ? path : `/c${path}`
}

type Untyped = (...given: readonly unknown[]) => never

const untyped = (made: unknown): Untyped => made as Untyped

/** Makes the schema of a kind once, because changes name the schemas of routes. */
function onceEach(make: (kind: Kind) => z.ZodType): (kind: Kind) => z.ZodType {
  const known = new Map<Kind, z.ZodType>()
  return (kind) => {
    const schema = known.get(kind) ?? make(kind)
    known.set(kind, schema)
    return schema
  }
}

/** Makes the application of a world, with its history or without. */
export function build(
  world: World,
  hasHistory: boolean,
  scheme: Scheme,
  extras: readonly ExtraSpec[] = [],
): Built {
  const schemas = toSchemas(world)
  const of = onceEach((kind: Kind) => toSchema(kind, schemas))
  const desk: Desk = { seen: undefined, kept: {}, calls: 0, result: () => undefined, given: [], loads: [] }
  const changes = new Map<string, unknown>()
  const handlerOf =
    (name: string) =>
    (given: Readonly<Record<string, unknown>>, context: ExecutionContext): unknown => {
      desk.calls += 1
      desk.seen = Object.fromEntries(
        ['body', 'form', 'query', 'headers', 'cookies', 'params'].map((source) => [source, given[source]]),
      )
      desk.kept = Object.fromEntries(
        world.steps
          .filter(({ moves }) => moves.some((move) => move.t === 'born' && move.isKept === true))
          .flatMap(({ change }) => {
            const found = changes.has(change) ? context.kept(changes.get(change) as never) : undefined
            return found === undefined ? [] : [[change, found]]
          }),
      )
      return desk.result(name, given)
    }
  const oldest = world.versions.at(-1) ?? ''
  const routes: object[] = world.routes.map((route) => {
    const query = route.query === undefined ? pageOf(route) : schemas[route.query]
    const input = {
      ...(route.body === undefined ? {} : { body: of(route.body) }),
      ...(route.form === undefined ? {} : { form: schemas[route.form] }),
      ...(route.params === undefined ? {} : { params: schemas[route.params] }),
      ...(query === undefined ? {} : { query }),
      ...(route.headers === undefined ? {} : { headers: schemas[route.headers] }),
    }
    const isOne =
      route.responses.length === 1 && route.method !== 'POST' && route.responses[0]?.status === 200
    const declared = route.responses.map(({ key, kind }) => [key, of(kind)] as const)
    return {
      method: route.method,
      path: pathOf(route),
      ...(hasHistory
        ? {}
        : { version: world.versions.filter((version) => !route.hasHand || version !== oldest) }),
      name: route.name,
      input,
      response: isOne ? of(route.responses[0]?.kind ?? { t: 'text' }) : Object.fromEntries(declared),
      ...(route.isHidden ? { includeInSchema: false } : {}),
      handler: handlerOf(route.name),
    }
  })
  for (const route of world.routes) {
    const { name, method, hasHand } = route
    if (hasHand)
      routes.push({
        method,
        path: pathOf(route),
        name: `${name}hand`,
        version: oldest,
        status: 200,
        response: z.object({ hand: z.string() }),
        handler: () => ({ hand: name }),
      })
  }
  const note = (change: string, values: unknown): number => desk.given.push([change, values])
  const built = new Map(extras.map((spec) => [spec.name, buildExtra(spec, of, note)]))
  for (const [name, { route }] of built)
    routes.push({
      ...route,
      ...(hasHistory ? {} : { version: world.versions }),
      handler: handlerOf(name),
    })
  const parts = [...built.values()].flatMap((each) => each.parts)
  const made = hasHistory ? toHistory(world, schemas, { of, loads: desk.loads, parts, changes }) : undefined
  const history = made === undefined ? {} : { history: made }
  const app = untyped(createApp)(
    moduleOf({ controllers: [controller({ name: 'c', prefix: '/', routes })] }),
    {
      logger: false,
      versioning: { ...SCHEMES[scheme], ...history },
      // with usage, programs run that tell which changes alter something
      ...(world.routes.length % 2 === 0 ? { store: createMemoryStore(), usage: {} } : {}),
    },
  ) as App
  return {
    app,
    desk,
    fieldsOf: (id, version) => {
      const { schema } = made as { readonly schema: (of: unknown, asked: object) => z.ZodObject }
      try {
        return Object.keys(schema(schemas[id], { version }).shape)
      } catch (error) {
        // a part that no route has need not be one that its changes convert
        if (error instanceof DefinitionError) return []
        throw error
      }
    },
    problemOf: (name, members) => built.get(name)?.create?.(members),
  }
}

/** Makes the models of a world and their parts. */
export function toSchemas(world: World): readonly z.ZodObject[] {
  const schemas: z.ZodObject[] = []
  const of = (kind: Kind): z.ZodType => toSchema(kind, schemas)
  for (const object of world.objects)
    schemas.push(
      object.id === object.model
        ? toModel(object, of)
        : object.isCopy === true
          ? toCopy(object, of)
          : toPart(object, schemas, of),
    )
  return schemas
}

export function toSchema(kind: Kind, schemas: readonly z.ZodObject[]): z.ZodType {
  const of = (inner: Kind): z.ZodType => toSchema(inner, schemas)
  const at = (id: number): z.ZodObject => schemas[id] ?? z.object({})
  switch (kind.t) {
    case 'text':
    case 'wide':
      return z.string()
    case 'digits':
      return z.string().regex(/^(?:0|[1-9]\d{0,4})$/)
    case 'int':
      return z.int().min(0).max(99_999)
    case 'big':
      return z.int().min(0)
    case 'flag':
      return z.boolean()
    case 'yesno':
      return z.enum(['yes', 'no'])
    case 'date':
      return z.date()
    case 'instant':
      return z.iso.datetime()
    case 'enum':
      return z.enum([...kind.values])
    case 'literal':
      return z.literal(kind.value)
    case 'object':
      return at(kind.object)
    case 'list':
      return z.array(of(kind.of))
    case 'record':
      return z.record(z.string(), of(kind.of))
    case 'maybe':
      return z.optional(of(kind.of))
    case 'nullable':
      return z.nullable(of(kind.of))
    case 'lazy':
      return z.lazy(() => of(kind.of))
    case 'boxed':
      return z.object({ v: of(kind.of) })
    case 'default':
      return z._default(of(kind.of), kind.value)
    case 'tuple': {
      const items = kind.items.map(of) as [z.ZodType, ...z.ZodType[]]
      return kind.rest === undefined ? z.tuple(items) : z.tuple(items, of(kind.rest))
    }
    case 'choice':
      return z.discriminatedUnion(
        discriminatorOf(at(kind.options[0] ?? 0)),
        kind.options.map(at) as unknown as [z.ZodObject<{ kind: z.ZodLiteral<string> }>],
      )
    case 'either':
      return z.union([at(kind.object), z.string()])
    case 'page':
      return z.object({ items: z.array(of(kind.of)), next: z.string().nullable() })
    case 'envelope':
      return z.object({ data: of(kind.of) })
  }
}

/** The name of the literal of a model, which is its first field unless it was another one before. */
function discriminatorOf({ shape }: z.ZodObject): string {
  return Object.keys(shape).find((key) => Reflect.get(shape, key) instanceof z.ZodLiteral) ?? 'kind'
}

function toModel({ name, entries }: ObjectSpec, of: (kind: Kind) => z.ZodType): z.ZodObject {
  const fields: Record<string, z.ZodType> = {}
  for (const entry of entries)
    Object.defineProperty(fields, entry.name, { enumerable: true, get: () => of(entry.kind) })
  return model(name, fields)
}

/** An object with fields of its own. */
function toCopy({ entries, mode }: ObjectSpec, of: (kind: Kind) => z.ZodType): z.ZodObject {
  const made = z.object(Object.fromEntries(entries.map(({ name, kind }) => [name, of(kind)])))
  return mode === 'strict' ? made.strict() : mode === 'loose' ? made.loose() : made
}

function toPart(
  { model: id, entries, mode, isPartial, isDerived, isRest, refined, guest }: ObjectSpec,
  schemas: readonly z.ZodObject[],
  of: (kind: Kind) => z.ZodType,
): z.ZodObject {
  const whole = schemas[id] ?? z.object({})
  const make = (): z.ZodObject => {
    const own = entries.filter(({ slot, isGuest }) => slot !== undefined && isGuest !== true)
    const kept: Record<string, never> = Object.fromEntries(own.map(({ name }) => [name, true])) as never
    const others = Object.keys(whole.shape).filter((name) => kept[name] === undefined)
    const dropped: Record<string, never> = Object.fromEntries(others.map((name) => [name, true])) as never
    let made: z.ZodObject =
      others.length === 0 ? whole : isRest === true ? whole.omit(dropped) : whole.pick(kept)
    const extra: Record<string, z.ZodType> = {}
    for (const { name, slot, kind, wrap, value, isGuest } of entries) {
      if (slot === undefined) extra[name] = of(kind)
      else if (isGuest === true)
        extra[name] = (Reflect.get(schemas[guest ?? -1]?.shape ?? {}, name) as z.ZodType).optional()
      else if (!isPartial && wrap !== 'none') {
        const field = Reflect.get(whole.shape, name) as z.ZodType
        extra[name] =
          wrap === 'maybe' ? field.optional() : wrap === 'nullable' ? field.nullable() : field.default(value)
      }
    }
    if (Object.keys(extra).length > 0) made = made.extend(extra)
    if (isPartial) made = made.partial()
    const ended = mode === 'strict' ? made.strict() : mode === 'loose' ? made.loose() : made
    return refined === undefined
      ? ended
      : ended.refine((value) => Reflect.get(value, refined) !== 'q', 'the refinement refuses it')
  }
  return isDerived ? (untyped(derive)(whole, make) as z.ZodObject) : make()
}

/** Makes the history of a world. */
export function toHistory(
  { versions, steps, routes, objects, isReversed }: World,
  schemas: readonly z.ZodObject[],
  {
    of = (kind) => toSchema(kind, schemas),
    loads = [],
    parts: extras = [],
    changes = new Map<string, unknown>(),
  }: {
    readonly of?: (kind: Kind) => z.ZodType
    readonly loads?: string[]
    readonly parts?: readonly BuiltPart[]
    readonly changes?: Map<string, unknown>
  } = {},
): unknown {
  const ids = [...new Set(steps.map(({ change }) => change))]
  for (const id of ids) {
    const own = steps.filter(({ change }) => change === id)
    const parts = own.map((step) => {
      const copies = objects.filter(({ isCopy, model: whole }) => isCopy === true && whole === step.model)
      const applies = copies.flatMap((copy) => schemas[copy.id] ?? [])
      return toReshape({ step, applies, loads }, schemas, changes, of)
    })
    changes.set(
      id,
      untyped(defineVersionChange)({ version: versions[own[0]?.version ?? 0], title: id, change: parts }),
    )
  }
  const operations = routes.flatMap((route) =>
    route.operations.map((each) =>
      untyped(defineVersionChange)({
        version: versions[each.version],
        title: each.change,
        change: [
          untyped(operation)({
            route: `c.${route.name}`,
            ...(each.path === undefined ? {} : { path: { was: each.path } }),
            ...(each.method === undefined ? {} : { method: { was: each.method } }),
            ...(each.parameter === undefined && each.limit === undefined
              ? {}
              : {
                  query: {
                    ...(each.parameter && { [each.parameter.now]: { was: each.parameter.was } }),
                    ...(each.limit && { limit: LIMITS[each.limit]() }),
                  },
                }),
            ...(each.body && {
              body: { now: of(each.body.now), was: of(each.body.was), up: each.body.up },
            }),
            ...(each.error && { errors: { [each.error.now ?? 'lost']: toError(each.error, each.change) } }),
            response: {
              ...(each.answer && {
                body: {
                  [each.answer.status]: {
                    now: of(each.answer.now),
                    was: of(each.answer.was),
                    down: each.answer.down,
                  },
                },
              }),
              ...(each.status === undefined
                ? {}
                : { status: { [each.status.now]: { was: each.status.was } } }),
              ...(each.header === undefined
                ? {}
                : { headers: { [each.header.now]: { was: each.header.was ?? absent } } }),
            },
          }),
        ],
      }),
    ),
  )
  for (const { version, change, part } of extras)
    operations.push(
      untyped(defineVersionChange)({ version: versions[version], title: change, change: [part] }),
    )
  return untyped(defineVersions)({
    versions,
    models: Object.fromEntries(
      objects.filter(({ id, model: own }) => id === own).map(({ id, name }) => [name, schemas[id]]),
    ),
    changes: isReversed
      ? [...operations, ...changes.values()].toReversed()
      : [...changes.values(), ...operations],
    messages: schemas,
  })
}

function toError({ was, status, isMarked }: ErrorSpec, change: string): object {
  return {
    ...(was === undefined ? {} : { was }),
    ...(status === undefined ? {} : { status }),
    ...(isMarked ? { down: (problem: object) => ({ ...problem, [change]: true }) } : {}),
  }
}

function toReshape(
  {
    step,
    applies,
    loads,
  }: {
    readonly step: StepSpec
    readonly applies: readonly z.ZodObject[]
    readonly loads: string[]
  },
  schemas: readonly z.ZodObject[],
  changes: ReadonlyMap<string, unknown>,
  of: (kind: Kind) => z.ZodType,
): unknown {
  const whole = schemas[step.model]
  return untyped(reshape)({
    of: step.before === undefined ? whole : untyped(before)(changes.get(step.before), whole),
    fields: Object.fromEntries(step.moves.map((move) => toField(move, of))),
    ...(step.reads.length === 0 ? {} : { reads: step.reads.map(({ name }) => name) }),
    ...functionsOf(step, loads),
    ...(step.refined === undefined
      ? {}
      : {
          refine: (old: Readonly<Record<string, unknown>>) =>
            old[step.refined ?? ''] !== 'q' || 'the refinement refuses it',
        }),
    ...(applies.length === 0 ? {} : { applies }),
    ...(step.not.length === 0 ? {} : { not: step.not.map((id) => schemas[id]) }),
  })
}

type Values = Readonly<Record<string, unknown>>

/** The functions of a step. If it loads something, they fail without what was loaded for their object. */
function functionsOf({ up, down, isLoading, change, model: id }: StepSpec, loads: string[]): object {
  if (isLoading !== true) return { ...(up && { up }), ...(down && { down }) }
  const load = (way: string) => async (values: readonly Values[]) => {
    loads.push(`${way} ${change} ${id}`)
    return new Set(values.map(shown))
  }
  const checked =
    (call: (values: Values) => Values) =>
    (values: Values, { loaded }: { readonly loaded: ReadonlySet<string> }) => {
      if (!loaded.has(shown(values))) throw new Error('nothing was loaded for it')
      return call(values)
    }
  return {
    load: { ...(up && { up: load('up') }), ...(down && { down: load('down') }) },
    ...(up && { up: checked(up) }),
    ...(down && { down: checked(down) }),
  }
}

function toField(move: Move, of: (kind: Kind) => z.ZodType): readonly [string, object] {
  switch (move.t) {
    case 'rename':
      return [move.now, { was: move.was }]
    case 'gone':
      return [move.name, { was: absent }]
    case 'born':
      return [move.name, { was: of(move.kind), ...(move.isKept === true ? { kept: true } : {}) }]
    case 'turn': {
      const { up, down } = move
      return [
        move.name,
        {
          was: of(move.was),
          ...(move.isNarrowed === true ? { narrowed: true } : {}),
          ...(move.isAccepted === true ? { accepted: true } : {}),
          ...(up === undefined ? {} : { up }),
          ...(down === undefined ? {} : { down }),
        },
      ]
    }
  }
}
