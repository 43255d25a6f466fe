/** A text that Markdown shows as it is. */
export function escape(text: string): string {
  return oneSpaces(text).replaceAll(/[\\`*_[\]<>#~&|]/g, String.raw`\$&`)
}

/** A text as code, in more backticks than it has in a row. */
export function code(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1)
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return fence + gap + oneSpaces(text) + gap + fence
}

function oneSpaces(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}
