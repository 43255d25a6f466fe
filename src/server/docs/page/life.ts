import type { VersionLink } from '../../../versioning/policy.ts'
import type { DocumentLink } from '../../options/docs.ts'
import { escape } from './escape.ts'

/** What stands behind a version in a list: `deprecated since 2026-01-01`, `sunset on 2027-01-01`. */
export function toMarks({ status, deprecated, sunset }: DocumentLink): readonly string[] {
  if (sunset !== undefined && (status === 'retired' || status === 'sunset'))
    return [`${status} since ${toDay(sunset)}`]
  return [
    ...(typeof deprecated === 'string'
      ? [`deprecated ${status === 'deprecated' ? 'since' : 'on'} ${toDay(deprecated)}`]
      : []),
    ...(deprecated === true ? ['deprecated'] : []),
    ...(sunset === undefined ? [] : [`sunset on ${toDay(sunset)}`]),
  ]
}

/** The notes of all versions that have something to say of their life. The one of the version that is shown is visible. */
export function toNotes(documents: readonly DocumentLink[], shown: DocumentLink): string {
  const notes = documents.flatMap((document) => {
    const sentences = toSentences(document)
    if (sentences.length === 0) return []
    const hidden = document === shown ? '' : ' hidden'
    const version = escape(document.version ?? '')
    return `<p class="note" data-version="${version}" data-status="${document.status}"${hidden}>${sentences.join(' ')}</p>`
  })
  if (notes.length === 0) return ''
  const hidden = toSentences(shown).length === 0 ? ' hidden' : ''
  return `<aside class="notes" id="notes" aria-label="Life of this version" aria-live="polite"${hidden}>
${notes.join('\n')}
</aside>`
}

function toSentences(document: DocumentLink): readonly string[] {
  const { version, deprecated, sunset, links } = document
  const sentences = toStatements(document, `Version ${escape(version ?? '')}`, toTimes(deprecated, sunset))
  if (sentences.length === 0) return []
  return [
    ...sentences,
    ...toAnchor(links.deprecation, 'About the deprecation'),
    ...toAnchor(links.sunset, 'About the sunset'),
  ]
}

/** The moments as HTML; empty without one. */
interface Times {
  readonly deprecation: string
  readonly end: string
}

function toTimes(deprecated: true | string | undefined, sunset: string | undefined): Times {
  return { deprecation: typeof deprecated === 'string' ? toTime(deprecated) : '', end: toTime(sunset ?? '') }
}

function toStatements(
  { status, deprecated, sunset }: DocumentLink,
  name: string,
  { deprecation, end }: Times,
): readonly string[] {
  if (status === 'retired') return [`${name} is retired since ${end}. Requests for it get 410 Gone.`]
  if (status === 'sunset')
    return [`The sunset of ${name.toLowerCase()} was on ${end}. It may stop answering.`]
  const last = sunset === undefined ? [] : [`Its sunset is on ${end}.`]
  if (deprecated === undefined)
    return last.length === 0 ? [] : [`The sunset of ${name.toLowerCase()} is on ${end}.`]
  if (deprecated === true) return [`${name} is deprecated.`, ...last]
  return [
    `${name} ${status === 'deprecated' ? 'is deprecated since' : 'will be deprecated on'} ${deprecation}.`,
    ...last,
  ]
}

function toAnchor(link: VersionLink | undefined, text: string): readonly string[] {
  return link === undefined ? [] : [`<a href="${escape(link.href)}">${escape(link.title ?? text)}</a>`]
}

function toTime(moment: string): string {
  return `<time datetime="${moment}">${toDay(moment)}</time>`
}

/** The day of a moment, with its time unless the day begins with it. */
function toDay(moment: string): string {
  const [day = '', time = ''] = moment.split('T')
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)} UTC`
}
