import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { DefinitionError } from '../../base/definition-error.ts'
import type { DocumentLink, PageInfo } from '../options/docs.ts'
import { escape, toFile, toHtml, toLabel, toList, toYamlUrl, toNote, type Link } from './page/html.ts'

/** The packages that can show documents in a browser, the first choice first. */
export const VIEWERS = {
  scalar: {
    package: '@scalar/api-reference',
    // its manifest cannot be resolved
    entry: '@scalar/api-reference',
    files: { 'scalar.js': 'browser/standalone.js' },
  },
  swagger: {
    package: 'swagger-ui-dist',
    entry: 'swagger-ui-dist/package.json',
    files: { 'swagger-ui-bundle.js': 'swagger-ui-bundle.js', 'swagger-ui.css': 'swagger-ui.css' },
  },
} as const satisfies Readonly<Record<string, Viewer>>

/** The name of a viewer, as in `docs.ui`. */
export type ViewerName = keyof typeof VIEWERS

interface Viewer {
  readonly package: string
  /** The module that is resolved to find the package. Its code is not run. */
  readonly entry: string
  /** The files that the page needs, by their names on the page, from the folder of the entry. No others are served. */
  readonly files: Readonly<Record<string, string>>
}

export type PageFile = readonly [name: string, read: () => Promise<string | Uint8Array>]

/** A viewer that is installed. */
interface FoundViewer {
  readonly name: ViewerName
  readonly files: readonly PageFile[]
  /** Writes the page, which has the main element of the viewer. */
  readonly toPage: (page: PageInfo, link: Link) => string
}

/** A part of the page for when no viewer is installed. */
export const HINT = `<p class="hint">To browse them here: ${Object.values(VIEWERS)
  .map((viewer) => `<code>npm install ${viewer.package}</code>`)
  .join(' or ')} and start again.</p>`

/** Finds the viewer that is asked for, or else the first that is installed, or `undefined` if there is none. */
export function findViewer(asked: ViewerName | undefined): FoundViewer | undefined {
  for (const name of asked === undefined ? NAMES : [asked]) {
    const { entry, files } = VIEWERS[name]
    const folder = findFolder(entry)
    if (folder !== undefined)
      return {
        name,
        files: [
          ['page.js', async () => `'use strict'\n${STARTS[name]}${SCRIPT}`],
          ...Object.entries(files).map(([key, path]): PageFile => [key, () => readFile(join(folder, path))]),
        ],
        toPage: (page, link) => toViewerPage(name, page, link),
      }
  }
  return undefined
}

const NAMES = ['scalar', 'swagger'] as const satisfies readonly ViewerName[]

function findFolder(entry: string): string | undefined {
  // a framework that is linked into a project has no packages of the project around it
  const places = [import.meta.url, join(process.cwd(), 'package.json')]
  for (const place of places) {
    try {
      return dirname(createRequire(place).resolve(entry))
    } catch {
      // not seen from here
    }
  }
  return undefined
}

/** Checks that a viewer can be shown. @throws `DefinitionError` if its package is not installed. */
export function checkViewer(name: ViewerName): void {
  const { package: wanted } = VIEWERS[name]
  if (findViewer(name) !== undefined) return
  throw new DefinitionError([
    {
      code: 'missing_package',
      where: 'createApp',
      message: `docs.ui is '${name}', and the package ${wanted} is not installed`,
      fix: `run "npm install ${wanted}", or leave docs.ui out for a plain list of the documents`,
    },
  ])
}

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

/** The scripts and style sheets of viewers, in the order in which they are loaded. */
const FILES: Readonly<Record<ViewerName, readonly string[]>> = {
  scalar: ['page.js', 'scalar.js'],
  swagger: ['swagger-ui.css', 'page.js', 'swagger-ui-bundle.js'],
}

/** The page that shows the documents in a viewer, which has a main element of its own. */
function toViewerPage(viewer: ViewerName, page: PageInfo, link: Link): string {
  const { title, documents, shown } = page
  const options = documents.map((each) => toOption(each, each === shown)).join('\n')
  const select = `
  <label class="bar-version">Version <select id="version" autocomplete="off">
${options}
  </select></label>`
  const body = `<section class="bar" aria-label="Documents">
  <p class="bar-title">${escape(title)}</p>${documents.length === 1 ? '' : select}
  <nav class="bar-links" aria-label="This document">
    <a id="json" href="${escape(shown.url)}">JSON</a>
    <a href="${escape(toYamlUrl(shown))}">YAML</a>
  </nav>
</section>
${toNote(page)}
<div id="page"></div>
<noscript><main class="list"><p>This page needs JavaScript. These are the documents:</p>${toList(page)}</main></noscript>`
  return toHtml(
    title,
    link,
    FILES[viewer].map((name) => toFile(link(`assets/${name}`))),
    body,
  )
}

function toOption(document: DocumentLink, isShown: boolean): string {
  const value = escape(document.version ?? 'all')
  return `    <option value="${value}"${isShown ? ' selected' : ''}>${escape(toLabel(document))}</option>`
}
