/** The text without white space at its ends, which is spaces and tabs (RFC 9110 section 5.6.3). */
export function trimSpace(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '')
}

/** Whether content of a type is JSON: by its name, or by the suffix that any type may have (RFC 6839 section 3.1). */
export function isJsonType(text: string): boolean {
  if (text === 'application/json') return true
  const [range = ''] = text.split(';', 1)
  const type = trimSpace(range).toLowerCase()
  return type === 'application/json' || type.endsWith('+json')
}

/** The header that a field of `headers` reads: `userAgent` and `user_agent` read `user-agent`. */
export function headerName(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}
