import type { Machine } from './machine.ts'

/** What a part of the benchmark reports; JSON, so that it can be kept in `results/`. */
export interface Section {
  readonly title: string
  /** Paragraphs of Markdown: what was measured, how, and what to read out of it. */
  readonly text: readonly string[]
  readonly tables: readonly Table[]
  readonly charts?: readonly Chart[]
  /** Written by `part.ts`. */
  readonly machine?: Machine
}

/** A table; numbers are formatted by whoever makes the row, with their unit in the column's name. */
export interface Table {
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A bar chart; a longer bar is better unless `lessIsBetter`. */
export interface Chart {
  /** The name of the SVG file, without folder and ending. */
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly lessIsBetter?: boolean
  readonly bars: readonly Bar[]
}

/** One bar, with the spread of its rounds. */
export interface Bar {
  readonly label: string
  readonly value: number
  readonly low: number
  readonly high: number
}

/** How a part is measured. */
export interface MeasureOptions {
  /** Few rounds, to try things out; the results are not kept. */
  readonly isQuick: boolean
}

/** A part of the benchmark. */
export type Measure = (options: MeasureOptions) => Promise<Section>
