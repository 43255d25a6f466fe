import { isObject } from '../../base/values.ts'
import type { RecordedExchange } from './exchange.ts'

/** Stands for a secret. */
const MASK = '***'

/** Headers that are masked in every recording. */
const ALWAYS = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie']

type GoldenHeaders = RecordedExchange['request']['headers']
type Body = RecordedExchange['request']['body']

/** Hides secrets of an exchange. What is masked already stays as it is. */
export type Mask = (exchange: RecordedExchange) => RecordedExchange

/**
 * Creates the function that masks what `given` names besides credentials and cookies: headers, `'?name'` in the query of requests, and
 * `'/path/to/*'` in JSON bodies.
 */
export function createMask(given: readonly string[]): Mask {
  const paths = given.filter((name) => name.startsWith('/')).map((path) => path.slice(1).split('/'))
  const parameters = given.filter((name) => name.startsWith('?')).map((name) => name.slice(1))
  const names = new Set([...ALWAYS, ...given.map((name) => name.toLowerCase())])
  const inHeaders = (headers: GoldenHeaders): GoldenHeaders =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        if (!names.has(name)) return [name, value]
        return [
          name,
          typeof value === 'string' ? maskLine(name, value) : value.map((line) => maskLine(name, line)),
        ]
      }),
    )
  const withBody = <T extends { readonly body?: Body }>(part: T): T =>
    typeof part.body === 'string' && paths.length > 0 ? { ...part, body: maskBody(part.body, paths) } : part
  return ({ route, request, response }) => ({
    route,
    request: withBody({
      ...request,
      url: maskQuery(request.url, parameters),
      headers: inHeaders(request.headers),
    }),
    response: withBody({ ...response, headers: inHeaders(response.headers) }),
  })
}

/** Keeps what is no secret: the scheme of credentials, and the names and attributes of cookies. */
function maskLine(name: string, line: string): string {
  if (name === 'cookie') return line.replaceAll(/=[^;]*/g, `=${MASK}`)
  if (name === 'set-cookie') return line.replace(/=[^;]*/, `=${MASK}`)
  return name.endsWith('authorization') ? line.replace(/^(\S+\s+)?.*$/s, `$1${MASK}`) : MASK
}

function maskQuery(url: string, parameters: readonly string[]): string {
  const mark = url.indexOf('?')
  if (mark === -1 || parameters.length === 0) return url
  const pairs = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = [...new URLSearchParams(pair).keys()]
      return parameters.includes(name) ? `${pair.split('=')[0]}=${MASK}` : pair
    })
  return `${url.slice(0, mark)}?${pairs.join('&')}`
}

/** A JSON text with its values at paths masked. Other texts have no paths. */
function maskBody(text: string, paths: readonly (readonly string[])[]): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  const masked = paths.reduce(maskAt, value)
  return masked === value ? text : JSON.stringify(masked)
}

/** A copy of a value with the member at a path masked, or the value itself if nothing is there. */
function maskAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value === null || value === undefined ? value : MASK
  if (!isObject(value)) return value
  const found = Object.entries(value).filter(([name]) => key === '*' || name === key)
  const changed = found.flatMap(([name, member]) => {
    const made = maskAt(member, rest)
    return made === member ? [] : [[name, made] as const]
  })
  if (changed.length === 0) return value
  const made = new Map(changed)
  return Array.isArray(value)
    ? value.map((member: unknown, index) => made.get(String(index)) ?? member)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, made.get(name) ?? member]))
}
