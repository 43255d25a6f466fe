import type { DefinitionErrorCode } from '../definition-error.ts'
import type { Pattern } from '../pattern.ts'
import { toSourcePlan } from './plan.ts'
import type { SourcePlan } from './plan.ts'
import { isSchema, toNamesSchema, toObjectSchema } from './schema.ts'
import type { Fields, Schema } from './schema.ts'

/** The sources a handler can receive, in the order in which their problems are reported. */
export const SOURCES = ['params', 'query', 'headers', 'cookies', 'body', 'form'] as const

/** A key of `input` that is read from the request. */
export type SourceName = (typeof SOURCES)[number]

/** A source that a route declares. */
export interface DeclaredSource {
  readonly name: SourceName
  readonly schema: Schema
  readonly plan: SourcePlan
}

/** Something wrong in a declaration, without its place. */
export interface SourceProblem {
  readonly code: DefinitionErrorCode
  readonly message: string
  readonly fix: string
}

/** The rules of each source: whether a field can repeat, and how a field's name is found in the request. */
const RULES: Readonly<Record<SourceName, { readonly text: boolean; readonly repeats: boolean }>> = {
  params: { text: true, repeats: false },
  query: { text: true, repeats: true },
  headers: { text: true, repeats: true },
  cookies: { text: true, repeats: false },
  body: { text: false, repeats: true },
  form: { text: true, repeats: true },
}

/** The header that a field of `headers` reads: `userAgent` and `user_agent` read `user-agent`. */
export function headerName(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** Reads the `input` of a route. What cannot be used is reported and left out. */
export function toSources(
  input: Readonly<Record<string, unknown>>,
  pattern: Pattern,
  problems: SourceProblem[],
): readonly DeclaredSource[] {
  for (const key of Object.keys(input)) {
    if (key !== 'inject' && !SOURCES.some((name) => name === key)) {
      problems.push({
        code: 'unknown_source',
        message: `input.${key} is not a source`,
        fix: `use one of ${SOURCES.join(', ')}, inject`,
      })
    }
  }
  if (input['body'] !== undefined && input['form'] !== undefined) {
    problems.push({
      code: 'conflicting_sources',
      message: 'input has both body and form',
      fix: 'keep one: a request has one body',
    })
  }
  return SOURCES.flatMap((name) => {
    const declared = input[name]
    if (declared === undefined) return []
    const schema = toSchema(name, declared, problems)
    if (schema === undefined) return []
    const source = { name, schema, plan: toSourcePlan(schema) }
    if (RULES[name].text) problems.push(...fieldProblems(source, pattern))
    return [source]
  })
}

function toSchema(name: SourceName, declared: unknown, problems: SourceProblem[]): Schema | undefined {
  if (isSchema(declared)) return declared
  if (RULES[name].text && isNames(declared)) {
    for (const twice of new Set(declared.filter((field, index) => declared.indexOf(field) !== index))) {
      problems.push({
        code: 'duplicate_param',
        message: `input.${name} lists ${twice} twice`,
        fix: 'keep one of them',
      })
    }
    return toNamesSchema(declared)
  }
  if (RULES[name].text && isRecord(declared)) {
    const wrong = Object.entries(declared).filter(([, field]) => !isSchema(field))
    for (const [field] of wrong) {
      problems.push({
        code: 'invalid_schema',
        message: `input.${name}.${field} is not a zod schema`,
        fix: `write a schema, such as z.string(), or list the names: ${name}: ['${field}']`,
      })
    }
    if (wrong.length > 0) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was just seen to be a schema
    return toObjectSchema(declared as Fields)
  }
  problems.push({
    code: 'invalid_schema',
    message: `input.${name} is not ${RULES[name].text ? 'a zod schema, a record of schemas or a list of names' : 'a zod schema'}`,
    fix: RULES[name].text
      ? "write z.object({ … }), { name: z.string() } or ['name']"
      : 'write a schema, such as z.object({ … })',
  })
  return undefined
}

function fieldProblems({ name, plan }: DeclaredSource, pattern: Pattern): readonly SourceProblem[] {
  const problems: SourceProblem[] = []
  const headers = new Set<string>()
  for (const [field, { nested, list }] of plan.fields) {
    const at = `input.${name}.${field}`
    if (nested) {
      problems.push({
        code: 'nested_field',
        message: `${at} holds objects or lists of lists`,
        fix: 'send nested data as a JSON body',
      })
    }
    if (list !== null && !RULES[name].repeats) {
      problems.push({
        code: 'list_field',
        message: `${at} is a list, and ${name} hold one value each`,
        fix: 'declare one value, or split the text with z.preprocess',
      })
    }
    if (name === 'params' && !pattern.params.some((param) => param.name === field)) {
      problems.push({
        code: 'unknown_param',
        message: `${at} is not in the pattern "${pattern.text}"`,
        fix: `add {${field}} to the path, or remove the field`,
      })
    }
    if (name === 'headers') {
      if (headers.has(headerName(field))) {
        problems.push({
          code: 'duplicate_param',
          message: `${at} reads the header ${headerName(field)}, which another field reads too`,
          fix: 'keep one of them',
        })
      }
      headers.add(headerName(field))
    }
  }
  return problems
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
