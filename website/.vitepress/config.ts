import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { defineConfig } from 'vitepress'
import type { DefaultTheme } from 'vitepress'

import { toAccessible } from '../build/accessible-theme.ts'
import { createCopies, summaryOf, writeCopies } from '../build/copies.ts'
import { findMistakes } from '../build/output.ts'
import { RANKING } from '../build/ranking.ts'
import { createSitemap } from '../build/sitemap.ts'
import { useCodeGroups } from '../markdown/code-groups.ts'
import { useDrawings } from '../markdown/drawings.ts'
import { useSiteLinks } from '../markdown/links.ts'
import { toAddress, toPage } from '../pages.ts'
import { SIDEBAR } from '../sidebar.ts'
import { VERSIONS } from '../versions.ts'

const SITE = join(import.meta.dirname, '..')
const ROOT = join(SITE, '..')
/** The path of the site on its host, with a slash at both ends. */
const BASE = process.env['SITE_BASE'] ?? '/'
/** The origin of the site, such as `https://docs.example`. A sitemap needs it, because its addresses have to be whole. */
const ORIGIN = process.env['SITE_ORIGIN']
/** Where pages are edited, such as `https://git.example/octavo/edit/main`. */
const EDITED_AT = process.env['SITE_EDITED_AT']

const excluded = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['docs', 'website', 'bench'].includes(entry.name))
  .map(({ name }) => `${name}/**`)

/** Anchors as GitHub makes them, so that links work there and here. */
const toAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

const guide: DefaultTheme.SidebarItem[] = SIDEBAR.map(({ text, pages, open }) => ({
  text,
  ...(open !== true && { collapsed: true }),
  items: pages.map(([label, path]) => ({ text: label, link: toAddress(path) })),
}))

function readApi(): DefaultTheme.SidebarMulti {
  const file = join(SITE, 'api/sidebar.json')
  if (!existsSync(file)) throw new Error('the reference is missing: npm run api --prefix website')
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * Renders a page for the search, which reads its text: code is not coloured for it. An export of the API is one entry, or the members of types
 * would come before the guide.
 */
const renderForSearch: DefaultTheme.LocalSearchOptions['_render'] = (source, env, markdown) => {
  const isApi = env.relativePath.startsWith('website/api/')
  const { highlight } = markdown.options
  markdown.set({ highlight: null })
  const html = markdown.render(isApi ? source.replaceAll(/^#{4,} /gm, '') : source, env)
  markdown.set({ highlight: highlight ?? null })
  return html
}

const [current, ...older] = VERSIONS

export default defineConfig({
  title: 'Octavo',
  titleTemplate: ':title | Octavo',
  description: 'Versioned HTTP APIs in TypeScript from plain objects.',
  lang: 'en-GB',
  base: BASE,
  srcDir: ROOT,
  srcExclude: [...excluded, 'website/README.md', 'bench/!(README.md)', 'bench/*/**', '**/node_modules/**'],
  rewrites: (file) => toPage(file) ?? file,
  cleanUrls: true,
  // once, instead of in each page: the sidebar is half of a page
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}logo.svg` }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: toAnchor },
    config: (markdown) => {
      useSiteLinks(markdown, ROOT)
      useCodeGroups(markdown)
      useDrawings(markdown)
    },
  },
  themeConfig: {
    logo: '/logo.svg',
    search: { provider: 'local', options: { _render: renderForSearch, miniSearch: RANKING } },
    ...(EDITED_AT !== undefined && { editLink: { pattern: `${EDITED_AT}/:path`, text: 'Edit this page' } }),
    // its name for screen readers has to be its text
    notFound: { linkText: 'Take me home', linkLabel: 'Take me home' },
    outline: { level: [2, 3], label: 'On this page' },
    nav: [
      { text: 'Tutorial', link: '/tutorial/', activeMatch: '^/tutorial/' },
      { text: 'Guide', link: '/introduction', activeMatch: '^/(introduction|guide/)' },
      { text: 'Cookbook', link: '/cookbook/', activeMatch: '^/cookbook/' },
      { text: 'Coming from', link: '/coming-from/', activeMatch: '^/coming-from/' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Benchmarks', link: '/benchmarks' },
      {
        text: current.name,
        items: [
          { text: 'Changelog', link: '/changelog' },
          // other versions are sites beside this one
          ...older.map(({ name, link }) => ({ text: name, link, target: '_self', noIcon: true })),
        ],
      },
    ],
    sidebar: { ...readApi(), '/': guide },
    footer: { message: 'MIT license' },
  },
  transformPageData: (pageData) => {
    const isWritten = pageData.filePath.startsWith('website/')
    if (isWritten) return { frontmatter: { ...pageData.frontmatter, editLink: false } }
    return { description: summaryOf(readFileSync(join(ROOT, pageData.filePath), 'utf8')) }
  },
  transformHead: ({ pageData, title, description }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `${BASE}${pageData.relativePath}` }],
    ...Object.entries({
      'og:site_name': 'Octavo',
      'og:type': 'website',
      'og:title': title,
      'og:description': description,
      ...(ORIGIN !== undefined && {
        'og:url': `${ORIGIN}${BASE.slice(0, -1)}${toAddress(pageData.relativePath.replace(/\.md$/, ''))}`,
        'og:image': `${ORIGIN}${BASE}page.png`,
      }),
    }).map(([property, content]): [string, Record<string, string>] => ['meta', { property, content }]),
  ],
  buildEnd: ({ outDir, pages }) => {
    writeCopies(outDir, createCopies(ROOT, pages, SIDEBAR, BASE))
    if (ORIGIN !== undefined) writeFileSync(join(outDir, 'sitemap.xml'), createSitemap(pages, ORIGIN, BASE))
    copyFileSync(join(ROOT, 'docs/images/page-light.png'), join(outDir, 'page.png'))
    const mistakes = findMistakes(outDir, BASE)
    if (mistakes.length > 0) throw new Error(`the site has mistakes:\n${mistakes.join('\n')}`)
  },
  vite: {
    publicDir: join(SITE, 'public'),
    build: { chunkSizeWarningLimit: 2_000 },
    plugins: [
      { name: 'accessible-theme', enforce: 'pre', transform: (code, id) => toAccessible(code, id) },
      {
        name: 'packages-of-the-site',
        enforce: 'pre',
        // pages outside this folder do not find its packages
        resolveId(id, importer) {
          const isPage = importer?.endsWith('.md') === true || importer?.includes('.md?') === true
          return isPage && /^vue(?:\/|$)/.test(id)
            ? this.resolve(id, join(SITE, 'package.json'), { skipSelf: true })
            : undefined
        },
      },
    ],
  },
})
