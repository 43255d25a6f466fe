import { toAddress, toPage } from '../pages.ts'

/** Lists the addresses of these files of the repository in the format of sitemaps.org, which search engines read. */
export function createSitemap(files: readonly string[], origin: string, base: string): string {
  const addresses = files.flatMap((file) => {
    const page = toPage(file)
    return page === undefined ? [] : [`${origin}${base.slice(0, -1)}${toAddress(page.replace(/\.md$/, ''))}`]
  })
  const urls = addresses.toSorted().map((address) => `  <url><loc>${encodeURI(address)}</loc></url>`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>\n',
  ].join('\n')
}
