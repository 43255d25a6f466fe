import type { JsonSchema } from '../../base/json-schema.ts'
import { isString } from '../../base/values.ts'
import { toRegExp } from '../../gate/schema/check-value.ts'
import { FORMATS } from './zod-text.ts'

/** The conditions under which a value of one schema is one of another of the same type. */
export function ruleConditions(
  older: JsonSchema,
  newer: JsonSchema,
  value: string,
  isNoted: boolean,
): readonly string[] {
  const { format } = newer
  const schema = isNoted || !isString(format) ? undefined : FORMATS[format]
  const isWhole = newer['type'] === 'integer' && older['type'] === 'number'
  return [
    ...(isWhole ? [`Number.isInteger(${value})`] : []),
    ...(schema === undefined || older['format'] === format ? [] : [`fits(${schema}, ${value})`]),
    ...Object.entries(RULES).flatMap(([keyword, { text, isUpper }]) => {
      const [was, now] = [older[keyword], newer[keyword]]
      // a format brings its own pattern
      if (keyword === 'pattern' && schema !== undefined) return []
      // numbers of JavaScript end there
      const isEnd = typeof now === 'number' && Math.abs(now) >= Number.MAX_SAFE_INTEGER
      if (now === undefined || now === was || isEnd) return []
      const isImplied = typeof was === 'number' && typeof now === 'number' && isUpper !== undefined
      return isImplied && (isUpper ? was <= now : was >= now) ? [] : text(now, value)
    }),
  ]
}

interface BoundRule {
  readonly text: (bound: unknown, value: string) => string | readonly string[]
  /** Whether a lower bound says more; missing for what has no order. */
  readonly isUpper?: boolean
}

/** The conditions of keywords. */
const RULES: Readonly<Record<string, BoundRule>> = {
  minimum: { isUpper: false, text: (bound, value) => `${value} >= ${String(bound)}` },
  maximum: { isUpper: true, text: (bound, value) => `${value} <= ${String(bound)}` },
  exclusiveMinimum: { isUpper: false, text: (bound, value) => `${value} > ${String(bound)}` },
  exclusiveMaximum: { isUpper: true, text: (bound, value) => `${value} < ${String(bound)}` },
  multipleOf: {
    text: (bound, value) =>
      Number.isInteger(bound)
        ? `${value} % ${String(bound)} === 0`
        : `fits(z.number().multipleOf(${String(bound)}), ${value})`,
  },
  minLength: { isUpper: false, text: (bound, value) => `${value}.length >= ${String(bound)}` },
  maxLength: { isUpper: true, text: (bound, value) => `[...${value}].length <= ${String(bound)}` },
  minItems: { isUpper: false, text: (bound, value) => `${value}.length >= ${String(bound)}` },
  maxItems: { isUpper: true, text: (bound, value) => `${value}.length <= ${String(bound)}` },
  uniqueItems: { text: (_, value) => `new Set(${value}).size === ${value}.length` },
  pattern: {
    text: (pattern, value) => {
      const expression = toRegExp(String(pattern))
      return expression === undefined ? [] : `/${expression.source}/.test(${value})`
    },
  },
}
