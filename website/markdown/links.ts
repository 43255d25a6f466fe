import { posix, relative } from 'node:path'

import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'

import { toSiteLink } from '../pages.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Turns the links of pages, which lead to files of the repository, into links between pages of the site. */
export function useSiteLinks(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const { realPath, path }: Partial<MarkdownEnv> & { readonly realPath?: string } = env
    // the titles of pages are rendered without a path
    if (path === undefined) return
    const file = relative(root, realPath ?? path).replaceAll('\\', '/')
    for (const token of tokens) turnLinks(token.children ?? [], file)
    for (const token of tokens)
      if (token.type === 'html_block') token.content = withPictures(token.content, file)
  })
}

function turnLinks(tokens: readonly Token[], file: string): void {
  const open: Token[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      open.push(token)
      const link = toSiteLink(file, token.attrGet('href') ?? '')
      // the file is in the repository only, so its name stays as text
      if (link === undefined) Object.assign(token, { tag: 'span', attrs: [], type: 'file_open' })
      else token.attrSet('href', link)
    }
    if (token.type === 'link_close' && open.pop()?.tag === 'span')
      Object.assign(token, { tag: 'span', type: 'file_close' })
  }
}

const PICTURE = /<picture>\s*<source[^>]*srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g

/** Shows one of two pictures by the theme of the site, which can differ from the preference of the system. */
function withPictures(html: string, file: string): string {
  const from = (path: string): string => `/${posix.join(posix.dirname(file), path)}`
  return html.replaceAll(
    PICTURE,
    (_, dark: string, light: string, rest: string) =>
      `<p><img class="only-light" src="${from(light)}"${rest}><img class="only-dark" src="${from(dark)}"${rest}></p>`,
  )
}
