/** Where requests go, as the beginning of their URLs says. */
export interface Origin {
  /** The beginning: scheme and authority. `''` if a URL has none. */
  readonly text: string
  readonly host: string
  readonly protocol: 'http' | 'https'
}

/** Creates the function that reads the origin of a URL. Those of requests differ seldom, so the last one is kept. */
export function createOriginReader(): (url: string) => Origin {
  let known: Origin = { text: '', host: '', protocol: 'http' }
  return (url) => {
    if (beginsWith(url, known.text)) return known
    const [text = '', scheme = 'http', host = ''] = /^(https?):\/\/([^/?#]*)/i.exec(url) ?? []
    known = { text, host, protocol: scheme.toLowerCase() === 'https' ? 'https' : 'http' }
    return known
  }
}

const SLASH = 47

/** Whether a URL has an origin and a path behind it. */
function beginsWith(url: string, origin: string): boolean {
  const { length } = origin
  if (length === 0 || url.charCodeAt(length) !== SLASH) return false
  // a loop, because a call of `startsWith` takes JavaScriptCore longer for texts that are this short; from behind, where they differ
  for (let at = length - 1; at >= 0; at--) {
    if (url.charCodeAt(at) !== origin.charCodeAt(at)) return false
  }
  return true
}
