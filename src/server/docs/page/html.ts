import type { DocumentLink, PageInfo } from '../../options/docs.ts'

/** Leads from the page to what is below it. */
type Link = (below: string) => string

/** The page that shows the documents in Swagger UI. */
export function toSwaggerPage(page: PageInfo, link: Link): string {
  const { title, documents, shown } = page
  const head = [
    style(link('assets/swagger-ui.css')),
    style(link('assets/swagger.css')),
    // sets the colours before anything is painted
    `<script src="${escape(link('assets/page.js'))}"></script>`,
    `<script src="${escape(link('assets/swagger-ui-bundle.js'))}" defer></script>`,
  ]
  const body = `<header class="bar">
  <p class="bar-title">${escape(title)}</p>
  <div class="bar-version"${documents.length === 1 ? ' hidden' : ''}>
    <label for="version">Version</label>
    <select id="version" autocomplete="off">
${documents.map((each) => toOption(each, each === shown)).join('\n')}
    </select>
  </div>
  <nav class="bar-links" aria-label="This document">
    <a id="json" href="${escape(shown.url)}">JSON</a>
    <a id="yaml" href="${escape(toYamlUrl(shown))}">YAML</a>
  </nav>
</header>
<p id="state" class="state" role="status">Loading…</p>
<main id="page"></main>
<noscript><div class="list"><p>This page needs JavaScript. These are the documents:</p>${toList(page)}</div></noscript>`
  return toHtml(title, link, head, body)
}

/** The page that lists the documents, where there is nothing to show them. */
export function toListPage(page: PageInfo, link: Link): string {
  const body = `<main class="list">
<h1>${escape(page.title)}</h1>
<p>The API is described by OpenAPI documents:</p>
${toList(page)}
<p class="hint">To browse them here: <code>npm install swagger-ui-dist</code> and start again.</p>
</main>`
  return toHtml(page.title, link, [], body)
}

function toHtml(title: string, link: Link, head: readonly string[], body: string): string {
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

function toList({ documents }: PageInfo): string {
  const items = documents.map((document) => {
    const label = documents.length === 1 ? 'The API' : toLabel(document)
    const links = `<a href="${escape(document.url)}">JSON</a> <a href="${escape(toYamlUrl(document))}">YAML</a>`
    return `<li><span>${escape(label)}</span> ${links}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

function toLabel({ version, isDefault }: DocumentLink): string {
  return version === null ? 'All versions' : `${version}${isDefault ? ' (default)' : ''}`
}

function toYamlUrl({ url }: DocumentLink): string {
  return url.replace(/json$/, 'yaml')
}

function style(url: string): string {
  return `<link rel="stylesheet" href="${escape(url)}">`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
