import type { Severity } from './finding.ts'
import { severityOfRule } from './rules.ts'

/** How strict a comparison is. */
export interface Strictness {
  /** New values of enumerations in responses are breaking. */
  readonly closedEnums: boolean
  /** New members in responses are breaking. */
  readonly closedClients: boolean
  /** The day after which a sunset is still to come: milliseconds. */
  readonly now: number
}

/** The reasons for another level than that of the rule. */
export interface Circumstances {
  /** Clients were told to expect it, such as a new value of an extensible enum, or they are not likely to notice. */
  readonly isExpected?: boolean
  /** Unknown members are rejected, and so is a removed one. */
  readonly isRefused?: boolean
  /** A comparison of all values shows that some are lost, although the rule alone cannot tell. */
  readonly isProven?: boolean
  /** It is in an answer that reports an error. Clients show errors to people more often than they read them. */
  readonly isError?: boolean
  /** It is in what the server sends by itself, or in the answer to that. */
  readonly isSent?: boolean
  /** The operation is a preview, which may change. */
  readonly isPreview?: boolean
}

/** Rules that mean something else in a webhook or callback, because the server sends the body and the client answers. */
const SENT: Readonly<Record<string, Severity>> = {
  'request-body-added-required': 'info',
  'request-body-became-required': 'info',
  'request-body-became-optional': 'breaking',
  'request-body-removed': 'breaking',
  'response-success-status-added': 'info',
}

/** Rules that are less bad if clients expect the difference. Others are an info if they are a warning otherwise. */
const EXPECTED: Readonly<Record<string, Severity>> = {
  'api-version-removed': 'info',
  'range-retargeted': 'warning',
}

/** Decides how bad a difference is. Nothing else does. */
export function severityOf(rule: string, is: Circumstances, strictness: Strictness): Severity {
  const level = ownLevel(rule, is, strictness)
  if (level === 'none') return level
  if (is.isPreview === true) return 'info'
  return is.isError === true && level === 'breaking' ? 'warning' : level
}

function ownLevel(rule: string, is: Circumstances, strictness: Strictness): Severity {
  const level = severityOfRule(rule)
  if (is.isSent === true && SENT[rule] !== undefined) return SENT[rule]
  if (is.isProven === true || is.isRefused === true) return 'breaking'
  if (/^response-((body|property|header)-enum-value|problem)-added$/.test(rule) && is.isExpected !== true)
    return strictness.closedEnums ? 'breaking' : level
  if (/^response-(required|optional)-property-added$/.test(rule))
    return strictness.closedClients ? 'breaking' : level
  if (is.isExpected !== true) return level
  return EXPECTED[rule] ?? (level === 'warning' ? 'info' : level)
}
