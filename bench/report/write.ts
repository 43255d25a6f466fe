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

These benchmarks compare Octavo with other frameworks, routers, validators and serialisers on one machine. Read them to find out where Octavo is
fast and where it loses. Speed differs between processors, Node versions and applications, and most applications wait for a database,
so measure your own routes before you decide.

Machine: ${[...machines].join(', and ') || 'unknown'}.

All sections use the same method:

- All contestants of a comparison do the same work. Their results are compared before the clock starts.
- They are measured in interleaved rounds, in another order each time, so that a slow moment of the machine affects all of them.
- A number is the median of the rounds. A range in parentheses is the middle half, from the lower to the upper quartile. If the ranges of two
  contestants overlap, you can treat them as equal. Ratios are taken within a round.

\`npm run check -- bench\` measures everything and writes this page, texts included. You can measure one part again with \`npm run check -- bench router\`, or
print the results of a few rounds with \`npm run check -- bench --quick\`. [bench/README.md](../bench/README.md) explains the package.
`
}

function describeInWords({ processor, cores, memory, system, node }: Machine): string {
  return `${processor}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memory} GiB of memory, ${system}, Node ${node}`
}
