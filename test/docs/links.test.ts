import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** The anchors of a page, as renderers make them of its headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('the links of the documentation', () => {
  for (const page of pages) {
    it(`of ${page} lead somewhere`, () => {
      for (const [, link = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? page : join(dirname(page), file)
        assert.ok(existsSync(join(ROOT, target)), link)
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), link)
      }
    })
  }
})

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    for (const [, name = ''] of text.matchAll(/`([\w/-]+\.ts)`/g)) {
      const known = existsSync(join(ROOT, name)) || files.some((file) => `/${file}`.endsWith(`/${name}`))
      assert.ok(known, name)
    }
  })
})
