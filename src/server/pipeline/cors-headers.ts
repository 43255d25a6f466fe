import type { FinishedResponse } from '../../http.ts'
import { addVary, headerProblem, toNames } from './response-head.ts'
import type { ResponseHeaders } from './response-head.ts'

/**
 * Completes what a CORS middleware wrote, of whatever origin: the reporting headers that are sent are exposed (rule M8), and the headers
 * that carry versions are allowed where they were asked for (rule M7). `asked` is `Access-Control-Request-Headers`.
 */
export function completeCors(
  headers: ResponseHeaders,
  { reporting, carrying }: { readonly reporting: readonly string[]; readonly carrying: readonly string[] },
  asked: string | undefined,
): void {
  const sent = reporting.filter((name) => headers[name] !== undefined)
  if (asked === undefined) addTo(headers, 'access-control-expose-headers', sent)
  else {
    const names = toNames(asked.toLowerCase())
    addTo(
      headers,
      'access-control-allow-headers',
      carrying.filter((name) => names.includes(name)),
    )
  }
}

/** Gives the response to an error what a CORS middleware wrote into the one that it replaces: else scripts could not read the error. */
export function keepCors(replaced: ResponseHeaders, response: FinishedResponse): FinishedResponse {
  const { headers } = response
  for (const [name, value] of Object.entries(replaced)) {
    // what cannot be sent may be the reason of the error
    if (headerProblem({ [name]: value }) !== undefined) continue
    if (name === 'vary') addVary(headers, [value].flat())
    else if (name.startsWith('access-control-')) headers[name] ??= value
  }
  return response
}

/** Adds names to a list in a header, each once; `*` has them all, but not with credentials (the Fetch standard, section 3.3.5). */
function addTo(headers: ResponseHeaders, header: string, names: readonly string[]): void {
  const given = toNames(headers[header])
  if (given.includes('*') && headers['access-control-allow-credentials'] !== 'true') return
  const missing = names.filter((name) => !given.some((each) => each.toLowerCase() === name))
  if (missing.length > 0) headers[header] = [...given, ...missing].join(', ')
}
