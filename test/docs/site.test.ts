import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

import { createCopies, toCopy } from '../../website/build/copies.ts'
import { findMistakes } from '../../website/build/output.ts'
import { createSitemap } from '../../website/build/sitemap.ts'
import { parseChart, renderChart } from '../../website/markdown/charts.ts'
import { toAddress, toPage, toSiteLink } from '../../website/pages.ts'
import { SIDEBAR } from '../../website/sidebar.ts'
import { VERSIONS } from '../../website/versions.ts'

const ROOT = join(import.meta.dirname, '../..')

const files = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name).replaceAll('\\', '/')),
]

describe('the site', () => {
  const listed = SIDEBAR.flatMap(({ pages }) => pages.map(([, path]) => `${path}.md`))

  it('has every page of docs in its sidebar, once', () => {
    const pages = files.map((file) => toPage(file) ?? file)
    assert.deepEqual(
      pages.filter((page) => !listed.includes(page)),
      [],
      'add the page to website/sidebar.ts',
    )
    assert.equal(new Set(listed).size, listed.length)
  })
  it('has no page in its sidebar that does not exist', () => {
    const pages = new Set(files.map(toPage))
    // TypeDoc writes it
    assert.deepEqual(
      listed.filter((page) => !pages.has(page)),
      ['api/index.md'],
    )
  })
  it('has no two files that are one page', () => {
    const pages = files.map(toPage)
    assert.equal(new Set(pages).size, pages.length)
  })
  // the links to the previous and the next page follow the sidebar
  for (const folder of ['tutorial', 'cookbook', 'coming-from'])
    it(`has the pages of docs/${folder} in the order of its README`, () => {
      const readme = readFileSync(join(ROOT, `docs/${folder}/README.md`), 'utf8')
      const linked = [...readme.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => `${folder}/${name}.md`)
      const inSidebar = listed.filter((page) => page.startsWith(`${folder}/`))
      assert.deepEqual(inSidebar, [`${folder}/index.md`, ...new Set(linked)])
    })
  it('has the tutorial in its only group that is always open', () => {
    const open = SIDEBAR.filter(({ open: isOpen }) => isOpen === true)
    assert.deepEqual(
      open.map(({ pages }) => pages.slice(0, 2).map(([, path]) => path)),
      [['introduction', 'tutorial/index']],
    )
  })
  it('is of the version of the package, whose changes are listed', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    assert.deepEqual(VERSIONS[0], { name: version, link: '/' })
  })
})

/** The column of the site is this wide at 1280 pixels. `npx oxfmt` keeps it, but for comments. */
const WIDTH = 72
/** Lines with a text that cannot be broken. */
const isUnbreakable = (line: string): boolean => /(['"`])(?:(?!\1).){30,}|^ *<script|^ +\w+ text /.test(line)

describe('the code of the site', () => {
  for (const file of [...files, 'website/index.md'])
    it(`fits its column in ${file}`, () => {
      const fences = readFileSync(join(ROOT, file), 'utf8').matchAll(/^```(?:tsx?|js)\b.*\n([\s\S]*?)^```$/gm)
      const lines = [...fences].flatMap(([, code = '']) => code.split('\n'))
      assert.deepEqual(
        lines.filter((line) => line.length > WIDTH && !isUnbreakable(line)),
        [],
      )
    })
})

describe('the links of a page on the site', () => {
  const cases: readonly (readonly [file: string, link: string, expected: string | undefined])[] = [
    ['docs/guide/routes.md', 'input.md', '/guide/input.md'],
    ['docs/guide/routes.md', '../errors.md#response_invalid', '/errors.md#response_invalid'],
    ['docs/guide/routes.md', '#names', '#names'],
    ['docs/guide/routes.md', '../../CHANGELOG.md', '/changelog.md'],
    ['docs/security.md', 'CODE_OF_CONDUCT.md', '/code-of-conduct.md'],
    ['docs/benchmarks.md', '../bench/README.md', '/measuring.md'],
    ['README.md', 'docs/guide/routes.md#names-and-urls', '/guide/routes.md#names-and-urls'],
    ['README.md', 'bench', '/measuring.md'],
    ['website/index.md', '../docs/guide/openapi.md', '/guide/openapi.md'],
    ['website/api/octavo/auth.md', '../octavo.md#createapp', '/api/octavo.md#createapp'],
    ['README.md', 'https://zod.dev', 'https://zod.dev'],
    ['README.md', 'examples', undefined],
    ['README.md', 'LICENSE', undefined],
    ['docs/guide/cli.md', '../../src/cli/main.ts', undefined],
  ]
  for (const [file, link, expected] of cases)
    it(`lead from ${file} by ${link} to ${expected ?? 'no page'}`, () =>
      assert.equal(toSiteLink(file, link), expected))
})

describe('the charts of the site', () => {
  const folder = join(ROOT, 'docs/benchmarks')
  for (const name of readdirSync(folder)) {
    it(`have every bar of ${name}`, () => {
      const svg = readFileSync(join(folder, name), 'utf8')
      const { title, unit, bars } = parseChart(svg)
      const [, description = ''] = /<desc[^>]*>([^<]*)</.exec(svg) ?? []
      const drawn = bars.map(({ label, value }) => `${label} ${value}`).join(', ')
      assert.ok(bars.length > 1)
      assert.equal(description.slice(description.indexOf(':') + 2), drawn)
      assert.ok(title !== '' && unit !== '')
      const places = bars.flatMap(({ width, spread = [] }) => [width, ...spread])
      assert.ok(
        places.every((place) => place >= 0 && place <= 1),
        String(places),
      )
      assert.equal(Math.max(...places), 1)
      assert.ok(bars.some(({ isOwn }) => isOwn))
    })
  }
  it('are lists of labels and values', () => {
    const bar = { label: 'octavo', value: '1.18', isOwn: true, width: 0.5, spread: [0.25, 0.5] as const }
    assert.equal(
      renderChart({ title: 'Requests', unit: 'per second', bars: [bar] }),
      '<figure class="chart"><figcaption><strong>Requests</strong><span>per second</span></figcaption><ul><li class="own">' +
        '<span class="chart-label">octavo</span><span class="chart-plot" aria-hidden="true"><b style="width:50.0%"></b>' +
        '<i style="left:25.0%;width:25.0%"></i></span><span class="chart-value">1.18</span></li></ul></figure>\n',
    )
  })
})

describe('the Markdown copies of the site', () => {
  const { pages, index, full } = createCopies(ROOT, files, SIDEBAR, '/0.1/')

  it('have links that lead to other copies', () => {
    for (const [page, text] of pages) {
      // a snippet may show Markdown
      const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
      for (const [, link = ''] of prose.matchAll(/(?<!!)\]\(([^)\s]+)\)/g)) {
        if (/^(?:https?:|#)/.test(link) || /\.(?:png|svg)$/.test(link)) continue
        const [path = ''] = link.split('#')
        assert.ok(path.startsWith('/0.1/') && pages.has(path.slice('/0.1/'.length)), `${page}: ${link}`)
      }
    }
  })
  it('are listed in llms.txt, with the first sentence of each', () => {
    assert.match(index, /^# Octavo\n\n> \S/)
    assert.match(index, /\n- \[CORS\]\(\/0\.1\/guide\/cors\.md\): \S.*\.\n/)
    for (const [text, path] of SIDEBAR.flatMap(({ pages: list }) => list))
      assert.ok(index.includes(`- [${text}](/0.1/${path}.md)`), path)
  })
  it('are in llms-full.txt but for what is optional', () => {
    for (const { pages: list, optional } of SIDEBAR)
      for (const [, path] of list)
        if (existsSync(join(ROOT, `docs/${path}.md`)))
          assert.equal(full.includes(`<!-- /0.1/${path}.md -->`), optional !== true, path)
  })
  it('keep snippets and lose frontmatter', () => {
    const text =
      '---\nlayout: home\n---\n\n# A\n\n[file](x.ts), [page](errors.md)\n\n```md\n[page](errors.md)\n```\n'
    assert.equal(
      toCopy('docs/a.md', text, '/'),
      '# A\n\nfile, [page](/errors.md)\n\n```md\n[page](errors.md)\n```\n',
    )
  })
})

describe('the sitemap of the site', () => {
  const map = createSitemap([...files, 'docs/images/page.png'], 'https://docs.example', '/0.1/')
  const addresses = [...map.matchAll(/<loc>(.*)<\/loc>/g)].map(([, address]) => address)

  it('has every page of the sidebar, without extension', () => {
    const pages = SIDEBAR.flatMap(({ pages: list }) => list.map(([, path]) => path))
    // TypeDoc writes it
    const expected = pages.filter((path) => path !== 'api/index').map(toAddress)
    assert.deepEqual(addresses, expected.map((path) => `https://docs.example/0.1${path}`).toSorted())
    assert.ok(addresses.includes('https://docs.example/0.1/tutorial/'))
  })
})

describe('the build of the site', () => {
  /** The mistakes in a site with these files. */
  function mistakesIn(site: Readonly<Record<string, string>>, base = '/'): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-site-'))
    try {
      for (const [name, text] of Object.entries(site)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      return findMistakes(folder, base)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const page = '<h2 id="names">Names</h2>'

  it('takes links to pages, files and anchors, and links out of the site', () => {
    const links = ['/guide/routes#names', './guide/routes.md', '/', '#top', 'https://zod.dev', '/guide/'].map(
      (link) => `<a class="x" href="${link}">link</a>`,
    )
    const site = { 'guide/routes.html': page, 'guide/routes.md': '', 'guide/index.html': '' }
    assert.deepEqual(mistakesIn({ ...site, 'index.html': `<main id="top">${links.join('')}</main>` }), [])
  })
  it('refuses links and anchors that lead nowhere', () => {
    const links = '<a href="/guide/route">1</a><a href="/guide/routes#name">2</a><a href="#top">3</a>'
    assert.deepEqual(mistakesIn({ 'guide/routes.html': page, 'index.html': links }), [
      'index.html links to /guide/route',
      'index.html links to /guide/routes#name',
      'index.html links to #top',
    ])
  })
  it('refuses links that leave a site below the root of its host', () => {
    const links = '<a href="/0.1/errors">1</a><a href="/errors">2</a>'
    assert.deepEqual(mistakesIn({ 'errors.html': '', 'index.html': links }, '/0.1/'), [
      'index.html links to /errors',
    ])
  })
  it('refuses whatever is loaded from another origin', () => {
    const html = [
      '<link rel="stylesheet" href="https://fonts.example/css">',
      '<script type="module" src="//cdn.example/a.js"></script>',
      '<img alt="" src="https://img.example/a.png">',
      "<style>@import url('https://fonts.example/b')</style>",
      '<link rel="stylesheet" href="/own.css"><img src="/own.png">',
    ]
    const css = 'a { background: url("https://img.example/c.png") } b { background: url(/own.png) }'
    assert.deepEqual(mistakesIn({ 'index.html': html.join(''), 'own.css': css }).toSorted(), [
      'index.html loads //cdn.example/a.js',
      'index.html loads https://fonts.example/b',
      'index.html loads https://fonts.example/css',
      'index.html loads https://img.example/a.png',
      'own.css loads https://img.example/c.png',
    ])
  })
})
