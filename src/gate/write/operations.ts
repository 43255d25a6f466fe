import { isRecord } from '../../base/values.ts'
import type { Node } from '../document/source.ts'
import type { VersionFinding } from '../finding.ts'
import type { Described, FieldDraft, Known, RouteDraft, SourceName, Unwritten } from './draft.ts'
import { isSame } from './fields.ts'
import { pick, toSteps } from './walk.ts'

/** Two documents with what the application defines. */
export interface Pair {
  readonly base: unknown
  readonly revision: unknown
  readonly known: Known
}

/** The findings about a route. */
interface Told {
  readonly address: Pick<RouteDraft, 'path' | 'method'>
  readonly status: RouteDraft['status']
  /** The names of parameters that differ. */
  readonly touched: ReadonlyMap<SourceName, ReadonlySet<string>>
  readonly headers: readonly FieldDraft[]
  readonly unwritten: readonly Unwritten[]
}

/** Returns the earlier route, from the findings about it, or `undefined` if none of them can be written. */
export function toRouteDraft(
  route: string,
  findings: readonly VersionFinding[],
  pair: Pair,
): { readonly draft: RouteDraft | undefined; readonly unwritten: readonly Unwritten[] } {
  const path = pair.known.routes.find(({ name }) => name === route)?.path ?? ''
  const { address, status, touched, headers, unwritten } = readFindings(findings, path, pair)
  const found = operationsAt(findings, pair)
  const parameters = [...touched].flatMap(([source, names]) =>
    toParameters(source, names, found).map((field) => ({ source, field })),
  )
  const isEmpty = Object.keys(address).length + parameters.length + headers.length === 0
  if (isEmpty && status === undefined) return { draft: undefined, unwritten }
  const now = { method: found.revision?.method ?? '', path }
  const known = status === undefined ? {} : { status }
  return { draft: { kind: 'route', route, now, ...address, ...known, parameters, headers }, unwritten }
}

function readFindings(findings: readonly VersionFinding[], ownPath: string, pair: Pair): Told {
  const unwritten: Unwritten[] = []
  const touched = new Map<SourceName, Set<string>>()
  const headers = new Map<string, FieldDraft>()
  let address: Told['address'] = {}
  let status: Told['status']
  for (const finding of findings) {
    const { rule, at } = finding
    const [section, place = '', name = ''] = at.split('/')
    const source = section === 'parameters' ? SOURCES.get(place) : undefined
    if (rule === 'route-moved') address = toAddress(finding, ownPath)
    else if (rule === 'status-of-default-changed') status = toStatus(finding)
    else if (source !== undefined && rule !== 'request-parameter-location-changed')
      touched.set(source, (touched.get(source) ?? new Set()).add(name))
    else if (section === 'responses' && name === 'headers') addHeader(headers, finding, pair)
    else unwritten.push({ finding, why: reasonOf(finding) })
  }
  return { address, status, touched, headers: [...headers.values()], unwritten }
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

/** The operation that findings are about, in both documents. */
function operationsAt(findings: readonly VersionFinding[], { base, revision }: Pair): Pairing {
  return {
    base: operationAt(
      base,
      findings.map((finding) => finding.base.pointer),
    ),
    revision: operationAt(
      revision,
      findings.map((finding) => finding.revision.pointer),
    ),
  }
}

interface Pairing {
  readonly base: Found | undefined
  readonly revision: Found | undefined
}

function operationAt(document: unknown, pointers: readonly string[]): Found | undefined {
  for (const pointer of pointers) {
    const steps = toSteps(pointer).slice(0, 3)
    const node = steps[0] === 'paths' ? pick(document, steps) : undefined
    if (isRecord(node)) return { node, method: (steps[2] ?? '').toUpperCase() }
  }
  return undefined
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
        return [{ kind: 'turned', name, was: first, now: second, sides: ['request'] }]
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
  finding: VersionFinding,
  { base, revision }: Pair,
): void {
  const name = finding.at.split('/')[3] ?? ''
  const [was, now] = [headerAt(base, finding.base.pointer), headerAt(revision, finding.revision.pointer)]
  if (was === undefined) return
  headers.set(
    name,
    now === undefined
      ? { kind: 'removed', name, was }
      : { kind: 'turned', name, was, now, sides: ['response'] },
  )
}

function headerAt(document: unknown, pointer: string): Described | undefined {
  const steps = toSteps(pointer)
  const end = steps.lastIndexOf('headers') + 2
  const node = end === 1 ? undefined : pick(document, steps.slice(0, end))
  return isRecord(node) ? { schema: node['schema'] ?? {}, isOptional: node['required'] !== true } : undefined
}

/** Why a finding of an operation cannot be written as a change, and what helps. */
export function reasonOf({ rule, at, version }: VersionFinding): string {
  if (/^api-(path-)?removed/.test(rule))
    return `restore the route with version: '<=${version}', because a change cannot contain a handler`
  if (rule.startsWith('api-security'))
    return 'keep accepting the old credentials, because guards run before changes'
  if (rule === 'request-parameter-location-changed')
    return 'accept the parameter in both places, because a change cannot move it'
  if (at.startsWith('parameters/path/'))
    return 'derive input.params from a model, such as User.pick({ id: true }), so that changes reach it'
  if (at.startsWith('requestBody') || at.startsWith('responses/'))
    return 'define the object with model(), because changes describe fields of models, or keep a route for the older versions'
  return 'a change cannot describe this difference'
}
