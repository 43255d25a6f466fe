import type { DocumentLink, PageInfo } from '../../options/docs.ts'
import { escape } from './escape.ts'
import { toSentences } from './life.ts'

/** Leads from the page to what is below it. */
type Link = (below: string) => string

/** The links of a page. */
export interface Links {
  readonly link: Link
  readonly hasChangelog: boolean
}

/** The page that lists the documents, where there is nothing to show them. */
export function toListPage(page: PageInfo, links: Links, hint = ''): string {
  const body = `<main class="list">
<h1>${escape(page.title)}</h1>
<p>The API is described by OpenAPI documents:</p>
${toList(page)}${toChangelogLink(links)}
${hint}
</main>`
  return toHtml(page.title, links.link, [], body)
}

export function toChangelogLink({ link, hasChangelog }: Links): string {
  return hasChangelog ? `\n    <a href="${escape(link('changelog.html'))}">Changelog</a>` : ''
}

/** A page of the documents. */
export function toHtml(title: string, link: Link, head: readonly string[], body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="${escape(link('assets/icon.svg'))}" type="image/svg+xml">
${[...head, toFile(link('assets/page.css'))].join('\n')}
</head>
<body>
${body}
</body>
</html>
`
}

export function toLabel({ version, isDefault }: DocumentLink): string {
  return version === null ? 'All versions' : `${version}${isDefault ? ' (default)' : ''}`
}

export function toList({ documents, usage }: PageInfo): string {
  const items = documents.map((document) => {
    const label = documents.length === 1 ? 'The API' : toLabel(document)
    const links = `<a href="${escape(document.url)}">JSON</a> <a href="${escape(toYamlUrl(document))}">YAML</a>`
    const notes = toSentences(document, usage)
    const hint = notes === '' ? '' : `<p class="hint">${notes}</p>`
    return `<li><span>${escape(label)}</span> ${links}${hint}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

export function toYamlUrl({ url }: DocumentLink): string {
  return url.replace(/json$/, 'yaml')
}

export function toFile(url: string): string {
  return url.endsWith('.css')
    ? `<link rel="stylesheet" href="${escape(url)}">`
    : `<script src="${escape(url)}" defer></script>`
}
