import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'

import { once } from '../../../base/values.ts'
import type { RawReply } from '../../../define/reply.ts'
import { bytesReply } from '../../response/bytes-reply.ts'
import type { PageFile } from '../viewers.ts'

/** The style sheet, which `scripts/build.ts` puts here. The source does not define it. */
declare const PAGE_CSS: string | undefined

/** Headers of every file of the page. */
export const NO_SNIFF = { 'x-content-type-options': 'nosniff' } as const

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
export function toAssets(own: readonly PageFile[] = []): ReadonlyMap<string, () => Promise<RawReply>> {
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
