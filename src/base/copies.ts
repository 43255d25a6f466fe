/*
 * Several copies of the package may be loaded, such as one for each set of peers that pnpm installs. Each copy recognises the values of the
 * others by these marks.
 */

/** The state that all copies share, by its name. */
const SHARED = Symbol.for('octavo.shared')

/** Returns the state of a name, which the first copy that asks makes. */
export function shared<T extends object>(name: string, make: () => T): T {
  const known: unknown = Reflect.get(globalThis, SHARED)
  const all = known instanceof Map ? known : new Map<string, unknown>()
  if (all !== known) Object.defineProperty(globalThis, SHARED, { value: all })
  // every copy keeps the same state under a name
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const state = (all.get(name) as T | undefined) ?? make()
  all.set(name, state)
  return state
}

/** Has `instanceof` recognise the instances of other copies. Classes that extend it are their own. */
export function brand(type: abstract new (...given: never) => object, name: string): void {
  const mark = Symbol.for(`octavo.${name}`)
  Object.defineProperty(type.prototype, mark, { value: true })
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, given: unknown) {
      // written out, because every request that fails asks for it
      return this === type
        ? typeof given === 'object' && given !== null && mark in given
        : isInstanceOf(this, given)
    },
  })
}

/** `instanceof` as it is for every other class. */
function isInstanceOf(type: unknown, given: unknown): boolean {
  return Reflect.apply(Function.prototype[Symbol.hasInstance], type, [given])
}
