import type { Row } from './support.ts'

/** Rows that share a path pattern. */
export interface Shape {
  readonly path: string
  readonly rows: readonly Row[]
}

/** The patterns that a path fits, the most specific first. */
export function shapesAt(rows: readonly Row[], path: string): readonly Shape[] {
  const paths = [...new Set(rows.map((row) => row[1]))].filter((pattern) => fits(pattern, path))
  return paths
    .toSorted((a, b) => specificity(a).localeCompare(specificity(b)))
    .map((pattern) => ({ path: pattern, rows: rows.filter((row) => row[1] === pattern) }))
}

function fits(pattern: string, path: string): boolean {
  const parts = toSegments(path)
  const own = toSegments(pattern)
  return (
    own.length === parts.length &&
    own.every((part, index) => {
      const text = parts[index] ?? ''
      if (part.includes(':int}')) return /^\d+$/.test(text)
      return part.startsWith('{') || part === text
    })
  )
}

/** Orders patterns segment by segment: literals before typed parameters before others. */
function specificity(pattern: string): string {
  return toSegments(pattern)
    .map((part) => (part.includes(':int}') ? '1' : part.startsWith('{') ? '2' : '0'))
    .join('')
}

/** The segments of a path or pattern. */
function toSegments(path: string): readonly string[] {
  return path.split('/').slice(1)
}
