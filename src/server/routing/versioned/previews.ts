import { after, isPromise, type Awaitable } from '../../../base/values.ts'
import { httpError } from '../../../http/errors.ts'
import {
  historyCodeOf,
  type Previewed,
  type PreviewInfo,
  type Previews,
} from '../../../routes/resolved-route.ts'
import type { HttpRequest } from '../../../http/http.ts'
import { splitOutsideQuotes, unquote } from '../../../http/media-type.ts'
import { cutVersion } from '../../../versioning/version.ts'
import { toTime } from '../../../versioning/policy.ts'
import { PREVIEW_HEADER, type Versioning } from '../../../versioning/versioning.ts'
import type { Locate, RouteMatch, Miss } from '../lookup/resolution.ts'
import type { AppServices, RequestContext } from '../../pipeline/context.ts'
import type { VersionReporter } from '../report/reporter.ts'
import type { Table } from '../table/table.ts'

/** Routes that can be found. */
export interface Routed {
  readonly table: Table
  readonly locate: Locate
  readonly miss: Miss
  readonly reporter: VersionReporter | undefined
  readonly services: AppServices
}

/** The routes as clients see them who ask for previews, for documents. */
export interface PreviewedRoutes {
  readonly names: readonly string[]
  readonly table: Table
  /** The versions that can show them. */
  readonly versions: readonly string[]
  /** The descriptions of previews, by name. */
  readonly all: ReadonlyMap<string, PreviewInfo>
}

/** Previews before a lookup. */
export interface PreviewRouting extends Pick<Routed, 'locate' | 'miss' | 'reporter'> {
  /** @throws `RangeError` for a preview that does not exist. */
  readonly show: (names: readonly string[]) => PreviewedRoutes
}

/** The routes of clients who ask for the same previews. */
interface State {
  readonly routed: Routed
  readonly shown: PreviewedRoutes
}

/** The most previews that a request may ask for. There are twice as many sets of them with each further one. */
const MAX_AT_ONCE = 3

/** The most sets of several previews that are kept. Each has all routes once more. */
const MAX_SETS = 16

const NO_PREVIEWS: Previews = {
  all: new Map(),
  with: () => {
    throw new Error('There are no previews')
  },
}

/**
 * Puts previews before the lookup: a request that asks for some is served by the routes as they are with them. `route` compiles the
 * routes of some previews.
 */
export function createPreviewRouting(
  versioning: Versioning,
  plain: Routed,
  route: (names: readonly string[], previewed: Previewed) => Routed,
): PreviewRouting {
  const previews = historyCodeOf(versioning.history)?.previews ?? NO_PREVIEWS
  const stateOf = createStates(previews, route)
  const check = createCheck(versioning, previews, stateOf)
  const chosen = new WeakMap<RouteMatch, Routed>()
  const read = createReader(versioning)
  // mistakes in the routes of a preview are found when the application is built
  for (const name of previews.all.keys()) stateOf([name])
  return {
    locate: (context, target, method) => {
      const asked = read(context.request)
      if (asked.length === 0) return plain.locate(context, target, method)
      // in case that they are refused
      context.vary = versioning.vary
      const find = (granted: CheckVersion): Awaitable<RouteMatch> => {
        const { routed } = stateOf(asked)
        context.serveBy(routed.services)
        return after(routed.locate(context, target, method), (located) => {
          granted(located.resolution.version)
          chosen.set(located, routed)
          return located
        })
      }
      const checked = check(context, asked)
      return isPromise(checked) ? Promise.resolve(checked).then(find) : find(checked)
    },
    miss: Object.assign(
      (...asked: Parameters<Routed['miss']>) => (chosen.get(asked[0]) ?? plain).miss(...asked),
      { allowed: plain.miss.allowed },
    ),
    reporter: {
      onMatch: (context, located, endpoint) => {
        const routed = chosen.get(located)
        if (routed === undefined) return plain.reporter?.onMatch(context, located, endpoint)
        addPreviews(context)
        routed.reporter?.onMatch(context, located, endpoint)
        addPreviews(context)
      },
      onMiss: (context, found) => plain.reporter?.onMiss(context, found),
    },
    show: (names) => stateOf(names).shown,
  }
}

/** Names the previews that a response shows. */
function addPreviews(context: RequestContext): void {
  const write = context.writeHeaders
  context.writeHeaders = (response) => {
    write?.(response)
    response.headers[PREVIEW_HEADER] = context.previews.join(', ')
  }
}

/**
 * Creates the function that returns the routes of a set of previews. Those of single previews are kept, and those of the sets that were
 * asked for last. @throws `RangeError` for a preview that does not exist.
 */
function createStates(
  previews: Previews,
  route: (names: readonly string[], previewed: Previewed) => Routed,
): (names: readonly string[]) => State {
  const { all } = previews
  const alone = new Map<string, State>()
  const several = new Map<string, State>()
  return (given) => {
    // their own texts, because those of a request keep its headers in memory
    const names = [...all.keys()].filter((name) => given.includes(name)).toSorted()
    const missing = given.find((name) => !all.has(name))
    if (missing !== undefined)
      throw new RangeError(
        `There is no preview "${missing}"; there are ${[...all.keys()].join(', ') || 'none'}`,
      )
    const key = names.join()
    const states = names.length === 1 ? alone : several
    const state = states.get(key) ?? build(names)
    // the latest stands last
    several.delete(key)
    states.set(key, state)
    const [oldest] = several.keys()
    if (oldest !== undefined && several.size > MAX_SETS) several.delete(oldest)
    return state
  }

  function build(names: readonly string[]): State {
    const previewed = previews.with(names)
    const routed = route(names, previewed)
    return { routed, shown: { names, table: routed.table, versions: previewed.versions, all } }
  }
}

/** Refuses a version that cannot show what a request asks for. @throws `HttpError` 400 */
type CheckVersion = (version: string | null) => void

/** Creates the function that refuses previews which a request may not ask for. @throws `HttpError` 400 */
function createCheck(
  { previews: allow = () => [], common, versions: all }: Versioning,
  previews: Previews,
  stateOf: (names: readonly string[]) => State,
): (context: RequestContext, asked: readonly string[]) => Awaitable<CheckVersion> {
  const canShow = (names: readonly string[], version: string | null): boolean =>
    version === null || !all.includes(version) || stateOf(names).shown.versions.includes(version)
  return (context, asked) =>
    after(allow(context, context.request), (listed) => {
      const now = common.clock()
      const given = new Set(listed)
      const allowed = [...previews.all].flatMap(([name, { until }]) =>
        given.has(name) && !isOver(until, now) ? [name] : [],
      )
      const refused = asked.filter((name) => !allowed.includes(name))
      if (refused.length > 0) throw unknown(refused, allowed)
      if (asked.length > MAX_AT_ONCE)
        throw unknown(asked, allowed, `The request asks for more than ${MAX_AT_ONCE} previews`)
      return (version) => {
        if (canShow(asked, version)) return
        const alone = asked.filter((name) => !canShow([name], version))
        throw unknown(
          alone.length > 0 ? alone : asked,
          allowed.filter((name) => canShow([name], version)),
          `The version ${version ?? ''} cannot show this preview`,
        )
      }
    })
}

function isOver(until: string | undefined, now: number): boolean {
  const end = toTime(until)
  return end !== undefined && end <= now
}

function unknown(
  refused: readonly string[],
  allowed: readonly string[],
  detail = 'The request asks for a preview that it may not see',
): Error {
  return httpError('unknown_preview', detail, { requested: cutVersion(refused.join(', ')), allowed })
}

/** Creates the function that reads which previews a request asks for, each once. */
function createReader({ schemes }: Versioning): (request: HttpRequest) => readonly string[] {
  // a version that is called preview is none
  const carrying = schemes.flatMap(({ source, options }) =>
    source.in === 'header' && !('versionParameter' in options && options.versionParameter === 'preview')
      ? [source.name]
      : [],
  )
  return (request) => {
    const names: string[] = []
    for (const header of carrying) {
      const value = request.header(header)
      if (value !== undefined && /preview *=/i.test(value)) names.push(...parametersOf(value))
    }
    const own = request.header(PREVIEW_HEADER)
    if (own !== undefined) names.push(...namesIn(own))
    return names.length > 1 ? [...new Set(names)] : names
  }
}

/** The parameters called preview in the members of a header. Those of refused media ranges do not count. */
function parametersOf(value: string): readonly string[] {
  return splitOutsideQuotes(value, ',').flatMap((member) => {
    const items = splitOutsideQuotes(member, ';')
    if (items.some((item) => /^q *= *0(?:\.0{0,3})?$/i.test(item))) return []
    return items.flatMap((item) => {
      const text = /^preview *= *(.*)$/is.exec(item)?.[1]
      return text === undefined ? [] : namesIn(unquote(text) ?? text)
    })
  })
}

/** The names in a list, with commas or spaces between them. */
function namesIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
