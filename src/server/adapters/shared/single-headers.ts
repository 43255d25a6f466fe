/** Headers of which Node keeps the first line only. */
const SINGLE = new Set(
  'authorization content-length content-type from host max-forwards referer user-agent'.split(' '),
)
/** Those that it keeps so besides, though their lines mean something together. */
const MORE_SINGLE = new Set(
  'age etag expires if-modified-since if-unmodified-since last-modified location proxy-authorization retry-after server'.split(
    ' ',
  ),
)

/** Whether requests of Node have the first line of a header only. */
export function isSingleInNode(name: string): boolean {
  return SINGLE.has(name) || MORE_SINGLE.has(name)
}

/** Whether Node keeps the first line of a header only. */
export function isSingle(name: string): boolean {
  return SINGLE.has(name)
}
