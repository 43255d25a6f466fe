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
  return `<time datetime="${moment}">${toDay(moment)}</time>`
}

/** The day of a moment, with its time unless the day begins with it. */
function toDay(moment: string): string {
  const [day = '', time = ''] = moment.split('T')
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)} UTC`
}
