/* oxlint-disable complexity, max-depth -- each answer is compared in every way */
import { inspect } from 'node:util'

import { HttpError, reply } from 'octavo'

import { createRandom, toCaseSeed } from '../../fault/fuzz/random.ts'
import type { Random } from '../../fault/fuzz/random.ts'
import { build } from './build.ts'
import type { Built, Scheme } from './build.ts'
import { extraBefore, makeExtras, tryExtra } from './extras.ts'
import type { ExtraSpec } from './extras.ts'
import { keeping } from './keeping.ts'
import { carryMoving, movingSources } from './moving-routes.ts'
import { Reference, Refused } from './reference.ts'
import {
  SOURCES,
  describe,
  kindOf,
  mistakesIn,
  sameValue,
  send,
  spoilAt,
  toCall,
  toOwnCall,
  validCall,
  withoutNull,
} from './run.ts'
import type { Answer, Call, Finding, Report } from './run.ts'
import { headerAt, isAnswer, statusAt, withOrder, worldBefore } from './world-before.ts'
import type { WorldBefore } from './world-before.ts'
import { canonical, createWorld } from './world.ts'
import type { Kind, OperationSpec, RouteSpec, World } from './world.ts'

/** A history without its newest changes, and the same with them. */
interface Pair extends WorldBefore {
  /** The place in the longer history of the newest version of the shorter one. */
  readonly at: number
  readonly reference: Reference
  readonly random: Random
  readonly scheme: Scheme
  /** The routes of their own in the longer history. */
  readonly extras: readonly ExtraSpec[]
  readonly short: Built
  readonly long: Built
  /** The calls of functions of changes since it was emptied. */
  readonly callsOf: Readonly<Record<'short' | 'long', string[]>>
  /** Whether the shorter history can have the fields of all objects in the order that the longer one has them in. */
  readonly isOrdered: boolean
  readonly findings: Finding[]
  calls: number
}

/** The histories that are drawn until one has an older version that a team can have written. */
const DRAWS = 40

/**
 * Compares a random history with the same one behind random newer changes: what older versions answer, and what reaches handlers, has to stay as
 * it was.
 */
export async function tryNewer(seed: number, index: number, hasDocuments: boolean): Promise<Report> {
  const random = createRandom(toCaseSeed(seed, index))
  const findings: Finding[] = []
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawnWorld = createWorld(random, true)
    const drawnExtras = makeExtras(drawnWorld, random)
    const moving = drawnExtras.flatMap((spec) => (spec.t === 'moving' ? movingSources(spec) : []))
    const world = keeping(drawnWorld, [...earlierBodies(drawnWorld), ...moving], random)
    const at = 1 + random.below(world.versions.length - 1)
    const parts = worldBefore(world, at)
    if (parts === undefined) continue
    const drawn = random.pick<Scheme>(['url', 'header', 'query', 'host', 'several'])
    // labels of hosts have no dots
    const scheme = drawn === 'host' && world.versions.includes('1.1') ? 'header' : drawn
    const pair = await open(parts, drawnExtras, at, { random, scheme, findings })
    if (pair === undefined) break
    await tryPair(pair, hasDocuments)
    return { findings, calls: pair.calls }
  }
  return { findings, calls: 0 }
}

/** The bodies that older versions of routes read, which the shorter history may declare. */
function earlierBodies({ routes }: World): readonly Kind[] {
  return routes.flatMap(({ operations }) => operations.flatMap(({ body }) => body?.was ?? []))
}

async function open(
  parts: WorldBefore,
  drawn: readonly ExtraSpec[],
  at: number,
  given: Pick<Pair, 'random' | 'scheme' | 'findings'>,
): Promise<Pair | undefined> {
  const routes = drawn.map((spec) => extraBefore(spec, at))
  const extras = routes.map(({ after }) => after)
  try {
    const { after } = parts
    const callsOf = { short: [], long: [] }
    const long = build(withCalls(after, callsOf.long), true, given.scheme, extras)
    await long.app.ready()
    const newest = after.versions[at] ?? ''
    // removed fields come behind others, in an order that teams may have written otherwise
    const before = withOrder(parts.before, (id) => long.fieldsOf(id, newest))
    const own = routes.map((route) => route.before)
    const short = build(withCalls(before, callsOf.short), true, given.scheme, own)
    await short.app.ready()
    // own fields of parts stand behind those of models, where removed ones would be
    const isOrdered = before.objects.every(
      ({ id }) => short.fieldsOf(id, newest).join() === long.fieldsOf(id, newest).join(),
    )
    const reference = new Reference(after)
    return { before, after, ...given, at, extras, reference, short, long, callsOf, isOrdered, calls: 0 }
  } catch (error) {
    given.findings.push({
      text: `it cannot be built: ${String(error).slice(0, 900)}`,
      detail: `at ${at} ${describe({ routes, ...parts })}`,
    })
    return undefined
  }
}

type Convert = (values: never) => unknown

/** The world with functions that note what they get. */
function withCalls(world: World, calls: string[]): World {
  const noted = <T extends object>(given: T, id: string): T => {
    const { up, down }: { up?: Convert; down?: Convert } = given
    const note = (way: string, call: Convert) => (values: never) => {
      calls.push(`${id} ${way} ${inspect(values, { depth: Infinity, sorted: true })}`)
      return call(values)
    }
    return { ...given, ...(up && { up: note('up', up) }), ...(down && { down: note('down', down) }) }
  }
  return {
    ...world,
    steps: world.steps.map((step) => ({
      ...noted(step, `${step.change} ${step.model}`),
      moves: step.moves.map((move) => noted(move, `${step.change} ${step.model}.${move.slot}`)),
    })),
    routes: world.routes.map((route) => ({
      ...route,
      operations: route.operations.map((each) => ({
        ...each,
        body: each.body && noted(each.body, `${each.change} body`),
        answer: each.answer && noted(each.answer, `${each.change} answer`),
      })),
    })),
  }
}

async function tryPair(pair: Pair, hasDocuments: boolean): Promise<void> {
  const { after, at, findings, short, long } = pair
  try {
    for (let version = at; version < after.versions.length; version++) {
      for (const route of after.routes) {
        if (route.hasHand && version === after.versions.length - 1) continue
        for (let round = 0; round < 2; round++) {
          const call = await validCall(siteOf(pair), route, version)
          if (call !== undefined) await tryResult(pair, route, version, call)
        }
        await tryError(pair, route, version)
        await tryInvalid(pair, route, version)
      }
      for (const extra of pair.extras) await tryOwn(pair, extra, version)
      // names in paths that are written by hand follow no change
      const isHand = version === after.versions.length - 1 && after.routes.some((route) => route.hasHand)
      if (hasDocuments && !isHand) compareDocuments(pair, version)
    }
  } catch (error) {
    findings.push({
      text: 'the search itself failed',
      detail: `${error instanceof Error ? String(error.stack) : String(error)}\n${describe(after)}`,
    })
  }
  await Promise.all([short, long].map(({ app }) => app.close()))
}

function siteOf({ after: world, reference, random, scheme }: Pair): Parameters<typeof validCall>[0] {
  return { world, reference, random, scheme }
}

/** The operations that the shorter history lacks, newest first. */
function newerOf({ operations }: RouteSpec, at: number): readonly OperationSpec[] {
  return operations.filter(({ version }) => version < at)
}

/** Has the handlers of both answer the same data, each in the shapes of its newest version. */
async function tryResult(pair: Pair, route: RouteSpec, version: number, call: Call): Promise<void> {
  const { reference, random, at } = pair
  const response = route.responses[random.below(route.responses.length)] ?? route.responses[0]
  if (response === undefined) return
  const value = reference.result(random, response.kind)
  let older = reference.parse(response.kind, value, 0)
  let { kind } = response
  let from = 0
  for (const { answer, version: own } of newerOf(route, at))
    if (answer !== undefined && isAnswer(answer, response)) {
      older = answer.down(reference.down(kind, older, own, from))
      kind = answer.was
      from = own
    }
  older = reference.down(kind, older, at, from)
  const status = statusAt(route, response.status, at)
  const header = headerAt(route, at)
  await compare(pair, route, version, call, {
    short: reply(status, older, header === undefined ? {} : { headers: { [header]: 'told' } }),
    long: reply(response.status, value, { headers: { 'x-new': 'told' } }),
    detail: `results ${canonical(older)} and ${canonical(value)}`,
  })
}

/** Has the handlers of both throw the same error. */
async function tryError(pair: Pair, route: RouteSpec, version: number): Promise<void> {
  const call = await validCall(siteOf(pair), route, version)
  if (call === undefined) return
  const body = { title: 'Lost', place: 'here' }
  let [status, code, marks] = [409, 'lost', {}]
  for (const { error, change } of newerOf(route, pair.at)) {
    status = error?.status ?? status
    code = error?.was ?? code
    if (error?.isMarked === true) marks = { ...marks, [change]: true }
  }
  await compare(pair, route, version, call, {
    short: new HttpError(status, 'It is lost', { code, ...body, ...marks }),
    long: new HttpError(409, 'It is lost', { code: 'lost', ...body }),
    detail: 'an error is thrown',
  })
}

async function tryInvalid(pair: Pair, route: RouteSpec, version: number): Promise<void> {
  const { reference, random } = pair
  const kind = kindOf(route, 'body', version)
  if (kind === undefined) return
  const site = siteOf(pair)
  const spoiled = spoilAt(site, kind, reference.value(random, kind, version), version, [])
  if (spoiled === undefined) return
  const given = Object.fromEntries(
    SOURCES.flatMap((source) => {
      const own = kindOf(route, source, version)
      return own === undefined || source === 'body' ? [] : [[source, withoutNull(site, own, version)]]
    }),
  )
  const call = toCall(site, route, version, { ...given, body: spoiled.value })
  await compare(pair, route, version, call, { short: {}, long: {}, detail: 'an invalid request' })
}

interface Results {
  readonly short: unknown
  readonly long: unknown
  readonly detail: string
}

async function compare(
  pair: Pair,
  route: RouteSpec,
  version: number,
  call: Call,
  { short, long, detail }: Results,
): Promise<void> {
  const { before, after, ...others } = await sendBoth(pair, call, { short, long })
  const report = (text: string, own: string): void => {
    pair.findings.push({
      text,
      detail: `${own}\n${detail}\n${call.method} ${call.url} ${JSON.stringify(call.headers)} ${call.body}
before ${before.status} ${before.text}
after  ${after.status} ${after.text}
version ${pair.after.versions[version]}, newer than ${pair.before.versions[0]} are new, route ${describe(route)}
${describe(pair.before)}
${describe(pair.after)}`,
    })
  }
  const carried = before.seen === undefined ? undefined : carry(pair, route, before.seen)
  // what newer rules refuse is a mistake of the client
  if (carried === 'refused' || (before.seen !== undefined && isNewlyLimited(pair, route, call))) {
    if (after.status !== 422) report('what a newer change refuses is taken', '')
    return
  }
  if (!isSame(pair, { before, after, ...others }, report)) return
  if (carried === undefined) {
    if (after.seen !== undefined) report('a request that was refused is taken', '')
    return
  }
  for (const [source, expected] of Object.entries(carried))
    if (!sameValue(after.seen?.[source], expected))
      report(
        `${source} arrives otherwise`,
        `got ${canonical(after.seen?.[source])}\nexpected ${canonical(expected)}`,
      )
}

/** Calls a route of its own in both histories, and compares all that comes of it. */
async function tryOwn(pair: Pair, spec: ExtraSpec, version: number): Promise<void> {
  const { reference, random, at, short, long, after: world } = pair
  for (const isSpoiled of [false, false, true]) {
    reference.kept.clear()
    const trial = tryExtra(spec, { random, reference, version }, { isSpoiled, create: long.problemOf })
    if (trial === undefined) continue
    const call = toOwnCall(siteOf(pair), version, trial)
    const both = await sendBoth(pair, call, {
      short: trial.resultAt?.(at, short.problemOf) ?? trial.result,
      long: trial.result,
    })
    const { before, after } = both
    const report = (text: string, own: string): void => {
      pair.findings.push({
        text: `${spec.t}: ${text}`,
        detail: `${own}
${call.method} ${call.url} ${JSON.stringify(call.headers)} ${call.body}
before ${before.status} ${before.text} ${canonical(before.seen)}
after  ${after.status} ${after.text} ${canonical(after.seen)}
version ${world.versions[version]}, newer than ${pair.before.versions[0]} are new
${describe(extraBefore(spec, at))}
${describe(pair.before)}
${describe(world)}`,
      })
    }
    const carried =
      spec.t === 'moving' && before.seen !== undefined
        ? carryMoving(spec, { random, reference, version: at }, before.seen)
        : trial.expected
    for (const text of carried === undefined ? [] : mistakesIn(after, carried))
      report(text, canonical(carried))
    // newer rules and lists that became pages of newer versions may refuse it
    if (
      before.seen !== undefined &&
      (carried === undefined || (before.status < 300 && carried.status >= 400))
    )
      continue
    isSame(pair, both, report, spec.t === 'paged' && spec.version < at)
  }
}

interface Both {
  readonly before: Answer
  readonly after: Answer
  /** What changes loaded, and what their functions got, of those that both histories have. */
  readonly notesBefore: Notes
  readonly notesAfter: Notes
}

interface Notes {
  readonly loads: string
  readonly calls: string
}

async function sendBoth(
  pair: Pair,
  call: Pick<Call, 'method' | 'url' | 'headers' | 'body'>,
  results: Pick<Results, 'short' | 'long'>,
): Promise<Both> {
  const known = knownChanges(pair)
  // some are called once more for what is in a field, if a function of a newer change gets that
  const textOfAll = (texts: readonly string[], place: number): string =>
    [...new Set(texts.filter((text) => known.has(text.split(' ')[place] ?? '')))].toSorted().join('\n')
  const ask = async (side: 'short' | 'long'): Promise<readonly [Answer, Notes]> => {
    const { desk } = pair[side]
    pair.callsOf[side].length = 0
    const answer = await send(pair[side], call, results[side])
    const given = desk.given.map(
      ([change, values]) => `${change} ${inspect(values, { depth: Infinity, sorted: true })}`,
    )
    const calls = textOfAll([...pair.callsOf[side], ...given], 0)
    return [answer, { loads: textOfAll(desk.loads, 1), calls }]
  }
  const [before, notesBefore] = await ask('short')
  const [after, notesAfter] = await ask('long')
  pair.calls += 2
  return { before, after, notesBefore, notesAfter }
}

/** The changes that both histories have. */
function knownChanges({ at, before, extras }: Pair): ReadonlySet<string> {
  const operations = [...before.routes, ...extras].flatMap((route) => {
    const own: readonly { readonly version: number; readonly change: string }[] = route.operations
    // those of the shorter history are numbered from its newest version
    return 't' in route ? own.filter(({ version }) => version >= at) : own
  })
  const pages = extras.flatMap((spec) => (spec.t === 'paged' && spec.version >= at ? [spec] : []))
  return new Set([...before.steps, ...operations, ...pages].map(({ change }) => change))
}

/** Reports what differs between both answers. Pages that are gathered have headers of their own. */
function isSame(
  pair: Pair,
  { before, after, notesBefore, notesAfter }: Both,
  report: (text: string, detail: string) => void,
  isGathered = false,
): boolean {
  const shownAs = pair.isOrdered ? textOf : canonicalText
  if (before.status === 422 && after.status === 422 && hasSomeErrors(before, after)) return true
  if (before.status !== after.status || shownAs(before) !== shownAs(after)) {
    report(
      canonicalText(before) === canonicalText(after)
        ? 'members of an older version come in another order'
        : 'an older version is answered otherwise',
      '',
    )
    return false
  }
  if (!isGathered && toldIn(before) !== toldIn(after))
    report('headers differ', `${toldIn(before)}\n${toldIn(after)}`)
  if (before.status < 300 && notesBefore.loads !== notesAfter.loads)
    report('older changes load otherwise', `${notesBefore.loads}\n${notesAfter.loads}`)
  if (before.status < 300 && notesBefore.calls !== notesAfter.calls)
    report('functions of older changes get others', `${notesBefore.calls}\n---\n${notesAfter.calls}`)
  const known = knownChanges(pair)
  const kept = Object.fromEntries(Object.entries(after.kept).filter(([change]) => known.has(change)))
  if (after.seen !== undefined && !sameValue(before.kept, kept))
    report('what is kept differs', `${canonical(before.kept)}\n${canonical(kept)}`)
  return true
}

/** Whether a newer change has another limit, and the text is one that it refuses. */
function isNewlyLimited({ at }: Pair, { operations }: RouteSpec, { limit }: Call): boolean {
  return limit.status === 422 && operations.some((each) => each.limit !== undefined && each.version < at)
}

/** What the handler of the longer history has to get, made by the naive converter of what that of the shorter one got. */
function carry(
  { reference, at }: Pair,
  route: RouteSpec,
  seen: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | 'refused' {
  const made: Record<string, unknown> = {}
  try {
    for (const source of SOURCES) {
      let kind = kindOf(route, source, at)
      if (kind === undefined) continue
      let value = seen[source]
      let from = at
      for (const { body, version } of source === 'body' ? newerOf(route, at).toReversed() : [])
        if (body !== undefined) {
          value = body.up(reference.up(kind, value, from, version))
          kind = body.now
          from = version
        }
      made[source] = reference.up(kind, value, from)
    }
  } catch (error) {
    if (error instanceof Refused) return 'refused'
    throw error
  }
  return made
}

/**
 * Whether one answer has some of the errors of the other. The newest rules are checked behind changes, and only if all sources are right before,
 * so of several mistakes the first ones are told.
 */
function hasSomeErrors(before: Answer, after: Answer): boolean {
  const [one, other] = [before, after].map(({ text }): ReadonlySet<string> | undefined => {
    const { errors } = JSON.parse(text) as { readonly errors?: readonly unknown[] }
    return errors && new Set(errors.map(canonical))
  })
  if (one === undefined || other === undefined) return false
  // of what a refinement and others refuse, a newer change may have another one told first
  const isRefined = [before, after].some(({ text }) => text.includes('the refinement refuses it'))
  if (one.size === other.size) return isRefined
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  return [...few].every((each) => many.has(each)) || isRefined
}

/** The text of an answer, without the id of a request that failed. */
function textOf({ status, text }: Answer): string {
  return status < 500 ? text : text.replace(/"requestId":"[^"]*"/, '')
}

function canonicalText(answer: Answer): string {
  try {
    return canonical(JSON.parse(textOf(answer)))
  } catch {
    return textOf(answer)
  }
}

/** The headers of an answer that say something of its route. */
function toldIn({ headers }: Answer): string {
  return canonical(
    Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !['date', 'x-request-id'].includes(name))
        // the version that was the newest had no mark
        .map(([name, text]) => [name, name === 'etag' ? String(text).replace(/;v=[^"]*/, '') : text]),
    ),
  )
}

function compareDocuments({ short, long, after, findings, before, isOrdered }: Pair, version: number): void {
  const name = after.versions[version] ?? ''
  const [old, now] = [short, long].map(({ app }) => {
    const document = JSON.stringify(app.openapi({ version: name }), (key, value: unknown) =>
      (key === 'required' || key === 'parameters') && Array.isArray(value) && !isOrdered
        ? value.map((each: unknown) => canonical(each)).toSorted()
        : value,
    )
    return JSON.parse(document) as unknown
  })
  if (canonical(old) === canonical(now)) return
  const [bare, full] = [withoutPartNames(old), withoutPartNames(now)]
  if (canonical(bare) === canonical(full)) return
  findings.push({
    text: 'a document of an older version differs',
    detail: `${differences(JSON.parse(canonical(bare)), JSON.parse(canonical(full)), '')
      .slice(0, 20)
      .join('\n')}\nversion ${name}\n${describe(before)}\n${describe(after)}`,
  })
}

const COMPONENT = '#/components/schemas/'

/** A document with the schemas of parts in their places: which of them have a name depends on what shares them. */
function withoutPartNames(document: unknown): unknown {
  const schemas = Object(Object(document).components).schemas as object | undefined
  const inlined = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(inlined)
    const { $ref: to }: { readonly $ref?: unknown } = value
    const name = typeof to === 'string' && to.startsWith(COMPONENT) ? to.slice(COMPONENT.length) : 'M'
    if (!isOfModel(name)) return inlined(Reflect.get(schemas ?? {}, name))
    const members = Object.entries(value).filter(([key]) => value !== schemas || isOfModel(key))
    return Object.fromEntries(members.map(([key, member]) => [key, inlined(member)]))
  }
  return inlined(document)
}

function isOfModel(name: string): boolean {
  return name.startsWith('M')
}

function differences(a: unknown, b: unknown, path: string): readonly string[] {
  if (canonical(a) === canonical(b)) return []
  const isBoth = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null
  if (!isBoth) return [`${path}: ${canonical(a) ?? 'nothing'} became ${canonical(b) ?? 'nothing'}`]
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].flatMap((key) => differences(Reflect.get(a, key), Reflect.get(b, key), `${path}/${key}`))
}
