import * as fc from 'fast-check'

import { spoil, validCalls } from './calls.ts'
import type { Draft } from './calls.ts'
import { checkAnswer } from './check.ts'
import type { WireAnswer } from './check.ts'
import { readDocument } from './document.ts'
import type { Operation, ReadDocument } from './document.ts'
import { toCall } from './wire.ts'
import type { Credentials, WireCall } from './wire.ts'

/** A document, and who answers what it documents. */
export interface Subject {
  readonly name: string
  readonly document: unknown
  readonly send: (call: WireCall) => Promise<WireAnswer>
  /** By the names of security schemes; asked before each call. */
  readonly credentials?: (operation: string) => Promise<Credentials>
  /** Values that mean something to the application, by the names of parameters and members, `operation name` for one alone. */
  readonly known?: Readonly<Record<string, readonly unknown[]>>
  /** Whether it is of several versions, whose calls cannot be told apart: what is right for one may be wrong for another. */
  readonly isMerged?: boolean
  /** The operations that count; all without. */
  readonly part?: RegExp
  /** Operations that refuse some valid calls for what no document can say, with the reason. */
  readonly refuses?: Readonly<Record<string, string>>
  /** Operations that take more than they document, with the reason. */
  readonly lenient?: Readonly<Record<string, string>>
}

export interface Finding {
  readonly operation: string
  readonly text: string
  readonly call: string
  /** The number of the call among those of its operation. */
  readonly at: number
}

export interface Report {
  readonly calls: number
  readonly findings: readonly Finding[]
  readonly statuses: ReadonlyMap<number, number>
  /** Operations that never gave a documented success, with the statuses that they gave. */
  readonly unreached: readonly string[]
}

export interface Settings {
  readonly seed: number
  /** Calls of each operation. */
  readonly calls: number
  /** The number of the first call. @default 0 */
  readonly from?: number
  /** Operations to call; all without. */
  readonly only?: RegExp
}

/** Calls every operation of a document, rightly and wrongly, and checks every answer. */
export async function fuzzDocument(
  subject: Subject,
  { seed, calls, from = 0, only }: Settings,
): Promise<Report> {
  const document = readDocument(subject.document)
  const operations = document.operations.filter(({ id }) => (only ?? subject.part)?.test(id) ?? true)
  const findings: Finding[] = []
  const statuses = new Map<number, number>()
  const reached = new Map<string, Set<number>>(operations.map(({ id }) => [id, new Set()]))
  for (let at = from; at < from + calls; at += 1) {
    for (const operation of operations) {
      const outcome = await callOnce(subject, document, operation, seed, at)
      findings.push(
        ...outcome.problems.map((text) => ({ operation: operation.id, text, call: outcome.call, at })),
      )
      if (outcome.status === undefined) continue
      statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
      reached.get(operation.id)?.add(outcome.status)
    }
  }
  return {
    calls: [...statuses.values()].reduce((sum, count) => sum + count, 0),
    findings,
    statuses,
    unreached: operations
      .filter(
        (operation) => ![...(reached.get(operation.id) ?? [])].some((status) => isSuccess(operation, status)),
      )
      .map(({ id }) => `${id} (${[...(reached.get(id) ?? [])].join(', ')})`),
  }
}

/** Whether a status is what an operation is for: a success, or what it documents where it documents none. */
function isSuccess({ answers }: Operation, status: number): boolean {
  // of a retired version that is what there is
  const isGone = answers.some((answer) => answer.status === '410')
  const isRedirect = answers.some((answer) => answer.status === String(status)) && status < 400
  return isRedirect || (status >= 200 && status < 300) || (isGone && status === 410)
}

interface Outcome {
  readonly status: number | undefined
  readonly problems: readonly string[]
  readonly call: string
}

async function callOnce(
  subject: Subject,
  document: ReadDocument,
  operation: Operation,
  seed: number,
  at: number,
): Promise<Outcome> {
  const ground = { document, known: subject.known ?? {}, operation: operation.id }
  const own = hash(`${seed} ${subject.name} ${operation.id} ${at}`)
  let draft: Draft | undefined
  try {
    ;[draft] = fc.sample(validCalls(operation, ground), { seed: own, numRuns: 1 })
  } catch (error) {
    return { status: undefined, problems: [String(error)], call: '' }
  }
  if (draft === undefined) return { status: undefined, problems: ['no call could be made'], call: '' }
  if (at % 3 === 2) {
    const wrong = spoil(operation, draft, ground)
    draft = wrong[own % Math.max(1, wrong.length)] ?? draft
  }
  let call: WireCall
  try {
    const credentials = (await subject.credentials?.(operation.id)) ?? {}
    call = await toCall(operation, draft, document, credentials)
  } catch (error) {
    return { status: undefined, problems: [String(error)], call: '' }
  }
  const answer = await subject.send(call)
  const shown = `${draft.wrong === undefined ? '' : `(${draft.wrong}) `}${call.shown}`
  return { status: answer.status, problems: judge(subject, operation, draft, answer, document), call: shown }
}

function judge(
  { refuses = {}, lenient = {}, isMerged = false }: Subject,
  operation: Operation,
  { wrong }: Draft,
  answer: WireAnswer,
  document: ReadDocument,
): readonly string[] {
  const { status } = answer
  // another path may be the path of another operation
  if (wrong?.startsWith('path ') === true && status < 500) return []
  const problems = checkAnswer(operation, answer, document)
  const shown = answer.bytes.toString().slice(0, 500)
  if (wrong !== undefined) {
    return status < 400 && !isMerged && !(operation.id in lenient)
      ? [...problems, `takes what is wrong: ${status}`]
      : problems
  }
  if (!isMerged && isRefusal(operation, answer) && !(operation.id in refuses))
    return [...problems, `refuses what is right: ${status} ${shown}`]
  return problems
}

/** The statuses and codes that say of a request itself that it is wrong. */
const REFUSALS = new Set([400, 401, 403, 405, 406, 410, 411, 413, 414, 415, 417, 422, 431])
const CODES = new Set(['route_not_found', 'unsupported_version', 'retired_version'])

function isRefusal(operation: Operation, { status, bytes }: WireAnswer): boolean {
  if (isSuccess(operation, status)) return false
  if (REFUSALS.has(status)) return true
  if (status < 400) return false
  const [, code = ''] = /"code":"(\w+)"/.exec(bytes.toString()) ?? []
  return CODES.has(code)
}

/** 31 bits of a text (FNV-1a). */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01_00_01_93)
  return value >>> 1
}
