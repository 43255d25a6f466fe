/** Creates the line of a request, as the default logger would. Returns `undefined` for other details and messages. The line is ASCII. */
export type ToRequestLine = (details: object, message: string | undefined) => string | undefined

/** The members of the line of a request, in their order. `client` may be absent, and both of the last. */
const NAMES = ['requestId', 'method', 'path', 'version', 'status', 'duration', 'route', 'client']

/** Texts that stand for themselves in JSON and are ASCII. */
const PLAIN = /^[ !#-[\]-~]*$/

/** Texts that are kept as JSON: methods, versions and routes are few. */
const MAX_KEPT = 1000

/**
 * Creates the function that writes the line of a request by hand, because there is one for every request: JSON of an object takes twice
 * the time.
 */
export function createRequestLine(): ToRequestLine {
  const kept = new Map<unknown, string>()
  let time = 0
  let head = ''
  const toHead = (): string => {
    const now = Date.now()
    if (now !== time) {
      time = now
      head = `{"time":"${new Date(now).toISOString()}","level":"info","msg":"Request","requestId":"`
    }
    return head
  }
  const toKept = (value: unknown): string | undefined => {
    const text = kept.get(value)
    if (text !== undefined) return text
    if (value !== null && !isPlain(value)) return undefined
    const json = JSON.stringify(value)
    if (kept.size < MAX_KEPT) kept.set(value, json)
    return json
  }
  return (details, message) => {
    if (message !== 'Request' || !isRequest(details)) return undefined
    const { requestId, path, status, duration, route, client } = details
    const method = toKept(details['method'])
    const version = toKept(details['version'])
    if (!isPlain(requestId) || !isPlain(path)) return undefined
    if (!Number.isFinite(status) || !Number.isFinite(duration)) return undefined
    const name = route === undefined ? '' : toKept(route)
    if (method === undefined || version === undefined || name === undefined) return undefined
    const start = `${toHead()}${requestId}","method":${method},"path":"${path}","version":${version}`
    if (client !== undefined && !isPlain(client)) return undefined
    const end =
      (name === '' ? '' : `,"route":${name}`) + (client === undefined ? '' : `,"client":"${client}"`)
    return `${start},"status":${String(status)},"duration":${String(duration)}${end}}\n`
  }
}

function isPlain(value: unknown): value is string {
  return typeof value === 'string' && PLAIN.test(value)
}

/** Whether an object has the members of such a line, in their order and no others. */
function isRequest(details: object): details is Readonly<Record<(typeof NAMES)[number], unknown>> {
  // others may have a `toJSON`
  if (Object.getPrototypeOf(details) !== Object.prototype) return false
  let at = 0
  for (const name in details) if (name !== NAMES[at++]) return false
  return at >= NAMES.length - 2
}
