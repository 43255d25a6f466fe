/** What follows a prefix without trailing slash, with its leading slash; `undefined` when the path lies elsewhere. */
export function withoutPrefix(path: string, prefix: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  return rest === '' ? '' : rest.startsWith('/') ? rest : undefined
}

/**
 * The segments of a path as names of files, the last one empty where the path ends with a slash; `undefined` for a path that a file
 * system could take for another: with empty segments, dots that lead upwards, separators in escapes or NUL.
 *
 * @example
 * toSegments('/css/a%20b.css') // → ['css', 'a b.css']
 * toSegments('/..%2fsecret') // → undefined
 */
export function toSegments(path: string | undefined): readonly string[] | undefined {
  if (path === undefined) return undefined
  const encoded = path.split('/').slice(1)
  const segments: string[] = []
  for (const [at, part] of encoded.entries()) {
    const segment = decode(part)
    const isLast = at === encoded.length - 1
    if (segment === undefined || (segment === '' && !isLast)) return undefined
    // a colon would name a drive or a stream of a file on Windows
    if (segment === '.' || segment === '..' || UNSAFE.test(segment)) return undefined
    segments.push(segment)
  }
  return segments
}

const UNSAFE = process.platform === 'win32' ? /[/\\\0:]/ : /[/\\\0]/

/** A malformed escape is for the application to answer. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
