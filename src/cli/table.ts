/** A column of a table. */
export interface Column {
  readonly title: string
  /** The fewest characters that it is cut to; the column is never cut without. */
  readonly least?: number
  readonly style?: (text: string) => string
}

const GAP = '  '

/**
 * Lines of a table whose columns are aligned. Where it is wider than `width`, the columns that may be are cut, the widest first;
 * columns that have nothing in them are left out.
 */
export function toTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = Infinity,
): readonly string[] {
  const used = columns.flatMap((column, index) =>
    rows.some((row) => row[index] !== '') ? [{ ...column, index }] : [],
  )
  const titles = used.map(({ title }) => title)
  const cells = [titles, ...rows.map((row) => used.map(({ index }) => row[index] ?? ''))]
  const widths = used.map((_, place) => Math.max(...cells.map((row) => lengthOf(row[place] ?? ''))))
  const least = used.map((column, place) => column.least ?? widths[place] ?? 0)
  shrink(widths, least, width - GAP.length * (used.length - 1))
  return cells.map((row, line) =>
    row
      .map((text, place) => {
        const cut = fit(text, widths[place] ?? 0, place === row.length - 1)
        return line === 0 ? cut : (used[place]?.style ?? String)(cut)
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** Takes from the widest column that still has more than its least, until all fit. */
function shrink(widths: number[], least: readonly number[], width: number): void {
  for (let excess = sum(widths) - width; excess > 0 && excess !== Infinity; excess--) {
    const room = widths.map((own, place) => (own > (least[place] ?? own) ? own : 0))
    const widest = room.indexOf(Math.max(...room))
    if ((room[widest] ?? 0) === 0) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}

function fit(text: string, width: number, isLast: boolean): string {
  if (lengthOf(text) > width)
    return `${Array.from(text)
      .slice(0, Math.max(0, width - 1))
      .join('')}…`
  return isLast ? text : text + ' '.repeat(width - lengthOf(text))
}

function lengthOf(text: string): number {
  return Array.from(text).length
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
