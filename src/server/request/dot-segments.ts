import { httpError } from '../../http/errors.ts'

/** A dot segment. Servers of Java leave out `;` and what follows before they resolve one. */
const DOTS = /(?:^|[/\\;])\.{1,2}(?:[/\\;]|$)/

/** How often a path is decoded. What is left then is no text that somebody wrote. */
const DECODINGS = 8

/**
 * Refuses paths that the software which reads them next may resolve to another one.
 *
 * @throws `HttpError` 400 for dot segments, however they are escaped, and however often.
 */
export function refuseDots(path: string): void {
  if (!path.includes('.') && !path.includes('%')) return
  let text = path
  for (let count = 0; count < DECODINGS; count++) {
    if (DOTS.test(text)) throw hasDots()
    const decoded = decodeOnce(text)
    if (decoded === text) return
    text = decoded
  }
  throw hasDots()
}

/** Decodes escapes of ASCII. Repeated `%25` go at once, and so do spaces and controls, which URLs and some file systems leave out. */
function decodeOnce(path: string): string {
  return path
    .replaceAll(/%(?:25)+(?=[\da-f]{2})/gi, '%')
    .replaceAll(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/[\0- ]/g, '')
}

/** A dot segment as URLs resolve it, which decode dots alone. */
const RESOLVED = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * Writes path and query so that a URL keeps the path as it is, which would have a backslash as a slash, and leave out spaces and controls.
 *
 * @throws `HttpError` 400 for dot segments, which no URL has.
 */
export function keepInUrl(url: string): string {
  const [path = ''] = url.split('?', 1)
  if (RESOLVED.test(path)) throw hasDots()
  return (path.replaceAll('\\', '%5C') + url.slice(path.length)).replaceAll(/[\0- ]/g, encodeURIComponent)
}

function hasDots(): Error {
  return httpError('malformed_path', 'The path has dot segments')
}
