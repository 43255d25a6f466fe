import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { createCopies, toCopy } from '../../website/build/copies.ts'
import { parseChart, renderChart } from '../../website/markdown/charts.ts'
import { toPage, toSiteLink } from '../../website/pages.ts'
import { SIDEBAR } from '../../website/sidebar.ts'
import { VERSIONS } from '../../website/versions.ts'

const ROOT = join(import.meta.dirname, '../..')

const files = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
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
  it('is of the version of the package, whose changes are listed', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    assert.deepEqual(VERSIONS[0], { name: version, link: '/' })
  })
})

describe('the links of a page on the site', () => {
  const cases: readonly (readonly [file: string, link: string, expected: string | undefined])[] = [
    ['docs/guide/routes.md', 'input.md', '/guide/input.md'],
    ['docs/guide/routes.md', '../errors.md#response_invalid', '/errors.md#response_invalid'],
    ['docs/guide/routes.md', '#names', '#names'],
    ['docs/guide/routes.md', '../../CHANGELOG.md', '/changelog.md'],
    ['docs/security.md', '../SECURITY.md', '/vulnerabilities.md'],
    ['docs/benchmarks.md', '../bench/README.md', '/measuring.md'],
    ['README.md', 'docs/guide/routes.md#names-and-urls', '/guide/routes.md#names-and-urls'],
    ['README.md', 'bench', '/measuring.md'],
    ['website/index.md', '../docs/guide/openapi.md', '/guide/openapi.md'],
    ['website/api/octavo/index.md', 'functions/createApp.md', '/api/octavo/functions/createApp.md'],
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
