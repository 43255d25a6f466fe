/** Nouns without a form of their own for several. */
const SAME =
  /(?:ss|[iu]s|news|series|species|data|media|information|feedback|content|equipment|auth|health|weather)$/i

const SINGULARS: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/people$/i, 'person'],
  [/children$/i, 'child'],
  [/(?<!mov|cook)ies$/i, 'y'],
  [/(?<=ss|sh|(?<!ca)ch|x|[bprt]us)es$/i, ''],
  [/s$/i, ''],
]

const PLURALS: readonly (readonly [singular: RegExp, plural: string])[] = [
  [/person$/i, 'people'],
  [/child$/i, 'children'],
  [/(?<=[^aeiou])y$/i, 'ies'],
  [/(?<=ss|sh|ch|x|z)$/i, 'es'],
  [/(?<!s)$/i, 's'],
]

/** Divides a name into words: `orderItem` and `order-item` are `order item`. Abbreviations keep their capitals. */
export function toWords(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').split(/[\s_$-]+/)
  return words
    .filter(Boolean)
    .map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ')
}

/** Returns words whose last one means several things. */
export function toPlural(words: string): string {
  if (/people$|children$/i.test(words)) return words
  return inflect(words, PLURALS)
}

/** Returns words whose last one means one thing. Nouns that are the same for several stay as they are. */
export function toSingular(words: string): string {
  return SAME.test(words) ? words : inflect(words, SINGULARS)
}

/** Whether the last word has one form for one thing and for several. */
export function isUncountable(words: string): boolean {
  return SAME.test(words) && !/(?:ss|[iu]s)$/i.test(words)
}

function inflect(words: string, rules: readonly (readonly [RegExp, string])[]): string {
  const rule = rules.find(([ending]) => ending.test(words))
  return rule === undefined ? words : words.replace(...rule)
}

/** Puts the article before words that mean one thing. */
export function withArticle(words: string): string {
  const isVowel =
    /^[^a-z]*(?:[aio]|e(?!u)|u(?!n[ief]|s[aeu]|t[ei])|hour|hon)/i.test(words) && !/^one\b/i.test(words)
  return `${isVowel ? 'an' : 'a'} ${words}`
}
