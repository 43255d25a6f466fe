/** Calls a route by its name. */
export type CallRoute = (name: string, input: unknown) => Promise<unknown>

/** What JavaScript itself asks of objects: a client that answered would be awaited, or turned into a text, as a route. */
const NOT_NAMES: ReadonlySet<string> = new Set(['then', 'toJSON', 'toString', 'valueOf'])

/** An object whose members are names of routes, joined by dots; each can be called, and has members itself. */
export function createNames(call: CallRoute): object {
  return withNames({}, '', call)
}

function withNames(target: object, above: string, call: CallRoute): object {
  const known = new Map<string, object>()
  return new Proxy(target, {
    get: (_target, key) => {
      if (typeof key === 'symbol' || NOT_NAMES.has(key)) return Reflect.get(target, key)
      const found = known.get(key)
      if (found !== undefined) return found
      const made = toRoute(above === '' ? key : `${above}.${key}`, call)
      known.set(key, made)
      return made
    },
  })
}

function toRoute(name: string, call: CallRoute): object {
  const route = (input?: unknown): Promise<unknown> => call(name, input)
  Object.defineProperty(route, 'name', { value: name })
  return withNames(route, name, call)
}
