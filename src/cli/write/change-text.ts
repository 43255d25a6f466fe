import { memberName, quotedText } from '../format.ts'
import type {
  BodyDraft,
  DraftedBody,
  DescribedField,
  ChangeDraft,
  FieldDraft,
  ModelDraft,
  ProblemDraft,
  RouteDraft,
  DraftedRoute,
  DraftedSource,
} from '../../gate/write/draft.ts'
import type { WrittenKind } from '../../changes/operations/operation-kinds.ts'
import { refOf } from '../../base/json-schema.ts'
import { toStableText } from '../../gate/json.ts'
import { capitalize, isRecord, toRecord } from '../../base/values.ts'
import { isPageName, pageParameter } from '../../changes/operations/paged.ts'
import { changeTitle } from './title.ts'
import { fillInText, missingText, toConversion, type ConversionInput } from './conversion-text.ts'
import { toZodText, type SchemaNames } from './zod-text.ts'

/** The materials of the texts of changes: the components of both documents, and how code calls models. */
export interface ChangeWriting {
  readonly base: SchemaNames
  readonly revision: SchemaNames
  /** The name under which a model is exported. */
  readonly modelName: (model: string) => string
  /** Whether older clients are assumed to pass over values and alternatives that they do not know. */
  readonly isOpen: boolean
  /** Whether an API behind sends the values, so that null stands for one that it no longer has. */
  readonly isForwarding: boolean
}

/** A change as source text. */
export interface ChangeText {
  readonly title: string
  /** The expression, in one line. */
  readonly code: string
  /** The statements before it, for functions that several parts share. */
  readonly shared: readonly string[]
  /** The names that it uses of `octavo/changes`. */
  readonly imports: readonly string[]
  /** The names of the models in it. */
  readonly models: readonly string[]
  readonly usesZod: boolean
  /** Suppositions without proof, for the author to look at. */
  readonly guesses: readonly string[]
}

/** Writes a change, or returns `undefined` if it would convert nothing. */
export function toChangeText(draft: ChangeDraft, given: ChangeWriting): ChangeText | undefined {
  if (isIdle(draft, given)) return undefined
  const title = changeTitle(draft)
  const models = new Set<string>()
  const writing = noteModels(given, models)
  const parts =
    draft.kind === 'model'
      ? [reshapeText(draft, writing)]
      : draft.routes.map((route) => operationText(route, draft, writing))
  const shared = draft.kind === 'route' && draft.routes.length > 1 ? sharedText(draft, writing) : []
  const body = [...shared, parts.join(', ')].join(' ')
  const fields =
    draft.kind === 'model' ? draft.fields : [...draft.parameters.map(({ field }) => field), ...draft.headers]
  return {
    title,
    code: `defineVersionChange({ version: 'next', title: ${quotedText(title)}, change: [${parts.join(', ')}] })`,
    shared,
    imports: [
      'defineVersionChange',
      draft.kind === 'model' ? 'reshape' : 'operation',
      ...['absent', 'asIs', 'fits'].filter((name) => new RegExp(String.raw`[ (]${name}\b`).test(body)),
    ],
    models: [
      // what was only looked at is in no text
      ...[...models].filter((name) => new RegExp(String.raw`[ (\[]${name}\b`).test(body)),
      ...(draft.kind === 'model'
        ? [...(draft.applies ?? []), ...(draft.not ?? [])]
        : (draft.body?.names ?? [])),
    ],
    usesZod: /\bz\./.test(body),
    guesses: fields.flatMap((field) => guessOf(field, draft, writing)),
  }
}

/** Whether only what documents note differs in fields. */
function isIdle(draft: ChangeDraft, { base, revision }: ChangeWriting): boolean {
  const fields = draft.kind === 'model' ? draft.fields : draft.parameters.map(({ field }) => field)
  const isSame = (field: FieldDraft): boolean =>
    field.kind === 'retyped' &&
    optionalText(field.was, base).replaceAll(NOTED, '') ===
      optionalText(field.now, revision).replaceAll(NOTED, '')
  return fields.length > 0 && fields.every(isSame)
}

const NOTED = /\.meta\(\{[^{}]*\}\)/g

/** Notes the models that a text names, which it has to import. */
function noteModels(given: ChangeWriting, found: Set<string>): ChangeWriting {
  const { base, revision, modelName } = given
  const noted = (name: string | undefined): string | undefined => {
    if (name !== undefined) found.add(name)
    return name
  }
  const notedIn = (names: SchemaNames): SchemaNames => ({
    ...names,
    modelOf: (component) => noted(names.modelOf(component)),
  })
  return {
    ...given,
    base: notedIn(base),
    revision: notedIn(revision),
    modelName: (model) => noted(modelName(model)) ?? model,
  }
}

function guessOf(field: FieldDraft, { kind }: ChangeDraft, writing: ChangeWriting): readonly string[] {
  if (field.kind === 'renamed')
    return [`${field.was} became ${field.name}, because both have the same schema`]
  if (kind !== 'model' || field.kind === 'added' || mayLack(field.was)) return []
  const isGone = field.kind === 'removed' || (field.now.isOptional && field.sides.includes('response'))
  const filled = isGone ? missingText(field.was, toTurnings(writing).down) : ''
  if (filled === 'null') return [`older clients get null for ${field.name}, which their schema takes`]
  return filled === 'asIs(null)' ? [`older clients get null for a ${field.name} that is missing today`] : []
}

function reshapeText({ model, fields, applies = [], not = [] }: ModelDraft, writing: ChangeWriting): string {
  const conversions = toTurnings(writing)
  const up = upText(fields, conversions.up)
  const down = downText(fields, conversions.down)
  const isLossy = (field: FieldDraft): boolean =>
    field.kind === 'retyped'
      ? fieldFunctions(field, conversions).some((text) => text !== ACCEPTED)
      : field.kind !== 'renamed'
  const lossy = fields.filter(isLossy).map(({ name }) => quotedText(name))
  const parts = [
    `of: ${writing.modelName(model)}`,
    groupText('fields', fields, (field) => fieldFunctions(field, conversions), writing),
    ...(up === undefined ? [] : [`up: ${up}`]),
    ...(down === undefined ? [] : [`down: ${down}`]),
    ...(applies.length === 0 ? [] : [`applies: [${applies.join(', ')}]`]),
    ...(not.length === 0 ? [] : [`not: [${not.join(', ')}]`]),
    // what is filled in may lose more than it seems
    ...(lossy.length === 0 ? [] : [`lossy: [${lossy.join(', ')}]`]),
  ]
  return `reshape({ ${parts.join(', ')} })`
}

interface Conversions {
  readonly up: ConversionInput
  readonly down: ConversionInput
}

function toTurnings({ base, revision, isOpen, isForwarding }: ChangeWriting): Conversions {
  const [older, newer] = [resolveIn(base, revision), resolveIn(revision, revision)]
  const isNoted = base.isNoted === true
  const both = { types: new Map(), isStrict: false, isOpen, isForwarding, isNoted } as const
  return {
    up: { ...both, side: 'up', resolve: { from: older, to: newer }, zodOf: zodIn(revision) },
    down: { ...both, side: 'down', resolve: { from: newer, to: older }, zodOf: zodIn(base) },
  }
}

/** Writes a schema, which may be what a reference to a model was resolved to. */
function zodIn(names: SchemaNames): (schema: unknown) => string {
  return (schema) => {
    const { $id: model } = toRecord(schema)
    return typeof model === 'string' ? model : toZodText(schema, names)
  }
}

/** Follows references. Models are marked, and are what they are today, because changes of their own lead from there. */
function resolveIn({ components, modelOf }: SchemaNames, newest: SchemaNames): (schema: unknown) => unknown {
  return (schema) => {
    const name = refOf(toRecord(schema))
    if (name === undefined) return schema
    const model = modelOf(name)
    if (model === undefined) return components[name]
    const today =
      newest.components[name] ??
      Object.entries(newest.components).find(([each]) => newest.modelOf(each) === model)?.[1]
    return { ...toRecord(today), $id: model }
  }
}

/** A member of an object literal with a member for each field. */
function groupText(
  name: string,
  fields: readonly FieldDraft[],
  functionsOf: (field: FieldDraft) => readonly string[],
  { base }: ChangeWriting,
): string {
  const members = fields.map((field) => {
    const parts = [`was: ${wasText(field, base)}`, ...functionsOf(field)]
    return `${memberName(field.name)}: { ${parts.join(', ')} }`
  })
  return `${name}: { ${members.join(', ')} }`
}

function wasText(field: FieldDraft, names: SchemaNames): string {
  if (field.kind === 'renamed') return quotedText(field.was)
  return field.kind === 'added' ? 'absent' : optionalText(field.was, names)
}

function optionalText({ schema, isOptional }: DescribedField, names: SchemaNames): string {
  const text = toZodText(schema, names)
  return isOptional ? `${text}.optional()` : text
}

/** The functions of one field. */
function fieldFunctions(field: FieldDraft, { up, down }: Conversions): readonly string[] {
  if (field.kind !== 'retyped') return []
  const { was, now, sides } = field
  const [asks, answers] = [sides.includes('request'), sides.includes('response')]
  const converted = toConversion(was, now, 'old', up)
  // only its rules differ, so the handler can take what older clients send
  const isAccepted =
    asks &&
    converted === undefined &&
    typeIn(was, up.resolve.from) === typeIn(now, up.resolve.to) &&
    !isSameButDefault(was, now)
  const older = converted ?? (asks ? toConversion(was, now, 'old', { ...up, isStrict: true }) : undefined)
  const newer = toConversion(now, was, 'now', { ...down, isStrict: answers })
  const ups = older === undefined ? [] : [`up: ${arrow('old', older)}`]
  return [
    ...(isAccepted ? [ACCEPTED] : ups),
    ...(newer === undefined ? [] : [`down: ${arrow('now', newer)}`]),
  ]
}

const ACCEPTED = 'accepted: true'

/** Whether older clients that leave a value out get their own default, and all else is the same. */
function isSameButDefault(was: DescribedField, now: DescribedField): boolean {
  const [older, newer] = [was, now].map(({ schema }) => toStableText({ ...toRecord(schema), default: null }))
  return was.isOptional === now.isOptional && older === newer
}

function typeIn({ schema }: DescribedField, resolve: (schema: unknown) => unknown): unknown {
  return toRecord(resolve(schema))['type']
}

/** A function of one expression, with parentheses as formatters write them. */
function arrow(parameter: string, body: string): string {
  if (body === `asIs(${parameter})`) return 'asIs'
  return `(${parameter}) => ${body.includes(' ? ') ? `(${body})` : body}`
}

/** Creates the fields that did not exist yet, or `undefined` if all of them may be left out. */
function upText(fields: readonly FieldDraft[], parts: ConversionInput): string | undefined {
  const made = fields.flatMap((field) =>
    field.kind === 'added' && !mayLack(field.now) ? [memberText(field.name, field.now, parts)] : [],
  )
  const given = fields.flatMap((field) => (field.kind === 'removed' ? [field.name] : []))
  return made.length === 0 ? undefined : functionText(made, given)
}

/** Creates the fields that existed only then. */
function downText(fields: readonly FieldDraft[], parts: ConversionInput): string | undefined {
  if (!fields.some(({ kind }) => kind === 'removed')) return undefined
  const made = fields.flatMap((field) =>
    field.kind === 'removed' && !mayLack(field.was) ? [memberText(field.name, field.was, parts)] : [],
  )
  const given = fields.flatMap((field) => (field.kind === 'added' ? [field.name] : []))
  return functionText(made, given)
}

function mayLack({ schema, isOptional }: DescribedField): boolean {
  return isOptional || (isRecord(schema) && schema['default'] !== undefined)
}

function memberText(name: string, field: DescribedField, parts: ConversionInput): string {
  return `${memberName(name)}: ${missingText(field, parts)}`
}

function functionText(made: readonly string[], given: readonly string[]): string {
  const asks = made.some((member) => member.includes('fillIn('))
  const names = given.filter((name) => memberName(name) === name)
  const parameter = asks && names.length > 0 ? `({ ${names.join(', ')} })` : '()'
  return `${parameter} => (${made.length === 0 ? '{}' : `{ ${made.join(', ')} }`})`
}

/** Writes the member of each kind, or returns `undefined` if the routes don't differ in it. */
const MEMBERS: Readonly<
  Record<WrittenKind, (draft: RouteDraft, writing: ChangeWriting, route: DraftedRoute) => string | undefined>
> = {
  path: ({ path }, _, { before }) => {
    const was = path ?? before?.path
    return was && `path: { was: ${quotedText(was)} }`
  },
  method: ({ method }) => method && `method: { was: ${quotedText(method)} }`,
  status: ({ status }) => status && `status: { was: ${status.was} }`,
  query: (draft, writing) => parametersText('query', draft, writing),
  headers: (draft, writing) => parametersText('headers', draft, writing),
  cookies: (draft, writing) => parametersText('cookies', draft, writing),
  input: (draft, writing, { before }) => {
    if (before === undefined) return undefined
    const fields = Object.entries(before.parameters).map(
      ([name, schema]) => `${memberName(name)}: ${toZodText(schema, writing.base)}`,
    )
    const was = `{ params: z.object({${fields.length === 0 ? '' : ` ${fields.join(', ')} `}}) }`
    const up = draft.routes.length > 1 ? toCamelName(draft.gained) : gainedText(draft, writing)
    return `input: { was: ${was}, up: ${up} }`
  },
  body: ({ body }, writing) => (body?.key === 'body' ? bodyMemberText(body, writing) : undefined),
  errors: ({ problems }) => problems && errorsText(problems),
  'response.headers': ({ headers }, writing) =>
    headers.length === 0
      ? undefined
      : groupText('headers', headers, (field) => headerFunctions(field, writing), writing),
  'response.body': ({ body }, writing) =>
    body === undefined || body.key === 'body' || pagedText(body, writing) !== undefined
      ? undefined
      : `body: { ${bodyMemberText(body, writing)} }`,
  'response.status': ({ success }) => success && `status: { ${success.now}: { was: ${success.was} } }`,
  paged: ({ body }, writing) => body && pagedText(body, writing),
}

/** Writes the function that makes the parameters which paths gained. */
function gainedText({ gained = [] }: RouteDraft, writing: ChangeWriting): string {
  const { up } = toTurnings(writing)
  const text = fillInText({ schema: { type: 'string' }, isOptional: false }, up)
  const made = gained.map((name) => `${memberName(name)}: ${text}`)
  return `({ params }) => ({ params: { ...params, ${made.join(', ')} } })`
}

/** Writes the function that several routes share: one decision has one place. */
function sharedText(draft: RouteDraft, writing: ChangeWriting): readonly string[] {
  if (draft.gained === undefined) return []
  const code = gainedText(draft, writing).replace('({ params })', '<P>({ params }: { params: P })')
  return [`const ${toCamelName(draft.gained)} = ${code}`]
}

function toCamelName(names: readonly string[] = []): string {
  const words = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u)).filter(Boolean)
  return `with${words.map(capitalize).join('')}`
}

function errorsText(problems: readonly ProblemDraft[]): string {
  const members = problems.map(({ code, was, status }) => {
    const parts = [
      ...(was === undefined ? [] : [`was: ${quotedText(was)}`]),
      ...(status === undefined ? [] : [`status: ${status}`]),
    ]
    return `${memberName(code)}: { ${parts.join(', ')} }`
  })
  return `errors: { ${members.join(', ')} }`
}

/** A list that became a page, or `undefined` for any other body. */
function pagedText({ key, was, now, text, query }: BodyDraft, writing: ChangeWriting): string | undefined {
  const { base, revision } = writing
  const [older, newer] = [resolveIn(base, revision)(was?.schema), resolveIn(revision, revision)(now.schema)]
  const { properties } = toRecord(newer)
  if (key !== 200 || was === undefined || toRecord(older)['type'] !== 'array') return undefined
  if (!isPageShape(Object.entries(toRecord(properties)), query)) return undefined
  const isNamed = pageParameter(new Set(Object.keys(toRecord(properties))), new Set(query)) !== undefined
  const parts = [
    `now: ${text ?? optionalText(now, revision)}`,
    `was: ${optionalText(was, base)}`,
    // as many as a person can look at, and one process holds: an author who knows the list says more
    'atMost: 1000',
    ...(isNamed ? [] : ["next: () => fillIn('Record<string, unknown> | undefined')"]),
  ]
  return `paged: { ${parts.join(', ')} }`
}

/** Whether an object has one list, and its request has gained a parameter that says which page it is. */
function isPageShape(
  members: readonly (readonly [name: string, schema: unknown])[],
  query: readonly string[],
): boolean {
  const lists = members.filter(([, schema]) => toRecord(schema)['type'] === 'array')
  return lists.length === 1 && query.some(isPageName)
}

function operationText(route: DraftedRoute, draft: RouteDraft, writing: ChangeWriting): string {
  const members = Object.entries(MEMBERS).flatMap(([kind, toMember]) => {
    const member = toMember(draft, writing, route)
    if (member === undefined) return []
    return kind.startsWith('response.') ? [`response: { ${member} }`] : [member]
  })
  return `operation({ ${[`route: ${quotedText(route.route)}`, ...members].join(', ')} })`
}

function parametersText(
  source: DraftedSource,
  { parameters }: RouteDraft,
  writing: ChangeWriting,
): string | undefined {
  const own = parameters.filter((each) => each.source === source).map(({ field }) => field)
  return own.length === 0
    ? undefined
    : groupText(source, own, (field) => parameterFunctions(field, writing), writing)
}

/** A whole body: a member of `operation`, or of its responses. */
function bodyMemberText({ key, was, now, text }: BodyDraft, writing: ChangeWriting): string {
  const parts = [
    `now: ${text ?? optionalText(now, writing.revision)}`,
    `was: ${was === undefined ? 'absent' : optionalText(was, writing.base)}`,
    ...bodyFunction(was, now, key, toTurnings(writing)),
  ]
  return `${key}: { ${parts.join(', ')} }`
}

function bodyFunction(
  was: DescribedField | undefined,
  now: DescribedField,
  key: DraftedBody | 'default',
  { up, down }: Conversions,
): readonly string[] {
  if (was === undefined) return [`up: () => ${fillInText(now, up)}`]
  const [parameter, turn] =
    key === 'body'
      ? ['old', toConversion(was, now, 'old', { ...up, isStrict: true })]
      : ['now', toConversion(now, was, 'now', { ...down, isStrict: true })]
  return turn === undefined ? [] : [`${key === 'body' ? 'up' : 'down'}: ${arrow(parameter, turn)}`]
}

/** Writes the body that all errors had, which a change describes by itself. The format of today is called `errorFormat`. */
export function toReformatText(was: ErrorBody, now: ErrorBody, writing: ChangeWriting): string | undefined {
  const older = optionalText(was, writing.base)
  if (older === optionalText(now, writing.revision) && was.type === now.type) return undefined
  const type = was.type === 'application/json' ? '' : `.meta({ contentMediaType: ${quotedText(was.type)} })`
  const [down = 'down: (now) => now'] = bodyFunction(was, now, 'default', toTurnings(writing))
  const parts = [
    ...(now.type === 'application/problem+json' ? [] : ['now: errorFormat.schema']),
    `was: ${older}${type}`,
    down,
  ]
  return `reformatErrors({ ${parts.join(', ')} })`
}

/** The body of all errors, with its media type. */
export interface ErrorBody extends DescribedField {
  readonly type: string
}

/** Parameters have functions from the older version only. */
function parameterFunctions(field: FieldDraft, writing: ChangeWriting): readonly string[] {
  if (field.kind === 'retyped')
    return fieldFunctions(field, toTurnings(writing)).filter((text) => !text.startsWith('down'))
  const isAsked = field.kind === 'added' && !mayLack(field.now)
  return isAsked ? [`up: () => ${missingText(field.now, toTurnings(writing).up)}`] : []
}

function headerFunctions(field: FieldDraft, writing: ChangeWriting): readonly string[] {
  const { down } = toTurnings(writing)
  const text: DescribedField = { schema: { type: 'string' }, isOptional: false }
  if (field.kind === 'removed') return field.was.isOptional ? [] : [`down: () => ${fillInText(text, down)}`]
  return field.kind === 'retyped' ? [`down: (now) => ${fillInText(text, down)}`] : []
}
