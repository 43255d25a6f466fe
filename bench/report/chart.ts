import type { Bar, Chart } from './section.ts'

/** All in pixels. */
const WIDTH = 760
const MARGIN = 20
const HEAD = 62
const ROW = 30
const BAR = 18
const LETTER = 7.2

/** The picture has its own background, so that it is readable on pages of either colour scheme, whatever the reader's system prefers. */
const STYLE = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.unit { fill: #59636e }
.panel { fill: #ffffff; stroke: #d1d9e0 }
.bar { fill: #8c959f }
.own { fill: #0969da }
.strong { font-weight: 600 }
.spread { stroke: #1f2328; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .unit { fill: #9198a1 }
  .panel { fill: #0d1117; stroke: #3d444d }
  .bar { fill: #656c76 }
  .own { fill: #4493f8 }
  .spread { stroke: #f0f6fc }
}`

/** Draws a chart as an SVG document: a bar for each value, with a line from the low to the high end of its spread. */
export function toSvg(chart: Chart): string {
  const labels = Math.max(...chart.bars.map(({ label }) => label.length)) * LETTER
  const values = Math.max(...chart.bars.map(({ value }) => formatNumber(value).length)) * LETTER
  const left = Math.ceil(MARGIN + labels + 10)
  const right = Math.floor(WIDTH - MARGIN - values - 10)
  const most = Math.max(...chart.bars.flatMap(({ value, high }) => [value, high]), Number.MIN_VALUE)
  const toX = (value: number): number => round(left + (value / most) * (right - left))
  const height = HEAD + chart.bars.length * ROW + MARGIN / 2
  const unit = `${chart.unit}, ${chart.lessIsBetter === true ? 'less' : 'more'} is better; the line marks the middle half of the rounds`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escapeXml(chart.title)}</title>`,
    `<desc id="description">${escapeXml(describe(chart))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="panel" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6" />`,
    `<text class="title" x="${MARGIN}" y="28">${escapeXml(chart.title)}</text>`,
    `<text class="unit" x="${MARGIN}" y="48">${escapeXml(unit)}</text>`,
    ...chart.bars.map((bar, index) => row(bar, { left, top: HEAD + index * ROW, toX })),
    '</svg>',
    '',
  ].join('\n')
}

interface Place {
  readonly left: number
  readonly top: number
  readonly toX: (value: number) => number
}

function row({ label, value, low, high }: Bar, { left, top, toX }: Place): string {
  const isOwn = label.startsWith('octavo')
  const middle = top + ROW / 2
  const tick = (at: number): string => `M${at} ${middle - 4}v8`
  const strong = isOwn ? ' class="strong"' : ''
  return [
    `<text${strong} x="${left - 10}" y="${middle + 4.5}" text-anchor="end">${escapeXml(label)}</text>`,
    `<rect class="bar${isOwn ? ' own' : ''}" x="${left}" y="${middle - BAR / 2}" width="${round(Math.max(toX(value) - left, 1))}" height="${BAR}" rx="2" />`,
    `<path class="spread" d="M${toX(low)} ${middle}H${toX(high)}${tick(toX(low))}${tick(toX(high))}" />`,
    `<text${strong} x="${toX(Math.max(value, high)) + 8}" y="${middle + 4.5}">${formatNumber(value)}</text>`,
  ].join('\n')
}

/** A chart in words, for those who cannot see it. */
export function describe({ bars, unit }: Chart): string {
  return `In ${unit}: ${bars.map(({ label, value }) => `${label} ${formatNumber(value)}`).join(', ')}`
}

/** A number as people read it, with three digits that count, or all before the point: 0.123, 12.3, 1,234. */
export function formatNumber(value: number): string {
  return value >= 100
    ? value.toLocaleString('en', { maximumFractionDigits: 0 })
    : value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
