import type { AnyClientOptions, DeprecationNotice } from './client-options.ts'
import { discard } from './transport.ts'

/** The deprecations announced in this process: base URL, version and route. */
const announced = new Set<string>()

/** Creates the function that passes announcements of responses to the option `onDeprecated`, each once. */
export function createDeprecationReport(
  { onDeprecated, version }: AnyClientOptions,
  base: URL,
): (route: string, url: URL, response: Response) => Promise<void> {
  return async (route, url, response) => {
    const { headers } = response
    if (onDeprecated === undefined || !ENDINGS.some((name) => headers.has(name))) return
    const key = JSON.stringify([base.href, version, route])
    if (announced.has(key)) return
    announced.add(key)
    try {
      await onDeprecated(toNotice(route, version, url, headers))
    } catch (error) {
      discard(response)
      throw error
    }
  }
}

const ENDINGS = ['deprecation', 'sunset', 'api-brownout']

function toNotice(route: string, version: string | undefined, url: URL, headers: Headers): DeprecationNotice {
  const seconds = /^@(-?\d+)$/.exec(headers.get('deprecation') ?? '')?.[1]
  const [from, to] = (headers.get('api-brownout') ?? '').split('/').map(toDate)
  const lines = (headers.get('link') ?? '').split(/,\s*(?=<)/)
  const links = lines.map((line) => /^<([^>]*)>.*?;\s*rel="?([^";]*)/i.exec(line) ?? [])
  /** The URL of a relation (RFC 8288 section 3), from the URL of the request. */
  const linkOf = (rel: string): string | undefined => {
    const found = links.find(([, , rels = '']) => rels.split(' ').includes(rel))?.[1]
    return found !== undefined && URL.canParse(found, url.href) ? new URL(found, url).href : undefined
  }
  return {
    route,
    version,
    deprecated: seconds === undefined ? undefined : toDate(Number(seconds) * 1000),
    sunset: toDate(headers.get('sunset') ?? ''),
    brownout: from === undefined || to === undefined ? undefined : { from, to },
    successor: linkOf('successor-version'),
    page: linkOf('deprecation') ?? linkOf('sunset'),
  }
}

function toDate(value: string | number): Date | undefined {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}
