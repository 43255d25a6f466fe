import { FileStream, FileStreams } from './file-stream.ts'
import { classOf } from './accepts.ts'
import { defOf, schemasOf, unwrapSchema, type Schema } from './schema.ts'
import { childrenOf, planFields, type FieldPlans } from './walk.ts'

/** How the files of one field become what its schema validates. */
export interface FileField {
  /** `'file'`: web files; `'stream'` and `'streams'`: read by the handler; `'none'`: its schema takes no file. */
  readonly kind: 'file' | 'stream' | 'streams' | 'none'
  /** Whether one file is handed over as a list too. */
  readonly isList: boolean
  /** Whether the schema asks for the type, which is told from the content then. */
  readonly sniffs: boolean
}

/** How the files of a request become what the schema of `files` validates. */
export type FilesPlan = FieldPlans<FileField>

const FILE: FileField = { kind: 'file', isList: false, sniffs: false }
const NONE: FileField = { kind: 'none', isList: false, sniffs: false }

/** Reads from a schema which files it takes. A schema that is no object is handed every file. */
export function toFilesPlan(schema: Schema): FilesPlan {
  return planFields(schema, FILE, (field) => toFileField(field), combine)
}

/** Schema types that can take a file though they do not say so. */
const OPEN_TYPES = new Set(['any', 'unknown', 'transform'])
const MAX_DEPTH = 8

function toFileField(schema: Schema, depth = 0): FileField {
  const inner = unwrapSchema(schema)
  // what is transformed first may take anything
  if (inner === undefined) return FILE
  const def = defOf(inner)
  if (depth > MAX_DEPTH) return NONE
  const parts = (): FileField =>
    combine(childrenOf(inner).map((child) => toFileField(child.schema, depth + 1)))
  switch (def.type) {
    case 'file':
      return { ...FILE, sniffs: asksForType(def['checks']) }
    case 'custom':
      return toCustomField(classOf(inner))
    case 'array':
    case 'tuple':
      return { ...parts(), isList: true }
    case 'union':
      return parts()
    default:
      return OPEN_TYPES.has(def.type) ? FILE : NONE
  }
}

function toCustomField(type: unknown): FileField {
  if (type === FileStream) return { ...FILE, kind: 'stream' }
  if (type === FileStreams) return { ...FILE, kind: 'streams' }
  return type === undefined || type === File || type === Blob ? FILE : NONE
}

/** Whether a file schema has `.mime(…)`. */
function asksForType(checks: unknown): boolean {
  return schemasOf(checks).some((check) => defOf(check)['check'] === 'mime_type')
}

function combine(fields: readonly FileField[]): FileField {
  const taking = fields.filter(({ kind }) => kind !== 'none')
  return {
    kind: taking[0]?.kind ?? 'none',
    isList: taking.length > 0 && taking.every(({ isList }) => isList),
    sniffs: taking.some(({ sniffs }) => sniffs),
  }
}
