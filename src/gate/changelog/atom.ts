import { toXml } from '../escape.ts'
import type { Changelog, ChangelogVersion } from './changelog.ts'
import { toVersionHtml } from './write.ts'

/** Where a feed and its page are, relative to each other or as addresses. */
export interface FeedLinks {
  readonly self: string
  readonly page: string | undefined
}

/** The day of entries whose version has no day, and none before it has one. */
const NO_DAY = '1970-01-01'

/** Writes a changelog as an Atom feed (RFC 4287). Ids and dates follow from the changelog alone. */
export function toAtom({ title, versions }: Changelog, links?: FeedLinks): string {
  const id = `urn:octavo:changelog:${toName(title)}`
  const days = toDays(versions)
  const updated = [...days.values()].toSorted().at(-1) ?? NO_DAY
  const entries = versions.map((version) =>
    [
      '  <entry>',
      `    <id>${toXml(`${id}:${toName(version.version)}`)}</id>`,
      `    <title>${toXml(`${title} ${version.version}`)}</title>`,
      `    <updated>${days.get(version) ?? NO_DAY}T00:00:00Z</updated>`,
      ...(links?.page === undefined
        ? []
        : [`    <link href="${toXml(`${links.page}#${toAnchor(version.version)}`)}"/>`]),
      `    <content type="html">${toXml(toVersionHtml(version, 2))}</content>`,
      '  </entry>',
    ].join('\n'),
  )
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${toXml(id)}</id>`,
    `  <title>${toXml(`Changelog of ${title}`)}</title>`,
    `  <updated>${updated}T00:00:00Z</updated>`,
    `  <author><name>${toXml(title)}</name></author>`,
    ...(links === undefined
      ? []
      : [`  <link rel="self" type="application/atom+xml" href="${toXml(links.self)}"/>`]),
    ...(links?.page === undefined ? [] : [`  <link type="text/html" href="${toXml(links.page)}"/>`]),
    ...entries,
    '</feed>',
    '',
  ].join('\n')
}

/** The day of each version. One without a day has that of the version before it. */
function toDays(versions: readonly ChangelogVersion[]): ReadonlyMap<ChangelogVersion, string> {
  const days = new Map<ChangelogVersion, string>()
  let last = NO_DAY
  for (const version of versions.toReversed()) {
    last = version.day ?? last
    days.set(version, last)
  }
  return days
}

/** The id of the place of a version in a page. */
export function toAnchor(version: string): string {
  return `version-${toName(version)}`
}

function toName(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))
}
