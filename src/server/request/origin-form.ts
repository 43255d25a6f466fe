/** Path and query of a request target, or `undefined` if it is neither a path nor a URL without user information (RFC 9110 section 4.2.4). */
export function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [, rest] = /^https?:\/\/[^/?#@]+(?![^/?#])(.*)$/is.exec(target) ?? []
  return rest === undefined || rest.startsWith('/') ? rest : `/${rest}`
}
