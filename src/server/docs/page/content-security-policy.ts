import type { DocumentServer } from '../../../openapi/document/types.ts'

/** Returns the policy of the page: it loads its own files and calls the application. Texts of documents can run, load or open nothing else. */
export function toContentSecurityPolicy(servers: readonly DocumentServer[], styles: string): string {
  const origins = ["'self'", ...new Set(servers.flatMap(originsOf))].join(' ')
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'${styles}; img-src 'self' data:; connect-src ${origins}; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
  )
}

/** Returns the origins of a server, with each value of its variables. An address without a host has none. */
function originsOf({ url, variables = {} }: DocumentServer): readonly string[] {
  let heads = [...(/^(?:https?:)?\/\/[^/?#]*/i.exec(url) ?? [])]
  for (const [name, { default: standard, enum: values = [standard] }] of Object.entries(variables))
    heads = heads.flatMap((head) =>
      head.includes(`{${name}}`) ? values.map((value) => head.replaceAll(`{${name}}`, value)) : [head],
    )
  // an address that begins with two slashes has the protocol of the page
  const origins = heads.map((head) => {
    if (head.startsWith('//')) return head.slice(2)
    return URL.canParse(head) ? new URL(head).origin : ''
  })
  // names of hosts may have characters that end a source of the policy
  return origins.filter((origin) => /^(?:https?:\/\/)?[\w.:[\]-]+$/.test(origin))
}
