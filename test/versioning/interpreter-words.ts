/** The syntax of versions and paths, in the plainest code, for the interpreter. */
export type Format = 'string' | 'integer' | 'semver'

interface Parts {
  readonly numbers: readonly number[]
  readonly status: string
}

/** The numbers and the status of a version; `undefined` when it has none of the kind. */
function toParts(text: string): Parts | undefined {
  const match = /^(?<numbers>\d+(?:\.\d+)*)(?:-(?<status>[a-z0-9.]+))?$/.exec(text)
  const { numbers = '', status = '' } = match?.groups ?? {}
  return match === null ? undefined : { numbers: numbers.split('.').map(Number), status }
}

/** Whether a version is well formed. */
export function isWellFormed(text: string, format: Format): boolean {
  if (format === 'string') return true
  const count = toParts(text)?.numbers.length ?? Infinity
  return count <= (format === 'integer' ? 1 : 3)
}

/** Returns one spelling for all that are equal. */
export function canonical(text: string, format: Format): string | undefined {
  if (format === 'string') return text
  const parts = toParts(text)
  if (parts === undefined || !isWellFormed(text, format)) return undefined
  const [major = 0, minor = 0, patch = 0] = parts.numbers
  return `${major}.${minor}.${patch}-${parts.status}`
}

/** Orders versions by value. A status comes before none. */
export function compare(a: string, b: string): number {
  const left = toParts(a)
  const right = toParts(b)
  if (left === undefined || right === undefined) return 0
  for (const index of [0, 1, 2]) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.status === right.status) return 0
  if (left.status === '' || right.status === '') return left.status === '' ? 1 : -1
  return left.status < right.status ? -1 : 1
}

/** Whether a range such as `'>=1 <3'` covers a version. */
export function covers(range: string, version: string): boolean {
  return range.split(' ').every((comparator) => {
    const { operator = '', bound = '' } = /^(?<operator>[<>]?=?)(?<bound>.+)$/.exec(comparator)?.groups ?? {}
    const order = compare(version, bound)
    if (order === 0) return operator.includes('=')
    return operator.startsWith(order < 0 ? '<' : '>')
  })
}
