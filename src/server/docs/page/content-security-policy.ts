import type { DocumentServer } from '../../../openapi/document/types.ts'
import type { ViewerName } from '../viewers.ts'

/**
 * Returns the policy of the page: it may load its own files and send requests to the application. Texts of documents can run, load or open
 * no other resource.
 */
export function toContentSecurityPolicy(servers: readonly DocumentServer[], viewer?: ViewerName): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Scalar writes styles into the page
    `style-src 'self'${viewer === 'scalar' ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    ['connect-src', "'self'", ...new Set(servers.flatMap(originsOf))].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

/** The origins of a server, with every value of its variables; none where it is where the document is. */
function originsOf({ url, variables = {} }: DocumentServer): readonly string[] {
  const [head = ''] = /^(?:https?:)?\/\/[^/?#]*/i.exec(url) ?? []
  const written = Object.entries(variables).reduce(
    (heads: readonly string[], [name, { default: standard, enum: values = [standard] }]) =>
      heads.flatMap((each) =>
        each.includes(`{${name}}`) ? values.map((value) => each.replaceAll(`{${name}}`, value)) : [each],
      ),
    [head],
  )
  const origins = written.flatMap((each) => {
    if (each.startsWith('//')) return [each.slice(2)] // over whatever protocol the page came
    return URL.canParse(each) ? [new URL(each).origin] : []
  })
  // what a policy takes for the end of a source is allowed in the names of hosts
  return origins.filter((origin) => /^(?:https?:\/\/)?[\w.:[\]-]+$/.test(origin))
}
