import {
  fingerprintOf,
  operationsIn,
  withoutTraces,
  type Finding,
  type Severity,
  type VersionFinding,
} from '../../gate/finding.ts'
import { markdownCode, escapeMarkdown, toXml } from '../../gate/escape.ts'
import { ruleFix } from '../../gate/rules.ts'
import type { Style } from '../../base/style.ts'
import { usageText, type FindingUsage } from './finding-usage.ts'

/** How findings are written, unless as JSON. */
export const FORMATS = ['text', 'markdown', 'junit', 'github'] as const

export type ReportFormat = (typeof FORMATS)[number]

/** The names of the two sides of a comparison. */
export interface ComparisonLabels {
  readonly base: string
  readonly revision: string
  /** The file of the newer document, for annotations. */
  readonly file: string | undefined
}

/** A finding, with the version that it is about if there are several. */
type ShownFinding = Finding &
  Partial<Pick<VersionFinding, 'source' | 'version'>> & { readonly usage?: FindingUsage }

/** A comparison of documents, or the findings of all versions. */
interface Printed {
  readonly level: Severity
  readonly findings: readonly ShownFinding[]
  /** Steps that are about all findings. */
  readonly advice?: readonly string[]
}

/** Writes a comparison. Equal comparisons give equal texts. */
export function printComparison(
  comparison: Printed,
  format: ReportFormat,
  labels: ComparisonLabels,
  style: Style,
): string {
  if (format === 'markdown') return comparisonMarkdown(comparison, labels)
  if (format === 'junit') return toJunit(comparison, labels)
  return format === 'github' ? toGithub(comparison, labels) : formatComparison(comparison, labels, style)
}

/** How many findings there are of each level, the worst first. */
function summaryText({ findings }: Printed): string {
  const counts = (['breaking', 'warning', 'info'] as const).map((level) => {
    const count = findings.filter((finding) => finding.level === level).length
    return count === 0 ? '' : `${count} ${level === 'warning' && count > 1 ? 'warnings' : level}`
  })
  return counts.filter(Boolean).join(', ') || 'no difference that clients notice'
}

/** Findings as JSON, without members for commands alone, and without places that repeat their finding. */
export function toFindingsJson(findings: readonly ShownFinding[]): readonly object[] {
  return findings.map((each) => {
    const { operation, ...finding } = withoutTraces(each)
    const shown = finding.schema === undefined ? { operation, ...finding } : finding
    const named = { ...shown, fingerprint: fingerprintOf(each) }
    return finding.level === 'info' ? named : { ...named, fix: ruleFix(finding.rule) }
  })
}

/** The subject of a finding: a named schema, or an operation. */
function findingHead({ version = '', schema, operation }: ShownFinding): string {
  return [version === '' ? '' : `[${version}]`, schema ?? operation].filter(Boolean).join(' ')
}

/** The operations that a finding of a named schema or of several operations reaches: how many, and the first three. */
function reachedText(finding: ShownFinding): string {
  const operations = operationsIn(finding)
  if (finding.schema === undefined && operations.length < 2) return ''
  const rest = operations.length - 3
  const names = operations.slice(0, 3).join(', ')
  return `${operations.length === 1 ? 'in' : `in ${operations.length} operations:`} ${names}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** The difference in words, with the operations that it reaches. */
function findingText(finding: ShownFinding): string {
  return [finding.message, reachedText(finding)].filter(Boolean).join(', ')
}

function formatComparison(comparison: Printed, { base, revision }: ComparisonLabels, style: Style): string {
  const colours: Readonly<Record<Severity, (text: string) => string>> = {
    breaking: style.red,
    warning: style.yellow,
    info: style.cyan,
    none: style.dim,
  }
  const lines = comparison.findings.flatMap((finding) => {
    const { level, at, rule, message, source, usage } = finding
    const reached = reachedText(finding)
    return [
      [colours[level](level.padEnd(8)), style.bold(findingHead(finding)), at, style.dim(source ?? '')]
        .filter((part, index) => index < 2 || part !== '')
        .join('  '),
      `          ${message} ${style.dim(`(${rule})`)}`,
      ...(reached === '' ? [] : [`          ${reached}`]),
      ...(usage === undefined ? [] : [`          ${usageText(usage)}`]),
      ...(level === 'info' ? [] : [`          ${style.dim(ruleFix(rule))}`]),
    ]
  })
  const head = `${base} → ${revision}: ${summaryText(comparison)}`
  const { advice = [] } = comparison
  return [...lines, ...(lines.length === 0 ? [] : ['']), head, ...advice].join('\n')
}

const ICONS: Readonly<Record<Severity, string>> = { breaking: '🔴', warning: '🟡', info: '🔵', none: '' }

/** Code in a table, which needs its bars escaped there too. */
function cell(text: string): string {
  return text === '' ? '' : markdownCode(text).replaceAll('|', String.raw`\|`)
}

function comparisonMarkdown(comparison: Printed, { base, revision }: ComparisonLabels): string {
  const rows = comparison.findings.map((finding) => {
    const { level, at, rule, message } = finding
    const reached = reachedText(finding)
    return `| ${ICONS[level]} ${level} | ${cell(findingHead(finding))} | ${cell(at)} | ${escapeMarkdown(message)} (\`${rule}\`)${reached === '' ? '' : `, ${escapeMarkdown(reached)}`} |`
  })
  const head = `**${base} → ${revision}**: ${summaryText(comparison)}`
  if (rows.length === 0) return head
  if (comparison.findings.some(({ usage }) => usage !== undefined))
    return [head, ...clientSections(comparison.findings)].join('\n')
  return [
    head,
    '',
    '| level | schema or operation | place | difference |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

/** The findings under the clients that they reach, those with the most calls first. Without a client, they come last. */
function clientSections(findings: readonly ShownFinding[]): readonly string[] {
  const calls = new Map<string, { count: number; readonly lines: string[] }>()
  const quiet: string[] = []
  for (const finding of findings) {
    const { level, at, message, rule, usage } = finding
    const line = `- ${ICONS[level]} ${cell(findingHead(finding))} ${cell(at)}: ${escapeMarkdown(message)} (\`${rule}\`)`
    if (usage === undefined || usage.clients.length === 0) {
      quiet.push(usage?.isComplete === true ? line : `${line}, perhaps clients that were not counted by name`)
      continue
    }
    for (const { client, count, lastSeen } of usage.clients) {
      const name = client ?? 'unknown clients'
      const own = calls.get(name) ?? { count: 0, lines: [] }
      own.count += count
      own.lines.push(`${line}, ${count.toLocaleString('en')} calls, last on ${lastSeen}`)
      calls.set(name, own)
    }
  }
  const sorted = [...calls].toSorted(([, one], [, other]) => other.count - one.count)
  const sections = sorted.flatMap(([name, { lines }]) => ['', `### ${escapeMarkdown(name)}`, '', ...lines])
  return quiet.length === 0 ? sections : [...sections, '', '### No calls were counted', '', ...quiet]
}

function toJunit({ findings }: Printed, { base, revision }: ComparisonLabels): string {
  const failed = findings.filter(({ level }) => level === 'breaking' || level === 'warning')
  const cases = failed.map((finding) => {
    const { rule, level, at } = finding
    const name = `${findingHead(finding)} ${at}`.trim()
    return `    <testcase classname="${toXml(rule)}" name="${toXml(name)}"><failure type="${level}" message="${toXml(findingText(finding))}">${toXml(ruleFix(rule))}</failure></testcase>`
  })
  const suite = `<testsuite name="${toXml(`${base} → ${revision}`)}" tests="${Math.max(1, failed.length)}" failures="${failed.length}" errors="0">`
  const inner = cases.length > 0 ? cases : ['    <testcase classname="octavo" name="compatible"/>']
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  ${suite}`,
    ...inner,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')
}

/** A text in a workflow command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** A value of a property of a workflow command. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** Annotations of GitHub Actions: workflow commands. */
function toGithub(comparison: Printed, { file, base, revision }: ComparisonLabels): string {
  const kinds: Readonly<Record<Severity, string>> = {
    breaking: 'error',
    warning: 'warning',
    info: 'notice',
    none: 'notice',
  }
  const lines = comparison.findings.map((finding) => {
    const { level, rule, at, source } = finding
    const [, its, line] = /^(.+?)(?::(\d+))?(?::\d+)?$/.exec(source ?? file ?? '') ?? []
    const place =
      its === undefined ? '' : `file=${property(its)},${line === undefined ? '' : `line=${line},`}`
    return `::${kinds[level]} ${place}title=${property(rule)}::${data(`${findingHead(finding)} ${at}`.trim())}: ${data(findingText(finding))}`
  })
  return [...lines, `${base} → ${revision}: ${summaryText(comparison)}`].join('\n')
}
