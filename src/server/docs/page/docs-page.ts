import type * as Viewers from '../viewers.ts'
import { requireSync, once } from '../../../base/values.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import type { RawReply } from '../../../define/reply.ts'
import { httpError } from '../../../http/errors.ts'
import { bytesReply } from '../../response/bytes-reply.ts'
import type { DocsOptions, DocumentLink, PageInfo } from '../../options/docs.ts'
import type { AppDocuments } from '../documents.ts'
import { toContentSecurityPolicy } from './content-security-policy.ts'
import { STYLE } from './page-style.ts'
import { toHtml } from './page-template.ts'

/** The page of the documents, and the files it consists of. */
export interface DocsPage {
  readonly show: (context: ExecutionContext) => RawReply
  /** @throws `HttpError` 404 for a name that is none of them. */
  readonly asset: (name: string) => Promise<RawReply>
}

/** Creates the page. `path` is its address, without a slash at the end. */
export function createPage(
  path: string,
  { ui }: DocsOptions,
  documents: AppDocuments,
  viewers: typeof Viewers | undefined,
): DocsPage {
  const viewer = typeof ui === 'function' || ui === false ? [] : (viewers?.findFiles(ui) ?? [])
  const files = [...viewer, ['page.css', async () => STYLE] as const]
  const assets = new Map(
    files.map(([name, read]) => {
      const type = name.endsWith('.css') ? 'css' : 'javascript'
      return [name, once(async () => toFile(type, await read()))] as const
    }),
  )
  // Scalar writes styles into the page
  const styles = assets.has('scalar.js') ? " 'unsafe-inline'" : ''
  let policy: string | undefined
  return {
    show: ({ request }) => {
      // relative links hold behind a proxy that puts text before the path
      const own = request.path.endsWith('/') ? '' : path.slice(path.lastIndexOf('/') + 1)
      const folder = own === '' ? './' : `./${encodeURIComponent(own)}/`
      const page = toPageInfo(documents, folder, request.query['version'])
      if (typeof ui === 'function') return toFile('html', requireSync('docs.ui', ui(page)))
      policy ??= toContentSecurityPolicy(documents.servers(), styles)
      const html = toHtml(page, folder, [...assets.keys()], viewers?.HINT)
      return toFile('html', html, { 'content-security-policy': policy })
    },
    asset: async (name) => {
      const asset = assets.get(name)
      if (asset === undefined) throw httpError('file_not_found', 'There is no such file')
      return asset()
    },
  }
}

function toFile(
  type: string,
  content: string | Uint8Array,
  own?: Readonly<Record<string, string>>,
): RawReply {
  const headers = { ...own, 'x-content-type-options': 'nosniff' }
  return bytesReply(Buffer.from(content), { type: `text/${type}; charset=utf-8`, headers })
}

function toPageInfo(documents: AppDocuments, folder: string, asked: unknown): PageInfo {
  const toDocument = (version: string | null): DocumentLink => ({
    version,
    url: `${folder}${version === null ? 'openapi' : `openapi/${encodeURIComponent(version)}`}.json`,
    ...documents.life(version),
  })
  const combined = toDocument(null)
  const versions = documents.versions().toReversed().map(toDocument)
  const named = asked === 'all' ? combined : versions.find(({ version }) => version === asked)
  const shown = named ?? versions[0] ?? combined
  return { title: documents.title(), documents: [combined, ...versions], shown }
}
