import type { Summary } from '../measure/stats.ts'
import type { Bar } from './section.ts'

/** A median and its quarters, as a cell of a table; a dash where nothing was measured. */
export function formatSummary({ median, low, high }: Summary, digits = 0): string {
  if (Number.isNaN(median)) return '–'
  return `${median.toFixed(digits)} (${low.toFixed(digits)} – ${high.toFixed(digits)})`
}

/** A median and its quarters, as a bar of a chart. */
export function toBar(label: string, { median, low, high }: Summary): Bar {
  return { label, value: median, low, high }
}
