import { toAnchor } from '../../../gate/changelog/atom.ts'
import type { Changelog, ChangelogVersion } from '../../../gate/changelog/changelog.ts'
import { toVersionHtml } from '../../../gate/changelog/html.ts'
import { escape } from './escape.ts'
import { toHtml } from './html.ts'

/** The page of the changelog, which is beside the documents. It needs no script. */
export function toChangelogPage({ title, versions }: Changelog): string {
  const head = ['<link rel="alternate" type="application/atom+xml" href="./changelog.atom">']
  const items = versions.map(
    ({ version }) => `<li><a href="#${escape(toAnchor(version))}">${escape(version)}</a></li>`,
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
${versions.map(toSection).join('\n')}
</main>`
  return toHtml(`Changelog of ${title}`, (below) => `./${below}`, head, body)
}

function toSection(version: ChangelogVersion): string {
  const id = escape(toAnchor(version.version))
  const { day } = version
  const time = day === undefined || day === version.version ? '' : ` <time datetime="${day}">${day}</time>`
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escape(version.version)}${time}</h2>
${toVersionHtml(version, 3)}
</section>`
}
