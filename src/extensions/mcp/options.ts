import type { Rules } from '../../base/definition-error.ts'
import { isFunction, isMilliseconds, isNonEmptyString } from '../../base/values.ts'
import type { AnyGuard, Middleware, ToolCandidate } from '../../define/layers.ts'

/** The options of `mcp`. */
export interface McpOptions {
  /** The name of the server, which clients show. */
  readonly name: string
  /** Where the server answers, below the prefix of the application. @default '/mcp' */
  readonly prefix?: string
  /** The tags whose operations are tools. */
  readonly tags?: readonly string[]
  /** Selects further operations that are tools. */
  readonly include?: (candidate: ToolCandidate) => boolean
  /** A text that tells models how the tools belong together. */
  readonly instructions?: string
  /** Which tools are listed: all, or those whose guards let the client pass. @default 'all' */
  readonly list?: 'all' | 'allowed'
  /** The most milliseconds that clients may keep a list. A sunset before then ends it. @default 300000 */
  readonly ttl?: number
  /** Guards before every list and every call. Those of a tool's route run besides. */
  readonly guards?: readonly AnyGuard[]
  /** Middleware around every list and every call. */
  readonly middleware?: readonly Middleware[]
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isNonEmptyString)

/** The rules of the options of `mcp`. */
export const RULES: Rules = {
  name: [isNonEmptyString, 'a text that is not empty'],
  prefix: [(value) => typeof value === 'string' && value.startsWith('/'), "a path, such as '/mcp'"],
  tags: [(value) => isTexts(value) && Object(value).length > 0, 'a list of tags'],
  include: [isFunction, 'a function'],
  instructions: [isNonEmptyString, 'a text that is not empty'],
  list: [(value) => value === 'all' || value === 'allowed', "'all' or 'allowed'"],
  ttl: [(value) => value === 0 || isMilliseconds(value), 'a number of milliseconds'],
  guards: [Array.isArray, 'a list of guards'],
  middleware: [Array.isArray, 'a list of middleware'],
}

/** The longest name that models of all vendors take. */
const MAX_NAME = 64

/** A name of letters, digits, `_` and `-`, which are all that models of all vendors take. */
export function toToolName(operationId: string): string {
  return operationId.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME)
}

/** Creates the function that chooses the operations that are tools. */
export function toIsChosen({ tags = [], include }: McpOptions): (candidate: ToolCandidate) => boolean {
  return (candidate) => candidate.tags.some((tag) => tags.includes(tag)) || include?.(candidate) === true
}
