/** A year and more, so that every part of a date is another one, also the day of the week. */
const LATER = (((397 * 24 + 13) * 60 + 17) * 60 + 23) * 1_000 + 457

/** Milliseconds within which a moment is the start of the program or the present. */
const NEAR = 60_000

/** Whether a function returns the same JSON value whenever it is called, also in another run of the program. */
export function isSteady(read: () => unknown): boolean {
  try {
    const first = read()
    return !isPresent(first) && JSON.stringify(first) === JSON.stringify(atLaterTime(read))
  } catch {
    return false
  }
}

/** Calls a function under a clock that is ahead, or under the same one where intrinsics are frozen. */
function atLaterTime(read: () => unknown): unknown {
  const Present = Date
  class Later extends Present {
    static override now(): number {
      return Present.now() + LATER
    }

    constructor(...given: readonly [] | ConstructorParameters<DateConstructor>) {
      if (given.length === 0) super(Later.now())
      else super(...given)
    }
  }
  if (!Reflect.set(globalThis, 'Date', Later)) return read()
  try {
    return read()
  } finally {
    Reflect.set(globalThis, 'Date', Present)
  }
}

/** Whether a JSON value holds the present, or the moment at which the program began. */
function isPresent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isPresent)
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)))
    return false
  const moment = new Date(value).getTime()
  return [Date.now(), performance.timeOrigin].some((time) => Math.abs(moment - time) < NEAR)
}
