import type { RawReply } from '../../define/reply.ts'
import { httpError } from '../../http/errors.ts'
import { toAtom, toAnchor } from '../../gate/changelog/atom.ts'
import { toChangelog, type Changelog, type ChangelogVersion } from '../../gate/changelog/changelog.ts'
import type { OpenApiDocument } from '../../openapi/document/types.ts'
import { toTag } from '../response/answer.ts'
import { bytesReply } from '../response/bytes-reply.ts'
import type { DocsOptions } from '../options/docs.ts'
import type { Documents } from './documents.ts'
import { toContentSecurityPolicy } from './page/content-security-policy.ts'
import { capitalize } from '../../base/values.ts'
import { code, toMarkdown, toVersionHtml } from '../../gate/changelog/write.ts'
import { meaningOf } from '../../gate/rules.ts'
import { escape, toHtml } from './page/html.ts'

/** The changelog of an application. */
interface ServedChangelog {
  /** @throws `HttpError` 404 for a format that there is not, and for an application without two versions. */
  readonly serve: (format: string) => Promise<RawReply>
}

/** The members of the documents that a changelog needs. */
type ChangelogDocuments = Pick<
  Documents,
  'load' | 'versions' | 'document' | 'changes' | 'life' | 'retires' | 'title'
>

interface Format {
  readonly type: string
  /** `retired` are the versions that do not answer any more. */
  readonly write: (changelog: Changelog, retired: ReadonlySet<string>) => string
  readonly headers?: Readonly<Record<string, string>>
}

const FORMATS: Readonly<Record<string, Format>> = {
  json: { type: 'application/json', write: (made) => JSON.stringify(made) },
  md: { type: 'text/markdown; charset=utf-8', write: toMarkdown },
  atom: {
    type: 'application/atom+xml; charset=utf-8',
    write: (made) => toAtom(made, { self: 'changelog.atom', page: undefined }),
  },
}

/** The formats where there is a page of Octavo's own, whose files the changelog uses. */
const FORMATS_OF_PAGE: Readonly<Record<string, Format>> = {
  ...FORMATS,
  atom: {
    type: 'application/atom+xml; charset=utf-8',
    write: (made) => toAtom(made, { self: 'changelog.atom', page: 'changelog.html' }),
  },
  html: {
    type: 'text/html; charset=utf-8',
    write: toChangelogPage,
    headers: { 'content-security-policy': toContentSecurityPolicy([]) },
  },
}

/** A changelog with the documents that it was made from, and what was written of it. */
interface Made {
  readonly documents: readonly OpenApiDocument[]
  readonly changelog: Promise<Changelog>
  readonly retired: ReadonlySet<string>
  readonly written: Map<string, Promise<{ readonly bytes: Uint8Array; readonly etag: string }>>
}

/** Creates what serves the changelog. Documents are compared by the first request, and again only if one of them has changed. */
export function createChangelog(documents: ChangelogDocuments, ui: DocsOptions['ui']): ServedChangelog {
  const formats = ui === false || typeof ui === 'function' ? FORMATS : FORMATS_OF_PAGE
  let kept: Made | undefined
  const make = async (): Promise<Made> => {
    await documents.load()
    const versions = documents.versions()
    const current = versions.map((version) => documents.document(version))
    if (kept?.documents.every((document, index) => document === current[index]) === true) return kept
    const changes = documents.changes()
    const sources = versions.map((version, index) => {
      const { deprecated, sunset } = documents.life(version)
      const own = changes.filter((change) => change.version === version)
      const isRetired = documents.retires(version)
      return { version, document: current[index] ?? {}, changes: own, deprecated, sunset, isRetired }
    })
    const changelog = toChangelog(documents.title(), sources)
    const retired = new Set(versions.filter((version) => documents.life(version).status === 'retired'))
    return (kept = { documents: current, changelog, retired, written: new Map() })
  }
  return {
    serve: async (name) => {
      const format = Object.hasOwn(formats, name) ? formats[name] : undefined
      if (format === undefined || documents.versions().length < 2)
        throw httpError('document_not_found', 'There is no such changelog')
      const { changelog, retired, written } = await make()
      const writing = written.get(name) ?? changelog.then((made) => toWritten(format.write(made, retired)))
      written.set(name, writing)
      const { bytes, etag } = await writing
      const headers = { 'x-content-type-options': 'nosniff', ...format.headers }
      return bytesReply(bytes, { type: format.type, etag, headers })
    },
  }
}

function toWritten(text: string): { readonly bytes: Uint8Array; readonly etag: string } {
  const bytes = Buffer.from(text)
  return { bytes, etag: toTag(bytes) }
}

/** The page of the changelog, which is beside the documents. It needs no script. `retired` are the versions that do not answer any more. */
function toChangelogPage({ title, versions }: Changelog, retired: ReadonlySet<string>): string {
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
