import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const LINK = /<a\b[^>]*\shref="([^"]+)"/g
const ID = /\sid="([^"]+)"/g
/** What a browser loads without a click. */
const LOADED = [
  /<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\s(?:src|srcset|data)="([^"]+)"/g,
  /<link\b(?![^>]*\brel="(?:canonical|alternate)")[^>]*\shref="([^"]+)"/g,
]
const LOADED_BY_STYLES = [/url\(\s*["']?([^"')]+)/g, /@import\s+["']([^"']+)/g]
const OUTSIDE = /^(?:[a-z]+:)?\/\/(?!localhost)/i

const matches = (text: string, patterns: readonly RegExp[]): readonly string[] =>
  patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = '']) => found))

const decode = (text: string): string => decodeURIComponent(text.replaceAll('&amp;', '&'))

/** Lists the links of a built site that lead nowhere, anchors included, and everything that it loads from another origin. */
export function findMistakes(out: string, base: string): readonly string[] {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll('\\', '/'),
  )
  const pages = files.filter((file) => file.endsWith('.html'))
  const texts = new Map(pages.map((page) => [page, readFileSync(join(out, page), 'utf8')]))
  const anchors = new Map([...texts].map(([page, text]) => [page, new Set(matches(text, [ID]).map(decode))]))

  const isDead = (page: string, link: string): boolean => {
    const [path = '', anchor = ''] = decode(link).split('#')
    if (path.startsWith('/') && !path.startsWith(base)) return true
    const inSite = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(page), path)
    const target = path === '' ? page : toFile(inSite)
    const known = anchors.get(target)
    if (known === undefined) return !existsSync(join(out, inSite))
    return anchor !== '' && !known.has(anchor)
  }
  const ofPages = [...texts].flatMap(([page, text]) => [
    ...matches(text, [LINK])
      .filter((link) => !/^[a-z]+:|^\/\//i.test(link) && isDead(page, link))
      .map((link) => `${page} links to ${link}`),
    ...matches(text, LOADED)
      .filter((link) => OUTSIDE.test(link))
      .map((link) => `${page} loads ${link}`),
  ])
  const ofStyles = files
    .filter((file) => /\.(?:css|svg|html)$/.test(file))
    .flatMap((file) =>
      matches(readFileSync(join(out, file), 'utf8'), LOADED_BY_STYLES)
        .filter((link) => OUTSIDE.test(link))
        .map((link) => `${file} loads ${link}`),
    )
  return [...ofPages, ...ofStyles]
}

/** The file of a page with a clean address. */
function toFile(path: string): string {
  if (path === '' || path === '.' || path.endsWith('/')) return posix.join(path, 'index.html')
  return path.endsWith('.html') ? path : `${path}.html`
}
