import type { HeaderMap, RawRequest } from '../../http/http.ts'

/** One header of a request in any spelling, its lines joined. */
export function readHeader(raw: RawRequest, name: string): string | undefined {
  return raw.header === undefined ? findHeader(raw.headers, name) : raw.header(name)
}

/** A header in any spelling, its lines joined. */
export function findHeader(headers: HeaderMap, name: string): string | undefined {
  const own = headers[name]
  // the spelling that most callers use
  if (typeof own === 'string') return own
  return toHeaderLine(name, own ?? headers[name.toLowerCase()])
}

/** The lines of a header as one. Software in front of the application may have set a number. */
export function toHeaderLine(name: string, value: unknown): string | undefined {
  if (typeof value === 'string') return value
  // what every object inherits, such as `constructor`, isn't a header
  if (Array.isArray(value)) return joinLines(name, value)
  return typeof value === 'number' ? String(value) : undefined
}

/** The lines of a header as they were sent. `raw` has names and values in turn. */
export function linesOf(raw: readonly string[], name: string): readonly string[] {
  return raw.filter((_, at) => {
    const before = at % 2 === 1 ? raw[at - 1] : undefined
    return before?.length === name.length && before.toLowerCase() === name
  })
}

export function joinLines(name: string, lines: readonly string[]): string {
  return lines.join(name.toLowerCase() === 'cookie' ? '; ' : ', ')
}
