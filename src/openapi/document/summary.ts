import { capitalize } from '../../base/values.ts'
import { isUncountable, toPlural, toSingular, toWords, withArticle } from '../../base/words.ts'
import { routeName } from '../../define/names.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { unwrap } from '../../schema/schema.ts'

type Kind = 'one' | 'new' | 'many'

/** Whether a verb is about one thing, about a new one or about several, which the names of routes begin with. */
const VERBS: ReadonlyMap<string, Kind> = new Map([
  ...'get find show read fetch update edit change modify patch put replace save delete remove restore'
    .split(' ')
    .map((verb) => [verb, 'one'] as const),
  ...'create add post register'.split(' ').map((verb) => [verb, 'new'] as const),
  ...'list index search'.split(' ').map((verb) => [verb, 'many'] as const),
])

/** The verbs that people use for those of HTTP. */
const SAID: Readonly<Record<string, string>> = {
  post: 'create',
  put: 'replace',
  patch: 'update',
  index: 'list',
}

/** The words behind a verb whose noun is that of the controller. */
const DETAIL = /^(?:by|for|from|in|of|on|to|with)\b/

/** The parts of a sentence. */
interface Sentence {
  readonly verb: string
  readonly noun: string
  /** Words such as `by email`. */
  readonly detail: string
  readonly isOne: boolean
  readonly isMany: boolean
}

/** Writes the purpose of a route from its name: `user.getOne` is `Get a user`, and `user.list` is `List users`. */
export function summarize(route: ResolvedRoute): string {
  const { name, newest = route } = route
  const [own = '', controller = ''] = name.split('.').toReversed()
  const sentence = readName(own, toWords(controller), newest)
  return capitalize(sentence === undefined ? toWords(own) : toSentence(sentence))
}

/** Returns `undefined` for a name that has no known verb or no noun. */
function readName(own: string, owner: string, route: ResolvedRoute): Sentence | undefined {
  const [verb = '', ...others] = toWords(own).split(' ')
  const [count] = /^(?:one|it|all|many)$/.exec(others[0] ?? '') ?? []
  const rest = others.slice(count === undefined ? 0 : 1).join(' ')
  const isDetail = rest === '' || DETAIL.test(rest)
  const noun = isDetail ? nounOf(own, owner, route) : rest
  const kind = VERBS.get(verb)
  if (kind === undefined || noun === undefined || [verb, ''].includes(noun)) return undefined
  const detail = isDetail && !isGeneratedName(own, route) ? rest : ''
  return { verb, noun, detail, ...isAboutOne(kind, count, noun, route) }
}

/** Whether a sentence is about one thing or several. */
function isAboutOne(
  kind: Kind,
  count: string | undefined,
  noun: string,
  route: ResolvedRoute,
): Pick<Sentence, 'isOne' | 'isMany'> {
  const isItem = route.pattern.segments.at(-1)?.kind === 'param'
  const isAll = kind === 'many' || count === 'all' || count === 'many'
  return {
    isOne: kind === 'new' || count === 'one' || isItem,
    isMany: isAll || (kind === 'one' && !isItem && hasListResult(route, noun)),
  }
}

function toSentence({ verb, noun, detail, isOne, isMany }: Sentence): string {
  const said = isMany && verb === 'get' ? 'list' : (SAID[verb] ?? verb)
  const one = isOne && !isUncountable(noun) ? withArticle(toSingular(noun)) : noun
  return [said, isMany ? toPlural(noun) : one, detail].filter(Boolean).join(' ')
}

/** The noun of a name without one: that of the controller, or the last segment if Octavo made the name of several. */
function nounOf(own: string, owner: string, route: ResolvedRoute): string | undefined {
  const last = route.pattern.segments.at(-1)
  if (!/By[A-Z]/.test(own) || last?.kind !== 'literal' || !isGeneratedName(own, route)) return owner
  const noun = toWords(last.text)
  // what a POST at one thing means is not known, such as /{id}/archive
  return toSingular(noun) === noun ? undefined : noun
}

/** Whether the name is that of the method and the path, which says nothing more. */
function isGeneratedName(own: string, { methods, pattern: { segments } }: ResolvedRoute): boolean {
  return methods.some((method) => segments.some((_, at) => own === routeName(method, segments.slice(at))))
}

/** Whether a GET has a list as its result, or may have one and its noun means several things. */
function hasListResult({ methods, responses }: ResolvedRoute, noun: string): boolean {
  if (methods[0] !== 'GET' || methods.length > 1) return false
  const [, schema] = [...responses].find(([status]) => Number(status) < 300) ?? []
  return schema === undefined ? toSingular(noun) !== noun : unwrap(schema)?.type === 'array'
}
