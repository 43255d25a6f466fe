import { capitalize } from '../../../base/values.ts'
import { toAnchor } from '../../../gate/changelog/atom.ts'
import type { Changelog, ChangelogVersion } from '../../../gate/changelog/changelog.ts'
import { code, toVersionHtml } from '../../../gate/changelog/html.ts'
import { meaningOf } from '../../../gate/rules.ts'
import { escape } from './escape.ts'
import { toHtml } from './html.ts'

/** The page of the changelog, which is beside the documents. It needs no script. `retired` are the versions that do not answer any more. */
export function toChangelogPage({ title, versions }: Changelog, retired: ReadonlySet<string>): string {
  const head = ['<link rel="alternate" type="application/atom+xml" href="./changelog.atom">']
  const mark = (version: string): string =>
    retired.has(version) ? ' <small class="mark">retired</small>' : ''
  const items = versions.map(
    ({ version }) =>
      `<li><a href="#${escape(toAnchor(version))}">${escape(version)}</a>${mark(version)}</li>`,
  )
  const body = `<header class="bar" aria-label="Changelog">
  <p class="bar-title"><a href="./">${escape(title)}</a></p>
  <nav class="bar-links" aria-label="The changelog">
    <a href="./changelog.md">Markdown</a>
    <a href="./changelog.json">JSON</a>
    <a href="./changelog.atom">Atom</a>
  </nav>
</header>
<main class="changelog">
<h1>Changelog</h1>
<nav aria-label="Versions">
<ul class="changelog-versions">
${items.join('\n')}
</ul>
</nav>
${versions.map((version) => toSection(version, mark(version.version))).join('\n')}
${toRules(versions)}
</main>`
  return toHtml(`Changelog of ${title}`, (below) => `./${below}`, head, body)
}

function toSection(version: ChangelogVersion, mark: string): string {
  const id = escape(toAnchor(version.version))
  const { day } = version
  const time = day === undefined || day === version.version ? '' : ` <time datetime="${day}">${day}</time>`
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escape(version.version)}${time}${mark}</h2>
${toVersionHtml(version, 3, linkRule)}
</section>`
}

function linkRule(rule: string): string {
  return meaningOf(rule) === undefined ? code(rule) : `<a href="#${escape(rule)}">${code(rule)}</a>`
}

/** Explains the rules that differences name. */
function toRules(versions: readonly ChangelogVersion[]): string {
  const findings = versions.flatMap((version) => [
    ...version.findings,
    ...version.changes.flatMap((change) => change.findings),
  ])
  const rules = [...new Set(findings.map(({ rule }) => rule))].toSorted()
  const items = rules.flatMap((rule) => {
    const meaning = meaningOf(rule)
    return meaning === undefined
      ? []
      : [`<dt id="${escape(rule)}">${code(rule)}</dt><dd>${escape(capitalize(meaning))}.</dd>`]
  })
  return items.length === 0
    ? ''
    : `<section aria-labelledby="rules">\n<h2 id="rules">Rules</h2>\n<dl>\n${items.join('\n')}\n</dl>\n</section>`
}
