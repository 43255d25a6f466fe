import type { DefinitionProblem } from '../../base/definition-error.ts'
import { ignoreRejection, isObject, isPromise, isRecord, isString, toRecord } from '../../base/values.ts'
import type { PagedLayer, ResolvedRoute } from '../../routes/resolved-route.ts'
import type { DeclaredSource } from '../../schema/sources.ts'
import { createValidator } from '../../schema/validator.ts'
import { objectShape, unwrap, type Schema } from '../../schema/schema.ts'
import { changeProblem } from '../chain.ts'
import { callBlamed, threwIn } from '../convert/converter.ts'
import type { AppliedOperation, PagedWas } from './operation.ts'

/** The status of a page. */
export const PAGED_STATUS = 200

/** The names of the list in a page that has several. */
const ITEMS = ['items', 'data', 'results']

/** The member of a page that holds its items, or `undefined` if none or several may be it. */
function itemsKey(page: Schema): string | undefined {
  const lists = Object.entries(objectShape(page)).flatMap(([name, field]) =>
    unwrap(field)?.type === 'array' ? [name] : [],
  )
  return lists.length === 1 ? lists[0] : ITEMS.find((name) => lists.includes(name))
}

/** Whether pages are lists, so that a header names the next one. */
function isList(page: Schema): boolean {
  return unwrap(page)?.type === 'array'
}

/** The items of a page, as an older version gets them without a function of its own. */
export function pageItems(schema: Schema, page: unknown): unknown {
  return isList(schema) ? page : toRecord(page)[itemsKey(schema) ?? '']
}

type NextQuery = PagedLayer['next']

/** The parameter by which `octavo/pages` names the page after one, or `undefined` if a page and its query have other names. */
export function pageParameter(
  page: ReadonlySet<string>,
  query: ReadonlySet<string>,
): 'cursor' | 'offset' | undefined {
  if (page.has('next') && query.has('cursor')) return 'cursor'
  return page.has('total') && query.has('offset') ? 'offset' : undefined
}

/** How `octavo/pages` names the page after one: by a cursor, or by the number of items before it. */
function nextByNames(route: ResolvedRoute, page: Schema): NextQuery | undefined {
  const query = route.sources.find(({ name }) => name === 'query')
  if (isList(page)) return nextByLink(query)
  const parameters = query === undefined ? {} : objectShape(query.schema)
  const parameter = pageParameter(new Set(Object.keys(objectShape(page))), new Set(Object.keys(parameters)))
  if (parameter === 'cursor')
    return (value) => {
      const { next } = toRecord(value)
      return isString(next) && next !== '' ? { cursor: next } : undefined
    }
  const key = itemsKey(page) ?? ''
  if (parameter === 'offset')
    return (value, { offset }) => {
      const { total, [key]: items } = toRecord(value)
      const end = Number(offset ?? 0) + (Array.isArray(items) ? items.length : 0)
      return end < Number(total) ? { offset: end } : undefined
    }
  return undefined
}

/** Reads the parameters of the next page from a `Link` header (RFC 8288), as the query of the route would be read. */
function nextByLink(query: DeclaredSource | undefined): NextQuery {
  const validate = query && createValidator(query.schema)
  return (_page, _query, link = '') => {
    const target = NEXT_LINK.exec(link)?.[1]
    if (target === undefined) return undefined
    const parameters = new URLSearchParams(target.slice(target.indexOf('?') + 1))
    const given = Object.fromEntries(
      [...parameters].map(([name, text]) => {
        const texts = parameters.getAll(name)
        return [name, texts.length > 1 ? texts : (query?.plan.fields.get(name)?.read(text) ?? text)]
      }),
    )
    const found = validate?.(given)
    if (isPromise(found)) ignoreRejection(found)
    // an API behind may name parameters that the route does not declare
    else if (found !== undefined && 'value' in found) return toRecord(found.value)
    return given
  }
}

const NEXT_LINK =
  /<([^<>]*\?[^<>]*)>\s*(?:;[^,;<"]*(?:"[^"]*"\s*)?)*?;\s*rel="?(?:[^"]*\s)?next(?=["\s;,]|$)/i

/** Whether a member of a page or a parameter of its query has a name by which APIs tell their pages apart. */
export function isPageName(name: string): boolean {
  return PAGE_NAME.test(name)
}

const PAGE_NAME =
  /^(next|cursor|offset|page|after|starting_?after|(next|end)_?(cursor|page|(page_?)?token|url|link)|page_?token|has_?(more|next(_?page)?))$/i

/**
 * Whether a newer body is a page whose items were the whole older one, and older clients cannot ask for the next one: a list has no room for a
 * cursor. Pages by numbers may have been there before.
 */
export function becamePage(now: Schema, was: Schema): boolean {
  if (itemsKey(now) === undefined || unwrap(was)?.type !== 'array') return false
  return Object.entries(objectShape(now)).some(
    ([name, field]) => isPageName(name) && unwrap(field)?.type === 'string',
  )
}

/** Conversions of pages between the versions around a change. */
interface PageConversions {
  /** Converts newest pages to the version of the change. `undefined` if they are equal. */
  readonly toPage: PagedLayer['toPage']
  /** Whether a newer change replaced the page as a whole. */
  readonly isReplaced: boolean
}

/** The operation that says which list became pages, or `undefined` if the older version had pages, too. `applied` are newest first. */
export function pagedOperation(applied: readonly AppliedOperation[]): PagedOperation | undefined {
  // before the oldest of them, there were no pages
  const operation = applied.findLast(({ paged }) => paged !== undefined)
  return operation?.paged && { ...operation, paged: operation.paged }
}

interface PagedOperation extends AppliedOperation {
  readonly paged: PagedWas
}

/** Creates what reads all pages of a route, or `undefined` for pages whose items are not found, which `pagedProblems` has refused. */
export function createPagedLayer(
  route: ResolvedRoute,
  { change, paged }: PagedOperation,
  { toPage, isReplaced }: PageConversions,
): PagedLayer | undefined {
  const { now } = paged
  const key = itemsKey(now)
  const next = paged.next ?? nextByNames(route, now)
  const isWhole = isList(now)
  if ((key === undefined && !isWhole) || next === undefined) return undefined
  const blamed = { change, fields: ['paged'] }
  const joined = new WeakSet()
  return {
    atMost: paged.atMost,
    toPage,
    isReplaced,
    itemsOf: (value) => {
      const items = pageItems(now, value)
      return Array.isArray(items) ? items : undefined
    },
    next: (value, query, link) => {
      const made = callBlamed(blamed, () => next(value, query, link))
      if (made === undefined || isRecord(made)) return made
      throw threwIn(blamed, new TypeError('next returned no parameters of a query'))
    },
    join: (value, items) => {
      const list = key === undefined ? items : { ...toRecord(value), [key]: items }
      joined.add(list)
      return list
    },
    isJoined: (value) => isReplaced && isObject(value) && joined.has(value),
  }
}

/** Pages whose items or whose next page are not found. `applied` are the operations of the route, newest first. */
export function pagedProblems(
  route: ResolvedRoute,
  applied: readonly AppliedOperation[],
): readonly DefinitionProblem[] {
  return applied.flatMap(({ change, paged }): readonly DefinitionProblem[] => {
    if (paged === undefined) return []
    const found = pagedProblem(route, paged)
    return found === undefined
      ? []
      : [changeProblem(change, ...found, 'invalid_change', ...route.definitions)]
  })
}

function pagedProblem(
  route: ResolvedRoute,
  { now: page, was, down, next, atMost }: PagedWas,
): readonly [message: string, fix: string] | undefined {
  const { name, methods } = route
  const other = methods.find((method) => method !== 'GET' && method !== 'HEAD')
  if (other !== undefined)
    return [`operation.paged: ${name} is called by ${other}`, 'a list that is read in pages is a GET']
  const key = itemsKey(page)
  if (key === undefined && !isList(page))
    return [
      `operation.paged: no member of the page of ${name} is its list`,
      `send one list in a page, or name it ${ITEMS.join(', ')}`,
    ]
  if (next === undefined && nextByNames(route, page) === undefined)
    return [
      `operation.paged lacks next: the page of ${name} names no page after it`,
      'write next: (page, query) => the parameters of the query for the next page, or undefined after the last',
    ]
  if (!route.sources.some((source) => source.name === 'query'))
    return [
      `operation.paged: ${name} reads no query, by which its next page is asked for`,
      'declare the parameters of pages in input.query of the route',
    ]
  if (down === undefined && unwrap(was)?.type !== 'array')
    return ['operation.paged lacks down: it was no list', 'write down: (page) => …, which gets all items']
  const most = longestList(key === undefined ? page : objectShape(page)[key])
  return most === undefined || most >= atMost
    ? undefined
    : [
        `operation.paged.atMost is ${atMost}, and the page of ${name} has ${most} items at most`,
        `limit the items of a page by its query, and not by its schema, which has to take all of them`,
      ]
}

/** The most items that the schema of a list takes, or `undefined` for any number. */
function longestList(schema: Schema | undefined): number | undefined {
  const checks: unknown = schema === undefined ? undefined : unwrap(schema)?.['checks']
  const all: readonly unknown[] = Array.isArray(checks) ? checks : []
  const limits = all.flatMap((check): readonly number[] => {
    const maximum: unknown = Object(Object(Object(check)['_zod'])['def'])['maximum']
    return typeof maximum === 'number' ? [maximum] : []
  })
  return limits.length === 0 ? undefined : Math.min(...limits)
}
