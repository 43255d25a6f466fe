/* oxlint-disable complexity -- it chooses among everything that lists may be */
import { HttpError, reply } from 'octavo'
import { absent, operation } from 'octavo/changes'
import { z } from 'zod'

import type { BuiltPart, Expected, Note, Place, Source, Trial } from './trial.ts'
import type { Kind } from './world.ts'

/** How a page names the one after it. */
const STYLES = ['cursor', 'offset', 'number', 'after'] as const

export interface PagedSpec {
  readonly t: 'paged'
  readonly name: string
  readonly item: Kind
  readonly style: (typeof STYLES)[number]
  /** The member of a page that has its items. */
  readonly key: string
  /** Whether a page has another list, too. */
  readonly hasOther: boolean
  readonly hasReply: boolean
  readonly version: number
  readonly change: string
  readonly atMost: number
  /** What the list was, if it was not a plain one. */
  readonly was: 'list' | 'rows' | 'counted'
  /** Whether the parameters of pages did not exist. */
  readonly isHidden: boolean
  /** How many items of a page older versions get at once, if an operation says so. */
  readonly limit: number | undefined
  /** The place of the version that is the newest. @default 0 */
  readonly from?: number
  /** Older and newer operations, newest first. */
  readonly operations: readonly PagedOperation[]
}

interface PagedOperation {
  readonly version: number
  readonly change: string
  readonly path: string | undefined
  readonly status: number | undefined
  /** The earlier name of the filter `least`. */
  readonly filter: string | undefined
  /** Whether the list was in a member `data`. */
  readonly isEnveloped: boolean
}

/** Makes a random list that became pages. */
export function makePaged(at: number, { random, versions, outer }: Source): PagedSpec {
  const version = random.below(versions - 1)
  const style = random.pick(STYLES)
  const operations = Array.from({ length: versions - 1 }, (_, index): PagedOperation => ({
    version: index,
    change: `p${at}-${index}`,
    path: random.chance(0.2) ? `/was${index}/p${at}` : undefined,
    status: random.chance(0.2) ? 210 + index : undefined,
    filter: random.chance(0.3) ? `least${index}` : undefined,
    isEnveloped: index > version && random.chance(0.3),
  })).filter(isSomething)
  return {
    t: 'paged',
    name: `p${at}`,
    item: outer(),
    style,
    key: random.pick(['items', 'data', 'results']),
    hasOther: random.chance(0.2),
    hasReply: random.chance(0.3),
    version,
    change: `p${at}`,
    atMost: random.pick([1, 5, 8, 100]),
    was: random.pick(['list', 'list', 'rows', 'counted']),
    isHidden: random.chance(0.5),
    limit: random.chance(0.3) ? 1 + random.below(4) : undefined,
    operations,
  }
}

function isSomething({ path, status, filter, isEnveloped }: PagedOperation): boolean {
  return path !== undefined || status !== undefined || filter !== undefined || isEnveloped
}

/** The route as a team would have written it at a version, and with the newer changes of which it can be said. */
export function pagedBefore(
  spec: PagedSpec,
  at: number,
): { readonly before: PagedSpec; readonly after: PagedSpec } {
  // pages are those of a 200
  const operations = spec.operations
    .map((each) => (each.version < at && spec.version >= at ? { ...each, status: undefined } : each))
    .filter(isSomething)
  const after = { ...spec, operations }
  return { before: { ...after, from: at }, after }
}

const DEFAULT = 3
/** The number of an item in its list, which the filter compares. */
const PARAMETERS = { cursor: 'cursor', offset: 'offset', number: 'page', after: 'after' } as const

/** The newest page as a kind, so that the reference can read it. */
function pageSchema({ item, style, key, hasOther }: PagedSpec, of: (kind: Kind) => z.ZodType): z.ZodObject {
  return z.object({
    ...(hasOther ? { others: z.array(z.string()) } : {}),
    [key]: z.array(of(item)),
    ...(style === 'cursor' ? { next: z.string().nullable() } : {}),
    ...(style === 'offset' ? { total: z.int() } : {}),
    ...(style === 'number' ? { page: z.int(), pages: z.int() } : {}),
    ...(style === 'after' ? { last: z.int(), has_more: z.boolean() } : {}),
  })
}

type Untyped = (...given: readonly unknown[]) => unknown
type Values = Readonly<Record<string, unknown>>

/** Makes the route and the parts of its changes. */
export function buildPaged(
  spec: PagedSpec,
  of: (kind: Kind) => z.ZodType,
  note: Note,
): { readonly route: { readonly path: string }; readonly parts: readonly BuiltPart[] } {
  const { name, style, key, was, item, atMost, isHidden, limit, from = 0 } = spec
  const page = pageSchema(spec, of)
  const parameter = PARAMETERS[style]
  const newest = namesAt(spec, from)
  const list = z.array(of(item))
  const states = {
    list,
    rows: z.object({ rows: list }),
    counted: z.object({ count: z.int(), list }),
  } as const
  const isWhole = spec.version < from
  let answer: z.ZodType = states[was]
  for (const { isEnveloped } of newest.newer) if (isEnveloped) answer = z.object({ data: answer })
  const route = {
    method: 'GET',
    path: newest.path,
    name,
    input: {
      query: {
        // a page before the first one has no items
        ...(isWhole && isHidden
          ? {}
          : { [parameter]: style === 'cursor' ? z.string().optional() : z.int().min(0).optional() }),
        ...(isWhole && limit !== undefined ? {} : { limit: z.int().default(DEFAULT) }),
        [newest.filter]: z.int().default(0),
      },
    },
    response: { [newest.status]: isWhole ? answer : page },
  }
  const noted = (now: Values): Values => {
    note(spec.change, now)
    return now
  }
  const downs = {
    list: undefined,
    rows: (now: Values) => ({ rows: noted(now)[key] }),
    counted: (now: Values) => ({ count: Object(noted(now)[key]).length, list: now[key] }),
  } as const
  const next =
    style === 'number'
      ? (now: Values) =>
          Number(now['page']) < Number(now['pages']) ? { page: Number(now['page']) + 1 } : undefined
      : (now: Values) => (now['has_more'] === true ? { after: now['last'] } : undefined)
  const paged = {
    now: page,
    was: states[was],
    atMost,
    ...(downs[was] && { down: downs[was] }),
    ...(style === 'number' || style === 'after' ? { next } : {}),
  }
  const query = {
    ...(isHidden ? { [parameter]: { was: absent } } : {}),
    ...(limit === undefined ? {} : { limit: { was: absent, up: () => limit } }),
  }
  const parts: BuiltPart[] = []
  if (!isWhole)
    parts.push({
      version: spec.version - from,
      change: spec.change,
      part: (operation as Untyped)({
        route: `c.${name}`,
        paged,
        ...(Object.keys(query).length > 0 ? { query } : {}),
      }),
    })
  for (const { version, change, path, status, filter, isEnveloped } of spec.operations) {
    if (version < from) continue
    const now = answer
    const down = (data: unknown): object => {
      note(change, data)
      return { data }
    }
    if (isEnveloped) answer = z.object({ data: now })
    const part = (operation as Untyped)({
      route: `c.${name}`,
      ...(path === undefined ? {} : { path: { was: path } }),
      ...(filter === undefined ? {} : { query: { [newest.filter]: { was: filter } } }),
      response: {
        ...(status === undefined ? {} : { status: { [newest.status]: { was: status } } }),
        ...(isEnveloped ? { body: { [newest.status]: { now, was: answer, down } } } : {}),
      },
    })
    parts.push({ version: version - from, change, part })
  }
  return { route, parts }
}

/** What the parts of the route are called in a version, and the operations that it lacks. */
function namesAt(
  { name, operations }: PagedSpec,
  version: number,
): {
  readonly path: string
  readonly status: number
  readonly filter: string
  readonly newer: readonly PagedOperation[]
} {
  const newer = operations.filter((each) => each.version < version)
  return {
    path: newer.findLast(({ path }) => path !== undefined)?.path ?? `/c/${name}`,
    status: newer.findLast(({ status }) => status !== undefined)?.status ?? 200,
    filter: newer.findLast(({ filter }) => filter !== undefined)?.filter ?? 'least',
    newer,
  }
}

/** Makes a call of a version. One that is spoiled fails in a later page. */
export function tryPaged(
  spec: PagedSpec,
  { random, reference, version }: Place,
  isSpoiled: boolean,
): Trial | undefined {
  const { path, filter } = namesAt(spec, version)
  const isWhole = spec.version < version
  const parameter = PARAMETERS[spec.style]
  const rows = Array.from({ length: random.below(12) }, () => reference.result(random, spec.item))
  const least = random.pick([undefined, undefined, 0, 2, 20])
  const found = rows.slice(least ?? 0)
  const asked = spec.limit !== undefined && isWhole ? undefined : random.pick([undefined, undefined, 1, 5])
  const limit = asked ?? (isWhole ? spec.limit : undefined) ?? DEFAULT
  const canStart = !isWhole || !spec.isHidden
  // the first page that a client asks for, from 0
  const start = canStart && random.chance(0.3) ? random.below(2) : 0
  const pages = Math.max(1, Math.ceil(found.length / limit))
  const failing = isSpoiled ? random.below(4) : Infinity
  const pageOf = (at: number): object => {
    const items = found.slice(at * limit, at * limit + limit)
    const end = at * limit + items.length
    return {
      ...(spec.hasOther ? { others: ['other'] } : {}),
      [spec.key]: items,
      ...(spec.style === 'cursor' ? { next: end < found.length ? `c${at + 1}` : null } : {}),
      ...(spec.style === 'offset' ? { total: found.length } : {}),
      ...(spec.style === 'number' ? { page: at + 1, pages } : {}),
      ...(spec.style === 'after' ? { last: end - 1, has_more: end < found.length } : {}),
    }
  }
  const positions = {
    cursor: (value: unknown) => Number(String(value).slice(1)),
    offset: (value: unknown) => Math.floor(Number(value) / limit),
    number: (value: unknown) => Number(value) - 1,
    after: (value: unknown) => (Number(value) + 1) / limit,
  } as const
  const first = {
    cursor: `c${start}`,
    offset: String(start * limit),
    number: String(start + 1),
    after: String(start * limit - 1),
  }
  const result = ({ query }: Values): unknown => {
    const value: unknown = Object(query)[parameter]
    if (Object(query).limit !== limit || Object(query).least !== (least ?? 0))
      throw new Error(`wrong query ${JSON.stringify(query)}`)
    const at = value === undefined ? 0 : positions[spec.style](value)
    if (at === failing) throw new HttpError(409, 'lost', { code: 'lost' })
    return spec.hasReply ? reply(200, pageOf(at), { headers: { 'x-own': 'yes', etag: '"one"' } }) : pageOf(at)
  }
  const call = {
    method: 'GET',
    path,
    query: {
      ...(least === undefined ? {} : { [filter]: String(least) }),
      ...(asked === undefined ? {} : { limit: String(asked) }),
      ...(start === 0 ? {} : { [parameter]: first[spec.style] }),
      // a parameter that does not exist is ignored
      ...(canStart ? {} : { [parameter]: '7' }),
    },
    headers: {},
    body: undefined,
    result,
  }
  const expected = expectedOf(spec, { found, limit, start, failing, pageOf }, { random, reference, version })
  const resultAt = (at: number) => (given: Values) => {
    const own = namesAt(spec, at)
    const told = (body: unknown): unknown =>
      spec.hasReply ? reply(own.status, body, { headers: { 'x-own': 'yes', etag: '"one"' } }) : body
    const before = (items: readonly unknown[]): readonly unknown[] =>
      items.map((each) => reference.down(spec.item, reference.parse(spec.item, each, 0), at))
    if (spec.version >= at) {
      const query = Object(given['query'])
      const value: unknown = query[parameter]
      if (query.limit !== limit || query[own.filter] !== (least ?? 0))
        throw new Error(`wrong query ${JSON.stringify(query)}`)
      const place = value === undefined ? 0 : positions[spec.style](value)
      if (place === failing) throw new HttpError(409, 'lost', { code: 'lost' })
      const page: Values = { ...pageOf(place) }
      return told({ ...page, [spec.key]: before(Object(page[spec.key])) })
    }
    if (expected.status === 409) throw new HttpError(409, 'lost', { code: 'lost' })
    return told(listOf(spec, before(found.slice(start * limit)), own.newer))
  }
  return { ...call, resultAt, expected }
}

/** The list that was before pages, in what operations put around it. */
function listOf(
  { was }: PagedSpec,
  list: readonly unknown[],
  operations: readonly PagedOperation[],
): unknown {
  let body: unknown = was === 'list' ? list : was === 'rows' ? { rows: list } : { count: list.length, list }
  for (const { isEnveloped } of operations) if (isEnveloped) body = { data: body }
  return body
}

/** The last page of a list with one item. */
export function lastPage({ hasOther, key, style }: PagedSpec, item: unknown): object {
  return {
    ...(hasOther ? { others: ['other'] } : {}),
    [key]: [item],
    ...(style === 'cursor' ? { next: null } : {}),
    ...(style === 'offset' ? { total: 0 } : {}),
    ...(style === 'number' ? { page: 1, pages: 1 } : {}),
    ...(style === 'after' ? { last: 0, has_more: false } : {}),
  }
}

function expectedOf(
  spec: PagedSpec,
  {
    found,
    limit,
    start,
    failing,
    pageOf,
  }: {
    readonly found: readonly unknown[]
    readonly limit: number
    readonly start: number
    readonly failing: number
    readonly pageOf: (at: number) => object
  },
  { reference, version }: Place,
): Expected {
  const { item, key, atMost } = spec
  const { status, newer } = namesAt(spec, version)
  const sent = (items: readonly unknown[]): readonly unknown[] =>
    items.map((each) =>
      reference.parse(item, reference.down(item, reference.parse(item, each, 0), version), version),
    )
  if (spec.version >= version) {
    if (start === failing) return { status: 409, calls: 1 }
    const page = pageOf(start)
    return { status, body: { ...page, [key]: sent(Object(page)[key]) }, calls: 1 }
  }
  const rows = found.slice(start * limit)
  const pages = Math.max(1, Math.ceil(rows.length / limit))
  // it ends at the page with one item too many
  const beyond = rows.length > atMost ? Math.ceil((atMost + 1) / limit) : Infinity
  const broken = failing < start ? Infinity : failing - start + 1
  if (broken <= Math.min(pages, beyond)) return { status: 409, calls: broken }
  if (beyond <= pages) return { status: 422, code: 'list_too_long', calls: beyond }
  return { status, body: listOf(spec, sent(rows), newer), calls: pages }
}
