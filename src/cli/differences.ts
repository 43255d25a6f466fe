/** What is in one value and not in the other, as JSON pointers (RFC 6901) with `+`, `-` or `~` before them. */
export function differences(before: unknown, after: unknown, place = ''): readonly string[] {
  if (isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => {
      const pointer = `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (!Object.hasOwn(before, key)) return [`+ ${pointer}`]
      if (!Object.hasOwn(after, key)) return [`- ${pointer}`]
      return differences(Reflect.get(before, key), Reflect.get(after, key), pointer)
    })
  }
  return Object.is(before, after) ? [] : [`~ ${place === '' ? '/' : place}`]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
