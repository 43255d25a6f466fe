import { METHOD_INDEX, type RawRequest } from '../../src/http/http.ts'
import { isPromise } from '../../src/base/values.ts'
import { VersioningSchemes } from '../../src/index.ts'
import { RequestContext, type AppServices } from '../../src/server/pipeline/context.ts'
import { Application } from '../../src/server/app/application.ts'
import { createDispatch } from '../../src/server/dispatch.ts'
import { createVersionLocate } from '../../src/server/routing/lookup/locate-version.ts'
import { readTarget } from '../../src/server/routing/lookup/target.ts'
import { GITHUB_ROUTES } from '../router/github.ts'
import { toModule, type ListedRoute, type Versioning } from './definitions.ts'

/** One way for versions to travel. */
export interface Setup {
  readonly name: string
  /** The target of a request that carries the version this way. */
  readonly write: (target: string) => string
  /** `undefined` for routes without versions; with it, every route is there for version 1 and for version 2, which is asked for. */
  readonly versioning?: Versioning
  /** Whether handlers read a header: then the request is made that handlers see, which some schemes need too. */
  readonly reads?: boolean
}

/** `locate` is from the target to the route; `dispatch` calls the handler and makes its response too. */
export type Stage = 'locate' | 'dispatch'
export const STAGES: readonly Stage[] = ['locate', 'dispatch']

/** Does a stage; a number that depends on what was found, 0 when nothing was. */
export type Run = (raw: RawRequest) => number

const same = (target: string): string => target
const inPath = (target: string): string => `/v2${target}`
const withQuery =
  (name: string) =>
  (target: string): string =>
    `${target}?${name}=2`
const { HEADER, HOST, QUERY, URL: Url } = VersioningSchemes
const CUSTOM = { headerParameter: 'x-version' }
const both = [[Url], [HEADER, CUSTOM]]

export const CONTESTANTS: readonly Setup[] = [
  { name: 'none', write: same },
  { name: 'none, a header is read', write: same, reads: true },
  { name: 'none, with a query', write: withQuery('channel') },
  { name: 'URL', write: inPath, versioning: [Url] },
  { name: 'HEADER, x-version', write: same, versioning: [HEADER, CUSTOM] },
  {
    name: 'HEADER, x-version, another header is read',
    write: same,
    versioning: [HEADER, CUSTOM],
    reads: true,
  },
  { name: 'HEADER, accept', write: same, versioning: [HEADER] },
  { name: 'QUERY', write: withQuery('version'), versioning: [QUERY] },
  { name: 'HOST', write: same, versioning: [HOST] },
  { name: 'URL and x-version', write: inPath, versioning: [both] },
]

/** Those without versions, which the others are compared with. */
export const BASES: readonly string[] = CONTESTANTS.filter(({ versioning }) => versioning === undefined).map(
  ({ name }) => name,
)

export function toContestant({ versioning, reads = false }: Setup): Readonly<Record<Stage, Run>> {
  const routes: readonly ListedRoute[] =
    versioning === undefined
      ? GITHUB_ROUTES
      : ['1', '2'].flatMap((version) => GITHUB_ROUTES.map((route) => ({ ...route, version })))
  const core = new Application(toModule(routes, reads), { logger: false })
  if (versioning !== undefined) core.enableVersioning(...versioning)
  const { table, parts } = core.compiled()
  const dispatch = createDispatch(parts, () => undefined, undefined)
  const locate = createVersionLocate(table, core.versioning(), { strict: false })
  const asked = versioning === undefined ? null : '2'
  // all that a lookup needs of what an application lends to its requests
  const services = { settings: core.settings } as unknown as AppServices
  return {
    locate: (raw) => {
      const context = new RequestContext(raw, services)
      const located = locate(context, readTarget(raw, core.settings), METHOD_INDEX.get(raw.method) ?? -1)
      if (isPromise(located)) throw new Error('no scheme of this benchmark is asynchronous')
      const { match, resolution } = located
      if (match.leaf === null || resolution.version !== asked) return 0
      const read = reads ? (context.request.header('user-agent')?.length ?? 0) : 0
      return 1 + match.values.length + read
    },
    dispatch: (raw) => {
      const { response } = dispatch(raw)
      if (isPromise(response)) throw new Error('no handler of this benchmark is asynchronous')
      return response.status === 200 ? 1 : 0
    },
  }
}
