import type { DocumentLink, PageInfo } from '../../options/docs.ts'
import { VIEWERS, type ViewerName } from '../viewers.ts'
import { escape } from './escape.ts'
import { toNote, toSentences } from './life.ts'

/** Leads from the page to what is below it. */
type Link = (below: string) => string

/** The links of a page. */
interface Links {
  readonly link: Link
  readonly hasChangelog: boolean
}

/** The scripts and style sheets of viewers, in the order in which they are loaded. */
const FILES: Readonly<Record<ViewerName, readonly string[]>> = {
  scalar: ['page.js', 'scalar.js'],
  swagger: ['swagger-ui.css', 'page.js', 'swagger-ui-bundle.js'],
}

/** The page that shows the documents in a viewer, which has a main element of its own. */
export function toViewerPage(viewer: ViewerName, page: PageInfo, links: Links): string {
  const { link } = links
  const { title, documents, shown } = page
  const options = documents.map((each) => toOption(each, each === shown)).join('\n')
  const select = `
  <label class="bar-version">Version <select id="version" autocomplete="off">
${options}
  </select></label>`
  const body = `<section class="bar" aria-label="Documents">
  <p class="bar-title">${escape(title)}</p>${documents.length === 1 ? '' : select}
  <nav class="bar-links" aria-label="This document">
    <a id="json" href="${escape(shown.url)}">JSON</a>
    <a href="${escape(toYamlUrl(shown))}">YAML</a>${toChangelogLink(links)}
  </nav>
</section>
${toNote(page)}
<div id="page"></div>
<noscript><main class="list"><p>This page needs JavaScript. These are the documents:</p>${toList(page)}</main></noscript>`
  return toHtml(
    title,
    link,
    FILES[viewer].map((name) => toFile(link(`assets/${name}`))),
    body,
  )
}

/** The page that lists the documents, where there is nothing to show them. */
export function toListPage(page: PageInfo, links: Links): string {
  const commands = Object.values(VIEWERS).map((viewer) => `<code>npm install ${viewer.package}</code>`)
  const body = `<main class="list">
<h1>${escape(page.title)}</h1>
<p>The API is described by OpenAPI documents:</p>
${toList(page)}${toChangelogLink(links)}
<p class="hint">To browse them here: ${commands.join(' or ')} and start again.</p>
</main>`
  return toHtml(page.title, links.link, [], body)
}

function toChangelogLink({ link, hasChangelog }: Links): string {
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

function toOption(document: DocumentLink, isShown: boolean): string {
  const value = escape(document.version ?? 'all')
  return `    <option value="${value}"${isShown ? ' selected' : ''}>${escape(toLabel(document))}</option>`
}

function toLabel({ version, isDefault }: DocumentLink): string {
  return version === null ? 'All versions' : `${version}${isDefault ? ' (default)' : ''}`
}

function toList({ documents, usage }: PageInfo): string {
  const items = documents.map((document) => {
    const label = documents.length === 1 ? 'The API' : toLabel(document)
    const links = `<a href="${escape(document.url)}">JSON</a> <a href="${escape(toYamlUrl(document))}">YAML</a>`
    const notes = toSentences(document, usage)
    const hint = notes === '' ? '' : `<p class="hint">${notes}</p>`
    return `<li><span>${escape(label)}</span> ${links}${hint}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

function toYamlUrl({ url }: DocumentLink): string {
  return url.replace(/json$/, 'yaml')
}

function toFile(url: string): string {
  return url.endsWith('.css')
    ? `<link rel="stylesheet" href="${escape(url)}">`
    : `<script src="${escape(url)}" defer></script>`
}
