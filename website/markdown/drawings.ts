import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { renderMermaidSVG } from 'beautiful-mermaid'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'

import { parseChart, renderChart } from './charts.ts'

/** Draws the charts of the benchmarks and the diagrams of fences with `mermaid` when the site is built. */
export function useDrawings(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('drawings', (state) => {
    const { realPath, path = '' }: Partial<MarkdownEnv> & { readonly realPath?: string } = state.env
    const toBlock = (content: string): typeof state.tokens => {
      const token = new state.Token('html_block', '', 0)
      token.content = content
      return [token]
    }
    state.tokens = state.tokens.flatMap((token, index, tokens) => {
      if (token.type === 'fence' && token.info.trim() === 'mermaid')
        return toBlock(draw(token.content, index))
      const charts = [tokens[index - 1], token, tokens[index + 1]].map((each) =>
        chartIn(each?.children ?? []),
      )
      const chart = charts.find((each) => each !== undefined)
      if (chart === undefined) return [token]
      // the paragraph around the picture goes with it
      if (charts[1] === undefined) return token.type.startsWith('paragraph') ? [] : [token]
      return toBlock(renderChart(parseChart(readFileSync(join(dirname(realPath ?? path), chart), 'utf8'))))
    })
  })
}

interface Child {
  readonly type: string
  readonly attrGet: (name: string) => string | null
}

/** The path of the chart that is all of a paragraph. */
function chartIn([only, ...others]: readonly Child[]): string | undefined {
  if (only?.type !== 'image' || others.length > 0) return undefined
  const path = only.attrGet('src') ?? ''
  return /(?:^|\/)benchmarks\/[\w-]+\.svg$/.test(path) ? path : undefined
}

/**
 * Two drawings on a page need markers of their own. The style goes, because it would hold for the whole page and loads a font from another
 * origin: the theme has the variables.
 */
function draw(source: string, index: number): string {
  const svg = renderMermaidSVG(source)
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/ style="--bg[^"]*"/, '')
    .replaceAll(/(id="|url\(#)(arrowhead[\w-]*)/g, `$1$2-${index}`)
  return `<div class="diagram" tabindex="0" role="img" aria-label="Diagram: ${labelsOf(source)}" v-pre>${svg}</div>\n`
}

/** The texts of the boxes, in the order of the source. */
function labelsOf(source: string): string {
  const labels = [...source.matchAll(/\w+[[{(]+([^\]})]+)/g)].map(([, label = '']) => label)
  return labels.join(', ').replaceAll(/["<>&]/g, '')
}
