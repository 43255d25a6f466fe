/** The header that a field of `headers` reads: `userAgent` and `user_agent` read `user-agent`. */
export function headerName(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}
