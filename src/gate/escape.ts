const CHARACTERS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\n': '&#10;',
}

/** Writes a text so that it can stand in XML and HTML, in quoted attributes too. Characters that XML does not have are left out. */
export function toXml(text: string): string {
  return Array.from(text)
    .filter(isCharacter)
    .map((one) => CHARACTERS[one] ?? one)
    .join('')
}

/** Whether XML has a character. */
function isCharacter(one: string): boolean {
  const point = one.codePointAt(0) ?? 0
  if (point < 0x20) return one === '\n' || one === '\t'
  return !(point >= 0xd8_00 && point <= 0xdf_ff) && point !== 0xff_fe && point !== 0xff_ff
}

/** A text that Markdown shows as it is. */
export function escapeMarkdown(text: string): string {
  return oneSpaces(text).replaceAll(/[\\`*_[\]<>#~&|]/g, String.raw`\$&`)
}

/** A text as code, in more backticks than it has in a row. */
export function markdownCode(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1)
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return fence + gap + oneSpaces(text) + gap + fence
}

function oneSpaces(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}
