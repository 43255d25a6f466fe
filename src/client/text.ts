/** A value as servers read it from a text: dates in ISO 8601. */
export function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return value
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
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
