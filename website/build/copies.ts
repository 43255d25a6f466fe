import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { toPage, toSiteLink } from '../pages.ts'
import type { SidebarGroup } from '../sidebar.ts'

/** What a site tells those who read Markdown. */
export interface Copies {
  /** The Markdown of each page, by its path on the site. */
  readonly pages: ReadonlyMap<string, string>
  /** The list of pages, in the format of llmstxt.org. */
  readonly index: string
  /** The guide and the reference of errors, in the order of the sidebar. */
  readonly full: string
}

const FENCES = /(^```[\s\S]*?^```$)/m
const LINK = /(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g
const HEAD = /^---\n[\s\S]*?\n---\n/

/** The Markdown of a file, with links from the root of the site. Links to files that are no pages are text. */
export function toCopy(file: string, markdown: string, base: string): string {
  return markdown
    .replace(HEAD, '')
    .trimStart()
    .split(FENCES)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(LINK, (_, text: string, link: string) => {
            const turned = toSiteLink(file, link)
            return turned === undefined ? text : `[${text}](${turned.replace(/^\/(?!\/)/, base)})`
          }),
    )
    .join('')
}

/** The first sentence of a page. */
export function summaryOf(markdown: string): string {
  const prose = markdown.split(/\n\s*\n/).find((block) => /^[A-Z`[]/.test(block)) ?? ''
  const text = prose.replaceAll(/\s+/g, ' ').replaceAll(LINK, '$1')
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** Makes the copies of these files of the repository. */
export function createCopies(
  root: string,
  files: readonly string[],
  groups: readonly SidebarGroup[],
  base: string,
): Copies {
  const pages = new Map(
    files.flatMap((file) => {
      const page = toPage(file)
      return page === undefined
        ? []
        : [[page, toCopy(file, readFileSync(join(root, file), 'utf8'), base)] as const]
    }),
  )
  const toLine = ([text, path]: readonly [string, string]): string => {
    const summary = summaryOf(pages.get(`${path}.md`) ?? '')
    return `- [${text}](${base}${path}.md)${summary === '' ? '' : `: ${summary}`}`
  }
  const required = groups.filter(({ optional }) => optional !== true)
  const { description }: { readonly description: string } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const listed = [
    ...required.map(({ text, pages: list }) => [text, list] as const),
    [
      'Optional',
      groups.filter(({ optional }) => optional === true).flatMap(({ pages: list }) => list),
    ] as const,
  ]
  const index = [
    '# Octavo',
    `> ${description}`,
    ...listed.map(([text, list]) => `## ${text}\n\n${list.map(toLine).join('\n')}`),
  ]
  const full = required
    .flatMap(({ pages: list }) => list)
    .flatMap(([, path]) => {
      const text = path.startsWith('api/') ? undefined : pages.get(`${path}.md`)
      return text === undefined ? [] : [`<!-- ${base}${path}.md -->\n\n${text.trim()}`]
    })
  return { pages, index: `${index.join('\n\n')}\n`, full: `${full.join('\n\n')}\n` }
}

/** Writes copies into the built site, each beside its page. */
export function writeCopies(out: string, { pages, index, full }: Copies): void {
  for (const [page, text] of [...pages, ['llms.txt', index], ['llms-full.txt', full]] as const) {
    const path = join(out, page)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
