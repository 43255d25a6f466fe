/** A column of a table. */
export interface Column {
  readonly title: string
  readonly style?: (text: string) => string
}

/** Lines of a table whose columns are aligned. Columns that have nothing in them are left out. */
export function toTable(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const used = columns.flatMap((column, index) =>
    rows.some((row) => row[index] !== '') ? [{ ...column, index }] : [],
  )
  const cells = [
    used.map(({ title }) => title),
    ...rows.map((row) => used.map(({ index }) => row[index] ?? '')),
  ]
  const widths = used.map((_, place) => Math.max(...cells.map((row) => shownLength(row[place] ?? ''))))
  return cells.map((row, line) =>
    row
      .map((text, place) => {
        const isLast = place === row.length - 1
        const padded = isLast ? text : text + ' '.repeat((widths[place] ?? 0) - shownLength(text))
        return line === 0 ? padded : (used[place]?.style ?? String)(padded)
      })
      .join('  ')
      .trimEnd(),
  )
}

function shownLength(text: string): number {
  return Array.from(text).length
}
