import { capitalize, toKebab, toPascal } from '../../base/values.ts'

/** A text of letters and digits that names can have: `Café – menu` is `Cafe menu`. */
function plainWord(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}|['’]/gu, '')
    .replaceAll(/[^A-Za-z\d]+/g, ' ')
    .trim()
}

/** A name of a type or schema: `pet_store` is `PetStore`. */
export function toTypeName(text: string): string {
  const name = toPascal(plainWord(text))
  return /^[A-Za-z]/.test(name) ? name : `Schema${name}`
}

/** A name of a constant or route: `pet_store` is `petStore`, and `OpenAI` is `openAI`. */
export function toCamel(text: string): string {
  const words = plainWord(text).split(' ')
  const [first = '', ...rest] = words.some((word) => /[a-z]/.test(word))
    ? words
    : words.map((word) => word.toLowerCase())
  // `HTTPServer` begins with a word of capitals
  const start = first.replace(/^(?:[A-Z]+(?![a-z])|[A-Z])/, (capitals) => capitals.toLowerCase())
  const name = start + rest.map(capitalize).join('')
  const camel = /^[a-z]/.test(name) ? name : `api${name}`
  return RESERVED.has(camel) ? `${camel}Api` : camel
}

/** A name of a file: `PetStore` is `pet-store`. */
export function toFileName(text: string): string {
  const name = toKebab(plainWord(text)).replaceAll(' ', '-')
  return /^[a-z]/.test(name) ? name : ['api', name].filter(Boolean).join('-')
}

/** Words of the language, and names that the written files import. */
const RESERVED = new Set(
  `app await break case catch class const continue debugger default delete do else enum export extends false finally for function if
  implements import in instanceof interface let new null package private protected public return static super switch this throw true
  try typeof var void while with yield arguments eval async z model derive history process`.split(/\s+/),
)

/** A name, with a number behind it if it is taken. */
export function toDistinctName(wanted: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
  return name
}

/** Distinct names for texts: each is made by `make`, and a number follows those that are taken. */
export function toDistinctNames(
  texts: readonly string[],
  make: (text: string) => string,
  taken: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const used = new Set(taken)
  return new Map(
    texts.map((text) => {
      const name = toDistinctName(make(text), used)
      used.add(name)
      return [text, name]
    }),
  )
}

/** The names that the last parts of a dotted name have, the shortest first. */
function lastNamesOf(name: string): readonly string[] {
  const parts = name.split('.')
  return parts.map((_, at) => toTypeName(parts.slice(-at - 1).join('.')))
}

/** Names of constants for schemas: the last part of a dotted name if that tells them apart, `Pod` for `io.k8s.api.core.v1.Pod`. */
export function toConstants(names: readonly string[]): ReadonlyMap<string, string> {
  const ends = new Map<string, number>()
  for (const name of names)
    for (const end of new Set(lastNamesOf(name))) ends.set(end, (ends.get(end) ?? 0) + 1)
  return toDistinctNames(
    names,
    (name) => lastNamesOf(name).find((end) => ends.get(end) === 1) ?? toTypeName(name),
  )
}
