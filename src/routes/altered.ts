const NONE: ReadonlySet<string> = new Set()

/** By the contexts of requests. Few requests have some, so that no other one has a field for them. */
const all = new WeakMap<object, Set<string>>()

/**
 * The ids of the changes that altered a request or its response so far, in an application with `usage` or `telemetry`. Events of a stream
 * add to them until its end.
 */
export function alteredBy(context: object): ReadonlySet<string> {
  return all.get(context) ?? NONE
}

/** Notes that a change altered a request or its response. */
export function noteAltered(context: object, change: string): void {
  const known = all.get(context)
  if (known === undefined) all.set(context, new Set([change]))
  else known.add(change)
}
