import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { type AnyChange } from '../../changes/chain.ts'
import { childrenOf, defOf, schemaOf, type ResponseKey, type Schema } from '../../schema/schema.ts'
import { plainKind } from '../../changes/convert/compare.ts'
import { operationsOf } from '../../changes/expand.ts'
import { bodiesOf } from '../../changes/operations/bodies.ts'
import { isAbout } from '../../changes/operations/operation.ts'
import type { KnownBody } from '../../gate/write/draft.ts'
import { readFileText } from '../write-file.ts'
import { toImported } from './history-edits.ts'

/** A route with the schemas of its bodies. */
interface Declared {
  readonly name: string
  readonly sources: readonly { readonly name: string; readonly schema: Schema }[]
  readonly responses: ReadonlyMap<ResponseKey, Schema>
}

/** Schemas that a change can import. */
type ExportedSchemas = ReadonlyMap<unknown, { readonly name: string; readonly exported: string | undefined }>

/** The bodies of a route, as a change can write them. */
export function toBodies(
  { name, sources, responses }: Declared,
  named: ExportedSchemas,
  changes: readonly AnyChange[],
): readonly KnownBody[] {
  const body = sources.find((source) => source.name === 'body')?.schema
  return [['body', body] as const, ...responses].flatMap(([key, schema]): readonly KnownBody[] => {
    if (schema === undefined || (key !== 'body' && typeof key !== 'number')) return []
    const known = operationsOf(changes).find(
      ({ operation }) => isAbout(operation, name) && bodiesOf(operation).has(key),
    )
    const names = new Set<string>()
    return [
      {
        key,
        text: exportedText(schema, named, names),
        names: [...names],
        isPlain: isDocumentedWhole(schema, named),
        change: known === undefined ? undefined : changes[known.order]?.id,
      },
    ]
  })
}

/** The text of a schema that is exported, or of lists and wrappers of one. */
function exportedText(schema: Schema, named: ExportedSchemas, names: Set<string>): string | undefined {
  const own = named.get(schema)
  if (own !== undefined) {
    const name = own.exported ?? own.name
    names.add(name)
    return name
  }
  const { type } = defOf(schema)
  const inner = wrappedSchema(schema)
  const text = inner === undefined ? undefined : exportedText(inner, named, names)
  if (text === undefined) return undefined
  return type === 'array' ? `z.array(${text})` : `${text}.${type}()`
}

function wrappedSchema(schema: Schema): Schema | undefined {
  const def = defOf(schema)
  if (def.type === 'array') return schemaOf(def['element'])
  return WRAPPERS.has(def.type) ? schemaOf(def['innerType']) : undefined
}

const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'nullable', 'readonly'])

/** Whether the document says all that there is to a schema, so that it can be written again. */
function isDocumentedWhole(schema: Schema, named: ExportedSchemas, above: readonly Schema[] = []): boolean {
  if (named.has(schema) || above.includes(schema)) return named.has(schema)
  const { type, checks = [] } = defOf(schema)
  if (!WRITTEN.has(type) && (plainKind(schema) === undefined || type === 'bigint' || type === 'date'))
    return false
  const own: readonly unknown[] = [
    defOf(schema),
    ...(Array.isArray(checks) ? checks.map((check: unknown) => Object(Object(check)['_zod'])['def']) : []),
  ]
  return (
    own.every((each) => CHECKS.has(Reflect.get(Object(each), 'check'))) &&
    childrenOf(schema).every((child) => isDocumentedWhole(child.schema, named, [...above, schema]))
  )
}

/** The kinds of schemas that `toZodText` writes, beside plain ones. */
const WRITTEN: ReadonlySet<string> = new Set(
  'optional nullable union intersection record tuple enum literal unknown any null never'.split(' '),
)

const CHECKS: ReadonlySet<unknown> = new Set([
  undefined,
  'min_length',
  'max_length',
  'greater_than',
  'less_than',
  'multiple_of',
  'number_format',
  'string_format',
])

/** The files that others import, as places: schemas may stand in files without any definition. */
export async function importedBy(places: Iterable<string>): Promise<readonly string[]> {
  const files = new Set([...places].map((at) => resolve(at.replace(/:\d+$/, ''))))
  const found = await Promise.all([...files].map(importedFiles))
  return [...new Set(found.flat())].map((file) => `${file}:1`)
}

/** Whether a file imports another one, perhaps through others. */
export async function isImporting(file: string, other: string): Promise<boolean> {
  const reached = new Set([file])
  // a set gives what is added while it is walked, too
  for (const each of reached) for (const imported of await importedFiles(each)) reached.add(imported)
  return reached.has(other)
}

/** The files that a file imports by relative paths. */
async function importedFiles(file: string): Promise<readonly string[]> {
  const text = (await readFileText(file)) ?? ''
  return toImported(text).flatMap((specifier) => findSourceFile(resolve(dirname(file), specifier)) ?? [])
}

/** The file of a relative import, whose extension may be that of JavaScript or missing. */
function findSourceFile(path: string): string | undefined {
  const names = [path, path.replace(/\.([cm]?)js$/, '.$1ts'), `${path}.ts`, join(path, 'index.ts')]
  return names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
}
