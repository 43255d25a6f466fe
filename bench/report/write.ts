import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { describe, toSvg } from './chart.ts'
import type { Machine } from './machine.ts'
import type { Chart, Section, Table } from './section.ts'

const ROOT = new URL('../../../../', import.meta.url)
const REPORT = new URL('docs/benchmarks.md', ROOT)
const CHARTS = new URL('docs/benchmarks/', ROOT)

/** Writes `docs/benchmarks.md` and its charts, formatted as the rest of the repository. */
export async function writeReport(sections: readonly Section[]): Promise<void> {
  const charts = sections.flatMap((section) => section.charts ?? [])
  await mkdir(CHARTS, { recursive: true })
  const stale = (await readdir(CHARTS)).filter((file) => !charts.some(({ name }) => file === `${name}.svg`))
  await Promise.all(stale.map((file) => rm(new URL(file, CHARTS))))
  await Promise.all(charts.map((chart) => writeFile(new URL(`${chart.name}.svg`, CHARTS), toSvg(chart))))
  await writeFile(REPORT, [introduce(sections), ...sections.map(toMarkdown)].join('\n'))
  const oxfmt = fileURLToPath(new URL('node_modules/.bin/oxfmt', ROOT))
  await promisify(execFile)(oxfmt, [fileURLToPath(REPORT)], { cwd: fileURLToPath(ROOT) })
}

/** A section as Markdown, its charts as links to their files. */
export function toMarkdown({ title, text, tables, charts = [], machine }: Section): string {
  const measured = machine === undefined ? [] : [`Measured on ${machine.day} with Node ${machine.node}.`]
  return [
    `## ${title}`,
    ...text,
    ...charts.map(toImage),
    ...tables.flatMap((table) => [`**${table.caption}**`, toTable(table)]),
    ...measured,
  ]
    .join('\n\n')
    .concat('\n')
}

function toImage(chart: Chart): string {
  const words = `${chart.title}. ${describe(chart)}`.replaceAll(/[[\]<>]/g, '\\$&')
  return `![${words}](benchmarks/${chart.name}.svg)`
}

function toTable({ columns, rows }: Table): string {
  const isNumeric = columns.map((_, at) =>
    rows.every((row) => /^[-–+~×<>]?\s?[\d.]|^[–-]?$/.test(row[at] ?? '')),
  )
  const cells = [columns, ...rows].map((row) => columns.map((_, at) => escapeCell(row[at] ?? '')))
  const widths = columns.map((_, at) => Math.max(4, ...cells.map((row) => row[at]?.length ?? 0)))
  const toLine = (row: readonly string[]): string => `| ${row.join(' | ')} |`
  const pad = (cell: string, at: number): string =>
    isNumeric[at] === true ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)
  const rule = widths.map((width, at) =>
    isNumeric[at] === true ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  )
  const [head = [], ...body] = cells.map((row) => row.map(pad))
  return [head, rule, ...body].map(toLine).join('\n')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function introduce(sections: readonly Section[]): string {
  const machines = new Set(
    sections.flatMap(({ machine }) => (machine === undefined ? [] : [describeInWords(machine)])),
  )
  return `# Benchmarks

This page is written by \`npm run bench\`, which measures everything and then writes it, text and numbers; nothing on it is edited by hand.
\`npm run bench -- router\` measures one part again, \`npm run bench -- --quick\` prints what a few rounds give. [bench/README.md](../bench/README.md)
explains the package. Measure on your own machine and with your own routes before you decide anything: speed differs between
processors, Node versions and applications, and most applications wait for a database.

Machine: ${[...machines].join('; ') || 'unknown'}.

Noise is handled alike everywhere. All contestants of a comparison do the same work, and their answers are compared before the clock
starts. They are measured in rounds that are interleaved, in another order each time, so that a slow moment of the machine falls on
all of them. Numbers are medians of the rounds; a range is the middle half of them, from the lower to the upper quartile. Where the
ranges of two contestants overlap, they are equal as far as this page can tell. Ratios are taken within a round. What Octavo loses is
shown like what it wins.
`
}

function describeInWords({ processor, cores, memory, system, node }: Machine): string {
  return `${processor}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memory} GiB of memory, ${system}, Node ${node}`
}
