import type { DocsUsage, DocumentLink, PageInfo } from '../../options/docs.ts'
import type { VersionLink } from '../../../versioning/policy.ts'

/** Writes a text so that it can stand in HTML, in quoted attributes too. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

/** Leads from the page to what is below it. */
export type Link = (below: string) => string

/** The page that lists the documents, where there is nothing to show them. */
export function toListPage(page: PageInfo, link: Link, hint = ''): string {
  const body = `<main class="list">
<h1>${escape(page.title)}</h1>
<p>The API is described by OpenAPI documents:</p>
${toList(page)}
${hint}
</main>`
  return toHtml(page.title, link, [], body)
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

export function toNote({ shown, usage }: PageInfo): string {
  const sentences = toSentences(shown, usage)
  if (sentences === '') return ''
  const kind = toLifeSentences(shown).length === 0 ? 'note quiet' : 'note'
  const label = `Life${usage === undefined ? '' : ' and usage'} of this version`
  return `<aside class="${kind}" data-status="${shown.status}" aria-label="${label}">${sentences}</aside>`
}

/** Describes the life and the usage of a version as HTML. */
function toSentences(document: DocumentLink, usage: DocsUsage | undefined): string {
  return [...toLifeSentences(document), ...toUsageSentences(document, usage)].join(' ')
}

function toLifeSentences(document: DocumentLink): readonly string[] {
  const { deprecation, sunset } = document.links
  const statements = toStatements(document)
  return statements.length === 0
    ? []
    : [
        ...statements,
        ...toAnchor(deprecation, 'About the deprecation'),
        ...toAnchor(sunset, 'About the sunset'),
      ]
}

/** How often a version was called, and by how many clients. */
function toUsageSentences({ version }: DocumentLink, usage: DocsUsage | undefined): readonly string[] {
  if (version === null || usage === undefined) return []
  const { since, versions } = usage
  const name = `Version ${escape(version)}`
  const used = Object.hasOwn(versions, version) ? versions[version] : undefined
  if (used === undefined) return [`${name} had no requests since ${toTime(since)}.`]
  const { requests, clients, hasMoreClients, lastSeen } = used
  const least = hasMoreClients ? 'at least ' : ''
  const from = clients === 0 ? '' : ` from ${least}${toCount(clients, 'client')}`
  return [
    `${name} had ${toCount(requests, 'request')}${from} since ${toTime(since)}. The last one was on ${toTime(lastSeen)}.`,
  ]
}

function toCount(count: number, name: string): string {
  return `${escape(count.toLocaleString('en'))} ${name}${count === 1 ? '' : 's'}`
}

function toStatements(document: DocumentLink): readonly string[] {
  const [next] = document.brownouts ?? []
  const brownout =
    next === undefined ? [] : [`It does not answer from ${toTime(next.from)} to ${toTime(next.to)}.`]
  return [...toStages(document), ...brownout]
}

function toStages({ version, status, deprecated, sunset }: DocumentLink): readonly string[] {
  const name = escape(version ?? '')
  const end = sunset === undefined ? '' : toTime(sunset)
  if (status === 'retired') return [`Version ${name} is retired since ${end}. It is not served any more.`]
  if (status === 'sunset') return [`The sunset of version ${name} was on ${end}. It may stop answering.`]
  if (deprecated === undefined) return end === '' ? [] : [`The sunset of version ${name} is on ${end}.`]
  const when = status === 'deprecated' ? 'is deprecated since' : 'will be deprecated on'
  return [
    deprecated === true ? `Version ${name} is deprecated.` : `Version ${name} ${when} ${toTime(deprecated)}.`,
    ...(end === '' ? [] : [`Its sunset is on ${end}.`]),
  ]
}

function toAnchor(link: VersionLink | undefined, text: string): readonly string[] {
  return link === undefined ? [] : [`<a href="${escape(link.href)}">${escape(link.title ?? text)}</a>`]
}

function toTime(moment: string): string {
  return `<time datetime="${escape(moment)}">${escape(toDay(moment))}</time>`
}

/** The day of a moment, with its time if it has one that does not begin the day. */
function toDay(moment: string): string {
  const [day = '', time = ''] = moment.split('T')
  return time === '' || time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)} UTC`
}
