import { isString } from '../../../base/values.ts'
import type { DocumentLink, PageInfo } from '../../options/docs.ts'

/** Writes the page. The files below `folder` are those of a viewer, which fills `#page`. Without a viewer, the page lists the documents. */
export function toHtml(page: PageInfo, folder: string, files: readonly string[], hint = ''): string {
  const { title, documents, shown } = page
  const options = documents.map(({ version }) => {
    const isShown = version === shown.version ? ' selected' : ''
    return `<option value="${toHtmlText(version ?? 'all')}"${isShown}>${toHtmlText(version ?? 'All versions')}</option>`
  })
  const tags = files.map((name) => {
    const url = toHtmlText(`${folder}assets/${name}`)
    return name.endsWith('.css')
      ? `<link rel="stylesheet" href="${url}">`
      : `<script src="${url}" defer></script>`
  })
  const menu = `<label>Version <select id="version" autocomplete="off">${options.join('')}</select></label>`
  const ending = toEnding(shown)
  const viewer = `<section class="bar" aria-label="Documents">
<p>${toHtmlText(title)}</p>
${options.length === 1 ? '' : menu}
<nav aria-label="This document">${toDocumentLinks(shown)}</nav>
</section>
${ending && `<aside class="note" data-status="${shown.status}" aria-label="Life of this version">${ending}</aside>`}
<div id="page" data-url="${toHtmlText(shown.url)}"></div>
<noscript>${toDocumentList(page, '<p>To browse them here, allow this page to run JavaScript.</p>')}</noscript>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${toHtmlText(title)}</title>
<link rel="icon" href="data:,">
${tags.join('\n')}
</head>
<body>
${files.includes('page.js') ? viewer : toDocumentList(page, hint)}
</body>
</html>
`
}

/** Writes a text so that it can stand in HTML, in quoted attributes too. */
function toHtmlText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

function toDocumentLinks({ url }: DocumentLink): string {
  return `<a href="${toHtmlText(url)}">JSON</a> <a href="${toHtmlText(url.replace(/json$/, 'yaml'))}">YAML</a>`
}

function toDocumentList({ title, documents }: PageInfo, hint: string): string {
  const items = documents.map((each) => {
    const label = documents.length === 1 ? 'The API' : (each.version ?? 'All versions')
    const ending = toEnding(each)
    return `<li><span>${toHtmlText(label)}</span> ${toDocumentLinks(each)}${ending && `<p class="hint">${ending}</p>`}</li>`
  })
  return `<main class="list">
<h1>${toHtmlText(title)}</h1>
<ul>${items.join('\n')}</ul>
${hint}
</main>`
}

/** Writes the end of a version as HTML, or returns an empty text if no end is known. */
function toEnding(document: DocumentLink): string {
  const next = document.brownouts?.[0]
  const sentences = [
    ...toStages(document),
    next && `It does not answer from ${toTimeElement(next.from)} to ${toTimeElement(next.to)}.`,
  ].filter(isString)
  if (sentences.length === 0) return ''
  const about = (['deprecation', 'sunset'] as const).flatMap((event) => {
    const { href, title = `About the ${event}` } = document.links[event] ?? {}
    return href === undefined ? [] : [`<a href="${toHtmlText(href)}">${toHtmlText(title)}</a>`]
  })
  return [...sentences, ...about].join(' ')
}

function toStages({ version, status, deprecated, sunset }: DocumentLink): readonly (string | false)[] {
  const name = toHtmlText(version ?? '')
  const end = sunset !== undefined && toTimeElement(sunset)
  if (status === 'retired') return [`Version ${name} is retired since ${end}. It is not served any more.`]
  if (status === 'sunset') return [`The sunset of version ${name} was on ${end}. It may stop answering.`]
  if (deprecated === undefined) return [end && `The sunset of version ${name} is on ${end}.`]
  const when = status === 'deprecated' ? 'is deprecated since' : 'will be deprecated on'
  const start = deprecated === true ? 'is deprecated' : `${when} ${toTimeElement(deprecated)}`
  return [`Version ${name} ${start}.`, end && `Its sunset is on ${end}.`]
}

/** Writes the day of a moment, with its time unless it begins the day. */
function toTimeElement(moment: string): string {
  const [day = '', time = ''] = moment.split('T')
  const text = time === '' || time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)} UTC`
  return `<time datetime="${toHtmlText(moment)}">${toHtmlText(text)}</time>`
}
