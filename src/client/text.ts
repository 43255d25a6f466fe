/** A value as servers read it from a text: dates in ISO 8601, objects as JSON. @throws `TypeError` for what has no text. */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'object':
      return value instanceof Date ? value.toISOString() : JSON.stringify(value)
    default:
      throw new TypeError(`A ${typeof value} cannot be sent`)
  }
}

/** The texts of a field: lists and sets repeat it, `undefined` and `null` are left out. */
export function toTexts(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : value instanceof Set ? [...value] : [value]
  return items.flatMap((item) => (item === undefined || item === null ? [] : [toText(item)]))
}

/** The names and texts of a source. */
export function toPairs(values: Readonly<Record<string, unknown>>): [name: string, text: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    toTexts(value).map((text): [string, string] => [name, text]),
  )
}
