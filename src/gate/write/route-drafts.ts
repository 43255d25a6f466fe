import { isRecord, toRecord } from '../../base/values.ts'
import { pickAt, pointerSteps } from '../json.ts'
import type { Node } from '../document/source.ts'
import type { TracedPlace, VersionFinding } from '../finding.ts'
import type {
  BodyDraft,
  DraftedBody,
  DescribedField,
  FieldDraft,
  KnownRoute,
  ProblemDraft,
  RouteDraft,
  DraftedSource,
  Unwritten,
} from './draft.ts'
import { isSameField } from './field-drafts.ts'
import type { ComparedApp } from './owners.ts'
import { bodyMemberHint, unwrittenReason, type PlacedFinding } from './unwritten-reasons.ts'

/** The statuses of success that a route had. */
type Statuses = Pick<RouteDraft, 'status' | 'success'>

/** The findings about a route. */
interface Told {
  readonly address: Address
  readonly statuses: Statuses
  /** The names of parameters that differ. */
  readonly touched: ReadonlyMap<DraftedSource, ReadonlySet<string>>
  readonly headers: readonly FieldDraft[]
  readonly problems: readonly ProblemDraft[]
  /** The bodies that differ, with the findings about each. */
  readonly bodies: ReadonlyMap<DraftedBody, readonly PlacedFinding[]>
  readonly unwritten: readonly Unwritten[]
}

/** The address that a route had. */
type Address = Pick<RouteDraft, 'path' | 'method' | 'gained'> & Pick<RouteDraft['routes'][number], 'before'>

/** Returns the differences of a route, from the findings about it. */
export function toRouteDrafts(
  route: string,
  findings: readonly PlacedFinding[],
  pair: ComparedApp,
): { readonly drafts: readonly RouteDraft[]; readonly unwritten: readonly Unwritten[] } {
  const known = pair.known.routes.find(({ name }) => name === route)
  const path = known?.path ?? ''
  const unread = findings.filter((placed) => sourceOf(placed) !== undefined && !isDeclared(placed, pair))
  const { address, statuses, touched, headers, problems, bodies, unwritten } = readFindings(
    findings.filter((placed) => !unread.includes(placed)),
    path,
    pair,
  )
  const found = operationsAt(findings, pair)
  const whole = [...bodies].map(([key, own]) => ({
    own,
    body: toBodyDraft(key, known, found, statuses.status?.was),
  }))
  const parameters = [...touched].flatMap(([source, names]) =>
    toParameterDrafts(source, names, found, pair.known.isNoted).map((field) => ({ source, field })),
  )
  const now = { method: found.revision?.method ?? '', path }
  const drafts = [
    ...(Object.keys(address).length === 0 ? [] : [address]),
    ...Object.entries(statuses).map(([kind, own]) => ({ [kind]: own })),
    ...parameters.map((parameter) => ({ parameters: [parameter] })),
    ...headers.map((header) => ({ headers: [header] })),
    ...problems.map((problem) => ({ problems: [problem] })),
    ...whole.flatMap(({ body }) => (typeof body === 'object' ? [{ body }] : [])),
  ].map(({ before, ...part }: Partial<RouteDraft> & Pick<Address, 'before'>): RouteDraft => ({
    kind: 'route',
    routes: [{ route, now, ...(before === undefined ? {} : { before }) }],
    parameters: [],
    headers: [],
    ...part,
  }))
  const rest = whole.flatMap(({ own, body }) =>
    typeof body === 'object'
      ? []
      : own.map((placed) => ({ ...placed, why: body ?? unwrittenReason(placed) })),
  )
  const undeclared = unread.map((placed) => ({ ...placed, why: UNDECLARED }))
  return { drafts, unwritten: [...unwritten, ...undeclared, ...rest] }
}

/** The earlier body of a route, or why a change cannot describe it. */
function toBodyDraft(
  key: DraftedBody,
  route: KnownRoute | undefined,
  { base, revision }: Pairing,
  olderStatus = key,
): BodyDraft | string | undefined {
  const known = route?.bodies.find((body) => body.key === key)
  const now = describedBody(revision?.node, key)
  if (known === undefined || now === undefined) return undefined
  if (known.change !== undefined)
    return `the change "${known.change}" already describes ${bodyName(key)}: write the new change by hand, and give it the \`now\` of that one as \`was\``
  if (known.text === undefined && !known.isPlain)
    return `export the schema of ${bodyName(key)} by name from a file that the route imports, so that ${bodyMemberHint(key)} of an operation can name it`
  const was = describedBody(base?.node, key === 'body' ? key : olderStatus)
  const before = parametersOf(base?.node, 'query')
  const query = [...parametersOf(revision?.node, 'query').keys()].filter((name) => !before.has(name))
  return { key, was, now, text: known.text, names: known.names, query }
}

function bodyName(key: DraftedBody): string {
  return key === 'body' ? 'the request body' : `the response ${key}`
}

const JSON_TYPE = 'application/json'

function describedBody(node: Node | undefined, key: DraftedBody): DescribedField | undefined {
  const owner = pickAt(node, key === 'body' ? ['requestBody'] : ['responses', String(key)])
  const schema = pickAt(owner, ['content', JSON_TYPE, 'schema'])
  const isOptional = key === 'body' && pickAt(owner, ['required']) !== true
  return schema === undefined ? undefined : { schema, isOptional }
}

/** The body that a place is in, or `undefined` if a change describes no such body. */
function bodyKeyOf(place: TracedPlace | undefined): DraftedBody | undefined {
  const [section, ...steps] = place?.steps ?? []
  if (section === 'requestBody' && [undefined, JSON_TYPE].includes(steps[0])) return 'body'
  const isJson = section === 'responses' && steps[1] === JSON_TYPE
  return isJson && /^2\d\d$/.test(steps[0] ?? '') ? Number(steps[0]) : undefined
}

/** Puts differences together that several routes have, such as a header that all of them ask for. */
export function mergeRoutes(drafts: readonly RouteDraft[]): readonly RouteDraft[] {
  const merged = new Map<string, RouteDraft>()
  for (const draft of drafts) {
    const { routes, ...difference } = draft
    const isAddress = draft.path !== undefined || (draft.method !== undefined && draft.gained === undefined)
    const key = JSON.stringify(isAddress ? draft : difference)
    merged.set(key, { ...draft, routes: [...(merged.get(key)?.routes ?? []), ...routes] })
  }
  return [...merged.values()]
}

function readFindings(findings: readonly PlacedFinding[], ownPath: string, pair: ComparedApp): Told {
  const { problems, told } = readProblems(findings)
  const unwritten: Unwritten[] = []
  const touched = new Map<DraftedSource, Set<string>>()
  const headers = new Map<string, FieldDraft>()
  const bodies = new Map<DraftedBody, readonly PlacedFinding[]>()
  let address: Told['address'] = {}
  let statuses: Statuses = {}
  for (const placed of findings) {
    const { finding, place } = placed
    const { rule } = finding
    const [section, , name = ''] = place?.steps ?? []
    const [source, key, own] = [sourceOf(placed), bodyKeyOf(place), toStatuses(placed, pair)]
    if (told.has(placed)) continue
    if (rule === 'route-moved' || rule === 'new-request-path-parameter')
      address = toAddress(finding, ownPath, pair.base)
    else if (own !== undefined) statuses = { ...statuses, ...own }
    else if (source !== undefined) touched.set(source, (touched.get(source) ?? new Set()).add(name))
    else if (section === 'responses' && name === 'headers') addHeaderDraft(headers, placed, pair)
    else if (key === undefined) unwritten.push({ ...placed, why: unwrittenReason(placed) })
    else bodies.set(key, [...(bodies.get(key) ?? []), placed])
  }
  return { address, statuses, touched, headers: [...headers.values()], problems, bodies, unwritten }
}

/** The status that another one replaced, or that stands beside another one, if both have one body. */
function toStatuses(
  { finding: { rule, base: was, revision: now }, place }: PlacedFinding,
  { base, revision }: ComparedApp,
): Statuses | undefined {
  if (rule === 'status-of-default-changed')
    return {
      status: {
        was: Number(pointerSteps(was.pointer).at(-1)),
        now: Number(pointerSteps(now.pointer).at(-1)),
      },
    }
  if (rule !== 'response-success-status-added') return undefined
  const nodes = [operationAt(base, was.pointer, place)?.node, operationAt(revision, now.pointer, place)?.node]
  const [older, newer] = nodes
  const known = Object.keys(Object(older?.['responses'])).filter((each) => /^2\d\d$/.test(each))
  const [only, added] = [Number(known[0]), Number(place?.steps[1])]
  if (known.length !== 1 || Number.isNaN(added)) return undefined
  const [before, after] = [describedBody(older, only), describedBody(newer, added)]
  const isSame = before && after ? isSameField(before, after) : before === after
  return isSame ? { success: { was: only, now: added } } : undefined
}

/** Finds the problems that had another code or status. If one problem came and one went, they are one problem under another code. */
function readProblems(findings: readonly PlacedFinding[]): {
  readonly problems: readonly ProblemDraft[]
  readonly told: ReadonlySet<PlacedFinding>
} {
  const of = (change: string): readonly PlacedFinding[] =>
    findings.filter(({ finding: { rule } }) => rule === `response-problem-${change}`)
  const [moved, come, gone] = [of('status-changed'), of('added'), of('removed')]
  const [added, removed] = [come[0], gone[0]]
  const isRenamed = come.length === 1 && gone.length === 1
  const renamed =
    isRenamed && added !== undefined && removed !== undefined
      ? [{ code: codeIn(added), was: codeIn(removed), ...statusBefore(removed, added) }]
      : []
  return {
    problems: [
      ...moved.map((placed) => ({
        code: codeIn(placed),
        status: Number(pointerSteps(placed.finding.base.pointer).at(-1)),
      })),
      ...renamed,
    ],
    told: new Set([...moved, ...(isRenamed ? come : []), ...gone]),
  }
}

function codeIn({ place }: PlacedFinding): string {
  return place?.steps.at(-1) ?? ''
}

/** The status of a problem that went, if the one in its place has another. */
function statusBefore(removed: PlacedFinding, added: PlacedFinding): Pick<ProblemDraft, 'status'> {
  const [was, now] = [removed, added].map(({ place }) => Number(place?.steps[1]))
  return was === undefined || was === now ? {} : { status: was }
}

/** The source of the parameter that is found, if a change can describe it there. */
function sourceOf({ finding, place }: PlacedFinding): DraftedSource | undefined {
  const [section, where = ''] = place?.steps ?? []
  const isOwn = section === 'parameters' && finding.rule !== 'request-parameter-location-changed'
  return isOwn ? SOURCES.get(where) : undefined
}

const UNDECLARED =
  'declare the parameter in the input of the route, because changes reach only what routes read: as a text, if it is a list or an object in one text'

/** Whether a parameter is one that routes read: in one text, or as a list of which each value has the name. */
function isDeclared(
  { finding, place }: PlacedFinding,
  { base, revision }: Pick<ComparedApp, 'base' | 'revision'>,
): boolean {
  const [, where, name] = place?.steps ?? []
  const nodes = [
    operationAt(base, finding.base.pointer, place),
    operationAt(revision, finding.revision.pointer, place),
  ]
  return nodes.every((operation) => {
    const list = operation?.node['parameters']
    const own = (Array.isArray(list) ? list : []).find(
      (each: unknown) => isRecord(each) && each['in'] === where && each['name'] === name,
    )
    const { content, style = 'form', explode = true } = toRecord(own)
    return content === undefined && (where !== 'query' || (style === 'form' && explode === true))
  })
}

const SOURCES: ReadonlyMap<string, DraftedSource> = new Map([
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
])

/** The address that a route had, without what all paths begin with. */
function toAddress({ base, revision }: VersionFinding, ownPath: string, older: unknown): Told['address'] {
  const [, wasPath = '', wasMethod = ''] = pointerSteps(base.pointer)
  const [, nowPath = '', nowMethod = ''] = pointerSteps(revision.pointer)
  const own = ownPath.split('/').slice(1)
  const prefix = nowPath.split('/').slice(1).length - (ownPath === '/' ? 0 : own.length)
  const { path, gained } = olderPath(wasPath.split('/').slice(1 + prefix), own)
  const method = wasMethod === nowMethod ? {} : { method: wasMethod.toUpperCase() }
  if (gained.length === 0) return { ...(path === ownPath ? {} : { path }), ...method }
  const node = pickAt(older, ['paths', wasPath, wasMethod])
  const schemas = parametersOf(isRecord(node) ? node : undefined, 'params')
  const names = [...wasPath.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const parameters = path
    .split('/')
    .flatMap((segment) => nameIn(segment) ?? [])
    .map((name, index) => [name, schemas.get(names[index] ?? '')?.schema ?? { type: 'string' }] as const)
  return { ...method, gained, before: { path, parameters: Object.fromEntries(parameters) } }
}

/** The earlier path of a route with its parameters as they are called today, and the parameters that it has gained. */
function olderPath(
  was: readonly string[],
  own: readonly string[],
): { readonly path: string; readonly gained: readonly string[] } {
  const left = [...was]
  const kept: string[] = []
  const gained: string[] = []
  const names = new Set(own.map(nameIn))
  for (const segment of own) {
    const [first = '', name] = [left[0], nameIn(segment)]
    const older = nameIn(first)
    const isSame = name === undefined ? first === segment : older === name || !names.has(older)
    if (left.length > 0 && isSame && (older === undefined) === (name === undefined)) {
      left.shift()
      kept.push(segment)
    } else if (name !== undefined) gained.push(name)
  }
  if (left.length === 0 && gained.length > 0) return { path: `/${kept.join('/')}`, gained }
  // a pattern may say more of a parameter than documents do, and parameters keep their newest names
  const params = own.filter((segment) => segment.includes('{'))
  let count = 0
  const path = `/${was.map((segment) => (nameIn(segment) === undefined ? segment : (params[count++] ?? segment))).join('/')}`
  return { path, gained: [] }
}

/** The name of the parameter that a segment is. */
function nameIn(segment: string): string | undefined {
  return /^\{([^{}:]*)/.exec(segment)?.[1]
}

interface FoundOperation {
  readonly node: Node
  readonly method: string
}

interface Pairing {
  readonly base: FoundOperation | undefined
  readonly revision: FoundOperation | undefined
}

/** The operation that findings are about, in both documents. */
function operationsAt(findings: readonly PlacedFinding[], { base, revision }: ComparedApp): Pairing {
  const find = (document: unknown, side: 'base' | 'revision'): FoundOperation | undefined => {
    for (const { finding, place } of findings) {
      const found = operationAt(document, finding[side].pointer, place)
      if (found !== undefined) return found
    }
    return undefined
  }
  return { base: find(base, 'base'), revision: find(revision, 'revision') }
}

/** The operation that has a pointer, or that of a place. */
function operationAt(
  document: unknown,
  pointer: string,
  place: TracedPlace | undefined,
): FoundOperation | undefined {
  const [section, path = '', method = ''] = pointerSteps(pointer)
  const node = section === 'paths' ? pickAt(document, ['paths', path, method]) : undefined
  if (isRecord(node)) return { node, method: method.toUpperCase() }
  const paths = pickAt(document, ['paths'])
  return Object.values(isRecord(paths) ? paths : {})
    .flatMap((item) => Object.entries(isRecord(item) ? item : {}))
    .flatMap(([name, each]): readonly FoundOperation[] =>
      isRecord(each) && each['operationId'] === place?.route && place?.route !== undefined
        ? [{ node: each, method: name.toUpperCase() }]
        : [],
    )[0]
}

/** Returns the earlier parameters of a source. */
function toParameterDrafts(
  source: DraftedSource,
  names: ReadonlySet<string>,
  found: Pairing,
  isNoted?: boolean,
): readonly FieldDraft[] {
  const was = parametersOf(found.base?.node, source, isNoted)
  const now = parametersOf(found.revision?.node, source, isNoted)
  const gone = [...was.keys()].filter((name) => !now.has(name))
  const come = [...now.keys()].filter((name) => !was.has(name))
  const [old, fresh] = [gone[0] ?? '', come[0] ?? '']
  const [before, after] = [was.get(old), now.get(fresh)]
  const isRenamed =
    gone.length === 1 &&
    come.length === 1 &&
    before !== undefined &&
    after !== undefined &&
    isSameField(before, after) &&
    (names.has(old) || names.has(fresh))
  const renamed: readonly FieldDraft[] = isRenamed ? [{ kind: 'renamed', name: fresh, was: old }] : []
  const others = [...names].filter((name) => !isRenamed || (name !== old && name !== fresh))
  return [
    ...renamed,
    ...others.flatMap((name): readonly FieldDraft[] => {
      const [first, second] = [was.get(name), now.get(name)]
      if (first !== undefined && second !== undefined)
        return [{ kind: 'retyped', name, was: first, now: second, sides: ['request'] }]
      if (second !== undefined) return [{ kind: 'added', name, now: second }]
      return first === undefined ? [] : [{ kind: 'removed', name, was: first }]
    }),
  ]
}

function parametersOf(
  node: Node | undefined,
  source: DraftedSource | 'params',
  isNoted = false,
): ReadonlyMap<string, DescribedField> {
  const list = node?.['parameters']
  return new Map(
    (Array.isArray(list) ? list : []).flatMap(
      (each: unknown): readonly (readonly [string, DescribedField])[] => {
        if (
          !isRecord(each) ||
          (each['in'] === 'path' ? 'params' : SOURCES.get(String(each['in']))) !== source
        )
          return []
        const hasDefault = !isNoted && pickAt(each, ['schema', 'default']) !== undefined
        const isOptional = each['required'] !== true && !hasDefault
        return [[String(each['name']), { schema: each['schema'] ?? {}, isOptional }]]
      },
    ),
  )
}

/** Adds the earlier header of a response. */
function addHeaderDraft(
  headers: Map<string, FieldDraft>,
  { finding, place }: PlacedFinding,
  { base, revision }: ComparedApp,
): void {
  const name = place?.steps[3] ?? ''
  const [was, now] = [headerAt(base, finding.base.pointer), headerAt(revision, finding.revision.pointer)]
  if (was === undefined) return
  headers.set(
    name,
    now === undefined
      ? { kind: 'removed', name, was }
      : { kind: 'retyped', name, was, now, sides: ['response'] },
  )
}

function headerAt(document: unknown, pointer: string): DescribedField | undefined {
  const steps = pointerSteps(pointer)
  const end = steps.lastIndexOf('headers') + 2
  const node = end === 1 ? undefined : pickAt(document, steps.slice(0, end))
  return isRecord(node) ? { schema: node['schema'] ?? {}, isOptional: node['required'] !== true } : undefined
}
