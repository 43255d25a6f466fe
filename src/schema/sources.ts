import type { DefinitionErrorCode } from '../base/definition-error.ts'
import type { Pattern } from '../router/path/pattern.ts'
import { toFilesPlan, type FileField, type FilesPlan } from './files.ts'
import { headerName } from '../http/http.ts'
import { describeValue, isRecord, isString, libraryOf } from '../base/values.ts'
import { toSourcePlan, type SourcePlan } from './coercion.ts'
import { isSchema, unwrap, toNamesSchema, toObjectSchema, type Fields, type Schema } from './schema.ts'

/** The sources a handler can receive, in the order in which their problems are reported. */
export const SOURCES = ['params', 'query', 'headers', 'cookies', 'body', 'form', 'files'] as const

/** A key of `input` that is read from the request. */
export type SourceName = (typeof SOURCES)[number]

/** A source that a route declares. */
export interface DeclaredSource {
  readonly name: SourceName
  readonly schema: Schema
  readonly plan: SourcePlan
  /** Whether a body keeps the members that its schema does not declare. */
  readonly isWhole?: boolean
}

/** Something wrong in a declaration, without its place. */
export interface SourceProblem {
  readonly code: DefinitionErrorCode
  readonly message: string
  readonly fix: string
}

/** The rules of each source: whether its values are texts, whether it has fields that can be declared one by one, and repeat. */
const RULES: Readonly<Record<SourceName, Readonly<Record<'text' | 'fields' | 'repeats', boolean>>>> = {
  params: { text: true, fields: true, repeats: false },
  query: { text: true, fields: true, repeats: true },
  headers: { text: true, fields: true, repeats: true },
  cookies: { text: true, fields: true, repeats: false },
  body: { text: false, fields: false, repeats: true },
  form: { text: true, fields: true, repeats: true },
  files: { text: false, fields: true, repeats: true },
}

/** Reads the `input` of a route. What cannot be used is reported and left out. */
export function readSources(
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
  for (const name of ['form', 'files']) {
    if (input['body'] === undefined || input[name] === undefined) continue
    problems.push({
      code: 'conflicting_sources',
      message: `input has both body and ${name}`,
      fix: 'keep one: a request has one body',
    })
  }
  return SOURCES.flatMap((name) => {
    const declared = input[name]
    if (declared === undefined) return []
    const schema = toSchema(name, declared, problems)
    if (schema === undefined) return []
    if (name !== 'body' && NO_OBJECTS.has(unwrap(schema)?.type ?? '')) {
      problems.push(notAnObject(name, schema))
      return []
    }
    const source = { name, schema, plan: toSourcePlan(schema) }
    if (RULES[name].text) problems.push(...sourceFieldProblems(source, pattern))
    if (name === 'files') problems.push(...filesProblems(toFilesPlan(schema)))
    return [source]
  })
}

function toSchema(name: SourceName, declared: unknown, problems: SourceProblem[]): Schema | undefined {
  if (isSchema(declared)) return declared
  if (RULES[name].text && isNameList(declared)) {
    for (const twice of new Set(declared.filter((field, index) => declared.indexOf(field) !== index))) {
      problems.push({
        code: 'duplicate_param',
        message: `input.${name} lists ${twice} twice`,
        fix: 'keep one of them',
      })
    }
    return toNamesSchema(declared)
  }
  if (RULES[name].fields && isRecord(declared) && libraryOf(declared) === undefined) {
    const wrong = Object.entries(declared).filter(([, field]) => !isSchema(field))
    for (const [field, value] of wrong) {
      problems.push({
        code: 'invalid_schema',
        message: `input.${name}.${field} is ${describeValue(value)}`,
        fix: RULES[name].text
          ? `write a schema, such as z.string(), or list the names: ${name}: ['${field}']`
          : 'write a schema, such as z.file()',
      })
    }
    if (wrong.length > 0) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was just seen to be a schema
    return toObjectSchema(declared as Fields)
  }
  problems.push({
    code: 'invalid_schema',
    message: `input.${name} is ${describeValue(declared)}`,
    fix: FIXES[fixKind(name)],
  })
  return undefined
}

/** The kinds of schemas that refuse every object. A source other than `body` is an object. */
const NO_OBJECTS = new Set(
  'string number int boolean bigint symbol date nan null undefined void enum literal template_literal array tuple set map file never'.split(
    ' ',
  ),
)

/** Those that are written without arguments. */
const SCALARS = new Set(['string', 'number', 'boolean', 'bigint', 'date'])

function notAnObject(name: SourceName, schema: Schema): SourceProblem {
  const type = unwrap(schema)?.type ?? ''
  const text = SCALARS.has(type) ? `z.${type}()` : 'z.string()'
  const written = RULES[name].text ? text : 'z.file()'
  return {
    code: 'invalid_schema',
    message: `input.${name} is a schema for one value, and ${name} hold values by name`,
    fix: `name the field: ${name}: { name: ${written} }`,
  }
}

function fixKind(name: SourceName): keyof typeof FIXES {
  if (RULES[name].text) return 'texts'
  return RULES[name].fields ? 'files' : 'value'
}

/** Declarations that can replace one that cannot be read. */
const FIXES = {
  texts:
    "write a schema, a record of schemas or a list of names: z.object({ … }), { name: z.string() } or ['name']",
  files: 'write a record of schemas or a zod schema: { name: z.file() } or z.object({ … })',
  value: 'write a zod schema, such as z.object({ … })',
} as const

const isStreamedFile = ({ kind }: FileField): boolean => kind === 'stream' || kind === 'streams'

/** Lists the settings that files cannot have. */
function filesProblems({ fields, others }: FilesPlan): readonly SourceProblem[] {
  const all: (readonly [string, FileField])[] = [...fields]
  if (others !== null && others.kind !== 'none') all.push(['*', others])
  const problems = all.flatMap(([name, field]): SourceProblem[] => {
    if (field.kind === 'none')
      return [
        {
          code: 'invalid_schema',
          message: `input.files.${name} takes no file`,
          fix: 'write z.file(), z.array(z.file()) or z.instanceof(FileStream); texts go to input.form',
        },
      ]
    if (!isStreamedFile(field) || (!field.isList && name !== '*')) return []
    return [
      {
        code: 'several_streams',
        message: `input.files.${name} is a list of files that are read as they arrive`,
        fix: 'write z.instanceof(FileStreams), which returns them one after the other',
      },
    ]
  })
  const streams = all.filter(([, field]) => isStreamedFile(field)).map(([name]) => name)
  if (streams.length < 2) return problems
  return [
    ...problems,
    {
      code: 'several_streams',
      message: `input.files reads ${streams.join(' and ')} as they arrive`,
      fix: 'keep one as FileStream and make the others z.file(), sent before it',
    },
  ]
}

function sourceFieldProblems({ name, plan }: DeclaredSource, pattern: Pattern): readonly SourceProblem[] {
  const problems: SourceProblem[] = []
  const headers = new Set<string>()
  for (const [field, { nested, list }] of plan.fields) {
    const at = `input.${name}.${field}`
    if (nested) {
      problems.push({
        code: 'nested_field',
        message: `${at} holds objects or lists of lists`,
        fix: `send nested data as a JSON body${name === 'form' ? '; files belong to input.files' : ''}`,
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

function isNameList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString)
}
