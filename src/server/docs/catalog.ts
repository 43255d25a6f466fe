import type { RawReply } from '../../define/reply.ts'
import { bytesReply } from '../response/bytes-reply.ts'
import type { AppDocuments } from './documents.ts'

const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** A link target object (RFC 9264 section 4.2.3). Attributes of our own are lists of texts (section 4.2.4.3). */
type Target = Readonly<Record<string, string | readonly string[]>>

/** The targets of an address by their relation (RFC 9264 section 4.2.2). */
type LinkContext = Readonly<Record<string, string | readonly Target[]>>

/** The list of the APIs of a host. */
export interface Catalog {
  /** References are relative to the address, so that no host is repeated. */
  readonly show: () => RawReply
}

interface Place {
  readonly path: string
  /** The path of the documents, without a slash at its end. */
  readonly folder: string
  readonly hasPage: boolean
}

/**
 * Lists the versions of an application, their documents and their endings as a catalog (RFC 9727), by the relations of RFC 8631 and RFC 8594.
 */
export function createCatalog({ path, folder, hasPage }: Place, documents: AppDocuments): Catalog {
  let found: Anchors | undefined
  const show = (): RawReply => {
    const anchors = (found ??= toAnchors(documents))
    const linkset: readonly LinkContext[] = [
      { anchor: path, item: [...anchors.keys()].map((href) => ({ href })) },
      ...[...anchors].map(([anchor, listed]) => ({
        anchor,
        'service-desc': listed.map((version) => toDocument(version, folder, documents)),
        ...(hasPage ? { 'service-doc': [{ href: folder || '/', type: 'text/html' }] } : {}),
        ...toEndings(listed, documents),
      })),
    ]
    return bytesReply(Buffer.from(JSON.stringify({ linkset })), {
      type: TYPE,
      // what HEAD is asked for (RFC 9727 section 2)
      headers: { link: `<${path}>; rel="api-catalog"`, 'x-content-type-options': 'nosniff' },
    })
  }
  return { show }
}

type Anchors = ReadonlyMap<string, readonly (string | null)[]>

/** Finds the address of each version, which stays the same while the application runs, unlike the state of a version. */
function toAnchors(documents: AppDocuments): Anchors {
  const versions = documents.versions().toReversed()
  const anchors = new Map<string, (string | null)[]>()
  for (const version of versions.length > 0 ? versions : [null]) {
    const [{ url } = { url: '/' }] = documents.servers(version)
    // the rest of a host that names versions is not known
    const anchor = url.includes('{') ? '/' : url
    anchors.set(anchor, [...(anchors.get(anchor) ?? []), version])
  }
  return anchors
}

function toDocument(version: string | null, folder: string, documents: AppDocuments): Target {
  const { status, deprecated, sunset } = documents.life(version)
  const name = version === null ? '' : `/${encodeURIComponent(version)}`
  return {
    href: `${folder}/openapi${name}.json`,
    type: 'application/json',
    ...(version === null ? {} : { title: `Version ${version}`, version: [version] }),
    status: [status],
    ...(deprecated === undefined ? {} : { deprecated: [`${deprecated}`] }),
    ...(sunset === undefined ? {} : { sunset: [sunset] }),
  }
}

/** The pages about the deprecation and the sunset of versions. */
function toEndings(versions: readonly (string | null)[], documents: AppDocuments): LinkContext {
  const pages = (['deprecation', 'sunset'] as const).map(
    (relation) =>
      [
        relation,
        versions.flatMap((version): readonly Target[] => {
          const page = documents.life(version).links[relation]
          return page === undefined || version === null ? [] : [{ title: `Version ${version}`, ...page }]
        }),
      ] as const,
  )
  return Object.fromEntries(pages.filter(([, targets]) => targets.length > 0))
}
