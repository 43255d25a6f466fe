import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'

import type * as Viewers from '../viewers.ts'
import { atOnce, describeValue, isCount, isRecord, isString, once } from '../../../base/values.ts'
import type { ExecutionContext } from '../../../define/context.ts'
import type { RawReply } from '../../../define/reply.ts'
import { httpError } from '../../../http/errors.ts'
import { bytesReply } from '../../response/bytes-reply.ts'
import type { DocsOptions, DocsUsage, DocumentLink, PageInfo } from '../../options/docs.ts'
import type { Documents } from '../documents.ts'
import { toContentSecurityPolicy } from './content-security-policy.ts'
import { toListPage } from './html.ts'
import type { PageFile } from '../viewers.ts'

/** The page of the documents, and the files it consists of. */
export interface Page {
  readonly show: (context: ExecutionContext) => Promise<RawReply>
  /** @throws `HttpError` 404 for a name that is none of them. */
  readonly asset: (name: string) => Promise<RawReply>
}

const HTML = 'text/html; charset=utf-8'

/** Creates the page; `path` is where it is, without a slash at the end. */
export async function createPage(
  path: string,
  options: DocsOptions,
  documents: Documents,
  viewers: typeof Viewers | undefined,
): Promise<Page> {
  const { ui, usage } = options
  // with usage, the page of one viewer is not for others
  const common = usage === undefined ? NO_SNIFF : { ...NO_SNIFF, 'cache-control': 'no-store' }
  const viewer = typeof ui === 'function' || ui === false ? undefined : viewers?.findViewer(ui)
  const assets = toAssets(viewer?.files)
  let policy: string | undefined
  return {
    show: async (context) => {
      const { request } = context
      const link = toLink(path, request.path)
      const { version } = request.query
      const used = usage && (await readUsage(usage, context))
      const page = { ...toPageInfo(documents, link, version), ...(used && { usage: used }) }
      if (typeof ui === 'function')
        return bytesReply(Buffer.from(atOnce('docs.ui', ui(page))), { type: HTML, headers: common })
      policy ??= toContentSecurityPolicy(documents.servers(), viewer?.name)
      const headers = { ...common, 'content-security-policy': policy }
      const html = viewer === undefined ? toListPage(page, link, viewers?.HINT) : viewer.toPage(page, link)
      return bytesReply(Buffer.from(html), { type: HTML, headers })
    },
    asset: async (name) => {
      const asset = assets.get(name)
      if (asset === undefined) throw httpError('file_not_found', 'There is no such file')
      return asset()
    },
  }
}

/** The usage that a viewer may see, or `undefined` if it cannot be read, because the page is of use without it. */
async function readUsage(
  usage: NonNullable<DocsOptions['usage']>,
  context: ExecutionContext,
): Promise<DocsUsage | undefined> {
  try {
    const found = await usage(context)
    if (found === undefined || isUsage(found)) return found
    throw new TypeError(
      `docs.usage returned ${describeValue(found)}: return the result of byVersion() or undefined`,
    )
  } catch (err) {
    context.log.error({ err }, 'The page of the documents is shown without usage')
    return undefined
  }
}

/** Whether it has what its types ask for, because JavaScript may return anything. */
function isUsage({ since, versions }: Partial<DocsUsage>): boolean {
  return isString(since) && isRecord(versions) && Object.values(versions).every(isUsed)
}

function isUsed(used: unknown): boolean {
  return isRecord(used) && isCount(used['requests']) && isCount(used['clients']) && isString(used['lastSeen'])
}

/**
 * Creates the function that leads from the page to what is below it. Links are relative, so that they hold behind a proxy that puts
 * something before the path.
 */
function toLink(path: string, sent: string): (below: string) => string {
  const own = sent.endsWith('/') ? '' : path.slice(path.lastIndexOf('/') + 1)
  const start = own === '' ? './' : `./${encodeURIComponent(own)}/`
  return (below) => start + below
}

function toPageInfo(documents: Documents, link: (below: string) => string, asked: unknown): PageInfo {
  const versions = documents.versions().toReversed()
  const standard = documents.defaultVersion()
  const toDocument = (version: string | null): DocumentLink => ({
    version,
    url: link(version === null ? 'openapi.json' : `openapi/${encodeURIComponent(version)}.json`),
    isDefault: version === standard,
    ...documents.life(version),
  })
  const combined = toDocument(null)
  const all = [combined, ...versions.map(toDocument)]
  const named = all.find(({ version }) => version !== null && version === asked)
  const first = asked === 'all' ? combined : all.find(({ isDefault }) => isDefault)
  return { title: documents.title(), documents: all, shown: named ?? first ?? combined }
}

/** The style sheet, which `scripts/build.ts` puts here. The source does not define it. */
declare const PAGE_CSS: string | undefined

/** Headers of every file of the page. */
const NO_SNIFF = { 'x-content-type-options': 'nosniff' } as const

/** Braces. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f5f8b"/>
<path d="M13 7c-4 0-1 7-5 9 4 2 1 9 5 9M19 7c4 0 1 7 5 9-4 2-1 9-5 9" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/>
</svg>
`

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the page by name, with those of its viewer. Each is read once. */
function toAssets(own: readonly PageFile[] = []): ReadonlyMap<string, () => Promise<RawReply>> {
  const files: readonly PageFile[] = [['page.css', readStyle], ['icon.svg', async () => ICON], ...own]
  return new Map(files.map(([name, read]) => [name, once(async () => toAsset(name, await read()))]))
}

function toAsset(name: string, content: string | Uint8Array): RawReply {
  const type = TYPES[extname(name)]
  return bytesReply(Buffer.from(content), { ...(type !== undefined && { type }), headers: NO_SNIFF })
}

/** Built code contains the style sheet, so that a bundle of an application needs no file beside it. */
async function readStyle(): Promise<string> {
  return typeof PAGE_CSS === 'string' ? PAGE_CSS : readFile(new URL('page.css', import.meta.url), 'utf8')
}
