import { withoutNull } from '../../base/json-schema.ts'
import { capitalize, isString, toRecord } from '../../base/values.ts'
import { toPlural, toWords, withArticle } from '../../base/words.ts'
import type {
  BodyDraft,
  DescribedField,
  ChangeDraft,
  FieldDraft,
  ModelDraft,
  ProblemDraft,
  RouteDraft,
  DraftedSource,
} from '../../gate/write/draft.ts'
import { listedTexts } from './schema-facts.ts'

/** The title of a change, as clients read it in the changelog. */
export function changeTitle(draft: ChangeDraft): string {
  for (const most of [4, 2, 1]) {
    const title = draft.kind === 'model' ? modelTitle(draft, most) : routeTitle(draft, most)
    if (title.length <= LONGEST) return title
  }
  const short = draft.kind === 'model' ? shortTitle(draft) : routeTitle(draft, 0)
  return withEnd(short, '')
}

/** A title with something behind it, cut so that both together are no longer than a title. */
export function withEnd(title: string, end: string): string {
  const most = LONGEST - end.length
  return `${title.length <= most ? title : `${title.slice(0, most - 2).replace(/[`\s]+[^\s]*$/, '')} …`}${end}`
}

/** The length of a title, as of the first line of a commit. */
const LONGEST = 72

/** A title without the names of fields. */
function shortTitle({ model, fields: [first] }: ModelDraft): string {
  const plural = toPlural(toWords(model))
  if (first?.kind === 'retyped') return `${titleCode(first.name)} of ${plural} has other values`
  return `${capitalize(plural)} have other fields`
}

function modelTitle({ model, fields }: ModelDraft, most: number): string {
  const list = (words: readonly string[], last?: string): string => listOf(words, most, last)
  const plural = toPlural(toWords(model))
  const many = capitalize(plural)
  const namesOf = (kind: FieldDraft['kind']): readonly string[] =>
    fields.filter((field) => field.kind === kind).map(({ name }) => titleCode(name))
  const [added, removed] = [namesOf('added'), namesOf('removed')]
  const [first] = fields
  if (first?.kind === 'renamed')
    return `${titleCode(first.was)} of ${plural} is called ${titleCode(first.name)}`
  if (first?.kind === 'retyped') return `${titleCode(first.name)} of ${plural} ${retypedTitle(first, most)}`
  if (removed.length === 0)
    return `${many} have ${added.length === 1 ? withArticle(list(added)) : list(added)}`
  if (added.length === 0)
    return `${many} no longer have ${removed.length === 1 ? withArticle(list(removed)) : list(removed, 'or')}`
  return `${many} have ${list(added)} instead of ${list(removed)}`
}

/** Describes a value as it is now. */
function retypedTitle(
  { was, now }: { readonly was: DescribedField; readonly now: DescribedField },
  most: number,
): string {
  const [older, newer] = [shownOf(was), shownOf(now)]
  const [type, other] = [typeTitle(older['type']), typeTitle(newer['type'])]
  if (type !== other && other !== undefined) return `is ${other}`
  if (was.isOptional !== now.isOptional) return now.isOptional ? 'is optional' : 'is required'
  const [could, can] = [was, now].map(({ schema }) => withoutNull(schema) !== undefined)
  if (could !== can) return can === true ? 'can be null' : 'is never null'
  return (
    valuesTitle(listedTexts(older) ?? [], listedTexts(newer) ?? [], most) ??
    defaultTitle(was, now) ??
    boundTitle(older, newer)
  )
}

/** The schema of a value, apart from `null`. */
function shownOf({ schema }: Pick<DescribedField, 'schema'>): Readonly<Record<string, unknown>> {
  return toRecord(withoutNull(schema) ?? schema)
}

function typeTitle(type: unknown): string | undefined {
  if (!isString(type)) return undefined
  if (type === 'array') return 'a list'
  return withArticle(type)
}

function valuesTitle(was: readonly string[], now: readonly string[], most: number): string | undefined {
  const gone = was.filter((each) => !now.includes(each)).map(titleCode)
  const come = now.filter((each) => !was.includes(each)).map(titleCode)
  if (was.length === 0 || now.length === 0 || (gone.length === 0) === (come.length === 0)) return undefined
  return gone.length > 0 ? `is no longer ${listOf(gone, most, 'or')}` : `can be ${listOf(come, most, 'or')}`
}

const BOUNDS: Readonly<Record<string, (bound: string) => string>> = {
  minimum: (bound) => `is at least ${bound}`,
  maximum: (bound) => `is at most ${bound}`,
  minLength: (bound) => `has at least ${bound} characters`,
  maxLength: (bound) => `has at most ${bound} characters`,
  minItems: (bound) => `has at least ${bound} items`,
  maxItems: (bound) => `has at most ${bound} items`,
}

/** A default that stands for what older clients leave out. */
function defaultTitle(was: DescribedField, now: DescribedField): string | undefined {
  const [before, after] = [was, now].map(({ schema }) => JSON.stringify(toRecord(schema)['default']))
  return after === undefined || before === after
    ? undefined
    : `is ${titleCode(after.replace(/^"(.*)"$/, '$1'))} by default`
}

function boundTitle(
  older: Readonly<Record<string, unknown>>,
  newer: Readonly<Record<string, unknown>>,
): string {
  const said = Object.entries(BOUNDS).flatMap(([keyword, title]) =>
    typeof newer[keyword] === 'number' && newer[keyword] !== older[keyword]
      ? [title(String(newer[keyword]))]
      : [],
  )
  return said.length === 0 ? 'has other values' : listOf(said, 4)
}

function routeTitle(draft: RouteDraft, most: number): string {
  const { routes, status, parameters, headers, problems = [], body } = draft
  const addresses = routes.map(({ now }) => addressText(now, most))
  const where = whereTitle(addresses, most)
  const [parameter] = parameters
  if (parameter !== undefined) return parameterTitle(parameter.source, parameter.field, where, most)
  const [header] = headers
  if (header !== undefined)
    return `The response header ${titleCode(header.name)} ${header.kind === 'removed' ? 'is gone from' : 'has other values in'} ${where}`
  const [problem] = problems
  if (problem !== undefined) return problemTitle(problem, where)
  if (body !== undefined) return bodyTitle(body, where, routes.length > 1, most)
  if (status !== undefined)
    return `${where} answer${routes.length === 1 ? 's' : ''} ${status.now} instead of ${status.was}`
  if (draft.success !== undefined)
    return `${where} may answer ${draft.success.now} instead of ${draft.success.was}`
  if (draft.gained !== undefined)
    return `${where} ha${routes.length === 1 ? 's' : 've'} ${listOf(draft.gained.map(titleCode), most)} in the path`
  return addressTitle(draft, where, most)
}

function whereTitle(addresses: readonly string[], most: number): string {
  if (most === 0 && addresses.length > 1) return `${addresses.length} operations`
  const shown = addresses.slice(0, addresses.length <= Math.min(most, 3) ? 3 : Math.min(most, 2))
  const rest = addresses.length - shown.length
  return listOf(rest === 0 || shown.length === 0 ? addresses : [...shown, `${rest} other operations`], 4)
}

/** An address as documents show it. If it has to be short, only the end of its path. */
function addressText({ method, path }: RouteDraft['routes'][number]['now'], most: number): string {
  const shown = path.replaceAll(/\{([^{}:]*):[^{}]*\}/g, '{$1}')
  const end = shown.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{'))
  return titleCode(`${method} ${most > 0 || end === undefined ? shown : `…/${end}`}`)
}

function addressTitle({ routes: [first], path, method }: RouteDraft, where: string, most: number): string {
  const now = first?.now ?? { method: '', path: '' }
  return `${addressText({ method: method ?? now.method, path: path ?? now.path }, most)} is now ${where}`
}

function problemTitle({ code, was, status }: ProblemDraft, where: string): string {
  if (was === undefined)
    return `The problem ${titleCode(code)} of ${where} no longer has the status ${status ?? ''}`
  return `The problem ${titleCode(was)} of ${where} is called ${titleCode(code)}`
}

function bodyTitle({ key, was, now }: BodyDraft, where: string, isSeveral: boolean, most: number): string {
  const list = (words: readonly string[], last?: string): string => listOf(words, most, last)
  const verb = `${key === 'body' ? 'take' : 'return'}${isSeveral ? '' : 's'}`
  if (was === undefined) return `${where} ${verb} a body`
  const [older, newer] = [shownOf(was), shownOf(now)]
  const [type, other] = [typeTitle(older['type']), typeTitle(newer['type'])]
  if (type !== other && other !== undefined)
    return `${where} ${verb} ${other}${type === undefined ? '' : ` instead of ${type}`}`
  const [before, after] = [
    Object.keys(toRecord(older['properties'])),
    Object.keys(toRecord(newer['properties'])),
  ]
  const come = after.filter((name) => !before.includes(name)).map(titleCode)
  const gone = before.filter((name) => !after.includes(name)).map(titleCode)
  if (come.length + gone.length === 0) return `${where} ${verb} other values`
  if (come.length === 0) return `${where} no longer ${verb} ${list(gone, 'or')}`
  return `${where} ${verb} ${list(come)}${gone.length === 0 ? '' : ` instead of ${list(gone)}`}`
}

const SOURCES: Readonly<Record<DraftedSource, string>> = {
  query: 'parameter',
  headers: 'header',
  cookies: 'cookie',
}

function parameterTitle(source: DraftedSource, field: FieldDraft, where: string, most: number): string {
  const kind = `The ${SOURCES[source]}`
  switch (field.kind) {
    case 'renamed':
      return `${kind} ${titleCode(field.was)} is called ${titleCode(field.name)} in ${where}`
    case 'removed':
      return `${kind} ${titleCode(field.name)} is gone from ${where}`
    case 'added':
      return `${kind} ${titleCode(field.name)} is ${field.now.isOptional ? 'new' : 'required'} in ${where}`
    default:
      return `${kind} ${titleCode(field.name)} ${retypedTitle(field, most)} in ${where}`
  }
}

function titleCode(text: string): string {
  return `\`${text}\``
}

/** The first of several words, and how many more there are. */
function listOf(words: readonly string[], most: number, last = 'and'): string {
  if (words.length < 2) return words.join('')
  const shown = words.length <= Math.max(most, 1) ? words : words.slice(0, Math.max(most - 1, 1))
  const rest = words.length - shown.length
  const all = rest === 0 ? shown : [...shown, `${rest} more`]
  return `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1) ?? ''}`
}
