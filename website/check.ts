import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

import { findOwnViolations } from '../test/docs-page/axe.ts'
import { findChromium, startBrowser } from '../test/support/browser.ts'
import type { Browser, Tab } from '../test/support/browser.ts'
import { FAINT_TEXTS } from '../test/support/contrast.ts'
import { toAddress } from './pages.ts'
import { SIDEBAR } from './sidebar.ts'

/**
 * Looks at the built site in a browser. `-- --screenshots=folder` keeps a picture of each page that is looked at closely.
 */

const OUT = join(import.meta.dirname, '.vitepress/dist')
const SHOTS = process.argv.find((each) => each.startsWith('--screenshots='))?.slice('--screenshots='.length)

/** Pages that together have everything that the theme shows. They are checked in each width and in each scheme. */
const CLOSELY = [
  '/',
  '/introduction',
  '/tutorial/3-modules-and-a-database',
  '/cookbook/monorepo',
  '/coming-from/',
  '/guide/routes',
  '/guide/runtimes',
  '/support',
  '/errors',
  '/benchmarks',
  '/architecture',
  '/api/',
  '/api/octavo/auth',
  '/no-such-page',
]
const WIDTHS = [375, 1280] as const
const SCHEMES = ['light', 'dark'] as const

/** Searches, which are looked at closely, and a page that each has to find. */
const SEARCHES = {
  deprecation: '/guide/deprecation',
  unsupported_version: '/errors#unsupported_version',
} as const

/** Searches, and the page that each has to find first. */
const FIRST = {
  deprecate: '/guide/deprecation',
  'rename field': '/guide/changes',
  vercel: '/guide/runtimes',
  pagination: '/guide/pages',
  'upload file': '/guide/uploads',
  websocket: '/guide/websockets',
  'rate limit': '/guide/middleware#ratelimit',
  jwt: '/guide/tokens',
  cors: '/guide/cors',
  prometheus: '/guide/metrics',
  'breaking change': '/guide/compatibility',
  openapi: '/guide/openapi',
  'requests without version': '/guide/versioning',
  client: '/guide/client',
  session: '/guide/sessions',
  testing: '/guide/testing',
  logging: '/guide/logging',
  'invalid input': '/guide/input',
  'dependency injection': '/guide/modules',
  idempotency: '/guide/idempotency',
  'graceful shutdown': '/guide/operations#shutdown',
} as const

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Serves the built site, with addresses without extension. */
async function serve(): Promise<{ readonly server: Server; readonly url: string }> {
  const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()
  const server = createServer((request, response) => {
    const path = join(OUT, decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname))
    const found = [path, `${path}.html`, join(path, 'index.html')].find(isFile)
    const file = found ?? join(OUT, '404.html')
    const type = TYPES[extname(file)] ?? 'text/plain; charset=utf-8'
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': type }).end(readFileSync(file))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const mistakes: string[] = []

/** The theme is ready once it has made the page its own. */
const READY =
  "document.querySelector('#app')?.__vue_app__ !== undefined && document.readyState === 'complete'"
/** Elements that reach beyond the window, unless what they are in scrolls. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

async function checkWidth(tab: Tab, place: string): Promise<void> {
  const overflow = Number(await tab.evaluate(OVERFLOW))
  if (overflow > 0) mistakes.push(`${place}: ${overflow} pixels too wide`)
}

async function checkColours(tab: Tab, place: string): Promise<void> {
  const faint = await tab.evaluate(FAINT_TEXTS)
  // 1 is for texts that are not shown, such as those of a closed menu
  if (Array.isArray(faint))
    mistakes.push(
      ...faint.map((each) => `${place}: faint ${String(each)}`).filter((each) => !/ 1\.00 /.test(each)),
    )
  const violations = await findOwnViolations(tab)
  if (Array.isArray(violations))
    mistakes.push(
      ...violations
        .map(String)
        .filter((each) => /^(?:serious|critical)/.test(each))
        .map((each) => `${place}: ${each}`),
    )
}

async function keep(tab: Tab, name: string): Promise<void> {
  if (SHOTS === undefined) return
  mkdirSync(SHOTS, { recursive: true })
  writeFileSync(join(SHOTS, `${name.replaceAll(/[^\w-]+/g, '_')}.png`), await tab.screenshot())
}

interface Search {
  readonly text: string
  /** The page that has to be found. */
  readonly page: string
  readonly place: string
}

const FOUND = `[...document.querySelectorAll('.VPLocalSearchBox .result')].map((each) => each.getAttribute('href'))`

async function openSearch(tab: Tab, url: string): Promise<void> {
  await tab.open(url)
  await tab.until(READY)
  await tab.evaluate("document.querySelector('.DocSearch-Button').click()")
  await tab.until("document.querySelector('.search-input')")
}

/** The addresses that a text finds, the best first. */
async function find(tab: Tab, text: string): Promise<readonly string[]> {
  const type = (typed: string): string => `{
    const field = document.querySelector('.search-input')
    field.value = ${JSON.stringify(typed)}
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }`
  await tab.evaluate(type(''))
  await tab.until(`${FOUND}.length === 0`)
  await tab.evaluate(type(text))
  await tab.until(`${FOUND}.length > 0`)
  const links = await tab.evaluate(FOUND)
  return Array.isArray(links) ? links.map(String) : []
}

async function search(tab: Tab, url: string, { text, page, place }: Search): Promise<void> {
  await openSearch(tab, url)
  const links = await find(tab, text)
  if (!links.some((link) => link.startsWith(page))) mistakes.push(`${place}: ${text} finds ${String(links)}`)
}

async function checkRanking(tab: Tab, url: string): Promise<void> {
  await tab.look(1280, 900, 'light')
  await openSearch(tab, url)
  for (const [text, page] of Object.entries(FIRST)) {
    const [first = 'no page', second = ''] = await find(tab, text)
    if (!first.startsWith(page)) mistakes.push(`the search for ${text}: first ${first}, then ${second}`)
  }
}

/** Code has the width of its column, so it does not scroll. */
const SCROLLED = `[...document.querySelectorAll('.vp-doc div[class*=language-] pre')]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.textContent.slice(0, 40))`

/** Every other one: each is looked at narrow in one scheme and wide in the other, and all four are looked at. */
function halfOf<T>(list: readonly T[], width: number, scheme: 'light' | 'dark'): readonly T[] {
  const first = (width === WIDTHS[0]) === (scheme === SCHEMES[0]) ? 0 : 1
  return list.filter((_, index) => index % 2 === first)
}

async function checkClosely(tab: Tab, url: string, width: number, scheme: 'light' | 'dark'): Promise<void> {
  const look = async (place: string): Promise<void> => {
    await checkWidth(tab, place)
    await checkColours(tab, place)
    await keep(tab, place)
  }
  await tab.look(width, 900, scheme)
  for (const page of halfOf(CLOSELY, width, scheme)) {
    await tab.open(`${url}${page}`)
    await tab.until(READY)
    await look(`${page} ${scheme} ${width}`)
  }
  for (const [text, page] of halfOf(Object.entries(SEARCHES), width, scheme)) {
    const place = `search for ${text} ${scheme} ${width}`
    await search(tab, url, { text, page, place })
    await look(place)
  }
}

/** Does some work in a tab of its own, which may load nothing from elsewhere and complain of nothing but pages that are missing. */
async function inTab(browser: Browser, url: string, work: (tab: Tab) => Promise<void>): Promise<void> {
  const tab = await browser.tab()
  await work(tab)
  const outside = tab.requests.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith('data:'))
  mistakes.push(...outside.map((each) => `asks for ${each}`))
  const complaints = tab.complaints.filter((each) => !each.includes('404'))
  mistakes.push(...complaints.map((each) => `the console says ${each}`))
}

/** The width from which the theme shows its navigation, which has to fit there already. */
const NARROWEST_NAVIGATION = 768

async function checkWidths(tab: Tab, url: string): Promise<void> {
  for (const [, path] of SIDEBAR.flatMap(({ pages }) => pages)) {
    await tab.open(`${url}${toAddress(path)}`)
    for (const width of WIDTHS) {
      await tab.look(width, 900, 'light')
      await checkWidth(tab, `/${path} ${width}`)
      const scrolled = await tab.evaluate(SCROLLED)
      if (Array.isArray(scrolled))
        mistakes.push(...scrolled.map((each) => `/${path} ${width} scrolls ${String(each)}`))
    }
  }
  await tab.look(NARROWEST_NAVIGATION, 900, 'light')
  await tab.open(`${url}/introduction`)
  await tab.until(READY)
  await checkWidth(tab, `the navigation ${NARROWEST_NAVIGATION}`)
}

/** Looks for the tutorial as a new reader would, follows its order, and opens a group of the sidebar with the keyboard. */
async function checkSidebar(tab: Tab, url: string): Promise<void> {
  const expect = async (expression: string, mistake: string): Promise<void> => {
    if ((await tab.evaluate(expression)) !== true) mistakes.push(`the sidebar: ${mistake}`)
  }
  const visible = (selector: string): string =>
    `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.checkVisibility() && each.getBoundingClientRect().bottom < innerHeight)`
  await tab.look(1280, 900, 'light')
  await tab.open(`${url}/introduction`)
  await tab.until(READY)
  await expect(visible('.VPSidebar a[href="/tutorial/"]'), 'the tutorial is out of sight')
  const recipe = '.VPSidebar a[href="/cookbook/docker"]'
  await expect(`!${visible(recipe)}`, 'the cookbook is open on other pages')
  await tab.evaluate(`[...document.querySelectorAll('.VPSidebar [role=button]')]
    .find((each) => each.textContent.includes('Cookbook'))
    .dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }))`)
  const opened = `document.querySelector(${JSON.stringify(recipe)}).checkVisibility()`
  await expect(opened, 'the space bar does not open a group')
  await tab.open(`${url}/tutorial/3-modules-and-a-database`)
  await tab.until(READY)
  for (const [rel, chapter] of [
    ['prev', '/tutorial/2-input-and-errors'],
    ['next', '/tutorial/4-authentication'],
  ] as const)
    await expect(
      `document.querySelector('.pager-link.${rel}')?.getAttribute('href') === '${chapter}'`,
      `${rel} of chapter 3 is not ${chapter}`,
    )
}

async function checkAll(browser: Browser, url: string): Promise<void> {
  const schemes = SCHEMES.map((scheme) =>
    inTab(browser, url, async (tab) => {
      for (const width of WIDTHS) await checkClosely(tab, url, width, scheme)
    }),
  )
  await Promise.all(schemes)
  await inTab(browser, url, (tab) => checkWidths(tab, url))
  await inTab(browser, url, (tab) => checkSidebar(tab, url))
  await inTab(browser, url, (tab) => checkRanking(tab, url))
}

const chromium = findChromium()
if (chromium === undefined) {
  console.log('The site is not looked at: no chromium is installed. CHROME_PATH may name one.')
} else {
  const { server, url } = await serve()
  // axe-core reads pages with thousands of elements
  const browser = await startBrowser(chromium, 120_000)
  try {
    await checkAll(browser, url)
  } finally {
    await browser.close()
    server.close()
  }
  const done = `The site fits ${WIDTHS.join(' and ')} pixels, can be read in ${SCHEMES.join(' and ')}, and is searched.`
  console.log(mistakes.length === 0 ? done : [...new Set(mistakes)].join('\n'))
  process.exitCode = mistakes.length === 0 ? 0 : 1
}
