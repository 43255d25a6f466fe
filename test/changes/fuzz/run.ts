/* oxlint-disable complexity -- each answer is looked at in every way */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

import { HttpError, reply } from 'octavo'
import { z } from 'zod'

import { createRandom, toCaseSeed } from '../../fault/fuzz/random.ts'
import type { Random } from '../../fault/fuzz/random.ts'
import { fuzzDocument } from '../../openapi/fuzz/run.ts'
import { throughFetch } from '../../openapi/fuzz/send.ts'
import { build } from './build.ts'
import type { Built, Scheme } from './build.ts'
import { makeExtras, resultOf, sourcesOf, tryExtra } from './extras.ts'
import type { ExtraSpec } from './extras.ts'
import { keeping } from './keeping.ts'
import { Reference, Refused } from './reference.ts'
import { toTexts } from './trial.ts'
import type { Expected, Trial } from './trial.ts'
import { headerAt, isAnswer, statusAt } from './world-before.ts'
import { canonical, createWorld } from './world.ts'
import type { LimitKind, Kind, OperationSpec, RouteSpec, World } from './world.ts'

/** What a history made that its rules do not say. */
export interface Finding {
  readonly text: string
  readonly detail: string
}

export interface Report {
  readonly findings: readonly Finding[]
  readonly calls: number
}

/** What makes calls. */
interface Caller {
  readonly world: World
  readonly reference: Reference
  readonly random: Random
  readonly scheme: Scheme
}

interface Site extends Caller {
  readonly extras: readonly ExtraSpec[]
  readonly built: Built
  /** The same, with conversions that run step by step. */
  readonly slow: Built
  /** The same without history. */
  readonly plain: Built
  readonly findings: Finding[]
  calls: number
}

/** Tries one random history. Its documents are tried too if `hasDocuments`. */
export async function tryHistory(seed: number, index: number, hasDocuments: boolean): Promise<Report> {
  const random = createRandom(toCaseSeed(seed, index))
  const drawnWorld = createWorld(random, true)
  const extras = makeExtras(drawnWorld, random)
  const world = keeping(drawnWorld, extras.flatMap(sourcesOf), random)
  const drawn = random.pick<Scheme>(['url', 'url', 'header', 'header', 'query', 'host', 'several'])
  // labels of hosts have no dots
  const scheme = drawn === 'host' && world.versions.includes('1.1') ? 'header' : drawn
  const findings: Finding[] = []
  const site = await open(world, extras, random, scheme, findings)
  if (site === undefined) return { findings, calls: 0 }
  try {
    for (const [version] of world.versions.entries()) {
      for (const route of world.routes) await tryRoute(site, route, version)
      for (const extra of site.extras) await tryOwn(site, extra, version)
    }
    if (hasDocuments) await tryDocuments(site, seed)
  } catch (error) {
    findings.push({
      text: 'the search itself failed',
      detail: `${error instanceof Error ? String(error.stack) : String(error)}\n${describe(world)}`,
    })
  }
  await Promise.all([site.built, site.slow, site.plain].map(({ app }) => app.close()))
  return { findings, calls: site.calls }
}

async function open(
  world: World,
  extras: readonly ExtraSpec[],
  random: Random,
  scheme: Scheme,
  findings: Finding[],
): Promise<Site | undefined> {
  try {
    const built = build(world, true, scheme, extras)
    const plain = build(world, false, scheme, extras)
    const slow = build(world, true, scheme, extras)
    await Promise.all([built, plain].map(({ app }) => app.ready()))
    await stepByStep(() => slow.app.ready())
    return {
      world,
      extras,
      reference: new Reference(world),
      random,
      scheme,
      built,
      slow,
      plain,
      findings,
      calls: 0,
    }
  } catch (error) {
    findings.push({
      text: `it cannot be built: ${String(error).slice(0, 900)}`,
      detail: describe({ ...world, extras }),
    })
    return undefined
  }
}

/** Builds an application without code that is made from text. */
async function stepByStep(make: () => Promise<unknown>): Promise<void> {
  z.config({ jitless: true })
  try {
    await make()
  } finally {
    z.config({ jitless: false })
  }
}

const ROUNDS = 2

async function tryRoute(site: Site, route: RouteSpec, version: number): Promise<void> {
  if (route.hasHand && version === site.world.versions.length - 1) {
    const answer = await send(site.built, toCall(site, route, version, {}), undefined)
    if (answer.text !== JSON.stringify({ hand: route.name }))
      site.findings.push({
        text: 'a version that is written by hand is not answered by hand',
        detail: `${answer.status} ${answer.text}\n${JSON.stringify(route)}\n${describe(site.world)}`,
      })
    return
  }
  for (let at = 0; at < ROUNDS; at++) {
    const call = await validCall(site, route, version)
    if (call === undefined) continue
    await trySend(site, route, version, call)
  }
  await tryInvalid(site, route, version)
  await tryError(site, route, version)
}

export interface Call {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly limit: Limit
  /** The values of each source in the version that is asked. */
  readonly given: Readonly<Record<string, unknown>>
}

// of a field that two sources carry, that of the last one is kept
export const SOURCES = ['params', 'query', 'headers', 'form', 'body'] as const

/** The kind of a source in a version. */
export function kindOf(
  route: RouteSpec,
  source: (typeof SOURCES)[number],
  version: number,
): Kind | undefined {
  const whole = source === 'body' ? wholeBefore(route, version).findLast(({ body }) => body)?.body : undefined
  const own = whole?.was ?? route[source]
  return typeof own === 'number' ? { t: 'object', object: own } : own
}

/** The operations that a version lacks, newest first. */
function wholeBefore({ operations }: RouteSpec, version: number): readonly OperationSpec[] {
  return operations.filter((each) => each.version < version)
}

export async function validCall(site: Caller, route: RouteSpec, version: number): Promise<Call | undefined> {
  const given: Record<string, unknown> = {}
  for (const source of SOURCES) {
    const kind = kindOf(route, source, version)
    if (kind !== undefined)
      given[source] =
        source === 'body'
          ? site.reference.value(site.random, kind, version)
          : withoutNull(site, kind, version)
  }
  return toCall(site, route, version, given)
}

/** Text has no null. */
export function withoutNull({ reference, random }: Caller, kind: Kind, version: number): unknown {
  for (;;) {
    const value = reference.value(random, kind, version)
    const values = Object.values(Object(value))
    if (values.includes(null)) continue
    const isKey = kind.t === 'object' && reference.isKey(kind.object)
    if (!isKey || values.length === reference.fields(kind.object, version).length) return value
  }
}

export function toCall(
  site: Caller,
  route: RouteSpec,
  version: number,
  given: Readonly<Record<string, unknown>>,
): Call {
  const { world, scheme } = site
  const name = world.versions[version] ?? ''
  const older = route.operations.filter((each) => each.version < version)
  const pattern = older.findLast((each) => each.path !== undefined)?.path ?? `/c${route.path}`
  const params = toTexts(given['params'])
  // by place, because the names are those of the version
  const texts = route.params === undefined ? [] : site.reference.fields(route.params, version)
  let at = 0
  const path = pattern.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(params[texts[at++]?.name ?? ''] ?? 'x'),
  )
  const query = new URLSearchParams(toTexts(given['query']))
  if (hasPage(route))
    query.set(older.find(({ parameter }) => parameter !== undefined)?.parameter?.was ?? 'page', '3')
  const limit = limitOf(site, route, version)
  if (limit.sent !== undefined) query.set('limit', limit.sent)
  const headers: Record<string, string> = { ...toTexts(given['headers']) }
  const isHeader = scheme === 'header' || (scheme === 'several' && site.random.chance(0.5))
  if (isHeader) headers['x-api-version'] = name
  else if (scheme === 'query' || scheme === 'several') query.set('api', name)
  else if (scheme === 'host') headers['host'] = `v${name.replaceAll('.', '-')}.example.com`
  if (given['body'] !== undefined) headers['content-type'] = 'application/json'
  if (route.form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
  const text = query.toString()
  return {
    method: older.findLast((each) => each.method !== undefined)?.method ?? route.method,
    url: `${scheme === 'url' ? `/v${name}` : ''}${path}${text === '' ? '' : `?${text}`}`,
    headers,
    body:
      route.form === undefined
        ? given['body'] === undefined
          ? undefined
          : JSON.stringify(given['body'])
        : new URLSearchParams(toTexts(given['form'])).toString(),
    given,
    limit,
  }
}

function hasPage({ query, operations }: RouteSpec): boolean {
  return query === undefined && operations.some(({ parameter }) => parameter !== undefined)
}

/** The text that is sent as `limit`, and the number, status or nothing that comes of it. */
interface Limit {
  readonly sent: string | undefined
  readonly made: number | undefined
  readonly status?: number
}

function limitOf({ random }: Caller, { query, operations }: RouteSpec, version: number): Limit {
  const operation = operations.find(({ limit }) => limit !== undefined)
  if (query !== undefined || operation === undefined) return { sent: undefined, made: undefined }
  const sent = random.pick([undefined, '7', '100', '500'])
  const kind = operation.version < version ? operation.limit : undefined
  if (kind === 'absent') return { sent, made: 20 }
  if (kind === 'bad') return { sent, made: undefined, status: 500 }
  if (kind === 'word') {
    const word = random.pick([undefined, 'few', 'many', 'none'])
    if (word === 'none') return { sent: word, made: undefined, status: 422 }
    return { sent: word, made: word === 'many' ? 99 : 10 }
  }
  if (sent === '500') return { sent, made: undefined, status: 422 }
  return { sent, made: sent === undefined ? 20 : Number(sent) }
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly seen: Readonly<Record<string, unknown>> | undefined
  readonly kept: Readonly<Record<string, unknown>>
  readonly calls: number
  readonly headers: Readonly<Record<string, unknown>>
}

export async function send(
  { app, desk }: Built,
  { method, url, headers, body }: Pick<Call, 'method' | 'url' | 'headers' | 'body'>,
  result: unknown,
): Promise<Answer> {
  desk.seen = undefined
  desk.kept = {}
  desk.calls = 0
  desk.loads.length = 0
  desk.given.length = 0
  desk.result = (_, given) => {
    const made = typeof result === 'function' ? result(given) : result
    if (made instanceof HttpError) throw made
    return made
  }
  const answer = await app.inject({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const { seen, kept, calls } = desk
  return { status: answer.statusCode, text: answer.body, seen, kept, calls, headers: answer.headers }
}

/** Calls a route of its own, and compares all that comes of it. */
async function tryOwn(site: Site, spec: ExtraSpec, version: number): Promise<void> {
  const { reference, random, built, slow, world } = site
  for (const isSpoiled of [false, false, true]) {
    reference.kept.clear()
    const create = built.problemOf
    const trial = tryExtra(spec, { random, reference, version }, { isSpoiled, create })
    if (trial === undefined) continue
    const call = toOwnCall(site, version, trial)
    const answer = await send(built, call, trial.result)
    const other = await send(slow, call, trial.result)
    site.calls += 2
    const mistakes = mistakesIn(answer, trial.expected)
    if (
      answer.status !== other.status ||
      (answer.text !== other.text && answer.status !== 500) ||
      !isDeepStrictEqual(answer.seen, other.seen)
    )
      mistakes.push('compiled and step by step differ')
    for (const text of mistakes)
      site.findings.push({
        text: `${spec.t}: ${text}`,
        detail: `${call.method} ${call.url} ${JSON.stringify(call.headers)} ${call.body}
expected ${canonical(trial.expected)}
answer ${answer.status} ${answer.text} ${canonical(answer.seen)} ${answer.calls} calls
version ${version}: ${world.versions[version]}
${describe(spec)}
${describe(world)}`,
      })
  }
}

export function toOwnCall(
  { world, scheme }: Caller,
  version: number,
  { method, path, query, headers, body }: Trial,
): Pick<Call, 'method' | 'url' | 'headers' | 'body'> {
  const name = world.versions[version] ?? ''
  const own: Record<string, string> = { ...headers }
  const search = new URLSearchParams(query)
  if (scheme === 'header' || scheme === 'several') own['x-api-version'] = name
  else if (scheme === 'query') search.set('api', name)
  else if (scheme === 'host') own['host'] = `v${name.replaceAll('.', '-')}.example.com`
  if (body !== undefined) own['content-type'] = 'application/json'
  const text = search.toString()
  return {
    method,
    url: `${scheme === 'url' ? `/v${name}` : ''}${path}${text === '' ? '' : `?${text}`}`,
    headers: own,
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

/** What differs from what has to come of a call. */
export function mistakesIn(
  answer: Answer,
  { status, seen, kept, body, code, issue, calls }: Expected,
): string[] {
  if (answer.status !== status) return [`the status is ${answer.status} and not ${status}`]
  const mistakes: string[] = []
  if (seen !== undefined)
    for (const [source, value] of Object.entries(seen))
      if (!sameValue(answer.seen?.[source], value)) mistakes.push(`${source} arrives wrong`)
  if (kept !== undefined && !sameValue(answer.kept, kept)) mistakes.push('what is kept is wrong')
  if (body !== undefined && !sameJson(answer.text, body)) mistakes.push('the answer is wrong')
  if (calls !== undefined && answer.calls !== calls) mistakes.push('the handler is called otherwise')
  if (code === undefined && issue === undefined) return mistakes
  const problem = JSON.parse(answer.text) as {
    readonly code: string
    readonly errors?: readonly { readonly in: string; readonly path: readonly unknown[] }[]
  }
  if (code !== undefined && problem.code !== code)
    mistakes.push(`the code is ${problem.code} and not ${code}`)
  const found = problem.errors?.map((each) => JSON.stringify([each.in, each.path]))
  if (issue !== undefined && found?.includes(JSON.stringify(issue)) !== true)
    mistakes.push('an error has another path')
  return mistakes
}

async function trySend(site: Site, route: RouteSpec, version: number, call: Call): Promise<void> {
  const { reference, random, world, built, slow, plain } = site
  const response = route.responses[random.below(route.responses.length)] ?? route.responses[0]
  if (response === undefined) return
  const value = reference.result(random, response.kind)
  const result = reply(response.status, value, { headers: { 'x-new': 'told' } })
  const answer = await send(built, call, result)
  const other = await send(slow, call, result)
  site.calls += 2
  const report = (text: string, detail: string): void => {
    site.findings.push({
      text,
      detail: `${detail}\n${call.method} ${call.url} ${JSON.stringify(call.headers)} ${call.body}\nresult ${canonical(value)}\nanswer ${answer.status} ${answer.text}\nversion ${version}: ${world.versions[version]}, route ${JSON.stringify(route)}\n${describe(world)}`,
    })
  }
  if (
    answer.status !== other.status ||
    // the problem of a failure has the id of its request
    (answer.text !== other.text && answer.status !== 500) ||
    !isDeepStrictEqual(answer.seen, other.seen)
  )
    report(
      'compiled and step by step differ',
      `${other.status} ${other.text} ${canonical(other.seen)} ${canonical(answer.seen)}`,
    )
  const [twice] = built.desk.loads.filter((each, index, all) => all.indexOf(each) !== index)
  if (twice !== undefined && !hasConverted(world)) report('something is loaded twice', twice)
  let expected
  reference.kept.clear()
  try {
    expected = expectedInput(site, route, version, call)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (answer.status !== 422 && answer.status !== call.limit.status)
      report('what needs a member that is missing is not refused', String(error))
    checkNames(site, version, answer, report)
    return
  }
  if (call.limit.status !== undefined) {
    if (answer.status !== call.limit.status || answer.seen !== undefined)
      report('a parameter that does not fit is taken', `expected ${call.limit.status}`)
    if (answer.status === 422 && !answer.text.includes('"limit"'))
      report('a parameter is refused as another', '')
    return
  }
  if (version === 0) {
    const bare = await send(plain, call, result)
    // values that older versions accept are results of the history alone
    const isAccepted = bare.status === 500 && bare.text.includes('response_invalid')
    if (
      !isAccepted &&
      (bare.status !== answer.status ||
        bare.text !== answer.text ||
        canonical(bare.seen) !== canonical(answer.seen))
    )
      report('the newest version differs from no history', `${bare.status} ${bare.text}`)
  }
  if (answer.seen === undefined) {
    report('a valid request is refused', '')
    return
  }
  for (const source of SOURCES)
    if (source in expected && !sameValue(answer.seen[source], expected[source]))
      report(
        `${source} arrives wrong`,
        `got ${canonical(answer.seen[source])}\nexpected ${canonical(expected[source])}`,
      )
  if (!sameValue(answer.kept, Object.fromEntries(reference.kept)))
    report(
      'what is kept is wrong',
      `got ${canonical(answer.kept)}\nexpected ${canonical(Object.fromEntries(reference.kept))}`,
    )
  const query = {
    ...(hasPage(route) && { page: '3' }),
    ...(call.limit.made !== undefined && { limit: call.limit.made }),
  }
  if (Object.keys(query).length > 0 && canonical(answer.seen['query']) !== canonical(query))
    report('a parameter arrives wrong', `${canonical(answer.seen['query'])}, expected ${canonical(query)}`)
  const status = statusAt(route, response.status, version)
  if (answer.status !== status) {
    report('the status is wrong', `expected ${status}`)
    return
  }
  const told = Object.entries(answer.headers).flatMap(([name, text]) => (text === 'told' ? [name] : []))
  const header = headerAt(route, version) ?? ''
  if (told.join() !== header) report('response headers are wrong', `got ${told.join()}, expected ${header}`)
  let complete = reference.parse(response.kind, value, 0)
  let { kind } = response
  let at = 0
  for (const { answer: whole, version: own } of wholeBefore(route, version))
    if (whole !== undefined && isAnswer(whole, response)) {
      complete = whole.down(reference.down(kind, complete, own, at))
      kind = whole.was
      at = own
    }
  const sent = reference.parse(kind, reference.down(kind, complete, version, at), version)
  if (!sameJson(answer.text, sent)) report('the answer is wrong', `expected ${canonical(sent)}`)
}

/** Whether functions of changes get fields that hold objects, for which what is in them is loaded before. */
function hasConverted({ steps, objects }: World): boolean {
  const holds = (value: unknown): boolean => /"t":"(?:object|choice|either)"/.test(JSON.stringify(value))
  const holding = new Set(
    objects.flatMap(({ entries }) => entries.flatMap(({ slot, kind }) => (holds(kind) ? [slot] : []))),
  )
  return steps.some(({ moves, reads, isLoading, up, down, refined }) => {
    const isCalled = isLoading === true || [up, down, refined].some((each) => each !== undefined)
    return holds(moves) || (isCalled && [...moves, ...reads].some(({ slot }) => holding.has(slot)))
  })
}

/** Checks that a 422 has names of the version that was asked. */
function checkNames(
  { world, reference }: Site,
  version: number,
  { status, text }: Answer,
  report: (text: string, detail: string) => void,
): void {
  if (status !== 422) return
  const names = new Set(
    world.objects.flatMap(({ id }) => reference.fields(id, version).map(({ name }) => name)),
  )
  const { errors } = JSON.parse(text) as { errors: readonly { path: readonly (string | number)[] }[] }
  const foreign = errors
    .flatMap(({ path }) => path.filter((key) => typeof key === 'string' && /^f\d/.test(key)))
    .filter((key) => !names.has(String(key)))
  if (foreign.length > 0) report('a 422 has names of another version', foreign.join())
}

function expectedInput(
  { reference }: Site,
  route: RouteSpec,
  version: number,
  call: Call,
): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const source of SOURCES) {
    const kind = kindOf(route, source, version)
    if (kind === undefined) continue
    let value = reference.parse(kind, call.given[source], version)
    let [own, at] = [kind, version]
    for (const { body, version: newer } of source === 'body' ? wholeBefore(route, version).toReversed() : [])
      if (body !== undefined) {
        value = body.up(reference.up(own, value, at, newer))
        own = body.now
        at = newer
      }
    made[source] = reference.up(own, value, at)
  }
  return made
}

export function sameValue(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(withoutUndefined(a), withoutUndefined(b))
    return true
  } catch {
    return false
  }
}

function withoutUndefined(value: unknown): unknown {
  if (value instanceof Date) return value
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [[key, withoutUndefined(member)]],
    ),
  )
}

export function sameJson(text: string, value: unknown): boolean {
  try {
    return canonical(JSON.parse(text)) === canonical(JSON.parse(JSON.stringify(value)))
  } catch {
    return false
  }
}

/** Sends a request of which one value is wrong: it has to be refused in the names of the version. */
async function tryInvalid(site: Site, route: RouteSpec, version: number): Promise<void> {
  const { reference, random } = site
  const kind = kindOf(route, 'body', version)
  if (kind === undefined) return
  const value = reference.value(random, kind, version)
  const path = spoilAt(site, kind, value, version, [])
  if (path === undefined) return
  const call = toCall(site, route, version, {
    ...Object.fromEntries(
      SOURCES.flatMap((source) => {
        const own = kindOf(route, source, version)
        return own === undefined || source === 'body' ? [] : [[source, withoutNull(site, own, version)]]
      }),
    ),
    body: path.value,
  })
  const answer = await send(site.built, call, undefined)
  site.calls += 1
  const shown = JSON.stringify(path.path)
  const detail = `${shown}\n${call.method} ${call.url} ${call.body}\nanswer ${answer.status} ${answer.text}\nversion ${version}\nroute ${JSON.stringify(route)}\n${describe(site.world)}`
  if (call.limit.status !== undefined) return
  if (answer.status !== 422) {
    site.findings.push({ text: `an invalid request gets ${answer.status}`, detail })
    return
  }
  const { errors } = JSON.parse(answer.text) as {
    errors: readonly { in: string; path: readonly unknown[] }[]
  }
  if (!errors.some((each) => each.in === 'body' && JSON.stringify(each.path) === shown))
    site.findings.push({ text: 'an error has another path', detail })
}

/** Has the handler throw an error that operations say something of. */
async function tryError(site: Site, route: RouteSpec, version: number): Promise<void> {
  const call = await validCall(site, route, version)
  if (call === undefined) return
  const error = new HttpError(409, 'It is lost', { code: 'lost', title: 'Lost', place: 'here' })
  const answer = await send(site.built, call, error)
  const other = await send(site.slow, call, error)
  site.calls += 2
  // whether a request is valid is looked at elsewhere
  if (answer.seen === undefined) return
  let status = 409
  let code = 'lost'
  const marks: Record<string, true> = {}
  for (const { error: was, change } of wholeBefore(route, version)) {
    status = was?.status ?? status
    code = was?.was ?? code
    if (was?.isMarked === true) marks[change] = true
  }
  const expected = { type: 'about:blank', title: 'Lost', status, detail: 'It is lost', place: 'here' }
  const isRight = sameJson(answer.text, { ...expected, code, ...marks })
  if (answer.status !== status || !isRight || other.text !== answer.text || other.status !== status)
    site.findings.push({
      text: 'an error of then is wrong',
      detail: `${answer.status} ${answer.text}\n${other.status} ${other.text}\nversion ${version}, route ${JSON.stringify(route)}\n${describe(site.world)}`,
    })
}

interface Spoiled {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** A value with one mistake in it, and the path of that; `undefined` if it has no place for one. */
export function spoilAt(
  site: Caller,
  kind: Kind,
  value: unknown,
  version: number,
  path: readonly (string | number)[],
): Spoiled | undefined {
  const { reference, random } = site
  const inside = (
    key: string | number,
    of: Kind,
    make: (member: unknown) => unknown,
  ): Spoiled | undefined => {
    const found = spoilAt(site, of, Reflect.get(Object(value), key), version, [...path, key])
    return found && { path: found.path, value: make(found.value) }
  }
  if (value === undefined || value === null) return undefined
  switch (kind.t) {
    case 'maybe':
    case 'nullable':
    case 'lazy':
    case 'default':
      return spoilAt(site, kind.of, value, version, path)
    case 'list': {
      const list = value as readonly unknown[]
      const at = random.below(list.length)
      return list.length === 0 ? undefined : inside(at, kind.of, (member) => list.with(at, member))
    }
    case 'record': {
      const [key] = Object.keys(value)
      return key === undefined
        ? undefined
        : inside(key, kind.of, (member) => ({ ...Object(value), [key]: member }))
    }
    case 'tuple': {
      const list = value as readonly unknown[]
      const [first] = kind.items
      return first && inside(0, first, (member) => list.with(0, member))
    }
    case 'boxed':
      return inside('v', kind.of, (v) => ({ v }))
    case 'envelope':
      return inside('data', kind.of, (data) => ({ data }))
    case 'page': {
      const { items } = value as { readonly items: readonly unknown[] }
      const found = spoilAt(site, { t: 'list', of: kind.of }, items, version, [...path, 'items'])
      return found && { path: found.path, value: { ...value, items: found.value } }
    }
    case 'object': {
      const fields = reference.fields(kind.object, version).filter(({ kind: own }) => own.t !== 'literal')
      const entry = fields[random.below(fields.length)]
      if (entry === undefined) return undefined
      const isNeeded = !reference.isOptional(kind.object, entry)
      if (isNeeded && random.chance(0.3)) {
        const { [entry.name]: _, ...others } = value as Record<string, unknown>
        return { path: [...path, entry.name], value: others }
      }
      return inside(entry.name, entry.kind, (member) => ({ ...Object(value), [entry.name]: member }))
    }
    case 'choice':
    case 'either':
      return undefined
    default:
      return {
        path,
        value:
          kind.t === 'text' || kind.t === 'wide' || kind.t === 'digits' || kind.t === 'instant'
            ? 17
            : 'wrong',
      }
  }
}

/** Calls what each version's document says, and checks the answers by it. */
async function tryDocuments(
  { built, world, extras, reference, random, findings }: Site,
  seed: number,
): Promise<void> {
  const { app, desk } = built
  desk.result = (name) => {
    const extra = extras.find((each) => each.name === name)
    if (extra !== undefined) {
      const made = resultOf(extra, { random, reference }, (members) => built.problemOf(name, members))
      if (made instanceof HttpError) throw made
      return made
    }
    const route = world.routes.find((each) => each.name === name)
    const response = route?.responses[random.below(route.responses.length)]
    return response === undefined
      ? undefined
      : reply(response.status, reference.result(random, response.kind))
  }
  const has = (kind: LimitKind): boolean =>
    world.routes.some(({ operations }) => operations.some(({ limit }) => limit === kind))
  const [hasBad, hasWide] = [has('bad'), has('wide')]
  const hasMost = extras.some(
    (each) => each.t === 'moving' && each.tokens.some(({ most }) => most !== undefined),
  )
  for (const version of [...world.versions, 'all']) {
    const document = JSON.parse(JSON.stringify(app.openapi({ version }))) as unknown
    const report = await fuzzDocument(
      { name: version, document, send: throughFetch(app), isMerged: version === 'all' },
      { seed, calls: 3 },
    )
    for (const { operation, text, call } of report.findings) {
      // which members change together is no matter of documents
      if (text.includes('they are changed together')) continue
      // nor are problems that are thrown whatever is sent
      if (/It (?:is|was) gone/.test(text)) continue
      // and a function that makes nothing useful fails in every call, or one that moves a value above the newest limit
      if (text.includes('migration-failed') && (hasBad || hasMost)) continue
      // an older document allows a wider limit, and the newest schema refuses what is above its own
      if (hasWide && text.includes('"path":["limit"],"code":"too_big"')) continue
      // neither are refinements, and values that are not taken any more
      if (text.includes('the refinement refuses it') || text.includes('must match pattern')) continue
      findings.push({
        text: `document: ${text.slice(0, 90)}`,
        detail: `version ${version}, ${operation}: ${text}\n${call}\n${describe(world)}`,
      })
    }
  }
}

export function describe(world: object): string {
  return JSON.stringify(world, (_key, value: unknown) =>
    typeof value === 'function' ? 'function' : value instanceof Map ? [...value] : value,
  )
}
