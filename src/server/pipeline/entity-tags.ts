import type { HttpRequest } from '../../http/http.ts'

/** The headers of conditions that hold entity tags (RFC 9110 section 13.1). */
const CONDITIONS: readonly string[] = ['if-match', 'if-none-match', 'if-range']

const TAG = /^((?:W\/)?"[^"]*)"$/
const TAGS = /((?:W\/)?"[^"]*)"/g

/** An entity tag with a suffix; anything else stays. */
export function withSuffix(tag: string, suffix: string): string {
  return tag.replace(TAG, (_, text: string) => `${text}${suffix}"`)
}

/** Whether a request has a condition that may hold an entity tag. */
export function hasCondition(request: HttpRequest): boolean {
  return CONDITIONS.some((name) => request.header(name) !== undefined)
}

/**
 * The request as handlers see it whose tags get a suffix: tags lose it. Those of other versions get one that no tag has, because they
 * never stand for what this version answers.
 */
export function withoutSuffix<R extends HttpRequest>(request: R, suffix: string): R {
  const toOwn = (name: string, value: string): string =>
    CONDITIONS.includes(name.toLowerCase())
      ? value.replaceAll(TAGS, (_, text: string) =>
          text.endsWith(suffix) ? `${text.slice(0, -suffix.length)}"` : `${text};v="`,
        )
      : value
  const own = new Map<string | symbol, unknown>([
    [
      'header',
      (name: string) => {
        const value = request.header(name)
        return value === undefined ? undefined : toOwn(name, value)
      },
    ],
    ['headerLines', (name: string) => request.headerLines(name).map((line) => toOwn(name, line))],
  ])
  let headers: object | undefined
  const readHeaders = (): object =>
    (headers ??= Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, toOwn(name, value)]),
    ))
  return new Proxy(request, {
    get: (target, key) => {
      if (key === 'headers') return readHeaders()
      if (own.has(key)) return own.get(key)
      // private members are those of the request alone
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  })
}
