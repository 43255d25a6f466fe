import { toRecord } from '../base/values.ts'
import { FileStream, FileStreams } from './file-stream.ts'
import { classOf } from './accepts.ts'
import { defOf, isSchema } from './schema.ts'
import type { Schema } from './schema.ts'
import { schemaOf, schemasOf, unwrapSchema } from './unwrap.ts'

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
export interface FilesPlan {
  readonly fields: ReadonlyMap<string, FileField>
  /** For fields that are not declared, or `null` if those are not handed to the schema. */
  readonly others: FileField | null
}

const FILE: FileField = { kind: 'file', isList: false, sniffs: false }
const NONE: FileField = { kind: 'none', isList: false, sniffs: false }

/** Reads from a schema which files it takes. A schema that is no object is handed every file. */
export function toFilesPlan(schema: Schema): FilesPlan {
  const inner = unwrapSchema(schema)
  const def = inner === undefined ? undefined : defOf(inner)
  switch (def?.type) {
    case 'object': {
      const shape = Object.entries(toRecord(def['shape']))
      const catchall = schemaOf(def['catchall'])
      return {
        fields: new Map(
          shape.flatMap(([name, field]) => (isSchema(field) ? [[name, toFileField(field)] as const] : [])),
        ),
        // a strict object has to see what is not declared, to refuse it
        others: catchall === undefined ? null : toFileField(catchall),
      }
    }
    case 'intersection':
      return merge([def['left'], def['right']].flatMap((side) => (isSchema(side) ? [toFilesPlan(side)] : [])))
    case 'union':
      return merge(schemasOf(def['options']).map(toFilesPlan))
    case 'record':
      return { fields: new Map(), others: isSchema(def['valueType']) ? toFileField(def['valueType']) : FILE }
    default:
      return { fields: new Map(), others: FILE }
  }
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
  const toField = (part: Schema): FileField => toFileField(part, depth + 1)
  switch (def.type) {
    case 'file':
      return { ...FILE, sniffs: asksForType(def['checks']) }
    case 'custom':
      return toCustomField(classOf(inner))
    case 'array':
      return { ...combine(schemasOf([def['element']]).map(toField)), isList: true }
    case 'tuple':
      return {
        ...combine([...schemasOf(def['items']), ...schemasOf([def['rest']])].map(toField)),
        isList: true,
      }
    case 'union':
      return combine(schemasOf(def['options']).map(toField))
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

function merge(plans: readonly FilesPlan[]): FilesPlan {
  const names = new Set(plans.flatMap((plan) => [...plan.fields.keys()]))
  const fieldOf = (name: string): FileField => combine(plans.flatMap((plan) => plan.fields.get(name) ?? []))
  return {
    fields: new Map([...names].map((name) => [name, fieldOf(name)])),
    others: plans.find((plan) => plan.others !== null)?.others ?? null,
  }
}
