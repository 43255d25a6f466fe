/* oxlint-disable complexity -- it chooses among everything that input may be */
import { absent, operation } from 'octavo/changes'
import { z } from 'zod'

import type { Random } from '../../fault/fuzz/random.ts'
import { Refused } from './reference.ts'
import { toTexts } from './trial.ts'
import type { BuiltPart, Expected, Note, Place, Source, Trial } from './trial.ts'
import type { Kind } from './world.ts'

const SOURCES = ['params', 'query', 'headers', 'cookies', 'body'] as const
type SourceName = (typeof SOURCES)[number]

/** A value that travels through the sources of requests. `most` is a limit of the newest version alone. */
interface Token {
  readonly t: 'text' | 'int' | 'flag'
  readonly isOptional: boolean
  readonly most: number | undefined
}

interface Spot {
  readonly source: SourceName
  readonly name: string
  /** Whether an int was a text of digits. */
  readonly isText: boolean
}

/** Where each value stands in requests. */
interface Layout {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** By token. One that is missing did not exist. */
  readonly spots: ReadonlyMap<number, Spot>
  /** Where the value with models stands: as the body, in a member of it, or as the query. */
  readonly payload: 'root' | 'data' | 'query' | undefined
  /** Whether it has a parameter that no other version has. */
  readonly hasStray: boolean
}

export interface MovingSpec {
  readonly t: 'moving'
  readonly name: string
  readonly payload: Kind | undefined
  readonly tokens: readonly Token[]
  readonly newest: Layout
  /** The sources that newer operations described as a whole, even those with nothing in them. */
  readonly described?: readonly SourceName[]
  /** The newest path with its prefix, if newer operations changed it before. */
  readonly path?: string
  /** Newest first. */
  readonly operations: readonly MovingOperation[]
}

interface MovingOperation {
  readonly version: number
  readonly change: string
  /** The layout before it, and the sources that it describes. */
  readonly input:
    | { readonly layout: Layout; readonly sources: readonly SourceName[]; readonly isNarrowed: boolean }
    | undefined
  /** The earlier name of a token of the layout behind it. */
  readonly renamed:
    | { readonly token: number; readonly source: SourceName; readonly now: string; readonly was: string }
    | undefined
  readonly path: string | undefined
  readonly method: Layout['method'] | undefined
}

/** Makes a random route whose values moved between the sources of requests. */
export function makeMoving(at: number, { random, versions, outer, flat }: Source): MovingSpec {
  const tokens = Array.from({ length: 1 + random.below(4) }, (): Token => {
    const t = random.pick(['text', 'int', 'flag'] as const)
    return { t, isOptional: random.chance(0.3), most: t === 'int' && random.chance(0.3) ? 6000 : undefined }
  })
  const isFlat = random.chance(0.4)
  const payload = random.chance(0.3) ? undefined : isFlat ? flat() : outer()
  const canBeQuery = payload !== undefined && isFlat
  const pool = new Set<SourceName>()
  const layoutOf = (before: Layout | undefined): Layout => {
    const place =
      payload === undefined
        ? undefined
        : before !== undefined && (!pool.has('body') || (before.payload === 'query' && !pool.has('query')))
          ? before.payload
          : random.pick(
              canBeQuery && (before === undefined || pool.has('query'))
                ? (['root', 'data', 'query'] as const)
                : (['root', 'data'] as const),
            )
    const spots = new Map<number, Spot>()
    for (const [index, token] of tokens.entries()) {
      const known = before?.spots.get(index)
      if (before !== undefined && known !== undefined && !pool.has(known.source)) {
        spots.set(index, known)
        continue
      }
      const free = (before === undefined ? SOURCES : [...pool]).filter(
        (source) =>
          (source !== 'params' || !token.isOptional) &&
          (source !== 'body' || place !== 'root') &&
          (source !== 'query' || place !== 'query'),
      )
      const source = free[random.below(free.length)]
      if (source === undefined || (before !== undefined && random.chance(0.12))) continue
      const name =
        random.chance(0.3) && known !== undefined && isNameOf(known.name, source)
          ? known.name
          : nameOf(source, index, before === undefined ? 0 : random.below(90) + 10)
      spots.set(index, { source, name, isText: token.t === 'int' && random.chance(0.3) })
    }
    const isBody = hasBody({ spots, payload: place })
    const old = before?.method
    const isFit = old !== undefined && (old === 'GET') !== isBody
    const method = isFit && random.chance(0.6) ? old : isBody ? random.pick(['POST', 'PUT'] as const) : 'GET'
    return {
      method,
      spots,
      payload: place,
      hasStray: before !== undefined && place !== 'query' && pool.has('query') && random.chance(0.3),
    }
  }
  const newest = layoutOf(undefined)
  let layout = newest
  const operations: MovingOperation[] = []
  const renamed = new Set<number>()
  for (let version = 0; version < versions - 1; version++) {
    if (!random.chance(0.6)) continue
    const change = `i${at}-${version}`
    const isInput = random.chance(0.6)
    if (!isInput) {
      const [token, spot] =
        [...layout.spots]
          .filter(
            ([id, { source }]) =>
              !renamed.has(id) && (source === 'query' || source === 'cookies' || source === 'headers'),
          )
          .at(0) ?? []
      if (token === undefined || spot === undefined) continue
      renamed.add(token)
      operations.push({
        version,
        change,
        input: undefined,
        renamed: {
          token,
          source: spot.source,
          now: spot.name,
          was: nameOf(spot.source, token, 100 + version),
        },
        path: undefined,
        method: undefined,
      })
      continue
    }
    for (const source of SOURCES) if (random.chance(0.5)) pool.add(source)
    if (pool.size === 0) pool.add('query')
    const before = layout
    layout = layoutOf(layout)
    renamed.clear()
    for (const [id, spot] of layout.spots) if (before.spots.get(id) === spot) renamed.add(id)
    const path =
      pool.has('params') || random.chance(0.3) ? `/was${version}/i${at}${paramsIn(layout)}` : undefined
    const sources = SOURCES.filter((source) => pool.has(source))
    operations.push({
      version,
      change,
      input: { layout, sources, isNarrowed: random.chance(0.5) },
      renamed: undefined,
      path,
      method: layout.method === before.method ? undefined : layout.method,
    })
  }
  return { t: 'moving', name: `i${at}`, payload, tokens, newest, operations }
}

function nameOf(source: SourceName, token: number, mark: number): string {
  return source === 'headers' ? `x-t${token}-${mark}` : `t${token}_${mark}`
}

function isNameOf(name: string, source: SourceName): boolean {
  return name.startsWith('x-') === (source === 'headers')
}

function paramsIn({ spots }: Layout): string {
  return [...spots.values()]
    .flatMap(({ source, name }) => (source === 'params' ? [`/{${name}}`] : []))
    .join('')
}

/** The sources that a layout has, with their schemas. */
function schemasOf(
  { tokens, payload: kind }: MovingSpec,
  { spots, payload, hasStray }: Layout,
  of: (kind: Kind) => z.ZodType,
  isNewest: boolean,
): ReadonlyMap<SourceName, z.ZodType> {
  const made = new Map<SourceName, z.ZodType>()
  for (const source of SOURCES) {
    const shape: Record<string, z.ZodType> = {}
    for (const [index, spot] of spots) {
      const token = tokens[index]
      if (token === undefined || spot.source !== source) continue
      const schema = schemaOf(token, spot, isNewest)
      shape[spot.name] = token.isOptional ? schema.optional() : schema
    }
    if (source === 'query' && hasStray) shape['stray'] = z.string().optional()
    if (source === 'body' && payload === 'data' && kind !== undefined) shape['data'] = of(kind)
    const isWhole =
      kind !== undefined &&
      ((source === 'body' && payload === 'root') || (source === 'query' && payload === 'query'))
    if (isWhole) made.set(source, of(kind))
    else if (Object.keys(shape).length > 0) made.set(source, z.object(shape))
  }
  return made
}

function schemaOf({ t, most }: Token, { isText }: Spot, isNewest: boolean): z.ZodType {
  if (t === 'text') return z.string()
  if (t === 'flag') return z.boolean()
  if (isText) return z.string().regex(/^\d+$/)
  // a negative one is not written in digits
  const whole = z.int().min(0)
  return isNewest && most !== undefined ? whole.max(most) : whole
}

type Untyped = (...given: readonly unknown[]) => unknown

/** Makes the route and the parts of its changes. */
export function buildMoving(
  spec: MovingSpec,
  of: (kind: Kind) => z.ZodType,
  note: Note,
): { readonly route: { readonly path: string }; readonly parts: readonly BuiltPart[] } {
  const empty = (spec.described ?? []).flatMap((source) =>
    source === 'body' ? [] : [[source, z.object({})] as const],
  )
  const input = Object.fromEntries([...empty, ...schemasOf(spec, spec.newest, of, true)])
  const route = {
    method: spec.newest.method,
    path: spec.path ?? `/c/${spec.name}${paramsIn(spec.newest)}`,
    name: spec.name,
    input,
    response: z.object({ ok: z.boolean() }),
  }
  const parts = spec.operations.map(({ version, change, input: moved, renamed, path, method }): BuiltPart => {
    const noted = (old: Values): void => note(change, old)
    const part = (operation as Untyped)({
      route: `c.${spec.name}`,
      ...(path === undefined ? {} : { path: { was: path } }),
      ...(method === undefined ? {} : { method: { was: method } }),
      ...(renamed === undefined ? {} : { [renamed.source]: { [renamed.now]: { was: renamed.was } } }),
      ...(moved === undefined ? {} : { input: inputOf(spec, moved, stateOf(spec, version), of, noted) }),
    })
    return { version, change, part }
  })
  return { route, parts }
}

function inputOf(
  spec: MovingSpec,
  { layout, sources, isNarrowed }: NonNullable<MovingOperation['input']>,
  after: State,
  of: (kind: Kind) => z.ZodType,
  note: (old: Values) => void,
): object {
  const schemas = schemasOf(spec, layout, of, false)
  const was = Object.fromEntries(
    sources.map((source) => [source, schemas.get(source) ?? (source === 'body' ? absent : z.object({}))]),
  )
  return {
    was,
    ...(isNarrowed ? { narrowed: true } : {}),
    up: (old: Values) => {
      note(old)
      return moveValues(spec, layout, after, sources, old)
    },
  }
}

type Values = Readonly<Record<string, unknown>>

/** The sources since a change, made of those of a layout. */
function moveValues(
  spec: MovingSpec,
  layout: Layout,
  after: State,
  sources: readonly SourceName[],
  old: Values,
): Values {
  const made: Record<string, unknown> = {}
  const put = (source: SourceName, name: string, value: unknown): void => {
    if (sources.includes(source))
      made[source] = { ...Object(made[source]), ...(value === undefined ? {} : { [name]: value }) }
  }
  for (const [index, spot] of after.layout.spots) {
    const token = spec.tokens[index]
    const before = layout.spots.get(index)
    if (token === undefined) continue
    const found = before === undefined ? newestOf(token) : Object(old[before.source])[before.name]
    put(
      spot.source,
      after.names.get(index) ?? spot.name,
      turned(token, before?.isText ?? false, spot.isText, found),
    )
  }
  const place = layout.payload
  const payload =
    place === 'data'
      ? Object(old['body']).data
      : place === undefined
        ? undefined
        : old[place === 'root' ? 'body' : 'query']
  const now = after.layout.payload
  if (now === 'data') put('body', 'data', payload)
  else if (now !== undefined && sources.includes(now === 'root' ? 'body' : 'query'))
    made[now === 'root' ? 'body' : 'query'] = payload
  return made
}

/** The value of a token that did not exist. */
function newestOf({ t, isOptional }: Token): unknown {
  return isOptional ? undefined : t === 'text' ? 'made' : t === 'int' ? 7 : true
}

function turned({ t }: Token, wasText: boolean, isText: boolean, value: unknown): unknown {
  if (value === undefined || t !== 'int') return value
  return isText ? `${Number(value)}` : wasText ? Number(value) : value
}

/** The layout of a version, the names that its parameters have there, and the sources that a function converts. */
interface State {
  readonly method: Layout['method']
  readonly path: string
  readonly layout: Layout
  /** The layout of each source: that of the newest version if no function converts it. */
  readonly names: ReadonlyMap<number, string>
  readonly input: MovingOperation['input']
}

function stateOf({ name, newest, path: own, operations }: MovingSpec, version: number): State {
  const older = operations.filter((each) => each.version < version)
  const at = older.findLastIndex(({ input }) => input !== undefined)
  const layout = older[at]?.input?.layout ?? newest
  const moved: readonly SourceName[] = older[at]?.input?.sources ?? []
  const names = new Map([...layout.spots].map(([id, spot]) => [id, spot.name]))
  for (const [index, { renamed }] of older.entries())
    if (renamed !== undefined && (index > at || !moved.includes(renamed.source)))
      if (layout.spots.get(renamed.token)?.source === renamed.source) names.set(renamed.token, renamed.was)
  return {
    method: older.findLast(({ method }) => method !== undefined)?.method ?? newest.method,
    path: older.findLast(({ path }) => path !== undefined)?.path ?? own ?? `/c/${name}${paramsIn(newest)}`,
    layout,
    names,
    input: older[at]?.input,
  }
}

/** The route as a team would have written it at a version. */
export function movingBefore(spec: MovingSpec, at: number): MovingSpec {
  const { method, path, layout, names, input } = stateOf(spec, at)
  const spots = new Map(
    [...layout.spots].map(([id, spot]) => [id, { ...spot, name: names.get(id) ?? spot.name }]),
  )
  // functions return the newest names, which newer changes have renamed
  const rename = ({ spots: own }: Layout): Layout['spots'] =>
    new Map(
      [...own].map(([id, spot]) =>
        spot.name === spec.newest.spots.get(id)?.name
          ? [id, { ...spot, name: names.get(id) ?? spot.name }]
          : [id, spot],
      ),
    )
  const isMoved = (id: number): boolean =>
    input?.sources.some((source) => source === spots.get(id)?.source) === true
  return {
    ...spec,
    // older schemas of sources that functions convert have no limit
    tokens: spec.tokens.map((token, id) => (isMoved(id) ? { ...token, most: undefined } : token)),
    newest: { ...layout, method, spots },
    path,
    described: input?.sources ?? [],
    operations: spec.operations
      .filter(({ version }) => version >= at)
      .map((each) => ({
        ...each,
        version: each.version - at,
        ...(each.input && {
          input: { ...each.input, layout: { ...each.input.layout, spots: rename(each.input.layout) } },
        }),
      })),
  }
}

/** What comes of the input that a handler of a version got, for the newest handler. */
export function carryMoving(spec: MovingSpec, place: Place, seen: Values): Expected | undefined {
  const { layout, names, input } = stateOf(spec, place.version)
  const values = new Map(
    [...layout.spots].map(([id, { source, name }]) => [id, Object(seen[source])[names.get(id) ?? name]]),
  )
  const { body, query } = seen
  const payload = layout.payload === 'data' ? Object(body).data : layout.payload === 'query' ? query : body
  return expectedOf(spec, { layout, input, values, payload }, place)
}

/** The kinds of the sources of all versions that hold models. */
export function movingSources({ payload, newest, operations }: MovingSpec): readonly Kind[] {
  const layouts = [newest, ...operations.flatMap(({ input }) => input?.layout ?? [])]
  return payload === undefined
    ? []
    : layouts.map((layout) => (layout.payload === 'data' ? { t: 'envelope', of: payload } : payload))
}

/** Makes a call of a version: every other one has a mistake. */
export function tryMoving(
  spec: MovingSpec,
  { random, reference, version }: Place,
  isSpoiled: boolean,
): Trial | undefined {
  const { method, path, layout, names, input } = stateOf(spec, version)
  const values = new Map<number, unknown>()
  const sent = new Map<SourceName, Record<string, unknown>>()
  for (const [id, spot] of layout.spots) {
    const token = spec.tokens[id]
    if (token === undefined) continue
    const value = token.isOptional && random.chance(0.4) ? undefined : valueOf(random, token, spot)
    values.set(id, value)
    if (value !== undefined) sent.set(spot.source, { ...sent.get(spot.source), [names.get(id) ?? '']: value })
  }
  let issue: Expected['issue']
  if (isSpoiled) {
    const [id, spot] =
      [...layout.spots].findLast(([token, each]) => spec.tokens[token]?.t !== 'text' && !each.isText) ?? []
    if (id === undefined || spot === undefined) return undefined
    const name = names.get(id) ?? ''
    sent.set(spot.source, { ...sent.get(spot.source), [name]: 'wrong' })
    issue = [spot.source, [name]]
  }
  if (layout.hasStray && random.chance(0.5)) sent.set('query', { ...sent.get('query'), stray: 'any' })
  const { payload: kind } = spec
  const payload =
    kind === undefined
      ? undefined
      : payloadOf({ random, reference, version }, kind, layout.payload === 'query')
  const body =
    layout.payload === 'root'
      ? payload
      : layout.payload === 'data'
        ? { ...sent.get('body'), data: payload }
        : sent.get('body')
  const params = toTexts(sent.get('params'))
  const cookies = Object.entries(toTexts(sent.get('cookies'))).map(
    ([key, value]) => `${key}=${encodeURIComponent(value)}`,
  )
  const call = {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? 'x')),
    query: toTexts(layout.payload === 'query' ? payload : sent.get('query')),
    headers: {
      ...toTexts(sent.get('headers')),
      ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
    },
    body: body ?? (hasBody(layout) ? {} : undefined),
    result: () => ({ ok: true }),
  }
  if (issue !== undefined) return { ...call, expected: { status: 422, issue } }
  const expected = expectedOf(spec, { layout, input, values, payload }, { random, reference, version })
  return expected && { ...call, expected }
}

function hasBody({ spots, payload }: Pick<Layout, 'spots' | 'payload'>): boolean {
  return (
    payload === 'root' || payload === 'data' || [...spots.values()].some(({ source }) => source === 'body')
  )
}

function expectedOf(
  spec: MovingSpec,
  {
    layout,
    input,
    values,
    payload,
  }: {
    readonly layout: Layout
    readonly input: MovingOperation['input']
    readonly values: ReadonlyMap<number, unknown>
    readonly payload: unknown
  },
  { reference, version }: Place,
): Expected | undefined {
  const { payload: kind } = spec
  let converted
  let isRefused = false
  try {
    converted =
      kind === undefined ? undefined : reference.up(kind, reference.parse(kind, payload, version), version)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    isRefused = true
  }
  const seen: Record<string, unknown> = {}
  for (const [id, spot] of spec.newest.spots) {
    const token = spec.tokens[id]
    if (token === undefined) continue
    const layouts = layoutsSince(spec, layout)
    let value: unknown = values.get(id)
    for (const [index, next] of layouts.entries()) {
      const [was, now] = [layouts[index - 1]?.spots.get(id), next.spots.get(id)]
      if (index > 0 && now !== undefined)
        value = turned(token, was?.isText ?? false, now.isText, was === undefined ? newestOf(token) : value)
    }
    if (token.most !== undefined && !spot.isText && Number(value) > token.most) {
      const maker = spec.operations.find((each) => each.input?.sources.includes(spot.source) === true)?.input
      const isMoved = input?.sources.includes(spot.source) === true
      const isFailure = isMoved && maker?.isNarrowed === false
      // of two mistakes either one may be told
      return isFailure && isRefused ? undefined : { status: isFailure ? 500 : 422 }
    }
    seen[spot.source] = {
      ...Object(seen[spot.source]),
      ...(value === undefined ? {} : { [spot.name]: value }),
    }
  }
  if (isRefused) return { status: 422 }
  const place = spec.newest.payload
  if (place === 'data') seen['body'] = { ...Object(seen['body']), data: converted }
  else if (place !== undefined) seen[place === 'root' ? 'body' : 'query'] = converted
  return { status: 200, seen, kept: Object.fromEntries(reference.kept), body: { ok: true } }
}

/** The layouts of a version and of the newer ones, which changes convert one after the other. */
function layoutsSince({ newest, operations }: MovingSpec, layout: Layout): readonly Layout[] {
  const older = operations.flatMap(({ input }) => input?.layout ?? [])
  return [newest, ...older.slice(0, older.indexOf(layout) + 1)].toReversed()
}

/** A value of the payload; of one that is written as a query, without null. */
function payloadOf({ random, reference, version }: Place, kind: Kind, isQuery: boolean): unknown {
  for (;;) {
    const value = reference.value(random, kind, version)
    if (!isQuery || !Object.values(Object(value)).includes(null)) return value
  }
}

function valueOf(random: Random, { t }: Token, { isText }: Spot): unknown {
  if (t === 'text') return random.pick(['x', 'a b', 'é', '7'])
  if (t === 'flag') return random.chance(0.5)
  return isText ? String(random.below(9000)) : random.below(9000)
}
