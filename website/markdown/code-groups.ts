import type { MarkdownRenderer } from 'vitepress'

const LABEL = /\[.+\]\s*$/

/**
 * Makes tabs of fences that follow each other directly and have a label at the end, as in "ts no-run [Bun]". Elsewhere, such as on GitHub,
 * they are fences like others.
 */
export function useCodeGroups(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('code-groups', (state) => {
    const { tokens } = state
    const isLabelled = (index: number): boolean => {
      const token = tokens[index]
      return token?.type === 'fence' && token.level === 0 && LABEL.test(token.info)
    }
    // marks such as "no-run" are for tests
    for (const token of tokens) token.info = token.info.replace(/^(\w+) [\w-]+(?= \[)/, '$1')
    state.tokens = tokens.flatMap((token, index) => {
      if (!isLabelled(index)) return [token]
      const open = new state.Token('container_code-group_open', 'div', 1)
      const close = new state.Token('container_code-group_close', 'div', -1)
      return [...(isLabelled(index - 1) ? [] : [open]), token, ...(isLabelled(index + 1) ? [] : [close])]
    })
  })
}
