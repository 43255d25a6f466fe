/** A bar of a chart. Its places are shares of the width of the plot, from 0 to 1. */
interface Bar {
  readonly label: string
  readonly value: string
  readonly isOwn: boolean
  readonly width: number
  /** The middle half of the rounds. */
  readonly spread: readonly [from: number, to: number] | undefined
}

/** A chart of the benchmarks, as their report draws it. */
export interface Chart {
  readonly title: string
  readonly unit: string
  readonly bars: readonly Bar[]
}

const BAR =
  /<text[^>]*text-anchor="end">([^<]*)<\/text>\s*<rect class="bar( own)?" x="([\d.]+)"[^>]*? width="([\d.]+)"[^>]*>\s*(?:<path class="spread" d="M([\d.]+) [\d.]+H([\d.]+)[^>]*>\s*)?<text[^>]*>([^<]*)<\/text>/g

/** Reads a chart from its drawing. */
export function parseChart(svg: string): Chart {
  const textOf = (pattern: RegExp): string => pattern.exec(svg)?.[1] ?? ''
  const drawn = [...svg.matchAll(BAR)].map(
    ([, label = '', own, x = '0', width = '0', from, to, value = '']) => ({
      label,
      value,
      isOwn: own !== undefined,
      x: Number(x),
      width: Number(width),
      ends: from === undefined || to === undefined ? undefined : ([Number(from), Number(to)] as const),
    }),
  )
  // a spread can reach beyond the longest bar
  const plot = Math.max(...drawn.flatMap(({ x, width, ends }) => [width, (ends?.[1] ?? x) - x]))
  const bars = drawn.map(({ label, value, isOwn, x, width, ends }) => ({
    label,
    value,
    isOwn,
    width: width / plot,
    spread: ends && ([(ends[0] - x) / plot, (ends[1] - x) / plot] as const),
  }))
  return {
    title: textOf(/<text class="title"[^>]*>([^<]*)</),
    unit: textOf(/<text class="unit"[^>]*>([^<]*)</),
    bars,
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

/** Writes a chart as HTML without scripts, which fits narrow windows and follows the theme. */
export function renderChart({ title, unit, bars }: Chart): string {
  const rows = bars.map(({ label, value, isOwn, width, spread }) => {
    const mark =
      spread && `<i style="left:${percent(spread[0])};width:${percent(spread[1] - spread[0])}"></i>`
    const bar = `<span class="chart-plot" aria-hidden="true"><b style="width:${percent(width)}"></b>${mark ?? ''}</span>`
    return `<li${isOwn ? ' class="own"' : ''}><span class="chart-label">${label}</span>${bar}<span class="chart-value">${value}</span></li>`
  })
  return `<figure class="chart"><figcaption><strong>${title}</strong><span>${unit}</span></figcaption><ul>${rows.join('')}</ul></figure>\n`
}
