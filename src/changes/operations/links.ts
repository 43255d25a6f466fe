import type { SourceConverter } from './parameters.ts'

/** The headers of a response, by lower-case name. */
type Headers = Record<string, string | string[]>

/** A link whose target is a query alone, as those to other pages are (RFC 8288 section 3). */
const LINK = /<\?([^<>]*)>((?:[^,<"]|"[^"]*")*)/g

/**
 * Creates the function that writes links to other pages with the parameters of an older version, or `undefined` if it has those of the newest
 * one. A link that would lead to the first page, or whose values the older version reads in another way, is left out.
 */
export function createConvertLinks(
  query: SourceConverter | undefined,
): ((headers: Headers) => void) | undefined {
  if (query === undefined) return undefined
  const { shown, converted, plan } = query
  const nameOf = (newest: string): string | undefined =>
    shown.has(newest) ? shown.get(newest) : (plan?.names?.get(newest) ?? newest)
  return (headers) => {
    if (headers['link'] === undefined) return
    const lines = [headers['link']].flat().flatMap((line) => {
      const converts = [...line.matchAll(LINK)].map(([, target = '', rest = '']) => {
        const isOther = [...new URLSearchParams(target).keys()].some((name) => converted.has(name))
        return { rest, target: isOther ? undefined : toOlder(target, nameOf) }
      })
      if (converts.length === 0) return [line]
      const first = converts.find(({ rest }) => isFirst(rest))?.target
      const kept = converts.flatMap(({ target, rest }) =>
        target === undefined || (target === first && !isFirst(rest)) ? [] : [`<?${target}>${rest.trimEnd()}`],
      )
      const others = line
        .replaceAll(LINK, '')
        .split(',')
        .map((part) => part.trim())
      const all = [...kept, ...others.filter((part) => part !== '')]
      return all.length === 0 ? [] : [all.join(', ')]
    })
    const [line] = lines
    if (line === undefined) delete headers['link']
    else headers['link'] = lines.length === 1 ? line : lines
  }
}

function isFirst(rest: string): boolean {
  return /;\s*rel="?first"?/i.test(rest)
}

/** Renames the parameters of a query to their older names. A renamed parameter replaces one that the client sent under that name. */
function toOlder(target: string, nameOf: (newest: string) => string | undefined): string {
  const made = new URLSearchParams()
  const renamed = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(target)) {
    const older = nameOf(name)
    if (older !== undefined) (older === name ? made : renamed).append(older, value)
  }
  for (const name of new Set(renamed.keys())) made.delete(name)
  for (const [name, value] of renamed) made.append(name, value)
  return made.toString()
}
