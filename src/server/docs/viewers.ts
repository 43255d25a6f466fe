import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { DefinitionError } from '../../base/definition-error.ts'

/** The packages that show documents in a browser, with the only files of theirs that are served and a script that defines `start`. */
const VIEWERS = {
  scalar: {
    package: '@scalar/api-reference',
    files: { 'scalar.js': 'browser/standalone.js' },
    // switches off its services of other origins, and the attempt of its zod to compile code
    script: `globalThis.__zod_globalConfig = { jitless: true }
const start = (url) =>
  Scalar.createApiReference('#page', {
    url, baseServerURL: location.origin, persistAuth: false, telemetry: false, withDefaultFonts: false,
    agent: { disabled: true }, mcp: { disabled: true }, showDeveloperTools: 'never',
    documentDownloadType: 'none', hideClientButton: true, hideDarkModeToggle: true,
  })`,
  },
  swagger: {
    package: 'swagger-ui-dist',
    files: { 'swagger-ui-bundle.js': 'swagger-ui-bundle.js', 'swagger-ui.css': 'swagger-ui.css' },
    script: `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
paint()
dark.addEventListener('change', paint)
const start = (url) =>
  SwaggerUIBundle({ url, dom_id: '#page', deepLinking: true, displayRequestDuration: true, filter: true, validatorUrl: null })`,
  },
} as const

type ViewerName = keyof typeof VIEWERS
type PageFile = readonly [name: string, read: () => Promise<string | Uint8Array>]

/** Opens the version that is chosen, and starts the viewer. A browser that goes back shows the menu as it was left. */
const SCRIPT = `
const menu = document.getElementById('version')
menu?.addEventListener('change', () => {
  location.search = '?version=' + encodeURIComponent(menu.value)
  menu.value = menu.querySelector('[selected]').value
})
addEventListener('DOMContentLoaded', () => start(new URL(document.getElementById('page').dataset.url, location).href))
`

/** The part of the page that says how to get a viewer. */
export const HINT = `<p class="hint">To browse them here: ${Object.values(VIEWERS)
  .map((viewer) => `<code>npm install ${viewer.package}</code>`)
  .join(' or ')} and start again.</p>`

/**
 * Finds the files of the viewer that is asked for, or else of the first that is installed, in the order in which the page loads them.
 *
 * @throws `DefinitionError` if the package of the one that is asked for is not installed.
 */
export function findFiles(asked: ViewerName | undefined): readonly PageFile[] {
  for (const name of asked === undefined ? (['scalar', 'swagger'] as const) : [asked]) {
    const { files, script, package: wanted } = VIEWERS[name]
    const folder = findFolder(wanted)
    if (folder !== undefined)
      return [
        ['page.js', async () => `'use strict'\n${script}${SCRIPT}`],
        ...Object.entries(files).map(([file, path]): PageFile => [file, () => readFile(join(folder, path))]),
      ]
  }
  if (asked === undefined) return []
  const wanted = VIEWERS[asked].package
  const message = `docs.ui is '${asked}', and the package ${wanted} is not installed`
  const fix = `run "npm install ${wanted}", or leave docs.ui out for a plain list of the documents`
  throw new DefinitionError([{ code: 'missing_package', where: 'createApp', message, fix }])
}

function findFolder(name: string): string | undefined {
  // a framework that is linked into a project has no packages of the project around it
  for (const place of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return dirname(createRequire(place).resolve(name))
    } catch {
      // not seen from here
    }
  }
  return undefined
}
