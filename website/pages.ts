import { posix } from 'node:path'

/** Pages of the repository whose names on the site differ, because a page of `docs` has the name or because it says more. */
const RENAMED: Readonly<Record<string, string>> = {
  'README.md': 'introduction.md',
  'docs/CODE_OF_CONDUCT.md': 'code-of-conduct.md',
  'docs/GOVERNANCE.md': 'governance.md',
  'bench/README.md': 'measuring.md',
  'website/index.md': 'index.md',
}

/**
 * Converts the path of a file in the repository to its path on the site. Files that are no pages of the site are `undefined`: the site has
 * `docs`, the generated reference and the pages at the top of the repository.
 */
export function toPage(file: string): string | undefined {
  if (!file.endsWith('.md')) return undefined
  const renamed = RENAMED[file]
  if (renamed !== undefined) return renamed
  const [, inFolder] = /^docs\/(.+)$/.exec(file) ?? /^website\/(api\/.+)$/.exec(file) ?? []
  if (inFolder !== undefined) return inFolder.replace(/(^|\/)README\.md$/, '$1index.md')
  return file.includes('/') ? undefined : file.toLowerCase().replaceAll('_', '-')
}

/** Converts the path of a page without its extension to its address, in which the index of a folder is the folder. */
export const toAddress = (path: string): string => `/${path.replace(/(^|\/)index$/, '$1')}`

/** A link that leads out of the site or stays on its page. */
const ELSEWHERE = /^(?:[a-z][a-z+.-]*:|\/\/|#)/i

/**
 * Converts a link of a file to one from the root of the site, with the extension of the page. A link to a file of the repository that is no
 * page is `undefined`.
 */
export function toSiteLink(file: string, link: string): string | undefined {
  if (ELSEWHERE.test(link)) return link
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? []
  const target = posix.join(posix.dirname(file), path)
  // a link to a folder is one to its README
  const page = toPage(posix.extname(target) === '' ? posix.join(target, 'README.md') : target)
  return page === undefined ? undefined : `/${page}${anchor}`
}
