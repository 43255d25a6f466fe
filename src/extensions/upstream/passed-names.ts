import { headerName } from '../../http/http.ts'
import { objectShape } from '../../schema/schema.ts'
import type { DeclaredSource, SourceName } from '../../schema/sources.ts'
import { toSearchParams } from '../../server/request/query.ts'

/** The sources whose values have names, and pass if no version declares them. */
const NAMED_SOURCES = ['query', 'headers', 'cookies'] as const satisfies readonly SourceName[]

/** The names of sources that are parsed. A source that is not in it passes as it came. */
export type DeclaredNamesOf = ReadonlyMap<SourceName, DeclaredNames>

/** The names of one source that versions of a route declare. Such a value reaches the API behind as it was parsed, or not at all. */
export interface DeclaredNames {
  /** The names that this version or the newest one declares, in lower case. */
  readonly all: ReadonlySet<string>
  /** Those names as `toBase` writes them. */
  readonly bases: ReadonlySet<string>
  /** The names that both declare with one schema: their values pass as they came, once they are parsed. */
  readonly unchanged: ReadonlySet<string>
}

/** Compares the names that a version and the newest one declare in each source that is parsed. */
export function toDeclaredNames(
  own: readonly DeclaredSource[],
  newest: readonly DeclaredSource[],
  isParsed: (source: SourceName) => boolean,
): DeclaredNamesOf {
  const names = new Map<SourceName, DeclaredNames>()
  for (const source of NAMED_SOURCES.filter(isParsed)) {
    const [ownSource, newestSource] = [own, newest].map((list) => list.find(({ name }) => name === source))
    if (ownSource !== undefined || newestSource !== undefined)
      names.set(source, compareNames(source, ownSource, newestSource))
  }
  return names
}

function compareNames(
  source: SourceName,
  own: DeclaredSource | undefined,
  newest: DeclaredSource | undefined,
): DeclaredNames {
  const toName = source === 'headers' ? headerName : (name: string): string => name
  const [ownNames, newestNames] = [passedNamesOf(own), passedNamesOf(newest)]
  const [ownFields, newestFields] = [declaredFieldsOf(own), declaredFieldsOf(newest)]
  const unchanged = ownNames.filter(
    (name) => newestNames.includes(name) && (own === newest || ownFields[name] === newestFields[name]),
  )
  const all = [...ownNames, ...newestNames].map((name) => toName(name).toLowerCase())
  return {
    all: new Set(all),
    bases: new Set(all.map((name) => toBaseName(name).replace(LIST, ''))),
    unchanged: new Set(unchanged.map(toName)),
  }
}

function passedNamesOf(source: DeclaredSource | undefined): readonly string[] {
  return [...(source?.plan.fields.keys() ?? [])]
}

function declaredFieldsOf(source: DeclaredSource | undefined): Readonly<Record<string, unknown>> {
  return source === undefined ? {} : objectShape(source.schema)
}

/**
 * The query that the API behind gets: the pairs that pass, as they were sent, and the values that were converted.
 *
 * @param sent the query with the mark before it, or an empty text
 */
export function toPassedQuery(sent: string, names: DeclaredNames, values: object): string {
  const [passed, made] = split(sent.slice(1).split('&'), names, values, passedNameOf)
  const written = toSearchParams(Object.fromEntries(made)).toString()
  // servers that split at `;` would find a declared name behind it
  const hidesName = (pair: string): boolean => {
    const [, ...parts] = pair.split(';')
    return parts.some((part) => isDeclaredName(part, names))
  }
  const query = [...passed.map((pair) => (hidesName(pair) ? pair.replaceAll(';', '%3B') : pair)), written]
    .filter((part) => part !== '')
    .join('&')
  return query === '' ? '' : `?${query}`
}

/** The `Cookie` header that the API behind gets. Of a declared cookie that was sent twice, the first is the one that was parsed. */
export function toPassedCookies(
  sent: string | undefined,
  names: DeclaredNames,
  values: object,
  toText: (value: unknown) => string,
): string {
  const [passed, made] = split((sent ?? '').split(';'), names, values, cookieNameOf)
  const seen = new Set<string>()
  const first = passed.filter((pair) => {
    const name = cookieNameOf(pair)
    const isRepeated = seen.has(name) && names.unchanged.has(name)
    seen.add(name)
    return pair !== '' && !isRepeated
  })
  const written = made
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(toText(value))}`)
  return [...first, ...written].join('; ')
}

type SplitNames = readonly [
  passed: readonly string[],
  made: readonly (readonly [name: string, value: unknown])[],
]

/** Parts what is sent as it came from the values that have to be written. `toName` returns the name under which a pair was parsed. */
function split(
  pairs: readonly string[],
  names: DeclaredNames,
  values: object,
  toName: (pair: string) => string,
): SplitNames {
  const kept = new Set<string>()
  const passed = pairs
    .map((pair) => pair.trim())
    .filter((pair) => {
      const name = toName(pair)
      const isPassed = names.unchanged.has(name) || !isDeclaredName(pair, names)
      if (isPassed) kept.add(name)
      return isPassed
    })
  return [passed, Object.entries(values).filter(([name]) => !kept.has(name))]
}

/** The index of a list at the end of a name: `[]` or `[0]`. */
const LIST = /\[\d*\]$/

/** Whether some server may take the name of a pair for a declared one. */
function isDeclaredName(pair: string, { bases }: DeclaredNames): boolean {
  let base = toBaseName(passedNameOf(pair))
  while (!bases.has(base)) {
    const at = base.endsWith(']') ? base.lastIndexOf('[') : -1
    if (at === -1) return false
    base = base.slice(0, at)
  }
  return true
}

/** One spelling of all that some servers read as one name. PHP cuts names at NUL, and reads dots, spaces and an open bracket as `_`. */
function toBaseName(name: string): string {
  const [cut = ''] = name.split('\0', 1)
  const base = cut.trim().toLowerCase()
  const end = base.lastIndexOf(']') + 1
  return base.slice(0, end).replaceAll(/[ .]/g, '_') + base.slice(end).replaceAll(/[ .[]/g, '_')
}

/** The name of a cookie, which has no escapes here, though PHP decodes them. */
function cookieNameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return name.trim()
}

/** The name of a pair, without its escapes if they are of UTF-8. */
export function passedNameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
