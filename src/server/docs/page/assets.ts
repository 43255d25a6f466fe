import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'

import { once } from '../../../base/values.ts'
import type { RawReply } from '../../../define/reply.ts'
import { bytesReply } from '../../response/bytes-reply.ts'
import type { FoundViewer, ViewerName } from '../viewers.ts'

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

/** How the browser starts a viewer with the address of a document. */
const STARTS: Readonly<Record<ViewerName, string>> = {
  // without what it has of other origins; zod, which is in it, would try whether it may compile code
  scalar: `globalThis.__zod_globalConfig = { jitless: true }
const start = (url) =>
  Scalar.createApiReference('#page', {
    url,
    agent: { disabled: true },
    baseServerURL: location.origin,
    documentDownloadType: 'none',
    hideClientButton: true,
    hideDarkModeToggle: true,
    mcp: { disabled: true },
    persistAuth: false,
    showDeveloperTools: 'never',
    telemetry: false,
    withDefaultFonts: false,
  })`,
  swagger: `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
paint()
dark.addEventListener('change', paint)
const start = (url) =>
  SwaggerUIBundle({
    url,
    dom_id: '#page',
    deepLinking: true,
    displayRequestDuration: true,
    filter: true,
    validatorUrl: null,
  })`,
}

const SCRIPT = `
const select = document.getElementById('version')
select?.addEventListener('change', () => {
  const { value } = select
  // a browser that goes back shows the page as it was left
  select.value = select.querySelector('[selected]').value
  location.search = '?version=' + encodeURIComponent(value)
})
addEventListener('DOMContentLoaded', () => start(document.getElementById('json').href))
`

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the page by name. Each is read once. */
export function toAssets(viewer: FoundViewer | undefined): ReadonlyMap<string, () => Promise<RawReply>> {
  const files: readonly (readonly [name: string, read: () => Promise<string | Uint8Array>])[] = [
    ['page.css', readStyle],
    ['icon.svg', async () => ICON],
    ...(viewer === undefined
      ? []
      : [['page.js', async () => `'use strict'\n${STARTS[viewer.name]}${SCRIPT}`] as const]),
    ...[...(viewer?.files ?? [])].map(([name, path]) => [name, () => readFile(path)] as const),
  ]
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
