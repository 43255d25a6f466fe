import type { DocumentLink, PageInfo } from '../../options/docs.ts'
import { VIEWERS } from '../viewers.ts'
import type { ViewerName } from '../viewers.ts'
import { escape } from './escape.ts'
import { toMarks, toNotes, toUsageSentences } from './life.ts'

/** Leads from the page to what is below it. */
type Link = (below: string) => string

/** The style sheets of a page after its own, and what is below the bar. */
interface Parts {
  readonly bar: 'header' | 'section'
  readonly styles: readonly string[]
  readonly script: string
  readonly content: (page: PageInfo) => string
}

const STATE = '<p id="state" class="state" role="status">Loading…</p>'

const PARTS: Readonly<Record<ViewerName, Parts>> = {
  // has a list, a search, a header and a main element of its own
  scalar: {
    bar: 'section',
    styles: ['scalar.css'],
    script: 'scalar.js',
    content: (page) => `${STATE}
<div id="page"></div>
<noscript><main class="list">${toFallback(page)}</main></noscript>`,
  },
  swagger: {
    bar: 'header',
    styles: ['swagger-ui.css', 'swagger.css'],
    script: 'swagger-ui-bundle.js',
    content: (page) => `<div class="columns">
<nav class="side" id="side" aria-label="Operations" hidden>
  <label class="unseen" for="search">Search operations</label>
  <input id="search" type="search" placeholder="Search operations" autocomplete="off" spellcheck="false">
  <p id="found" class="found" role="status"></p>
  <div id="list"></div>
</nav>
<main>
${STATE}
<div id="page"></div>
<noscript><div class="list">${toFallback(page)}</div></noscript>
</main>
</div>`,
  },
}

/** The page that shows the documents in a viewer. */
export function toViewerPage(viewer: ViewerName, page: PageInfo, link: Link): string {
  const { title, documents, shown } = page
  const { bar, styles, script, content } = PARTS[viewer]
  const head = [
    ...styles.map((name) => style(link(`assets/${name}`))),
    // sets the colours before anything is painted
    `<script src="${escape(link('assets/page.js'))}"></script>`,
    `<script src="${escape(link(`assets/${script}`))}" defer></script>`,
  ]
  const body = `<${bar} class="bar" id="bar" aria-label="Documents">
  <p class="bar-title">${escape(title)}</p>
  <div class="bar-version"${documents.length === 1 ? ' hidden' : ''}>
    <label for="version">Version</label>
    <select id="version" autocomplete="off">
${documents.map((each) => toOption(each, each === shown)).join('\n')}
    </select>
  </div>
  <nav class="bar-links" aria-label="This document">
    <a id="json" href="${escape(shown.url)}">JSON</a>
    <a id="yaml" href="${escape(toYamlUrl(shown))}">YAML</a>${toChangelogLink(page, link)}
  </nav>
</${bar}>
${toNotes(page)}
${content(page)}`
  return toHtml(title, link, head, body)
}

/** The page that lists the documents, where there is nothing to show them. */
export function toListPage(page: PageInfo, link: Link): string {
  const commands = Object.values(VIEWERS).map((viewer) => `<code>npm install ${viewer.package}</code>`)
  const body = `<main class="list">
<h1>${escape(page.title)}</h1>
<p>The API is described by OpenAPI documents:</p>
${toList(page)}${toChangelogLink(page, link)}
<p class="hint">To browse them here: ${commands.join(' or ')} and start again.</p>
</main>`
  return toHtml(page.title, link, [], body)
}

/** Fewer than two versions, beside the document of all, have no changelog. */
function toChangelogLink({ documents }: PageInfo, link: Link): string {
  return documents.length < 3 ? '' : `\n    <a href="${escape(link('changelog.html'))}">Changelog</a>`
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
${[style(link('assets/page.css')), ...head].join('\n')}
</head>
<body>
${body}
</body>
</html>
`
}

function toOption(document: DocumentLink, isShown: boolean): string {
  const attributes = [
    `value="${escape(document.version ?? 'all')}"`,
    `data-json="${escape(document.url)}"`,
    `data-yaml="${escape(toYamlUrl(document))}"`,
    ...(document.isDefault ? ['data-default'] : []),
    ...(isShown ? ['selected'] : []),
  ]
  return `      <option ${attributes.join(' ')}>${escape(toLabel(document))}</option>`
}

function toFallback(page: PageInfo): string {
  return `<p>This page needs JavaScript. These are the documents:</p>${toList(page)}`
}

function toList({ documents, usage }: PageInfo): string {
  const items = documents.map((document) => {
    const label = documents.length === 1 ? 'The API' : toLabel(document)
    const links = `<a href="${escape(document.url)}">JSON</a> <a href="${escape(toYamlUrl(document))}">YAML</a>`
    const notes = toUsageSentences(document, usage).map((sentence) => `<p class="hint">${sentence}</p>`)
    return `<li><span>${escape(label)}</span> ${links}${notes.join('')}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

function toLabel(document: DocumentLink): string {
  const { version, isDefault } = document
  if (version === null) return 'All versions'
  const marks = [...(isDefault ? ['default'] : []), ...toMarks(document)]
  return marks.length === 0 ? version : `${version} (${marks.join(', ')})`
}

function toYamlUrl({ url }: DocumentLink): string {
  return url.replace(/json$/, 'yaml')
}

function style(url: string): string {
  return `<link rel="stylesheet" href="${escape(url)}">`
}
