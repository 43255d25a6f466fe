import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** A page that is measured. `maxWords` counts everything outside fences, tables and headings included. */
interface Page {
  readonly page: string
  readonly maxWords: number
  /** Shares of fewer words than these say little about a page. Default: MIN_PROSE. */
  readonly minProse?: number
}

/** Folders of `docs` whose pages all have the same limits. */
const folders: readonly (Omit<Page, 'page'> & { readonly folder: string })[] = [
  { folder: 'docs/tutorial', maxWords: 1_600 },
  { folder: 'docs/cookbook', maxWords: 700, minProse: 80 },
  { folder: 'docs/coming-from', maxWords: 1_800 },
]

function pagesIn(folder: string): readonly string[] {
  return existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    : []
}

const pages: readonly Page[] = [
  ...folders.flatMap(({ folder, ...limits }) => pagesIn(folder).map((page) => ({ page, ...limits }))),
  { page: 'README.md', maxWords: 1_285 },
  { page: 'CHANGELOG.md', maxWords: 5_000 },
  { page: 'CONTRIBUTING.md', maxWords: 2_460 },
  { page: 'bench/README.md', maxWords: 700 },
  { page: 'docs/CODE_OF_CONDUCT.md', maxWords: 300 },
  { page: 'docs/GOVERNANCE.md', maxWords: 350 },
  { page: 'docs/architecture.md', maxWords: 2_970 },
  { page: 'docs/benchmarks.md', maxWords: 7_480 },
  { page: 'docs/errors.md', maxWords: 6_000 },
  { page: 'docs/support.md', maxWords: 1_200 },
  { page: 'docs/guide/adapters.md', maxWords: 400 },
  { page: 'docs/guide/around.md', maxWords: 930 },
  { page: 'docs/guide/authentication.md', maxWords: 730 },
  { page: 'docs/guide/changelog.md', maxWords: 270 },
  { page: 'docs/guide/changes-how-to.md', maxWords: 350 },
  { page: 'docs/guide/changes-kinds.md', maxWords: 450 },
  { page: 'docs/guide/changes-reference.md', maxWords: 1_450 },
  { page: 'docs/guide/changes-requests.md', maxWords: 440 },
  { page: 'docs/guide/changes.md', maxWords: 830 },
  { page: 'docs/guide/cli.md', maxWords: 1_070 },
  { page: 'docs/guide/client-requests.md', maxWords: 720 },
  { page: 'docs/guide/client-tanstack.md', maxWords: 230 },
  { page: 'docs/guide/client.md', maxWords: 1_320 },
  { page: 'docs/guide/compatibility-tools.md', maxWords: 490 },
  { page: 'docs/guide/compatibility.md', maxWords: 1_125 },
  { page: 'docs/guide/configuration.md', maxWords: 320, minProse: 150 },
  { page: 'docs/guide/cors.md', maxWords: 420 },
  { page: 'docs/guide/deprecation.md', maxWords: 940 },
  { page: 'docs/guide/downloads.md', maxWords: 960 },
  { page: 'docs/guide/engine.md', maxWords: 360 },
  { page: 'docs/guide/error-format.md', maxWords: 360 },
  { page: 'docs/guide/first-hour.md', maxWords: 400 },
  { page: 'docs/guide/import.md', maxWords: 500 },
  { page: 'docs/guide/input.md', maxWords: 680 },
  { page: 'docs/guide/instances.md', maxWords: 830 },
  { page: 'docs/guide/limits.md', maxWords: 860 },
  { page: 'docs/guide/logging.md', maxWords: 420, minProse: 160 },
  { page: 'docs/guide/long-work.md', maxWords: 350 },
  { page: 'docs/guide/metrics.md', maxWords: 750 },
  { page: 'docs/guide/middleware.md', maxWords: 1_340 },
  { page: 'docs/guide/modules.md', maxWords: 630 },
  { page: 'docs/guide/openapi-checks.md', maxWords: 260 },
  { page: 'docs/guide/openapi-schemas.md', maxWords: 480 },
  { page: 'docs/guide/openapi-serving.md', maxWords: 770 },
  { page: 'docs/guide/openapi.md', maxWords: 890 },
  { page: 'docs/guide/operations.md', maxWords: 740 },
  { page: 'docs/guide/pages.md', maxWords: 800 },
  { page: 'docs/guide/mcp.md', maxWords: 640 },
  { page: 'docs/guide/pins.md', maxWords: 620 },
  { page: 'docs/guide/quotas.md', maxWords: 350 },
  { page: 'docs/guide/idempotency.md', maxWords: 1_100 },
  { page: 'docs/guide/production.md', maxWords: 530 },
  { page: 'docs/guide/preconditions.md', maxWords: 470 },
  { page: 'docs/guide/releasing.md', maxWords: 360 },
  { page: 'docs/guide/results.md', maxWords: 725 },
  { page: 'docs/guide/routes.md', maxWords: 1_580 },
  { page: 'docs/guide/runtimes.md', maxWords: 730 },
  { page: 'docs/guide/serving.md', maxWords: 870 },
  { page: 'docs/guide/sessions.md', maxWords: 790 },
  { page: 'docs/guide/stores.md', maxWords: 440 },
  { page: 'docs/guide/telemetry.md', maxWords: 590 },
  { page: 'docs/guide/testing-versions.md', maxWords: 530 },
  { page: 'docs/guide/testing.md', maxWords: 460 },
  { page: 'docs/guide/tokens.md', maxWords: 790 },
  { page: 'docs/guide/uploads.md', maxWords: 510 },
  { page: 'docs/guide/inside.md', maxWords: 600 },
  { page: 'docs/guide/upstream-frameworks.md', maxWords: 240 },
  { page: 'docs/guide/upstream.md', maxWords: 1_235 },
  { page: 'docs/guide/usage.md', maxWords: 1_000 },
  { page: 'docs/guide/versioning-rules.md', maxWords: 2_090 },
  { page: 'docs/guide/versioning.md', maxWords: 1_390 },
  { page: 'docs/guide/webhooks.md', maxWords: 1_200 },
  { page: 'docs/guide/websockets.md', maxWords: 510 },
  { page: 'docs/leaving.md', maxWords: 260, minProse: 150 },
  { page: 'docs/rules.md', maxWords: 4_030 },
  { page: 'docs/security.md', maxWords: 3_000 },
  { page: 'test/outside/README.md', maxWords: 330, minProse: 100 },
  { page: 'website/README.md', maxWords: 360, minProse: 150 },
]

const MIN_PROSE = 200

const FENCE = /^```.*\n[\s\S]*?^```$/gm
const WORD = /[\p{L}\p{N}]/u

interface Measures {
  /** Words outside fences. */
  readonly words: number
  /** Words outside fences, tables and headings. Inline code is one word. */
  readonly prose: number
  readonly sentences: number
  /** These are per 1,000 words of prose. */
  readonly you: number
  readonly what: number
  readonly nobody: number
  /** Per 100 sentences. */
  readonly semicolons: number
}

/** Comments, tags and images go. Links keep their text. */
function withoutMarkup(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->|<[a-z/][^>]*>/g, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

/** Paragraphs and list items, each on one line. */
function proseOf(markdown: string): readonly string[] {
  // a tag in inline code is no markup
  return withoutMarkup(markdown.replaceAll(FENCE, '').replaceAll(/`[^`]+`/g, 'code'))
    .replaceAll(/^(?:\||#).*$/gm, '')
    .split(/\n\s*\n|^\s*(?:[-*]|\d+\.) /m)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .filter((block) => WORD.test(block))
}

const countWords = (text: string): number => text.split(/\s+/).filter((token) => WORD.test(token)).length

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

function measure(markdown: string): Measures {
  const blocks = proseOf(markdown)
  const text = blocks.join('\n')
  const prose = countWords(text)
  const sentences = blocks.flatMap((block) => block.split(/(?<=[.!?])\s/)).length
  const perThousand = (pattern: RegExp): number => (count(text, pattern) * 1_000) / prose
  return {
    words: countWords(markdown.replaceAll(FENCE, '')),
    prose,
    sentences,
    you: perThousand(/\byour?\b/gi),
    what: perThousand(/\bwhat\b/gi),
    nobody: perThousand(/\b(?:nobody|nothing)\b/gi),
    semicolons: (count(text, /;/g) * 100) / sentences,
  }
}

/** Each limit that a page misses, with the number. */
function misses(markdown: string, maxWords: number, minProse = MIN_PROSE): readonly string[] {
  const { words, prose, you, what, nobody, semicolons } = measure(markdown)
  const limits: readonly (readonly [name: string, value: number, sign: '≥' | '≤', limit: number])[] = [
    ['words outside fences', words, '≤', maxWords],
    ['words of prose', prose, '≥', minProse],
    ['"you" and "your" per 1,000 words', you, '≥', 8],
    ['"what" per 1,000 words', what, '≤', 3],
    ['"nobody" and "nothing" per 1,000 words', nobody, '≤', 0.3],
    ['semicolons per 100 sentences', semicolons, '≤', 2],
  ]
  return limits
    .filter(([, value, sign, limit]) => !(sign === '≥' ? value >= limit : value <= limit))
    .map(
      ([name, value, sign, limit]) => `${name}: ${Math.round(value * 10) / 10}, has to be ${sign} ${limit}`,
    )
}

/** The first line below the title. */
function openingOf(markdown: string): string {
  return markdown.split('\n').filter((line) => line.trim() !== '')[1] ?? ''
}

/** Whether a line is of a paragraph or list, and not a heading, table, fence or tag. */
const isProse = (line: string): boolean => /^\s*[^\s#|<`!]|^`[^`]/.test(line)

/** A fence that is a tab on the site, beside the fence above. */
const TAB = /^```.*\[.+\]\n/

/** The lines of fences without a sentence or a summary right above. A `text` fence below a snippet is its output. */
function bareFences(markdown: string): readonly number[] {
  return [...markdown.matchAll(FENCE)]
    .filter(({ 0: fence, index }) => {
      const above = markdown.slice(0, index).trimEnd().split('\n').at(-1) ?? ''
      const isNext = fence.startsWith('```text\n') || TAB.test(fence)
      return !isProse(above) && !above.endsWith('</summary>') && !(isNext && above === '```')
    })
    .map(({ index }) => markdown.slice(0, index).split('\n').length)
}

describe('the prose of the documentation', () => {
  for (const { page, maxWords, minProse } of pages) {
    const markdown = readFileSync(join(ROOT, page), 'utf8')

    it(`of ${page} stays within the limits`, () => assert.deepEqual(misses(markdown, maxWords, minProse), []))

    it(`opens ${page}`, () => assert.ok(isProse(openingOf(markdown)), openingOf(markdown)))

    it(`introduces each snippet of ${page}`, () => assert.deepEqual(bareFences(markdown), []))
  }

  it('is measured on every page of docs', () => {
    const measured = new Set(pages.map(({ page }) => page))
    assert.deepEqual(
      pagesIn('docs').filter((page) => !measured.has(page)),
      [],
    )
  })

  it('has pages to measure', () => assert.ok(pages.some(({ page }) => page === 'README.md')))
})

describe('the measures of prose', () => {
  const page = `# What you; nothing

You call \`<what>\` and \`what; nothing\` once. Your [app](what;nothing.md) answers; **what** it
reads is there.

- nobody
- you

| what | you; nothing |
| ---- | ------------ |

<img alt="what; nobody"> ![what; nobody](nothing.svg)

\`\`\`ts
what(you); nothing()
\`\`\`
`

  it('count words of prose, and not those of code, tables, headings, addresses and pictures', () => {
    assert.deepEqual(measure(page), {
      words: 28,
      prose: 16,
      sentences: 4,
      you: 3_000 / 16,
      what: 1_000 / 16,
      nobody: 1_000 / 16,
      semicolons: 25,
    })
  })

  it('say which number is off', () => {
    const text = 'That is what it gives; nothing else.\n'.repeat(50)
    assert.deepEqual(misses(text, 100), [
      'words outside fences: 350, has to be ≤ 100',
      '"you" and "your" per 1,000 words: 0, has to be ≥ 8',
      '"what" per 1,000 words: 142.9, has to be ≤ 3',
      '"nobody" and "nothing" per 1,000 words: 142.9, has to be ≤ 0.3',
      'semicolons per 100 sentences: 100, has to be ≤ 2',
    ])
    assert.deepEqual(misses('You see your page. '.repeat(60), 300), [])
  })

  it('refuse a page without prose', () => {
    assert.deepEqual(misses('# Octavo\n\n```ts\nyou()\n```\n', 100).slice(0, 1), [
      'words of prose: 0, has to be ≥ 200',
    ])
  })

  it('find the opening, and snippets that no sentence introduces', () => {
    assert.equal(isProse(openingOf('# Octavo\n\nOctavo is there.\n')), true)
    assert.equal(isProse(openingOf('# Octavo\n\n```sh\nnpm ci\n```\n')), false)
    assert.equal(isProse(openingOf('# Octavo\n\n## Start\n')), false)
    assert.deepEqual(bareFences('# One\n\nRun it:\n\n```sh\nnpm ci\n```\n\n```text\ndone\n```\n'), [])
    assert.deepEqual(bareFences('# One\n\n```sh\nnpm ci\n```\n\n```sh\nnpm test\n```\n'), [3, 7])
  })
})
