import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, InjectOptions, VersioningOptions, VersionSpec } from 'octavo'

import type { Asked, Place, World } from './interpreter.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

/** A way for versions to travel: what the rules say of it, and how a request says a version. */
export interface Way extends Place {
  readonly name: string
  readonly enable: readonly [object, object?]
  readonly write: (request: InjectOptions, version: string) => InjectOptions
}

/** Every way for versions to travel. */
export const WAYS = {
  path: {
    name: 'URL',
    isPath: true,
    unsupported: 404,
    unspecified: 404,
    invalid: 404,
    enable: [URL],
    write: (request, version) => ({ ...request, url: `/v${version}${String(request.url)}` }),
  },
  accept: {
    name: 'HEADER accept',
    isPath: false,
    unsupported: 406,
    unspecified: 400,
    invalid: 400,
    enable: [HEADER],
    write: (request, version) => ({
      ...request,
      headers: { ...request.headers, accept: `a/b; version=${version}` },
    }),
  },
  header: {
    name: 'HEADER x-version',
    isPath: false,
    unsupported: 406,
    unspecified: 400,
    invalid: 400,
    enable: [HEADER, { headerParameter: 'x-version' }],
    write: (request, version) => ({ ...request, headers: { ...request.headers, 'x-version': version } }),
  },
  query: {
    name: 'QUERY',
    isPath: false,
    unsupported: 404,
    unspecified: 400,
    invalid: 400,
    enable: [QUERY],
    write: (request, version) => ({ ...request, query: { version } }),
  },
  host: {
    name: 'HOST',
    isPath: false,
    unsupported: 404,
    unspecified: 404,
    invalid: 404,
    enable: [HOST, { hostPattern: /^v(.*)\.example\.com$/ }],
    write: (request, version) => ({ ...request, host: `v${version}.example.com` }),
  },
} as const satisfies Record<string, Way>

/** An application of these routes; `split` spreads them over controllers and nested modules. */
export function build(
  { defaultVersion, required, unknown, format, known, ended, elsewhere }: World,
  ways: readonly Way[],
  rows: readonly Row[],
  split: readonly number[] = [],
): App {
  const toRoute = ([method, path, version, answer]: Row) => {
    const spec: { readonly version?: VersionSpec } = version === undefined ? {} : { version }
    const handler = (_input: object, context: { readonly version: string | null }) =>
      `${answer}@${context.version}`
    return { method, path, name: answer, ...spec, handler }
  }
  const groups = new Map<number, Row[]>()
  for (const [index, row] of rows.entries()) {
    const group = split.length === 0 ? 0 : (split[index % split.length] ?? 0)
    groups.set(group, [...(groups.get(group) ?? []), row])
  }
  const controllers = [...groups].map(([group, own]) =>
    defineController({ name: `c${group}`, prefix: '', routes: own.map(toRoute) }),
  )
  const modules = controllers.map((controller, index) =>
    defineModule({ name: `m${index}`, controllers: [controller] }),
  )
  const module = split.length === 0 ? defineModule({ controllers }) : defineModule({ imports: modules })
  const app = createApp(module, { logger: false })
  const common: VersioningOptions = {
    defaultVersion,
    required,
    unknown,
    format,
    versions: known.toReversed().map((version) => ({
      version,
      ...(elsewhere.includes(version) ? { elsewhere: true } : {}),
      ...(ended[version] === undefined ? {} : { sunset: '2020-01-01', retired: ended[version] }),
    })),
  }
  enable(app, ways, common)
  return app
}

/** One way stands alone, several in a list. */
function enable(app: App, ways: readonly Way[], common: VersioningOptions): void {
  const [only, ...others] = ways
  const call = Reflect.get(app, 'enableVersioning')
  if (only !== undefined && others.length === 0) {
    const [scheme, own = {}] = only.enable
    Reflect.apply(call, app, [scheme, { ...own, ...common }])
  } else {
    Reflect.apply(call, app, [ways.map((way) => way.enable), common])
  }
}

/** The request that says the versions in their places. */
export function toRequest(ways: readonly Way[], { method, path, values }: Asked): InjectOptions {
  return ways.reduce<InjectOptions>(
    (request, way, index) => {
      const value = values[index] ?? null
      return value === null ? request : way.write(request, value)
    },
    { method, url: path },
  )
}
