import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { type AnyChange } from '../../changes/chain.ts'
import { shapeOf, defOf, schemaOf, type ResponseKey, type Schema } from '../../schema/schema.ts'
import { plainKind } from '../../changes/convert/compare.ts'
import { operationsOf } from '../../changes/expand.ts'
import { bodiesOf } from '../../changes/operations/bodies.ts'
import { isAbout } from '../../changes/operations/operation.ts'
import type { KnownBody } from '../../gate/write/draft.ts'
import { readText } from '../write-file.ts'
import { toImported } from './history-edits.ts'

/** A route with the schemas of its bodies. */
interface Declared {
  readonly name: string
  readonly sources: readonly { readonly name: string; readonly schema: Schema }[]
  readonly responses: ReadonlyMap<ResponseKey, Schema>
}

/** Schemas that a change can import. */
type Named = ReadonlyMap<unknown, { readonly name: string; readonly exported: string | undefined }>

/** The bodies of a route, as a change can write them. */
export function toBodies(
  { name, sources, responses }: Declared,
  named: Named,
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
        text: toText(schema, named, names),
        names: [...names],
        isPlain: isPlain(schema, named),
        change: known === undefined ? undefined : changes[known.order]?.id,
      },
    ]
  })
}

/** The text of a schema that is exported, or of lists and wrappers of one. */
function toText(schema: Schema, named: Named, names: Set<string>): string | undefined {
  const own = named.get(schema)
  if (own !== undefined) {
    const name = own.exported ?? own.name
    names.add(name)
    return name
  }
  const { type } = defOf(schema)
  const inner = innerOf(schema)
  const text = inner === undefined ? undefined : toText(inner, named, names)
  if (text === undefined) return undefined
  return type === 'array' ? `z.array(${text})` : `${text}.${type}()`
}

function innerOf(schema: Schema): Schema | undefined {
  const def = defOf(schema)
  if (def.type === 'array') return schemaOf(def['element'])
  return WRAPPERS.has(def.type) ? schemaOf(def['innerType']) : undefined
}

const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'nullable', 'readonly'])

/** Whether the document says all that there is to a schema, so that it can be written again. */
function isPlain(schema: Schema, named: Named): boolean {
  if (named.has(schema)) return true
  const inner = innerOf(schema)
  if (inner !== undefined) return isPlain(inner, named)
  const { type, checks = [], ...def } = defOf(schema)
  if (type === 'object')
    return (
      def['catchall'] === undefined && Object.values(shapeOf(schema)).every((each) => isPlain(each, named))
    )
  if (type === 'enum' || type === 'literal') return true
  const all: readonly unknown[] = [def, ...(Array.isArray(checks) ? checks.map(definedBy) : [])]
  return (
    plainKind(schema) !== undefined && all.every((each) => CHECKS.has(Reflect.get(Object(each), 'check')))
  )
}

function definedBy(check: unknown): unknown {
  return Object(Object(check)['_zod'])['def']
}

const CHECKS: ReadonlySet<unknown> = new Set([
  undefined,
  'min_length',
  'max_length',
  'greater_than',
  'less_than',
  'number_format',
])

/** The files that others import, as places: schemas may stand in files without any definition. */
export async function importedBy(places: Iterable<string>): Promise<readonly string[]> {
  const files = new Set([...places].map((at) => resolve(at.replace(/:\d+$/, ''))))
  const texts = await Promise.all(
    [...files].map(async (file) => [file, (await readText(file)) ?? ''] as const),
  )
  const found = texts.flatMap(([file, text]) =>
    toImported(text).flatMap((specifier) => findFile(resolve(dirname(file), specifier)) ?? []),
  )
  return [...new Set(found)].map((file) => `${file}:1`)
}

/** The file of a relative import, whose extension may be that of JavaScript or missing. */
function findFile(path: string): string | undefined {
  const names = [path, path.replace(/\.([cm]?)js$/, '.$1ts'), `${path}.ts`, join(path, 'index.ts')]
  return names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
}
