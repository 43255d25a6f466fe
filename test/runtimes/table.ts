/** What a check found on a runtime. */
export interface Found {
  readonly runtime: string
  readonly area: string
  readonly title: string
  /** Why it failed; `undefined` if it did not. */
  readonly error: string | undefined
  /** Why the runtime lacks it; `undefined` if it does not. */
  readonly lack: string | undefined
}

const START = '<!-- written by npm run check -- runtimes --update -->'
const END = '<!-- end -->'

/** A page with the table of what was found between its marks: how many checks of an area passed on a runtime. */
export function withTable(page: string, found: readonly Found[]): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END, start)
  if (start === -1 || end === -1) throw new Error('The page has no marks for the table')
  return `${page.slice(0, start)}${START}\n\n${toTable(found)}\n\n${toLacks(found)}${page.slice(end)}`
}

function toTable(found: readonly Found[]): string {
  const runtimes = [...new Set(found.map(({ runtime }) => runtime))]
  const areas = [...new Set(found.map(({ area }) => area))]
  const rows = areas.map((area) => [area, ...runtimes.map((runtime) => toCell(found, runtime, area))])
  const cells = [['', ...runtimes], ...rows]
  const widths = cells[0]?.map((_, at) => Math.max(3, ...cells.map((row) => row[at]?.length ?? 0))) ?? []
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = cells
  return [toLine(head), toLine(rule), ...body.map(toLine)].join('\n')
}

function toCell(found: readonly Found[], runtime: string, area: string): string {
  const checks = found.filter((each) => each.runtime === runtime && each.area === area)
  return `${checks.filter(({ error }) => error === undefined).length}/${checks.length}`
}

function toLacks(found: readonly Found[]): string {
  return found
    .filter(({ lack }) => lack !== undefined)
    .map(({ runtime, title, lack }) => `- ${runtime} lacks ${title}: ${lack}.\n\n`)
    .join('')
}
