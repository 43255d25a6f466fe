import { toText } from './text.ts'

/** A parameter in a template; behind the colon stands that it takes slashes. */
const PARAM = /\{([^{}:]*)(:path)?\}/g

/**
 * The path of a template with its parameters percent-encoded.
 *
 * @throws `TypeError` for parameters that are missing, unknown, or make a segment that no client sends.
 */
export function writePath(name: string, template: string, params: Readonly<Record<string, unknown>>): string {
  const known = new Set([...template.matchAll(PARAM)].map(([, param]) => param))
  const unknown = Object.keys(params).find((param) => params[param] !== undefined && !known.has(param))
  if (unknown !== undefined) throw new TypeError(`${name}: there is no path parameter ${unknown}`)
  return template
    .split('/')
    .map((segment) => writeSegment(name, segment, params))
    .join('/')
}

function writeSegment(name: string, segment: string, params: Readonly<Record<string, unknown>>): string {
  let isRest = false
  const written = segment.replaceAll(PARAM, (_match, param: string, rest?: string) => {
    const value = Object.hasOwn(params, param) ? params[param] : undefined
    if (value === undefined || value === null)
      throw new TypeError(`${name}: the path parameter ${param} is missing`)
    const text = toText(value)
    isRest = rest !== undefined
    if (isRest) return text.split('/').map(encodeURIComponent).join('/')
    if (text === '') throw new TypeError(`${name}: the path parameter ${param} is empty`)
    return encodeURIComponent(text)
  })
  // clients resolve dot segments before they send a path, escaped or not (RFC 3986 section 5.2.4)
  if (written.split('/').some((part) => part === '.' || part === '..'))
    throw new TypeError(`${name}: the path would have the segment "${written}", which no client sends`)
  return written
}
