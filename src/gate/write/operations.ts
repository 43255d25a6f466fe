import { isRecord } from '../../base/values.ts'
import { pick, toSteps } from '../json.ts'
import type { Node } from '../document/source.ts'
import type { TracedPlace, VersionFinding } from '../finding.ts'
import type {
  BodyDraft,
  BodyKey,
  Described,
  FieldDraft,
  KnownRoute,
  RouteDraft,
  SourceName,
  Unwritten,
} from './draft.ts'
import { isSame } from './fields.ts'
import type { Pair } from './owners.ts'

/** A finding at one of its places; without a place if it concerns the whole API. */
export interface Placed {
  readonly finding: VersionFinding
  readonly place: TracedPlace | undefined
}

/** The findings about a route. */
interface Told {
  readonly address: Pick<RouteDraft, 'path' | 'method'>
  readonly status: RouteDraft['status']
  /** The names of parameters that differ. */
  readonly touched: ReadonlyMap<SourceName, ReadonlySet<string>>
  readonly headers: readonly FieldDraft[]
  /** The bodies that differ, with the findings about each. */
  readonly bodies: ReadonlyMap<BodyKey, readonly Placed[]>
  readonly unwritten: readonly Unwritten[]
}

/** Returns the differences of a route, from the findings about it. */
export function toRouteDrafts(
  route: string,
  findings: readonly Placed[],
  pair: Pair,
): { readonly drafts: readonly RouteDraft[]; readonly unwritten: readonly Unwritten[] } {
  const known = pair.known.routes.find(({ name }) => name === route)
  const path = known?.path ?? ''
  const { address, status, touched, headers, bodies, unwritten } = readFindings(findings, path, pair)
  const found = operationsAt(findings, pair)
  const whole = [...bodies].map(([key, own]) => ({ own, body: toBody(key, known, found, status?.was) }))
  const parameters = [...touched].flatMap(([source, names]) =>
    toParameters(source, names, found).map((field) => ({ source, field })),
  )
  const now = { method: found.revision?.method ?? '', path }
  const drafts = [
    ...(Object.keys(address).length === 0 ? [] : [address]),
    ...(status === undefined ? [] : [{ status }]),
    ...parameters.map((parameter) => ({ parameters: [parameter] })),
    ...headers.map((header) => ({ headers: [header] })),
    ...whole.flatMap(({ body }) => (typeof body === 'object' ? [{ body }] : [])),
  ].map((part): RouteDraft => ({
    kind: 'route',
    routes: [{ route, now }],
    parameters: [],
    headers: [],
    ...part,
  }))
  const rest = whole.flatMap(({ own, body }) =>
    typeof body === 'object' ? [] : own.map((placed) => ({ ...placed, why: body ?? reasonOf(placed) })),
  )
  return { drafts, unwritten: [...unwritten, ...rest] }
}

/** The earlier body of a route, or why a change cannot describe it. */
function toBody(
  key: BodyKey,
  route: KnownRoute | undefined,
  { base, revision }: Pairing,
  olderStatus = key,
): BodyDraft | string | undefined {
  const known = route?.bodies.find((body) => body.key === key)
  const now = bodyOf(revision?.node, key)
  if (known === undefined || now === undefined) return undefined
  if (known.change !== undefined)
    return `the change "${known.change}" already describes ${labelOf(key)}: write the new change by hand, and give it the \`now\` of that one as \`was\``
  if (known.text === undefined && !known.isPlain)
    return `export the schema of ${labelOf(key)} by name from a file that the route imports, so that ${memberOf(key)} of an operation can name it`
  const was = bodyOf(base?.node, key === 'body' ? key : olderStatus)
  return { key, was, now, text: known.text, names: known.names }
}

function labelOf(key: BodyKey): string {
  return key === 'body' ? 'the request body' : `the response ${key}`
}

function memberOf(key: BodyKey): string {
  return key === 'body' ? 'body: { now, was, up }' : `response: { body: { ${key}: { now, was, down } } }`
}

const JSON_TYPE = 'application/json'

function bodyOf(node: Node | undefined, key: BodyKey): Described | undefined {
  const owner = pick(node, key === 'body' ? ['requestBody'] : ['responses', String(key)])
  const schema = pick(owner, ['content', JSON_TYPE, 'schema'])
  const isOptional = key === 'body' && pick(owner, ['required']) !== true
  return schema === undefined ? undefined : { schema, isOptional }
}

/** The body that a place is in, or `undefined` if a change describes no such body. */
function bodyKeyOf(place: TracedPlace | undefined): BodyKey | undefined {
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
    const isAddress = draft.path !== undefined || draft.method !== undefined
    const key = JSON.stringify(isAddress ? draft : difference)
    merged.set(key, { ...draft, routes: [...(merged.get(key)?.routes ?? []), ...routes] })
  }
  return [...merged.values()]
}

function readFindings(findings: readonly Placed[], ownPath: string, pair: Pair): Told {
  const unwritten: Unwritten[] = []
  const touched = new Map<SourceName, Set<string>>()
  const headers = new Map<string, FieldDraft>()
  const bodies = new Map<BodyKey, readonly Placed[]>()
  let address: Told['address'] = {}
  let status: Told['status']
  for (const placed of findings) {
    const { finding, place } = placed
    const { rule } = finding
    const [section, , name = ''] = place?.steps ?? []
    const [source, key] = [sourceOf(placed), bodyKeyOf(place)]
    if (rule === 'route-moved') address = toAddress(finding, ownPath)
    else if (rule === 'status-of-default-changed') status = toStatus(finding)
    else if (source !== undefined) touched.set(source, (touched.get(source) ?? new Set()).add(name))
    else if (section === 'responses' && name === 'headers') addHeader(headers, placed, pair)
    else if (key === undefined) unwritten.push({ ...placed, why: reasonOf(placed) })
    else bodies.set(key, [...(bodies.get(key) ?? []), placed])
  }
  return { address, status, touched, headers: [...headers.values()], bodies, unwritten }
}

/** The source of the parameter that is found, if a change can describe it there. */
function sourceOf({ finding, place }: Placed): SourceName | undefined {
  const [section, where = ''] = place?.steps ?? []
  const isOwn = section === 'parameters' && finding.rule !== 'request-parameter-location-changed'
  return isOwn ? SOURCES.get(where) : undefined
}

const SOURCES: ReadonlyMap<string, SourceName> = new Map([
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
])

/** The address that a route had, without what all paths begin with. */
function toAddress({ base, revision }: VersionFinding, ownPath: string): Told['address'] {
  const [, wasPath = '', wasMethod = ''] = toSteps(base.pointer)
  const [, nowPath = '', nowMethod = ''] = toSteps(revision.pointer)
  const own = ownPath.split('/').slice(1)
  const prefix = nowPath.split('/').slice(1).length - (ownPath === '/' ? 0 : own.length)
  const was = wasPath.split('/').slice(1 + prefix)
  // a pattern may say more of a parameter than documents do, and parameters keep their newest names
  const params = own.filter((segment) => segment.includes('{'))
  let count = 0
  const path = `/${was.map((segment) => (/^\{.*\}$/.test(segment) ? (params[count++] ?? segment) : segment)).join('/')}`
  return {
    ...(path === ownPath ? {} : { path }),
    ...(wasMethod === nowMethod ? {} : { method: wasMethod.toUpperCase() }),
  }
}

function toStatus({ base, revision }: VersionFinding): { readonly was: number; readonly now: number } {
  return { was: Number(toSteps(base.pointer).at(-1)), now: Number(toSteps(revision.pointer).at(-1)) }
}

interface Found {
  readonly node: Node
  readonly method: string
}

interface Pairing {
  readonly base: Found | undefined
  readonly revision: Found | undefined
}

/** The operation that findings are about, in both documents. */
function operationsAt(findings: readonly Placed[], { base, revision }: Pair): Pairing {
  const find = (document: unknown, side: 'base' | 'revision'): Found | undefined => {
    for (const { finding, place } of findings) {
      const found = operationAt(document, finding[side].pointer, place)
      if (found !== undefined) return found
    }
    return undefined
  }
  return { base: find(base, 'base'), revision: find(revision, 'revision') }
}

/** The operation that has a pointer, or that of a place. */
function operationAt(document: unknown, pointer: string, place: TracedPlace | undefined): Found | undefined {
  const [section, path = '', method = ''] = toSteps(pointer)
  const node = section === 'paths' ? pick(document, ['paths', path, method]) : undefined
  if (isRecord(node)) return { node, method: method.toUpperCase() }
  const paths = pick(document, ['paths'])
  return Object.values(isRecord(paths) ? paths : {})
    .flatMap((item) => Object.entries(isRecord(item) ? item : {}))
    .flatMap(([name, each]): readonly Found[] =>
      isRecord(each) && each['operationId'] === place?.route && place?.route !== undefined
        ? [{ node: each, method: name.toUpperCase() }]
        : [],
    )[0]
}

/** Returns the earlier parameters of a source. */
function toParameters(source: SourceName, names: ReadonlySet<string>, found: Pairing): readonly FieldDraft[] {
  const was = parametersOf(found.base?.node, source)
  const now = parametersOf(found.revision?.node, source)
  const gone = [...was.keys()].filter((name) => !now.has(name))
  const come = [...now.keys()].filter((name) => !was.has(name))
  const [old, fresh] = [gone[0] ?? '', come[0] ?? '']
  const [before, after] = [was.get(old), now.get(fresh)]
  const isRenamed =
    gone.length === 1 &&
    come.length === 1 &&
    before !== undefined &&
    after !== undefined &&
    isSame(before, after) &&
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

function parametersOf(node: Node | undefined, source: SourceName): ReadonlyMap<string, Described> {
  const list = node?.['parameters']
  return new Map(
    (Array.isArray(list) ? list : []).flatMap((each: unknown): readonly (readonly [string, Described])[] => {
      if (!isRecord(each) || SOURCES.get(String(each['in'])) !== source) return []
      const isOptional = each['required'] !== true && pick(each, ['schema', 'default']) === undefined
      return [[String(each['name']), { schema: each['schema'] ?? {}, isOptional }]]
    }),
  )
}

/** Adds the earlier header of a response. */
function addHeader(
  headers: Map<string, FieldDraft>,
  { finding, place }: Placed,
  { base, revision }: Pair,
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

function headerAt(document: unknown, pointer: string): Described | undefined {
  const steps = toSteps(pointer)
  const end = steps.lastIndexOf('headers') + 2
  const node = end === 1 ? undefined : pick(document, steps.slice(0, end))
  return isRecord(node) ? { schema: node['schema'] ?? {}, isOptional: node['required'] !== true } : undefined
}

/** Why a finding of an operation cannot be written as a change, and what helps. */
export function reasonOf({ finding: { rule, version }, place }: Placed): string {
  const [section, where = ''] = place?.steps ?? []
  if (/^api-(path-)?removed/.test(rule))
    return `restore the route with version: '<=${version}', because a change cannot contain a handler`
  if (rule.startsWith('api-security'))
    return 'keep accepting the old credentials, because guards run before changes'
  if (rule === 'request-parameter-location-changed')
    return 'accept the parameter in both places, because a change cannot move it'
  if (section === 'parameters' && where === 'path')
    return 'derive input.params from a model, such as User.pick({ id: true }), so that changes reach it'
  if (section === 'requestBody' || section === 'responses')
    return `describe the whole body by ${memberOf(section === 'requestBody' ? 'body' : Number(where))} of an operation`
  return 'a change cannot describe this difference'
}
