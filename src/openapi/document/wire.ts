import type { Pattern, Segment } from '../../router/path/pattern.ts'
import type { RequestDraft } from '../../versioning/schemes/scheme.ts'
import { writeVersion } from '../../versioning/versioning.ts'
import type { DocumentedRoute, DocumentSettings, Parameter } from './types.ts'

/** How a request reaches a route in a version. */
export interface RequestWire {
  /** The path, with its parameters in braces and what names the version. */
  readonly path: string
  /** The parameters that name the version elsewhere. */
  readonly parameters: readonly Parameter[]
  /** How a content type is asked for in this version, or `undefined` if `Accept` does not name versions. */
  readonly toAccepted: ((type: string) => readonly string[]) | undefined
  /** The statuses of requests that name no version, or another; none where a path or host names it. */
  readonly refusals: { readonly unspecified: number | undefined; readonly unsupported: number } | undefined
  /** The status of retired versions. */
  readonly retired: number
  /** Whether the path names the version. */
  readonly isInPath: boolean
  /** Where the version comes from, when a scheme of one's own only reads it. */
  readonly origin: string | undefined
}

/** Works out how a request reaches a route in a version. */
export function toWire(
  { route, naming }: DocumentedRoute,
  version: string | null,
  { versioning, keepsSlash }: DocumentSettings,
): RequestWire {
  const path = toDocumentedPath(route, keepsSlash)
  const plain: RequestWire = {
    path,
    parameters: [],
    toAccepted: undefined,
    refusals: undefined,
    retired: versioning?.schemes[0]?.statusCodes.retired ?? 410,
    isInPath: false,
    origin: undefined,
  }
  if (naming === 'none' || version === null) return plain
  const written = writeVersion(versioning, version, { path, prefix: route.prefix })
  if (written === undefined) return { ...plain, origin: versioning?.schemes[0]?.source.name }
  const { change, scheme } = written
  const { unspecified, unsupported, retired } = scheme.statusCodes
  const isRequired = naming === 'required'
  const parameters = toVersionParameters(change, isRequired)
  return {
    ...plain,
    retired,
    path: change.path ?? path,
    parameters,
    toAccepted:
      change.headers?.['accept'] === undefined
        ? undefined
        : (type) => acceptedTypes(type, scheme.scheme.contentType(type, version, scheme.options), namesType),
    refusals:
      parameters.length === 0
        ? undefined
        : { unspecified: isRequired ? unspecified : undefined, unsupported },
    isInPath: change.path !== undefined,
  }

  function namesType(): boolean {
    return versioning?.common.echo === 'contentType'
  }
}

/** A type with the version; and the type itself, where the response has it and it is another than what was asked for. */
function acceptedTypes(type: string, accepted: string, namesType: () => boolean): readonly string[] {
  return accepted.startsWith(`${type};`) || namesType() ? [accepted] : [accepted, type]
}

/** The path of a pattern as documents write it (OpenAPI 3.1 section 4.8.8). */
function toDocumentedPath(
  { pattern, shownPattern = pattern }: DocumentedRoute['route'],
  keepsSlash: boolean,
): string {
  const { segments, trailingSlash } = shownPattern
  return toTemplate(
    { segments, trailingSlash: trailingSlash && keepsSlash },
    { literal: encodeURI, rest: (name) => `{${name}}` },
  )
}

function toVersionParameters(
  { query = {}, headers = {} }: Partial<RequestDraft>,
  required: boolean,
): readonly Parameter[] {
  const toParameter =
    (where: 'query' | 'header') =>
    ([name, value]: readonly [string, string]): Parameter => ({
      name,
      in: where,
      description: 'The API version',
      required,
      schema: { type: 'string', enum: [value], ...(required ? {} : { default: value }) },
    })
  return [
    ...Object.entries(query).map(toParameter('query')),
    ...Object.entries(headers).map(toParameter('header')),
  ]
}

/** The servers of a version: where hosts name versions, its own. */
export function toServers(
  version: string | null,
  { versioning, servers, hasServers }: DocumentSettings,
): DocumentSettings['servers'] {
  if (version === null) return servers
  if (!hasServers) {
    const host = hostIn(versioning, version, '')
    // a pattern of one's own need not read the host that is made up
    const isRead = host !== undefined && hostIn(versioning, version, host) === host
    if (!isRead) return servers
    // only the label that names the version is known
    const [label = ''] = host.split('.')
    return [
      {
        url: `https://${label}.{domain}`,
        variables: {
          domain: { default: host.slice(label.length + 1), description: 'Where the API answers' },
        },
      },
    ]
  }
  return servers.map((server) => {
    const [, before, host, after = ''] = SERVER.exec(server.url) ?? []
    const written = host === undefined ? undefined : hostIn(versioning, version, host)
    // an address in numbers has no label for a version
    return written === undefined || !URL.canParse(`http://${written}`)
      ? server
      : { ...server, url: `${before}${written}${after}` }
  })
}

/** The part before the host of a URL, the host with its port, and the part behind. */
const SERVER = /^([a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?)([^/?#@]+)(.*)$/is

function hostIn(
  versioning: DocumentSettings['versioning'],
  version: string,
  host: string,
): string | undefined {
  try {
    return writeVersion(versioning, version, { path: '/', prefix: '', host })?.change.host
  } catch {
    // its pattern reads other hosts than those that it writes
    return undefined
  }
}

/** How a kind of template writes literal segments and parameters that take slashes. */
interface Spelling {
  readonly literal: (text: string) => string
  readonly rest: (name: string) => string
}

/** A pattern with its parameters in braces, without their types. */
export function toTemplate(
  { segments, trailingSlash }: Pick<Pattern, 'segments' | 'trailingSlash'>,
  spelling: Spelling,
): string {
  const written = segments.map((segment) => toTemplateSegment(segment, spelling))
  return `/${written.join('/')}${trailingSlash && segments.length > 0 ? '/' : ''}`
}

function toTemplateSegment(segment: Segment, { literal, rest }: Spelling): string {
  switch (segment.kind) {
    case 'literal':
      return literal(segment.text)
    case 'param':
      return `{${segment.param.name}}`
    case 'mixed':
      return segment.parts
        .map((part) => (typeof part === 'string' ? literal(part) : `{${part.name}}`))
        .join('')
    case 'rest':
      return rest(segment.param.name)
  }
}
