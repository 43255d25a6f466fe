import { createApp, defineController, defineModule, VERSION_NEUTRAL } from 'octavo'
import type {
  App,
  AppOptions,
  InjectOptions,
  Method,
  SchemeList,
  VersioningOptions,
  VersioningScheme,
  VersionSpec,
} from 'octavo'

/** A route of a test application: method, path, version, and the word its handler answers with. */
export type Row = readonly [
  method: Method,
  path: `/${string}`,
  version: VersionSpec | undefined,
  answer: string,
]

/** The routes that the files of this folder have in common. Each adds its own. */
export const CARS: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/health', undefined, 'health'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]

/** An application whose handlers answer `<word>@<version>`. The n-th route is called `r<n>`, counted from 0. */
export function serve<O extends object>(
  rows: readonly Row[],
  scheme?: VersioningScheme<O>,
  options?: O & VersioningOptions,
  appOptions: Omit<AppOptions, 'versioning'> = {},
): App {
  const app = serveRows(rows, appOptions)
  if (scheme !== undefined) app.enableVersioning(scheme, options)
  return app
}

/** The same with several schemes at once. */
export function serveSeveral<const S extends readonly object[]>(
  rows: readonly Row[],
  schemes: SchemeList<S>,
  options?: VersioningOptions,
  appOptions: Omit<AppOptions, 'versioning'> = {},
): App {
  const app = serveRows(rows, appOptions)
  app.enableVersioning(schemes, options)
  return app
}

function serveRows(rows: readonly Row[], appOptions: Omit<AppOptions, 'versioning'>): App {
  const routes = rows.map(([method, path, version, answer], index) => {
    const spec: { readonly version?: VersionSpec } = version === undefined ? {} : { version }
    const handler = (_input: object, context: { readonly version: string | null }) =>
      `${answer}@${context.version}`
    return { method, path, name: `r${index}`, ...spec, handler }
  })
  const controller = defineController({ name: 'api', prefix: '', routes })
  return createApp(defineModule({ controllers: [controller] }), { logger: false, ...appOptions })
}

/** What matters of an answer. `body` is the JSON value, `undefined` without body; headers only where they are sent. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly vary?: unknown
  readonly allow?: unknown
}

/** Asks an application, and tells what matters of the answer. */
export async function ask(app: App, request: string | InjectOptions): Promise<Answer> {
  const { statusCode: status, headers, body } = await app.inject(request)
  const type = headers['content-type']
  if (status >= 400 && body !== '' && type !== 'application/problem+json') {
    throw new Error(`${status} is no problem document but ${String(type)}`)
  }
  return {
    status,
    body: body === '' ? undefined : JSON.parse(body),
    ...(headers['vary'] === undefined ? {} : { vary: headers['vary'] }),
    ...(headers['allow'] === undefined ? {} : { allow: headers['allow'] }),
  }
}

/** 200 with the word and version of a handler. */
export function ok(body: string): Answer {
  return { status: 200, body }
}

/** 400: what a request says is not HTTP. */
export function malformed(detail: string): Answer {
  return {
    status: 400,
    body: {
      type: 'urn:octavo:problem:malformed-request',
      title: 'Malformed request',
      status: 400,
      detail,
      code: 'malformed_request',
    },
  }
}

/** 404: nothing at this path in any version. */
export const notFound: Answer = {
  status: 404,
  body: {
    type: 'urn:octavo:problem:route-not-found',
    title: 'Not Found',
    status: 404,
    detail: 'Nothing is served at this path',
    code: 'route_not_found',
  },
}

/** 405 with the methods of the version. */
export function notAllowed(allow: string): Answer {
  return {
    status: 405,
    body: {
      type: 'urn:octavo:problem:method-not-allowed',
      title: 'Method Not Allowed',
      status: 405,
      detail: `This path answers ${allow}`,
      code: 'method_not_allowed',
    },
    allow,
  }
}

/** 204 of the automatic OPTIONS. */
export function allowed(allow: string): Answer {
  return { status: 204, body: undefined, allow }
}

/** The version exists nowhere, or not at this path; `requested` is `undefined` for the default version. */
export function unsupported(
  status: number,
  requested: string | undefined,
  supported: readonly string[],
): Answer {
  return {
    status,
    body: {
      type: 'urn:octavo:problem:unsupported-version',
      title: 'Unsupported API version',
      status,
      detail: 'This version is not served here',
      code: 'unsupported_version',
      ...(requested === undefined ? {} : { requested }),
      supported,
    },
  }
}

/** The request names no version, and there is no default. */
export function unspecified(status: number, supported: readonly string[]): Answer {
  return {
    status,
    body: {
      type: 'urn:octavo:problem:unspecified-version',
      title: 'Unspecified API version',
      status,
      detail: 'The request names no version',
      code: 'unspecified_version',
      supported,
    },
  }
}

/** The version is not written as the format says. */
export function invalid(status: number, requested: string, supported: readonly string[]): Answer {
  return {
    status,
    body: {
      type: 'urn:octavo:problem:invalid-version',
      title: 'Invalid API version',
      status,
      detail: 'The version is not written as this API writes versions',
      code: 'invalid_version',
      requested,
      supported,
    },
  }
}

/** One place names several versions. */
export function ambiguous(
  where: { readonly in: string; readonly name: string },
  values: readonly string[],
  supported: readonly string[],
  status = 400,
): Answer {
  return contradicting(
    values.map((value) => ({ ...where, value })),
    supported,
    status,
  )
}

/** Several places name different versions. */
export function contradicting(
  sources: readonly { readonly in: string; readonly name: string; readonly value: string }[],
  supported: readonly string[],
  status = 400,
): Answer {
  return {
    status,
    body: {
      type: 'urn:octavo:problem:ambiguous-version',
      title: 'Ambiguous API version',
      status,
      detail: 'The request names several versions',
      code: 'ambiguous_version',
      sources,
      supported,
    },
  }
}

/** The same answer with a `Vary` header. */
export function varying(name: string, answer: Answer): Answer {
  return { ...answer, vary: name }
}
